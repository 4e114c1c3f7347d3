//! Columns of the stiffness, the damping and the mass of a hexahedron, by the instructions of this processor.
//!
//! ```text
//! dr/dq, dr/dv of elastic forces     r at q + sum of e_j eps_j, or v, the directions j of four nodes: twelve in one sweep
//! dr/da, dr/dv of inertia            the same at a, or v, eight nodes along one axis in one sweep
//! ```
//!
//! The same derivatives as those of the module `lanes`, of the same forces; a mesh has so many elements that these
//! sweeps are worth memory and scalars of their own: coordinates hold derivatives along their own axis alone
//! ([`Along`]), which halves the time. The inertia forces are linear with constant coefficients, the same for
//! congruent elements, and are swept once for those that follow one another.

#![expect(clippy::inline_always, reason = "what pulp compiles for a processor must be in one piece")]

use super::matrices::By;
use crate::coordinates::Block;
use crate::element::{
    Across, Along, BrickInertia, BrickShape, BrickStrain, Element, ElementLaw, Local, MassForm, NODES,
};
use crate::model::Member;
use crate::state::Point;
use mb_scalar::{Lift, Wide};
use pulp::{Arch, Simd, WithSimd};
use std::sync::Arc;

/// Memory of the sweeps.
#[derive(Clone, Debug)]
pub(super) struct BrickSweep {
    arch: Arch,
    q: [Along; 24],
    v: [Along; 24],
    out: [Across; 24],
}

impl Default for BrickSweep {
    fn default() -> Self {
        let none = [Along::constant(0.0); 24];
        Self { arch: Arch::new(), q: none, v: none, out: [Across::constant(0.0); 24] }
    }
}

/// The elastic forces of a hexahedron, if a member is these.
pub(super) fn brick(member: &Member) -> Option<&BrickStrain> {
    match &member.element {
        Element::BrickStrain(brick) => Some(brick),
        _ => None,
    }
}

struct Forces<'a>(&'a BrickStrain, &'a mut BrickSweep);

impl WithSimd for Forces<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self(brick, at) = self;
        at.out = [Across::constant(0.0); 24];
        brick.forces(&at.q, &at.v, &mut at.out);
    }
}

impl BrickSweep {
    /// Takes the element's coordinates out of `point`, as constants; those of each node begin at q and v of its block.
    pub(super) fn take<'a>(
        &mut self,
        brick: &BrickStrain,
        nodes: impl Iterator<Item = &'a Block>,
        point: &Point,
    ) {
        let own = self.q.chunks_exact_mut(3).zip(self.v.chunks_exact_mut(3));
        for ((q, v), block) in own.zip(nodes) {
            for (x, value) in q.iter_mut().zip(&point.q[block.q..block.q + 3]) {
                x.re = *value;
            }
            if brick.beta != 0.0 {
                for (x, value) in v.iter_mut().zip(&point.v[block.v..block.v + 3]) {
                    x.re = *value;
                }
            }
        }
    }
    /// Sweeps the directions of these nodes of the element, four at most.
    pub(super) fn sweep(&mut self, brick: &BrickStrain, by: By, nodes: &[usize]) {
        self.seed(by, nodes, 1.0);
        self.arch.dispatch(Forces(brick, self));
        self.seed(by, nodes, 0.0);
    }
    fn seed(&mut self, by: By, nodes: &[usize], rate: f64) {
        let x = if by == By::Velocity { &mut self.v } else { &mut self.q };
        for (lane, node) in (0..NODES).zip(nodes) {
            for x in &mut x[3 * node..3 * node + 3] {
                x.eps[0][lane] = rate;
            }
        }
    }
    /// The three derivatives of the force on node `row` by direction `axis` of the `lane`-th of the nodes swept.
    #[inline(always)]
    pub(super) fn entries(&self, row: usize, lane: usize, axis: usize) -> [f64; 3] {
        let out = &self.out[3 * row..3 * row + 3];
        [out[0].eps[axis][lane], out[1].eps[axis][lane], out[2].eps[axis][lane]]
    }
}

/// A number for each axis and two nodes: the force on the one by the motion of the other.
pub(super) type Axes = [[[f64; 8]; 8]; 3];

/// The derivatives of inertia forces, kept from element to element.
#[derive(Clone, Debug, Default)]
pub(super) struct MassSweep {
    /// The mass of which element by what.
    of: Option<(Arc<BrickShape>, MassForm, f64, By)>,
    /// Of the force on a node, by the motion of the nodes.
    entries: Axes,
}

/// The inertia of a hexahedron, if a member is that.
pub(super) fn inertia(member: &Member) -> Option<&BrickInertia> {
    match &member.element {
        Element::BrickInertia(inertia) => Some(inertia),
        _ => None,
    }
}

impl MassSweep {
    /// The derivatives by acceleration or velocity.
    pub(super) fn entries(&mut self, inertia: &BrickInertia, by: By) -> &Axes {
        let same = self.of.as_ref().is_some_and(|(shape, form, alpha, last)| {
            Arc::ptr_eq(shape, &inertia.shape) && (*form, *alpha, *last) == (inertia.form, inertia.alpha, by)
        });
        if !same {
            self.sweep(inertia, by);
            self.of = Some((Arc::clone(&inertia.shape), inertia.form, inertia.alpha, by));
        }
        &self.entries
    }
    fn sweep(&mut self, inertia: &BrickInertia, by: By) {
        type Nodes = Wide<8>;
        let still = [Nodes::constant(0.0); 24];
        for (axis, entries) in self.entries.iter_mut().enumerate() {
            let (mut motion, mut out) = (still, still);
            for node in 0..8 {
                motion[3 * node + axis].eps[node] = 1.0;
            }
            let (v, a) = if by == By::Velocity { (&motion, &still) } else { (&still, &motion) };
            let gravity = [Nodes::lift(0.0); 3];
            let at = Local { q: &still, v, a, t: Nodes::lift(0.0), u: &[], gravity };
            ElementLaw::<f64>::residual(inertia, &at, &mut out);
            for (row, entries) in entries.iter_mut().enumerate() {
                *entries = out[3 * row + axis].eps;
                debug_assert!((0..3).all(|k| k == axis || out[3 * row + k].eps.iter().all(|e| *e == 0.0)));
            }
        }
    }
}
