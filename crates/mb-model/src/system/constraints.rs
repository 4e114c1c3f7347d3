//! Constraint functions, their Jacobian, time derivatives and reactions.

use super::sweep::{D1, D2, Scratch, inner, outer};
use super::velocity_rows::Asked;
use crate::element::Data;
use crate::model::{Member, Model};
use crate::state::Point;
use mb_algebra::{Scatter, Triplets};
use mb_scalar::{Dual, Real};
use std::ops::Range;

impl<P: Data> Model<P> {
    /// The members that carry constraint rows.
    fn constrained(&self) -> impl Iterator<Item = &Member<P>> {
        self.members().iter().filter(|m| m.rows > 0)
    }
    /// Phi(q, t): nc numbers, in the unit of each row; zero for velocity rows.
    pub fn phi(&self, q: &[P], t: P) -> Vec<P> {
        let parts = self.numbers(|s, m, out| {
            if m.rows > 0 {
                s.value.gather_q(&m.wires, q, t);
                s.value.phi(m);
                out.extend_from_slice(&s.value.out);
            }
        });
        self.by_row(parts)
    }
    /// Constraint Jacobian along the tangent, Phi_q and for velocity rows A: nc x nv.
    pub fn phi_q(&self, q: &[P], t: P) -> Triplets<P> {
        self.collect(self.nc(), self.nv(), |s, m, out| self.phi_q_of(s, m, &(0..self.nv()), (q, t), out))
    }
    /// Adds the columns `own` of one element's part of Phi_q.
    pub(super) fn phi_q_of(
        &self,
        s: &mut Scratch<P>,
        m: &Member<P>,
        own: &Range<usize>,
        (q, t): (&[P], P),
        out: &mut impl Scatter<P>,
    ) {
        if m.rows == 0 {
            return;
        }
        let f = &mut s.d1;
        f.gather_q(&m.wires, q, t);
        for (j, col) in m.wires.v_index.iter().enumerate().filter(|(_, col)| own.contains(col)) {
            if m.wires.linear {
                f.q[j].eps = P::one();
                f.phi(m);
                f.q[j].eps = P::zero();
            } else {
                f.gather_q(&m.wires, q, t);
                f.step(&m.wires, self.coordinates(), j, outer());
                f.phi(m);
            }
            for (i, x) in f.out.iter().enumerate() {
                if x.eps != P::zero() {
                    out.add(m.row + i, *col, x.eps);
                }
            }
        }
        Self::rates_v_of(s, m, own, (q, t), out);
    }
    /// Constraint reaction Phi_q^T lambda, with A^T mu of the velocity rows: nv numbers.
    pub fn reaction(&self, q: &[P], t: P, lambda: &[P]) -> Vec<P> {
        let parts = self.numbers(|s, m, out| {
            if m.rows == 0 {
                return;
            }
            let first = out.len();
            out.resize(first + m.wires.v_index.len(), P::zero());
            let (all, lambda) = (lambda, &lambda[m.row..m.row + m.rows]);
            if lambda.iter().all(|l| *l == P::zero()) {
                return;
            }
            let f = &mut s.d1;
            Self::rates_reaction(f, m, (q, t), all, |j, x| out[first + j] += x);
            for r in 0..m.wires.v_index.len() {
                f.gather_q(&m.wires, q, t);
                f.step(&m.wires, self.coordinates(), r, outer());
                f.phi(m);
                for (l, x) in lambda.iter().zip(&f.out) {
                    out[first + r] += *l * x.eps;
                }
            }
        });
        let mut r = vec![P::zero(); self.nv()];
        for (i, x) in self.constrained().flat_map(|m| &m.wires.v_index).zip(parts) {
            r[*i] += x;
        }
        r
    }
    /// Phi_t: partial derivative by time, for velocity rows b; nc numbers.
    pub fn phi_t(&self, q: &[P], t: P) -> Vec<P> {
        self.rows_from(|m, s: &mut Scratch<P>| {
            s.d1.gather_q(&m.wires, q, t);
            s.d1.t = Dual::variable(t);
            s.d1.phi(m);
            let mut out: Vec<P> = s.d1.out.iter().map(|x| x.eps).collect();
            self.ask_rates(s, m, (q, t), Asked::Given, &mut out);
            out
        })
    }
    /// Phi_tt: second partial derivative by time, for velocity rows b_t; nc numbers.
    pub fn phi_tt(&self, q: &[P], t: P) -> Vec<P> {
        self.rows_from(|m, s: &mut Scratch<P>| {
            s.d2.gather_q(&m.wires, q, t);
            s.d2.t = Dual::new(Dual::variable(t), Dual::constant(P::one()));
            s.d2.phi(m);
            let mut out: Vec<P> = s.d2.out.iter().map(|x| x.eps.eps).collect();
            self.ask_rates(s, m, (q, t), Asked::GivenRate, &mut out);
            out
        })
    }
    /// Phi_tq: derivative of Phi_t along the tangent, for velocity rows b_q; nc x nv.
    pub fn phi_tq(&self, q: &[P], t: P) -> Triplets<P> {
        self.collect(self.nc(), self.nv(), |s, m, out| {
            if m.rows == 0 {
                return;
            }
            for (j, col) in m.wires.v_index.iter().enumerate() {
                s.d2.gather_q(&m.wires, q, t);
                s.d2.t = Dual::constant(Dual::variable(t));
                s.d2.step(&m.wires, self.coordinates(), j, outer());
                s.d2.phi(m);
                scatter_rows(m, *col, s.d2.out.iter().map(|x| x.eps.eps), out);
            }
            self.rates_q_of(s, m, (q, t), None, out);
        })
    }
    /// Total velocity Phi' = Phi_q v + Phi_t, for velocity rows A v + b: nc numbers.
    pub fn phi_dot(&self, q: &[P], v: &[P], t: P) -> Vec<P> {
        self.rows_from(|m, s: &mut Scratch<P>| {
            s.d1.gather_q(&m.wires, q, t);
            let d: Vec<D1<P>> = m.wires.v_index.iter().map(|i| Dual::new(P::zero(), v[*i])).collect();
            s.d1.step_all(&m.wires, self.coordinates(), &d);
            s.d1.t = Dual::variable(t);
            s.d1.phi(m);
            let mut out: Vec<P> = s.d1.out.iter().map(|x| x.eps).collect();
            self.ask_rates(s, m, (q, t), Asked::Value(v), &mut out);
            out
        })
    }
    /// Total acceleration Phi'' = Phi_q a + (terms in v), for velocity rows (A v + b)': nc numbers.
    ///
    /// With a = 0 this is the right-hand side -gamma of the acceleration constraints.
    pub fn phi_ddot(&self, point: &Point<P>) -> Vec<P> {
        self.rows_from(|m, s: &mut Scratch<P>| {
            s.d2.gather_q(&m.wires, &point.q, point.t);
            let d: Vec<D2<P>> = m.wires.v_index.iter().map(|i| along(point.v[*i], point.a[*i])).collect();
            s.d2.step_all(&m.wires, self.coordinates(), &d);
            s.d2.t += along(P::one(), P::zero());
            s.d2.phi(m);
            let mut out: Vec<P> = s.d2.out.iter().map(|x| x.eps.eps).collect();
            self.ask_rates(s, m, (&point.q, point.t), Asked::Rate(&point.v, &point.a), &mut out);
            out
        })
    }
    /// d(Phi')/dq along the tangent at constant v: nc x nv.
    pub fn phi_dot_q(&self, q: &[P], v: &[P], t: P) -> Triplets<P> {
        self.collect(self.nc(), self.nv(), |s, m, out| {
            if m.rows == 0 {
                return;
            }
            let d: Vec<D2<P>> =
                m.wires.v_index.iter().map(|i| inner::<P>() * D2::constant(Dual::constant(v[*i]))).collect();
            for (j, col) in m.wires.v_index.iter().enumerate() {
                s.d2.gather_q(&m.wires, q, t);
                s.d2.step(&m.wires, self.coordinates(), j, outer());
                s.d2.step_all(&m.wires, self.coordinates(), &d);
                s.d2.t += inner();
                s.d2.phi(m);
                scatter_rows(m, *col, s.d2.out.iter().map(|x| x.eps.eps), out);
            }
            self.rates_q_of(s, m, (q, t), Some(v), out);
        })
    }
    /// d(Phi'')/dq along the tangent at constant v and a: nc x nv.
    pub fn phi_ddot_q(&self, point: &Point<P>) -> Triplets<P> {
        self.collect(self.nc(), self.nv(), |s, m, out| {
            if m.rows == 0 {
                return;
            }
            let curve: Vec<_> =
                m.wires.v_index.iter().map(|i| Dual::constant(along(point.v[*i], point.a[*i]))).collect();
            for (j, col) in m.wires.v_index.iter().enumerate() {
                s.d3.gather_q(&m.wires, &point.q, point.t);
                s.d3.step(&m.wires, self.coordinates(), j, outer());
                s.d3.step_all(&m.wires, self.coordinates(), &curve);
                s.d3.t += Dual::constant(along(P::one(), P::zero()));
                s.d3.phi(m);
                scatter_rows(m, *col, s.d3.out.iter().map(|x| x.eps.eps.eps), out);
            }
            self.rates_ddot_of(s, m, point, false, out);
        })
    }
    /// d(Phi'')/dv at constant q and a: nc x nv.
    pub fn phi_ddot_v(&self, point: &Point<P>) -> Triplets<P> {
        self.collect(self.nc(), self.nv(), |s, m, out| {
            if m.rows == 0 {
                return;
            }
            for (j, col) in m.wires.v_index.iter().enumerate() {
                let mut curve: Vec<_> =
                    m.wires.v_index.iter().map(|i| Dual::constant(along(point.v[*i], point.a[*i]))).collect();
                curve[j].eps = along(P::one(), P::zero());
                s.d3.gather_q(&m.wires, &point.q, point.t);
                s.d3.step_all(&m.wires, self.coordinates(), &curve);
                s.d3.t += Dual::constant(along(P::one(), P::zero()));
                s.d3.phi(m);
                scatter_rows(m, *col, s.d3.out.iter().map(|x| x.eps.eps.eps), out);
            }
            self.rates_ddot_of(s, m, point, true, out);
        })
    }
    /// Constraint-reaction stiffness d(Phi_q^T lambda + A^T mu)/dq along the tangent: nv x nv.
    pub fn reaction_stiffness(&self, q: &[P], t: P, lambda: &[P]) -> Triplets<P> {
        self.collect(self.nv(), self.nv(), |s, m, out| {
            self.reaction_stiffness_of(s, m, &(0..self.nv()), (q, t), lambda, out);
        })
    }
    /// Adds the columns `own` of one element's part of the reaction stiffness; other columns may come too.
    pub(super) fn reaction_stiffness_of(
        &self,
        s: &mut Scratch<P>,
        m: &Member<P>,
        own: &Range<usize>,
        (q, t): (&[P], P),
        lambda: &[P],
        out: &mut impl Scatter<P>,
    ) {
        self.rates_stiffness_of(s, m, own, (q, t), lambda, out);
        let lambda = &lambda[m.row..m.row + m.rows];
        if lambda.iter().all(|l| *l == P::zero()) {
            return;
        }
        let f = &mut s.d2;
        f.gather_q(&m.wires, q, t);
        for (j, col) in m.wires.v_index.iter().enumerate() {
            // On a linear configuration the second derivative is symmetric.
            let from = if m.wires.linear { j } else { 0 };
            for (i, row) in m.wires.v_index.iter().enumerate().skip(from) {
                if !(own.contains(col) || m.wires.linear && own.contains(row)) {
                    continue;
                }
                if m.wires.linear {
                    let (qi, qj) = (f.q[i], f.q[j]);
                    f.q[j] += outer();
                    f.q[i] += inner();
                    f.phi(m);
                    (f.q[i], f.q[j]) = (qi, qj);
                } else {
                    f.gather_q(&m.wires, q, t);
                    f.step(&m.wires, self.coordinates(), j, outer());
                    f.step(&m.wires, self.coordinates(), i, inner());
                    f.phi(m);
                }
                let mut k = P::zero();
                for (l, x) in lambda.iter().zip(&f.out) {
                    k += *l * x.eps.eps;
                }
                if k != P::zero() {
                    out.add(*row, *col, k);
                    if m.wires.linear && i != j {
                        out.add(*col, *row, k);
                    }
                }
            }
        }
    }
    /// Collects one number per constraint row.
    fn rows_from(&self, each: impl Fn(&Member<P>, &mut Scratch<P>) -> Vec<P>) -> Vec<P> {
        let mut scratch = Scratch::default();
        self.by_row(self.constrained().flat_map(|m| each(m, &mut scratch)))
    }
    /// Sums what the elements with constraint rows say, one number a row each.
    fn by_row(&self, parts: impl Iterator<Item = P>) -> Vec<P> {
        let mut out = vec![P::zero(); self.nc()];
        for (row, x) in self.constrained().flat_map(|m| m.row..m.row + m.rows).zip(parts) {
            out[row] += x;
        }
        out
    }
}

/// The curve v tau + a tau^2 / 2 with tau = e1 + e2: its e1 e2 part is the second derivative.
fn along<P: Real>(v: P, a: P) -> D2<P> {
    Dual::new(Dual::new(P::zero(), v), Dual::new(v, a))
}

/// Adds one column of the rows of a member.
fn scatter_rows<P: Data>(m: &Member<P>, col: usize, values: impl Iterator<Item = P>, out: &mut Triplets<P>) {
    for (i, x) in values.enumerate() {
        if x != P::zero() {
            out.add(m.row + i, col, x);
        }
    }
}
