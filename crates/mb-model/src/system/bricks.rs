//! Columns of the stiffness and the damping of a hexahedron: twelve directions in one sweep, by the instructions of the
//! processor at hand.
//!
//! ```text
//! columns of dr/dq, dr/dv      r at q + sum e_j eps_j, or v, the directions j of four nodes
//! ```
//!
//! The same derivatives as those of the module `lanes`, of the same forces; a mesh has so many elements that these
//! sweeps are worth memory of their own and registers of any width.

#![expect(clippy::inline_always, reason = "what pulp compiles for a processor must be in one piece")]

use super::matrices::By;
use crate::element::{BrickStrain, Element};
use crate::model::{Member, Wires};
use crate::state::Point;
use mb_scalar::Wide;
use pulp::{Arch, Simd, WithSimd};

/// Nodes whose directions are swept at once.
pub(super) const NODES: usize = 4;
/// A number with its derivatives.
type Many = Wide<{ 3 * NODES }>;
const NONE: Many = Many::constant(0.0);

/// Memory of the sweeps.
#[derive(Clone, Debug)]
pub(super) struct BrickSweep {
    arch: Arch,
    q: [Many; 24],
    v: [Many; 24],
    out: [Many; 24],
}

impl Default for BrickSweep {
    fn default() -> Self {
        Self { arch: Arch::new(), q: [NONE; 24], v: [NONE; 24], out: [NONE; 24] }
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
        at.out = [NONE; 24];
        brick.forces(&at.q, &at.v, &mut at.out);
    }
}

impl BrickSweep {
    /// Takes the element's coordinates out of `point`, as constants.
    pub(super) fn take(&mut self, wires: &Wires, point: &Point) {
        for (x, i) in self.q.iter_mut().zip(&wires.q_index) {
            x.re = point.q[*i];
        }
        for (x, i) in self.v.iter_mut().zip(&wires.v_index) {
            x.re = point.v[*i];
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
        for (k, node) in nodes.iter().enumerate() {
            for axis in 0..3 {
                x[3 * node + axis].eps[3 * k + axis] = rate;
            }
        }
    }
    /// The three derivatives of the force on node `row` by direction `axis` of the `k`-th of the nodes swept.
    #[inline(always)]
    pub(super) fn entries(&self, row: usize, k: usize, axis: usize) -> [f64; 3] {
        [0, 1, 2].map(|i| self.out[3 * row + i].eps[3 * k + axis])
    }
}
