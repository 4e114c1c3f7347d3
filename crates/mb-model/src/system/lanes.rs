//! Blocks of elements in space by sweeps of six directions at once, for models in plain numbers.
//!
//! ```text
//! columns of dr/dq, dPhi/dq      r and Phi at q + sum rate(q, d) eps_d, six directions d in one sweep
//! columns of d(Phi_q^T lambda)/dq   the same at q (+) e_j of a dual number, for every direction j
//! ```
//!
//! The same derivatives as the sweeps of the modules `matrices` and `constraints`, which take one direction at a
//! time: what belongs to the value is computed once for six of them ([`Wide`]). Along the tangent the first derivative of
//! q (+) d is the rate of q along d. Elements from outside, which know no such numbers, and elements of few
//! coordinates, which would leave lanes empty or gain nothing, are swept one by one.

use super::bricks::{BrickSweep, brick};
use super::columns::Collect;
use super::linearized::{Blocks, Wanted};
use super::links::{LinkSweep, link};
use super::matrices::By;
use super::sweep::{Frame, Scratch, outer};
use crate::coordinates::Coordinates;
use crate::element::{Element, Local, NODES};
use crate::model::{Member, Model, Wires};
use crate::state::Point;
use mb_scalar::{Dual, Lift, Real, Wide};
use std::ops::Range;

/// Number of directions swept at once: the velocities of a body in space.
pub(super) const LANES: usize = 6;
/// Coordinates from which on an element of points alone, whose sweeps cost little, is swept in lanes: faces and
/// hexahedra of solids.
const MANY: usize = 12;
/// A number with its derivatives in them.
pub(super) type Lanes = Wide<LANES>;

/// A scalar that carries the lanes somewhere inside.
pub(super) trait Laned: Lift<f64> {
    /// The same number without lanes.
    type Plain: Real;
    /// The number as it is in no lane.
    fn plain(self) -> Self::Plain;
    /// Sets the derivative in a lane.
    fn seed(&mut self, lane: usize, rate: Self::Plain);
    /// Takes all derivatives in lanes away.
    fn clear(&mut self);
}

impl Laned for Lanes {
    type Plain = f64;
    fn plain(self) -> f64 {
        self.re
    }
    fn seed(&mut self, lane: usize, rate: f64) {
        self.eps[lane] = rate;
    }
    fn clear(&mut self) {
        self.eps = [0.0; LANES];
    }
}

impl Laned for Dual<Lanes> {
    type Plain = Dual<f64>;
    fn plain(self) -> Dual<f64> {
        Dual::new(self.re.plain(), self.eps.plain())
    }
    fn seed(&mut self, lane: usize, rate: Dual<f64>) {
        self.re.seed(lane, rate.re);
        self.eps.seed(lane, rate.eps);
    }
    fn clear(&mut self) {
        self.re.clear();
        self.eps.clear();
    }
}

impl<S: Laned> Frame<S> {
    /// Takes the element's coordinates out of `point`, as constants.
    fn lift_from(&mut self, wires: &Wires, point: &Point, gravity: [f64; 3]) {
        let lift = |out: &mut Vec<S>, from: &[f64], index: &[usize]| {
            out.clear();
            out.extend(index.iter().map(|i| S::lift(from[*i])));
        };
        lift(&mut self.q, &point.q, &wires.q_index);
        lift(&mut self.v, &point.v, &wires.v_index);
        lift(&mut self.a, &point.a, &wires.v_index);
        lift(&mut self.u, &point.u, &wires.inputs);
        self.t = S::lift(point.t);
        self.gravity = gravity.map(S::lift);
    }
    /// Gives the configuration its rates along these local tangent directions, one a lane.
    pub(super) fn seed_tangent(&mut self, wires: &Wires, coordinates: &Coordinates, directions: &Group) {
        let (mut q, mut v) = (0, 0);
        // Rates have no part in any lane: computed with them they would take six times as long.
        let zero = S::Plain::zero();
        let (mut at, mut unit, mut rate) = ([zero; 7], [zero; LANES], [zero; 7]);
        for id in &wires.blocks {
            let kind = coordinates.block(*id).kind;
            let (nq, nv) = (kind.nq(), kind.nv());
            if !kind.is_linear() {
                at[..nq].iter_mut().zip(&self.q[q..q + nq]).for_each(|(at, x)| *at = x.plain());
            }
            for (lane, j) in directions.lanes().filter(|(_, j)| (v..v + nv).contains(j)) {
                if kind.is_linear() {
                    self.q[q + j - v].seed(lane, S::Plain::one());
                    continue;
                }
                unit[j - v] = S::Plain::one();
                kind.rate(&at[..nq], &unit[..nv], &mut rate[..nq]);
                unit[j - v] = zero;
                for (x, r) in self.q[q..q + nq].iter_mut().zip(rate) {
                    x.seed(lane, r);
                }
            }
            q += nq;
            v += nv;
        }
    }
    pub(super) fn clear_q(&mut self) {
        self.q.iter_mut().for_each(Laned::clear);
    }
    /// Evaluates the residual M a - f into `out`.
    fn evaluate_residual(&mut self, element: &Element, n: usize) {
        self.out.clear();
        self.out.resize(n, S::zero());
        let at = Local { q: &self.q, v: &self.v, a: &self.a, t: self.t, u: &self.u, gravity: self.gravity };
        element.residual_wide(&at, &mut self.out);
    }
    /// Evaluates Phi into `out`.
    fn evaluate_phi(&mut self, m: &Member) {
        self.out.clear();
        self.out.resize(m.rows, S::zero());
        let at = Local { q: &self.q, v: &[], a: &[], t: self.t, u: &[], gravity: [S::zero(); 3] };
        m.element.phi_wide(&at, &mut self.out);
    }
}

/// Room for the sweeps of one element after another.
#[derive(Debug, Default)]
pub(super) struct Room {
    single: Scratch<f64>,
    first: Frame<Lanes>,
    second: Frame<Dual<Lanes>>,
    bricks: BrickSweep,
    links: LinkSweep,
    /// The configuration of `second` without its directions.
    here: Vec<Dual<Lanes>>,
}

/// Whether an element is swept in lanes.
fn in_lanes(m: &Member) -> bool {
    let enough = if m.wires.linear { MANY } else { LANES };
    m.wires.v_index.len() >= enough && m.velocity_rows == 0 && !matches!(m.element, Element::Custom(_))
}

/// Local directions of an element that are swept at once, one a lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    local: [usize; LANES],
    len: usize,
}

impl Group {
    /// The lanes in use and the local directions in them.
    pub(super) fn lanes(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        self.local.into_iter().take(self.len).enumerate()
    }
}

/// The directions of an element among the columns `own`, in groups of as many as there are lanes.
pub(super) fn groups<'a>(m: &'a Member, own: &'a Range<usize>) -> impl Iterator<Item = Group> + use<'a> {
    let columns = m.wires.v_index.iter().enumerate();
    let mut local = columns.filter(|(_, col)| own.contains(col)).map(|(j, _)| j);
    std::iter::from_fn(move || {
        let mut group = Group::default();
        while group.len < LANES {
            let Some(j) = local.next() else { break };
            group.local[group.len] = j;
            group.len += 1;
        }
        (group.len > 0).then_some(group)
    })
}

impl Model<f64> {
    /// Adds the columns `own` of the blocks of some elements, in one pass on this thread; other columns may come too.
    pub(super) fn plain_blocks_of<'a, A: Collect>(
        &self,
        wanted: Wanted,
        members: impl IntoIterator<Item = &'a Member>,
        own: &Range<usize>,
        point: &Point,
        room: &mut Room,
        out: &mut Blocks<A>,
    ) {
        for m in members {
            if brick(m).is_some() {
                self.brick_blocks(wanted, &mut room.bricks, m, own, point, out);
            } else if let Some(element) = link(m) {
                self.link_blocks(wanted, &mut room.links, (m, element), own, point, out);
            } else if in_lanes(m) {
                self.wide_blocks(wanted, room, m, own, point, out);
            } else {
                self.blocks_of_member(wanted, &mut room.single, m, own, point, out);
            }
        }
    }
    /// As `blocks_of_member`, of the elastic forces of a hexahedron.
    fn brick_blocks<A: Collect>(
        &self,
        wanted: Wanted,
        sweep: &mut BrickSweep,
        m: &Member,
        own: &Range<usize>,
        point: &Point,
        out: &mut Blocks<A>,
    ) {
        let Some(element) = brick(m) else { return };
        sweep.take(element, m.wires.blocks.iter().map(|id| self.coordinates().block(*id)), point);
        let damped = element.beta != 0.0 && matches!(wanted, Wanted::All | Wanted::Parts { .. });
        let index = &m.wires.v_index;
        let nodes: Vec<usize> = (0..8).filter(|a| (0..3).any(|k| own.contains(&index[3 * a + k]))).collect();
        for group in nodes.chunks(NODES) {
            for (by, out) in [(By::Velocity, &mut out.c), (By::Configuration, &mut out.k)] {
                if by == By::Velocity && !damped {
                    continue;
                }
                sweep.sweep(element, by, group);
                for (lane, a) in group.iter().enumerate() {
                    for axis in 0..3 {
                        let values = (0..8).flat_map(|row| sweep.entries(row, lane, axis));
                        out.add_column(index[3 * a + axis], index, values);
                    }
                }
            }
        }
    }
    /// As `blocks_of_member`, in lanes.
    fn wide_blocks<A: Collect>(
        &self,
        wanted: Wanted,
        room: &mut Room,
        m: &Member,
        own: &Range<usize>,
        point: &Point,
        out: &mut Blocks<A>,
    ) {
        let f = &mut room.first;
        let depends = m.element.dependence();
        if wanted == Wanted::Statics && !depends.q && m.rows == 0 {
            return;
        }
        f.lift_from(&m.wires, point, self.gravity);
        if depends.a && wanted != Wanted::Statics {
            self.wide_residual(By::Acceleration, f, m, own, &mut out.m);
        }
        if depends.v && matches!(wanted, Wanted::All | Wanted::Parts { .. }) {
            let still = m.element.undamped() && m.wires.v_index.iter().all(|i| point.v[*i] == 0.0);
            if !still {
                self.wide_residual(By::Velocity, f, m, own, &mut out.c);
            }
        }
        if depends.q {
            self.wide_residual(By::Configuration, f, m, own, &mut out.k);
        }
        if m.rows == 0 {
            return;
        }
        self.wide_phi_q(f, m, own, &mut out.phi_q);
        let lambda = &point.lambda[m.row..m.row + m.rows];
        if lambda.iter().any(|l| *l != 0.0) {
            let frame = (&mut room.second, &mut room.here);
            self.wide_reaction_stiffness(frame, m, own, point, lambda, &mut out.k);
        }
    }
    /// Adds a derivative of the residual for the coordinates in the frame, which holds them again afterwards.
    fn wide_residual(
        &self,
        by: By,
        f: &mut Frame<Lanes>,
        m: &Member,
        own: &Range<usize>,
        out: &mut impl Collect,
    ) {
        for group in groups(m, own) {
            match by {
                By::Configuration => f.seed_tangent(&m.wires, self.coordinates(), &group),
                By::Velocity => seed_units(&mut f.v, &group),
                By::Acceleration => seed_units(&mut f.a, &group),
                By::Input => return,
            }
            f.evaluate_residual(&m.element, m.wires.v_index.len());
            match by {
                By::Configuration => f.clear_q(),
                By::Velocity => f.v.iter_mut().for_each(Laned::clear),
                By::Acceleration => f.a.iter_mut().for_each(Laned::clear),
                By::Input => {}
            }
            for (lane, j) in group.lanes() {
                let values = f.out.iter().map(|x| x.eps[lane]);
                out.add_column(m.wires.v_index[j], &m.wires.v_index, values);
            }
        }
    }
    /// Adds the element's part of Phi_q.
    fn wide_phi_q(&self, f: &mut Frame<Lanes>, m: &Member, own: &Range<usize>, out: &mut impl Collect) {
        for group in groups(m, own) {
            f.seed_tangent(&m.wires, self.coordinates(), &group);
            f.evaluate_phi(m);
            f.clear_q();
            for (lane, j) in group.lanes() {
                for (i, x) in f.out.iter().enumerate() {
                    if x.eps[lane] != 0.0 {
                        out.add(m.row + i, m.wires.v_index[j], x.eps[lane]);
                    }
                }
            }
        }
    }
    /// Adds the element's part of d(Phi_q^T lambda)/dq.
    fn wide_reaction_stiffness(
        &self,
        (f, here): (&mut Frame<Dual<Lanes>>, &mut Vec<Dual<Lanes>>),
        m: &Member,
        own: &Range<usize>,
        point: &Point,
        lambda: &[f64],
        out: &mut impl Collect,
    ) {
        f.lift_from(&m.wires, point, self.gravity);
        here.clone_from(&f.q);
        for (j, col) in m.wires.v_index.iter().enumerate().filter(|(_, col)| own.contains(col)) {
            f.step(&m.wires, self.coordinates(), j, outer());
            for group in groups(m, &(0..usize::MAX)) {
                f.seed_tangent(&m.wires, self.coordinates(), &group);
                f.evaluate_phi(m);
                f.clear_q();
                for (lane, i) in group.lanes() {
                    let k: f64 = lambda.iter().zip(&f.out).map(|(l, x)| l * x.eps.eps[lane]).sum();
                    if k != 0.0 {
                        out.add(m.wires.v_index[i], *col, k);
                    }
                }
            }
            f.q.copy_from_slice(here);
        }
    }
}

fn seed_units(x: &mut [Lanes], directions: &Group) {
    for (lane, j) in directions.lanes() {
        x[j].eps[lane] = 1.0;
    }
}
