//! What implicit steps need at one point, in places found once: residual, Phi, Phi', M, C, K and Phi_q without memory of its own.
//!
//! ```text
//! r = M a + Phi_q^T lambda - f,   Phi,   Phi' = Phi_q v + Phi_t,   M = dr/da,   C = dr/dv,   K = dr/dq
//! ```
//!
//! The same numbers as [`Model::residual`], [`Model::phi`], [`Model::phi_dot`] and [`Model::blocks`]. M, C and K share one pattern, which has every place that an
//! element can write to in both triangles and the diagonal, so that sums of them are sums of
//! lists. Elements are taken one after the other by the calling thread.

use super::columns::Collect;
use super::lanes::{Lanes, Room, groups};
use super::linearized::{Blocks, Wanted};
use super::motion::{for_phi_q, index, values_of};
use super::sweep::{D1, Frame, outer};
use crate::element::Local;
use crate::model::{Member, Model};
use crate::state::Point;
use mb_algebra::{Scatter, Sparse, Triplets};
use mb_scalar::Lift;

/// Residual, constraints and blocks at one point, with the room to compute them.
///
/// Made once for a model, filled by [`Model::stepping_residual`], [`Model::stepping_rates`] and [`Model::stepping_blocks`] as often as
/// wanted. After the first time nothing is asked of the system, unless elements from outside do.
#[derive(Debug)]
pub struct SteppingTerms {
    /// r = M a + Phi_q^T lambda - f, n numbers.
    pub residual: Vec<f64>,
    /// Phi, m numbers.
    pub phi: Vec<f64>,
    /// Phi', m numbers.
    pub phi_dot: Vec<f64>,
    /// Entries of M, C and K on [`Self::pattern`].
    pub m: Vec<f64>,
    /// Entries of C.
    pub c: Vec<f64>,
    /// Entries of K.
    pub k: Vec<f64>,
    /// Entries of Phi_q on [`Self::phi_q_pattern`].
    pub phi_q: Vec<f64>,
    pattern: Sparse,
    phi_q_pattern: Sparse,
    /// Where the entry across the diagonal is.
    facing: Vec<usize>,
    value: Frame<f64>,
    d1: Frame<D1<f64>>,
    wide: Frame<Lanes>,
    room: Room,
}

impl SteppingTerms {
    /// Room for a model.
    pub fn new(model: &Model) -> Self {
        let (n, m) = (model.nv(), model.nc());
        let mut places = Triplets::new(n, n);
        for i in 0..n {
            places.add(i, i, 1.0);
        }
        // Columns of one rotation have the same rows: steps multiply them by a matrix from the right.
        for block in model.coordinates().blocks().iter().filter(|b| !b.kind.is_linear()) {
            let own = block.v..block.v + block.kind.nv();
            for col in own.clone() {
                for row in own.clone() {
                    places.add(row, col, 1.0);
                }
            }
        }
        for member in model.members() {
            for col in &member.wires.v_index {
                for row in &member.wires.v_index {
                    places.add(*row, *col, 1.0);
                }
            }
        }
        let pattern = places.to_sparse();
        let mut phi_q = Triplets::new(m, n);
        for_phi_q(model, |i, j| phi_q.add(i, j, 1.0));
        let phi_q = phi_q.to_sparse();
        let mut facing = Vec::with_capacity(pattern.nnz());
        for (j, column) in pattern.outer_iterator().enumerate() {
            facing.extend(column.indices().iter().map(|i| index(&pattern, j, *i)));
        }
        let zeros = || vec![0.0; pattern.nnz()];
        Self {
            residual: vec![0.0; n],
            phi: vec![0.0; m],
            phi_dot: vec![0.0; m],
            m: zeros(),
            c: zeros(),
            k: zeros(),
            phi_q: vec![0.0; phi_q.nnz()],
            phi_q_pattern: phi_q,
            facing,
            value: Frame::default(),
            d1: Frame::default(),
            wide: Frame::default(),
            room: Room::default(),
            pattern,
        }
    }
    /// Where M, C and K have entries: n x n, by columns; its values mean nothing.
    pub fn pattern(&self) -> &Sparse {
        &self.pattern
    }
    /// Where Phi_q has entries: m x n, by columns; its values mean nothing.
    pub fn phi_q_pattern(&self) -> &Sparse {
        &self.phi_q_pattern
    }
    /// For each entry of the pattern the place of the one across the diagonal.
    pub fn facing(&self) -> &[usize] {
        &self.facing
    }
}

/// Adds entries of a matrix whose place in the values is looked up.
struct Placed<'a> {
    pattern: &'a Sparse,
    values: &'a mut [f64],
}

impl Scatter<f64> for Placed<'_> {
    fn add(&mut self, row: usize, col: usize, value: f64) {
        self.values[index(self.pattern, row, col)] += value;
    }
}

impl Collect for Placed<'_> {}

impl Model<f64> {
    /// r and Phi at `point` into `terms`.
    ///
    /// # Panics
    /// When `terms` was made for another model.
    pub fn stepping_residual(&self, point: &Point, terms: &mut SteppingTerms) {
        let SteppingTerms { residual, phi, value, d1, wide, .. } = terms;
        residual.fill(0.0);
        phi.fill(0.0);
        for m in self.members() {
            value.gather(&m.wires, point, self.gravity);
            value.residual(m);
            for (i, x) in m.wires.v_index.iter().zip(&value.out) {
                residual[*i] += x;
            }
            if m.rows == 0 {
                continue;
            }
            let lambda = &point.lambda[m.row..m.row + m.rows];
            if !self.wide_rows(m, point, lambda, wide, residual, phi) {
                self.rows_one_by_one(m, point, lambda, (value, d1), residual, phi);
            }
        }
    }
    /// Phi' at `point` into `terms`.
    ///
    /// # Panics
    /// When `terms` was made for another model.
    pub fn stepping_rates(&self, point: &Point, terms: &mut SteppingTerms) {
        terms.phi_dot.fill(0.0);
        for m in self.members().iter().filter(|m| m.rows > 0) {
            values_of(m, self.coordinates(), (&point.q, &point.v, point.t), &mut terms.d1);
            for (i, x) in terms.d1.out.iter().enumerate() {
                terms.phi_dot[m.row + i] += x.eps;
            }
            if m.velocity_rows > 0 {
                terms.d1.rates(m);
                for (row, x) in m.own_velocity_rows().zip(&terms.d1.out) {
                    terms.phi_dot[row] += x.re;
                }
            }
        }
    }
    /// M, C, K and Phi_q at `point` into `terms`.
    ///
    /// # Panics
    /// When `terms` was made for another model.
    pub fn stepping_blocks(&self, point: &Point, terms: &mut SteppingTerms) {
        let SteppingTerms { m, c, k, phi_q, pattern, phi_q_pattern, room, .. } = terms;
        for values in [&mut *m, &mut *c, &mut *k, &mut *phi_q] {
            values.fill(0.0);
        }
        let mut out = Blocks {
            m: Placed { pattern, values: m },
            c: Placed { pattern, values: c },
            k: Placed { pattern, values: k },
            phi_q: Placed { pattern: phi_q_pattern, values: phi_q },
        };
        self.plain_blocks_of(Wanted::All, self.members(), &(0..self.nv()), point, room, &mut out);
    }
    /// Adds Phi and Phi_q^T lambda of an element, six directions at once; false for elements from outside.
    fn wide_rows(
        &self,
        m: &Member,
        point: &Point,
        lambda: &[f64],
        f: &mut Frame<Lanes>,
        residual: &mut [f64],
        phi: &mut [f64],
    ) -> bool {
        f.q.clear();
        f.q.extend(m.wires.q_index.iter().map(|i| Lanes::lift(point.q[*i])));
        f.t = Lanes::lift(point.t);
        f.out.clear();
        f.out.resize(m.rows, Lanes::default());
        let mut first = true;
        for group in groups(m, &(0..usize::MAX)) {
            f.seed_tangent(&m.wires, self.coordinates(), &group);
            let zero = Lanes::default();
            let at = Local { q: &f.q, v: &[], a: &[], t: f.t, u: &[], gravity: [zero; 3] };
            f.out.fill(zero);
            if !m.element.phi_wide(&at, &mut f.out) {
                return false;
            }
            f.clear_q();
            for (lane, j) in group.lanes() {
                let force: f64 = lambda.iter().zip(&f.out).map(|(l, x)| l * x.eps[lane]).sum();
                residual[m.wires.v_index[j]] += force;
            }
            if first {
                for (i, x) in f.out.iter().enumerate() {
                    phi[m.row + i] += x.re;
                }
                first = false;
            }
        }
        !first
    }
    /// The same for elements from outside and those with velocity rows.
    fn rows_one_by_one(
        &self,
        m: &Member,
        point: &Point,
        lambda: &[f64],
        (value, f): (&mut Frame<f64>, &mut Frame<D1<f64>>),
        residual: &mut [f64],
        phi: &mut [f64],
    ) {
        value.gather_q(&m.wires, &point.q, point.t);
        value.phi(m);
        for (i, x) in value.out.iter().enumerate() {
            phi[m.row + i] += x;
        }
        for (j, col) in m.wires.v_index.iter().enumerate() {
            f.gather_q(&m.wires, &point.q, point.t);
            f.step(&m.wires, self.coordinates(), j, outer());
            f.phi(m);
            residual[*col] += lambda.iter().zip(&f.out).map(|(l, x)| l * x.eps).sum::<f64>();
        }
        let index = &m.wires.v_index;
        Self::rates_reaction(f, m, (&point.q, point.t), &point.lambda, |j, x| residual[index[j]] += x);
    }
}
