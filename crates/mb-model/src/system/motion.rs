//! Everything forward dynamics needs at one point, in one pass and without allocating.
//!
//! ```text
//! M a + Phi_q^T lambda = f,    Phi_q a = gamma
//! gamma = -(Phi_q v)_q v - 2 Phi_qt v - Phi_tt
//! ```
//!
//! gamma comes from one evaluation of Phi along the curve q (+) v tau with tau = e1 + e2 of a
//! double dual number: its parts are Phi, Phi' and -gamma. Forces and M come from the residual with
//! six accelerations seeded at once, Phi_q from Phi with the coordinates of a body seeded at once
//! ([`mb_scalar::Wide`]); elements from outside, which know no such numbers, are swept column by column.

use super::lanes::{LANES, Lanes};
use super::sweep::{D1, D2, Frame};
use crate::coordinates::Coordinates;
use crate::element::{Dependence, Local};
use crate::model::{Member, Model};
use mb_algebra::{Scatter, Sparse, Triplets};
use mb_scalar::{Dual, Lift};

/// M, f, Phi_q, Phi, Phi' and gamma at one point, with the room to compute them.
///
/// Made once for a model by [`MotionTerms::dense`] or [`MotionTerms::sparse`], filled by
/// [`Model::motion_terms`] as often as wanted.
#[derive(Debug)]
pub struct MotionTerms {
    /// Velocities n.
    pub n: usize,
    /// Constraint rows m.
    pub m: usize,
    /// Entries of M: by columns n x n when dense, else the values of [`Self::mass_pattern`].
    pub mass: Vec<f64>,
    /// Entries of Phi_q: by columns m x n when dense, else the values of
    /// [`Self::phi_q_pattern`].
    pub phi_q: Vec<f64>,
    /// Forces f(q, v, t, u), n numbers.
    pub force: Vec<f64>,
    /// Phi, m numbers.
    pub phi: Vec<f64>,
    /// Phi' = Phi_q v + Phi_t, m numbers.
    pub phi_dot: Vec<f64>,
    /// gamma, m numbers: the constraints ask for Phi_q a = gamma.
    pub gamma: Vec<f64>,
    /// Where each element's entries go, in the order they are computed in.
    mass_at: Vec<usize>,
    phi_q_at: Vec<usize>,
    patterns: Option<(Sparse, Sparse)>,
    pub(super) value: Frame<f64>,
    wide: Frame<Lanes>,
    /// Members that do work from outside.
    pub(super) powered: Vec<usize>,
    pub(super) d1: Frame<D1<f64>>,
    d2: Frame<D2<f64>>,
    base: Vec<f64>,
}

impl MotionTerms {
    /// Terms with dense M and Phi_q.
    pub fn dense(model: &Model) -> Self {
        let (n, m) = (model.nv(), model.nc());
        let mut out = Self::empty(model);
        for_mass(model, |i, j| out.mass_at.push(i + n * j));
        for_phi_q(model, |i, j| out.phi_q_at.push(i + m * j));
        (out.mass, out.phi_q) = (vec![0.0; n * n], vec![0.0; m * n]);
        out
    }
    /// Terms with sparse M and Phi_q, whose patterns hold every place an element can write to.
    pub fn sparse(model: &Model) -> Self {
        let (n, m) = (model.nv(), model.nc());
        let mut out = Self::empty(model);
        let mut mass = Triplets::new(n, n);
        for_mass(model, |i, j| mass.add(i, j, 1.0));
        let mut phi_q = Triplets::new(m, n);
        for_phi_q(model, |i, j| phi_q.add(i, j, 1.0));
        let (mass, phi_q) = (mass.to_sparse(), phi_q.to_sparse());
        for_mass(model, |i, j| out.mass_at.push(index(&mass, i, j)));
        for_phi_q(model, |i, j| out.phi_q_at.push(index(&phi_q, i, j)));
        (out.mass, out.phi_q) = (vec![0.0; mass.nnz()], vec![0.0; phi_q.nnz()]);
        out.patterns = Some((mass, phi_q));
        out
    }
    fn empty(model: &Model) -> Self {
        let (n, m) = (model.nv(), model.nc());
        Self {
            n,
            m,
            mass: Vec::new(),
            phi_q: Vec::new(),
            force: vec![0.0; n],
            phi: vec![0.0; m],
            phi_dot: vec![0.0; m],
            gamma: vec![0.0; m],
            mass_at: Vec::new(),
            phi_q_at: Vec::new(),
            patterns: None,
            value: Frame::default(),
            wide: Frame::default(),
            powered: (0..model.members().len())
                .filter(|k| !model.members()[*k].element.is_conservative())
                .collect(),
            d1: Frame::default(),
            d2: Frame::default(),
            base: Vec::new(),
        }
    }
    fn no_values(&mut self) {
        self.phi.fill(0.0);
        self.phi_dot.fill(0.0);
    }
    /// True when M and Phi_q are stored by [`Self::mass_pattern`] and [`Self::phi_q_pattern`].
    pub fn is_sparse(&self) -> bool {
        self.patterns.is_some()
    }
    /// True when some element does work from outside: a damper, a load, a motor.
    pub fn is_powered(&self) -> bool {
        !self.powered.is_empty()
    }
    /// Pattern of M (n x n, by columns), where it is sparse.
    pub fn mass_pattern(&self) -> Option<&Sparse> {
        self.patterns.as_ref().map(|p| &p.0)
    }
    /// Pattern of Phi_q (m x n, by columns), where it is sparse.
    pub fn phi_q_pattern(&self) -> Option<&Sparse> {
        self.patterns.as_ref().map(|p| &p.1)
    }
}

/// Position of an entry in the values of a matrix by columns that has it.
pub(super) fn index(a: &Sparse, row: usize, col: usize) -> usize {
    let start = a.indptr().into_raw_storage();
    let rows = &a.indices()[start[col]..start[col + 1]];
    start[col] + rows.partition_point(|r| *r < row)
}

/// Rows and columns of M in the order the elements are evaluated in.
fn for_mass(model: &Model, mut each: impl FnMut(usize, usize)) {
    for m in model.members().iter().filter(|m| m.element.dependence().a) {
        for col in &m.wires.v_index {
            for row in &m.wires.v_index {
                each(*row, *col);
            }
        }
    }
}

/// Rows and columns of Phi_q in the order the elements are evaluated in.
pub(super) fn for_phi_q(model: &Model, mut each: impl FnMut(usize, usize)) {
    for m in model.members() {
        for col in &m.wires.v_index {
            for i in 0..m.rows {
                each(m.row + i, *col);
            }
        }
    }
}

impl Model<f64> {
    /// Fills `terms` at the configuration `q` (nq), velocities `v` (nv), time `t` in s and
    /// inputs `u`.
    ///
    /// # Panics
    /// When `terms` was made for another model.
    pub fn motion_terms(&self, q: &[f64], v: &[f64], t: f64, u: &[f64], terms: &mut MotionTerms) {
        let mut at = self.begin(terms);
        for m in self.members() {
            let massive = m.element.dependence().a;
            if massive && inertia(m, q, v, t, u, self.gravity, terms, at.0) {
                at.0 += m.wires.v_index.len() * m.wires.v_index.len();
            } else if !is_only_constraint(m) {
                forces(m, q, v, t, u, self.gravity, terms);
                if massive {
                    at.0 = masses(m, terms, at.0);
                }
            }
            if m.rows > 0 {
                rows(m, self.coordinates(), q, v, t, terms);
                at.1 = columns(m, self.coordinates(), q, t, terms, at.1);
            }
        }
    }
    /// Fills only what corrections need: Phi, Phi', Phi_q.
    pub fn constraint_terms(&self, q: &[f64], v: &[f64], t: f64, terms: &mut MotionTerms) {
        terms.phi_q.fill(0.0);
        terms.no_values();
        let mut at = 0;
        for m in self.members().iter().filter(|m| m.rows > 0) {
            values(m, self.coordinates(), q, v, t, terms);
            at = columns(m, self.coordinates(), q, t, terms, at);
        }
    }
    /// Fills only Phi and Phi'.
    pub fn constraint_values(&self, q: &[f64], v: &[f64], t: f64, terms: &mut MotionTerms) {
        terms.no_values();
        for m in self.members().iter().filter(|m| m.rows > 0) {
            values(m, self.coordinates(), q, v, t, terms);
        }
    }
    fn begin(&self, terms: &mut MotionTerms) -> (usize, usize) {
        assert_eq!((terms.n, terms.m), (self.nv(), self.nc()), "terms of another model");
        terms.mass.fill(0.0);
        terms.phi_q.fill(0.0);
        terms.force.fill(0.0);
        terms.no_values();
        terms.gamma.fill(0.0);
        (0, 0)
    }
}

/// Forces and mass matrix of an element in one sweep for each six columns; false for elements
/// from outside.
#[expect(clippy::too_many_arguments, reason = "the arguments of the residual, and where it goes")]
fn inertia(
    m: &Member<f64>,
    q: &[f64],
    v: &[f64],
    t: f64,
    u: &[f64],
    gravity: [f64; 3],
    terms: &mut MotionTerms,
    mut at: usize,
) -> bool {
    let f = &mut terms.wide;
    let n = m.wires.v_index.len();
    lift(&mut f.q, q, &m.wires.q_index);
    lift(&mut f.v, v, &m.wires.v_index);
    lift(&mut f.u, u, &m.wires.inputs);
    f.t = Lanes::constant(t);
    f.gravity = gravity.map(Lanes::constant);
    for first in (0..n).step_by(LANES) {
        let count = LANES.min(n - first);
        f.a.clear();
        f.a.resize(n, Lanes::default());
        for (lane, a) in f.a[first..first + count].iter_mut().enumerate() {
            a.eps[lane] = 1.0;
        }
        f.out.clear();
        f.out.resize(n, Lanes::default());
        let at_local = Local { q: &f.q, v: &f.v, a: &f.a, t: f.t, u: &f.u, gravity: f.gravity };
        if !m.element.residual_wide(&at_local, &mut f.out) {
            return false;
        }
        if first == 0 {
            for (row, x) in m.wires.v_index.iter().zip(&f.out) {
                terms.force[*row] -= x.re;
            }
        }
        for lane in 0..count {
            for x in &f.out {
                terms.mass[terms.mass_at[at]] += x.eps[lane];
                at += 1;
            }
        }
    }
    true
}

/// True for joints and the like, whose residual is zero.
pub(super) fn is_only_constraint(m: &Member<f64>) -> bool {
    m.element.dependence() == Dependence::NOTHING && m.element.is_conservative()
}

fn lift(out: &mut Vec<Lanes>, from: &[f64], index: &[usize]) {
    out.clear();
    out.extend(index.iter().map(|i| Lanes::lift(from[*i])));
}

/// Adds the element's forces: minus its residual at a = 0. Leaves its coordinates in the frame.
fn forces(
    m: &Member<f64>,
    q: &[f64],
    v: &[f64],
    t: f64,
    u: &[f64],
    gravity: [f64; 3],
    terms: &mut MotionTerms,
) {
    let f = &mut terms.value;
    f.take(&m.wires, q, v, t, u, gravity);
    f.residual(m);
    for (row, x) in m.wires.v_index.iter().zip(&f.out) {
        terms.force[*row] -= *x;
    }
}

/// Adds the element's mass matrix, for the coordinates in the frame.
fn masses(m: &Member<f64>, terms: &mut MotionTerms, mut at: usize) -> usize {
    let f = &mut terms.value;
    // Without velocity and weight nothing large is taken away from the unit accelerations.
    f.v.fill(0.0);
    f.gravity = [0.0; 3];
    f.residual(m);
    terms.base.clone_from(&f.out);
    for j in 0..m.wires.v_index.len() {
        f.a[j] = 1.0;
        f.residual(m);
        f.a[j] = 0.0;
        for (x, base) in f.out.iter().zip(&terms.base) {
            terms.mass[terms.mass_at[at]] += x - base;
            at += 1;
        }
    }
    at
}

/// Adds Phi, Phi' and gamma of one element.
fn rows(m: &Member<f64>, c: &Coordinates, q: &[f64], v: &[f64], t: f64, terms: &mut MotionTerms) {
    let f = &mut terms.d2;
    f.gather_q(&m.wires, q, t);
    f.t = Dual::new(Dual::variable(t), Dual::constant(1.0));
    let mut first = 0;
    let (mut at, mut rate, mut bend, mut velocity) = ([0.0; 7], [0.0; 7], [0.0; 7], [0.0; 6]);
    for id in &m.wires.blocks {
        let block = c.block(*id);
        let (nq, nv) = (block.kind.nq(), block.kind.nv());
        let f = &mut f.q[first..first + nq];
        if block.kind.is_linear() {
            for (x, v) in f.iter_mut().zip(&v[block.v..]) {
                (x.re.eps, x.eps.re) = (*v, *v);
            }
        } else {
            at[..nq].copy_from_slice(&q[block.q..block.q + nq]);
            velocity[..nv].copy_from_slice(&v[block.v..block.v + nv]);
            block.kind.rate(&at[..nq], &velocity[..nv], &mut rate[..nq]);
            block.kind.bend(&at[..nq], &velocity[..nv], &mut bend[..nq]);
            for (i, x) in f.iter_mut().enumerate() {
                *x = Dual::new(Dual::new(at[i], rate[i]), Dual::new(rate[i], bend[i]));
            }
        }
        first += nq;
    }
    f.phi(m);
    for (i, x) in f.out.iter().enumerate() {
        terms.phi[m.row + i] += x.re.re;
        terms.phi_dot[m.row + i] += x.re.eps;
        terms.gamma[m.row + i] -= x.eps.eps;
    }
    if m.velocity_rows > 0 {
        values_of(m, c, (q, v, t), &mut terms.d1);
        terms.d1.rates(m);
        for (row, x) in m.own_velocity_rows().zip(&terms.d1.out) {
            terms.phi_dot[row] += x.re;
            terms.gamma[row] -= x.eps;
        }
    }
}

/// Adds Phi and Phi' of one element.
fn values(m: &Member<f64>, c: &Coordinates, q: &[f64], v: &[f64], t: f64, terms: &mut MotionTerms) {
    values_of(m, c, (q, v, t), &mut terms.d1);
    for (i, x) in terms.d1.out.iter().enumerate() {
        terms.phi[m.row + i] += x.re;
        terms.phi_dot[m.row + i] += x.eps;
    }
    if m.velocity_rows > 0 {
        terms.d1.rates(m);
        for (row, x) in m.own_velocity_rows().zip(&terms.d1.out) {
            terms.phi_dot[row] += x.re;
        }
    }
}

/// Phi and Phi' of one element, as value and derivative, into the answer of the frame, whose coordinates move along v.
pub(super) fn values_of(
    m: &Member<f64>,
    c: &Coordinates,
    (q, v, t): (&[f64], &[f64], f64),
    f: &mut Frame<D1<f64>>,
) {
    f.gather_q(&m.wires, q, t);
    f.t = Dual::variable(t);
    f.v.clear();
    f.v.extend(m.wires.v_index.iter().map(|i| Dual::constant(v[*i])));
    f.follow(&m.wires, c, |x| x.re, |x, rate| x.eps = rate);
    f.phi(m);
}

/// Adds the element's part of Phi_q.
fn columns(
    m: &Member<f64>,
    c: &Coordinates,
    q: &[f64],
    t: f64,
    terms: &mut MotionTerms,
    mut at: usize,
) -> usize {
    let f = &mut terms.wide;
    lift(&mut f.q, q, &m.wires.q_index);
    f.t = Lanes::constant(t);
    f.out.clear();
    f.out.resize(m.rows, Lanes::default());
    let mut first = 0;
    let (mut rate, mut unit) = ([0.0; 7], [0.0; 6]);
    for id in &m.wires.blocks {
        let block = c.block(*id);
        let (nq, nv) = (block.kind.nq(), block.kind.nv());
        for start in (0..nv).step_by(LANES) {
            let count = LANES.min(nv - start);
            for lane in 0..count {
                let j = start + lane;
                if block.kind.is_linear() {
                    f.q[first + j].eps[lane] = 1.0;
                } else {
                    unit[j] = 1.0;
                    block.kind.rate(&q[block.q..block.q + nq], &unit[..nv], &mut rate[..nq]);
                    unit[j] = 0.0;
                    f.q[first..first + nq].iter_mut().zip(rate).for_each(|(x, r)| x.eps[lane] = r);
                }
            }
            let zero = Lanes::default();
            let local = Local { q: &f.q, v: &[], a: &[], t: f.t, u: &[], gravity: [zero; 3] };
            if !m.element.phi_wide(&local, &mut f.out) {
                return columns_one_by_one(m, c, q, t, terms, at);
            }
            f.q[first..first + nq].iter_mut().for_each(|x| x.eps = [0.0; LANES]);
            for lane in 0..count {
                for x in &f.out {
                    terms.phi_q[terms.phi_q_at[at]] += x.eps[lane];
                    at += 1;
                }
            }
        }
        first += nq;
    }
    at
}

/// As [`columns`] for elements from outside and those with velocity rows.
fn columns_one_by_one(
    m: &Member<f64>,
    c: &Coordinates,
    q: &[f64],
    t: f64,
    terms: &mut MotionTerms,
    mut at: usize,
) -> usize {
    let f = &mut terms.d1;
    f.gather_q(&m.wires, q, t);
    f.set_velocities(m, |_| Dual::constant(0.0));
    let (mut first, mut first_v) = (0, 0);
    let (mut rate, mut unit) = ([0.0; 7], [0.0; 6]);
    for id in &m.wires.blocks {
        let block = c.block(*id);
        let (nq, nv) = (block.kind.nq(), block.kind.nv());
        for j in 0..nv {
            if block.kind.is_linear() {
                f.q[first + j].eps = 1.0;
            } else {
                unit[j] = 1.0;
                block.kind.rate(&q[block.q..block.q + nq], &unit[..nv], &mut rate[..nq]);
                unit[j] = 0.0;
                f.q[first..first + nq].iter_mut().zip(rate).for_each(|(x, r)| x.eps = r);
            }
            f.phi(m);
            f.q[first..first + nq].iter_mut().for_each(|x| x.eps = 0.0);
            for x in f.out.iter().take(m.rows - m.velocity_rows) {
                terms.phi_q[terms.phi_q_at[at]] += x.eps;
                at += 1;
            }
            if m.velocity_rows > 0 {
                f.v[first_v + j].eps = 1.0;
                f.rates(m);
                f.v[first_v + j].eps = 0.0;
                for x in &f.out {
                    terms.phi_q[terms.phi_q_at[at]] += x.eps;
                    at += 1;
                }
            }
        }
        first += nq;
        first_v += nv;
    }
    at
}
