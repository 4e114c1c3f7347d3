//! Columns of stiffness, damping and mass of elements of flexible links, by the instructions of this processor.
//!
//! ```text
//! dr/dq, dr/dv, dr/da     r at q + sum of e_j eps_j, or v, or a: up to eight directions j in one sweep
//! K without its exact part    dr/dq of the element without bending, and what the multiples of a number leave of bending
//! ```
//!
//! The same derivatives as those of the module `lanes`, of the same law; a link has thousands of elements, whose sweeps are worth
//! memory and registers of their own: one of nine coordinates alone, one direction at a time, takes three times as long.
//! What an element leaves of its exact entries (`parts.rs`) stands at places where it has entries anyway and is added to them
//! before they are summed. Sizes: nine coordinates, x, y and angle of the frame and three of each node.

#![expect(clippy::inline_always, reason = "what pulp compiles for a processor must be in one piece")]

use super::columns::Collect;
use super::linearized::{Blocks, Wanted};
use super::matrices::By;
use crate::element::{Element, ElementLaw, LinkElement, Local, SplitEntries};
use crate::model::{Member, Model, Wires};
use crate::state::Point;
use mb_scalar::Wide;
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Coordinates of an element.
const SIZE: usize = 9;
/// Directions swept at once.
const DIRECTIONS: usize = 8;
/// A number with its derivatives in them.
type Number = Wide<DIRECTIONS>;

/// Memory of the sweeps.
#[derive(Clone, Debug)]
pub(super) struct LinkSweep {
    arch: Arch,
    /// Coordinates, velocities and accelerations, constant between sweeps.
    q: [Number; SIZE],
    v: [Number; SIZE],
    a: [Number; SIZE],
    gravity: [Number; 3],
    out: [Number; SIZE],
    /// What multiples of a number leave of the exact entries of elements of this length and bending stiffness; all three by their bits.
    rest: Option<([u64; 3], [[f64; SIZE]; SIZE])>,
}

impl Default for LinkSweep {
    fn default() -> Self {
        let none = [Number::constant(0.0); SIZE];
        let gravity = [Number::constant(0.0); 3];
        Self { arch: Arch::new(), q: none, v: none, a: none, gravity, out: none, rest: None }
    }
}

/// The element of a link, if a member is one.
pub(super) fn link(member: &Member) -> Option<&LinkElement> {
    match &member.element {
        Element::Link(link) => Some(link),
        _ => None,
    }
}

struct Forces<'a>(&'a LinkElement, By, &'a mut LinkSweep);

impl WithSimd for Forces<'_> {
    type Output = ();
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self(link, by, sweep) = self;
        sweep.out = [Number::constant(0.0); SIZE];
        let (q, v, a) = (&sweep.q, &sweep.v, &sweep.a);
        let at = Local { q, v, a, t: Number::constant(0.0), u: &[], gravity: sweep.gravity };
        if by == By::Acceleration {
            // Nothing else knows accelerations.
            link.inertia(&at, &mut sweep.out);
        } else {
            link.forces(&at, &mut sweep.out);
        }
    }
}

impl LinkSweep {
    /// Takes an element's coordinates out of `point`, as constants.
    fn take(&mut self, wires: &Wires, point: &Point, gravity: [f64; 3]) {
        let take = |to: &mut [Number], from: &[f64], index: &[usize]| {
            to.iter_mut().zip(index).for_each(|(to, i)| to.re = from[*i]);
        };
        take(&mut self.q, &point.q, &wires.q_index);
        take(&mut self.v, &point.v, &wires.v_index);
        take(&mut self.a, &point.a, &wires.v_index);
        self.gravity.iter_mut().zip(gravity).for_each(|(to, g)| to.re = g);
    }
    /// Sweeps these directions, at most as many as there are lanes.
    fn sweep(&mut self, link: &LinkElement, by: By, directions: &[usize]) {
        self.seed(by, directions, 1.0);
        self.arch.dispatch(Forces(link, by, self));
        self.seed(by, directions, 0.0);
    }
    fn seed(&mut self, by: By, directions: &[usize], rate: f64) {
        let along = match by {
            By::Configuration => &mut self.q,
            By::Velocity => &mut self.v,
            By::Acceleration => &mut self.a,
            By::Input => return,
        };
        for (lane, j) in directions.iter().enumerate() {
            along[*j].eps[lane] = rate;
        }
    }
    /// What multiples of `grid` leave of the bending stiffness of an element.
    fn rest(&mut self, link: &LinkElement, grid: f64) -> &[[f64; SIZE]; SIZE] {
        let law = [link.length, link.bending, grid].map(f64::to_bits);
        // Neighbours are congruent as a rule.
        let known = self.rest.take().filter(|(of, _)| *of == law);
        let (_, rest) = self.rest.insert(known.unwrap_or_else(|| {
            let form = link.bending_form();
            let entries: SplitEntries = form.entries(grid);
            let mut rest = [[0.0; SIZE]; SIZE];
            for (row, entries) in form.at.iter().zip(entries) {
                for (col, (_, left)) in form.at.iter().zip(entries) {
                    rest[*row][*col] = left;
                }
            }
            (law, rest)
        }));
        rest
    }
}

impl Model<f64> {
    /// As `blocks_of_member`, of an element of a flexible link.
    pub(super) fn link_blocks<A: Collect>(
        &self,
        wanted: Wanted,
        sweep: &mut LinkSweep,
        (m, link): (&Member, &LinkElement),
        own: &Range<usize>,
        point: &Point,
        out: &mut Blocks<A>,
    ) {
        let index = &m.wires.v_index;
        let (mut directions, mut count) = ([0; SIZE], 0);
        for (j, _) in index.iter().enumerate().filter(|(_, col)| own.contains(col)) {
            directions[count] = j;
            count += 1;
        }
        sweep.take(&m.wires, point, self.gravity);
        let still = || link.undamped() && index.iter().all(|i| point.v[*i] == 0.0);
        let damps = matches!(wanted, Wanted::All | Wanted::Parts { .. }) && !still();
        let soft = link.softened();
        let (element, grid) = match wanted {
            Wanted::Parts { grid } => (&soft, Some(grid)),
            _ => (link, None),
        };
        for directions in directions[..count].chunks(DIRECTIONS) {
            let columns = |sweep: &LinkSweep, out: &mut A| {
                for (lane, j) in directions.iter().enumerate() {
                    out.add_column(index[*j], index, sweep.out.iter().map(|x| x.eps[lane]));
                }
            };
            if wanted != Wanted::Statics {
                sweep.sweep(link, By::Acceleration, directions);
                columns(sweep, &mut out.m);
            }
            if damps {
                sweep.sweep(link, By::Velocity, directions);
                columns(sweep, &mut out.c);
            }
            sweep.sweep(element, By::Configuration, directions);
            if let Some(grid) = grid {
                let rest = *sweep.rest(link, grid);
                for (x, rest) in sweep.out.iter_mut().zip(rest) {
                    directions.iter().enumerate().for_each(|(lane, j)| x.eps[lane] += rest[*j]);
                }
            }
            columns(sweep, &mut out.k);
        }
    }
}
