//! Velocity rows A(q, t) v + b(q, t) = 0: their values, Jacobian, rates and reactions.
//!
//! They stand among the constraint rows of the model, with a multiplier mu each. Where a position row gives Phi, Phi', Phi'' and
//! Phi_q, a velocity row gives
//!
//! ```text
//! 0,   A v + b,   (A v + b)' = A a + (A v + b)_q v + A_t v + b_t,   A;     reaction A^T mu,   its stiffness d(A^T mu)/dq
//! ```
//!
//! so that everything that forward dynamics does with rows holds for both. What differs is d(A v + b)/dq, which is not the
//! rate of A: no function of the configuration stands behind these rows.

use super::sweep::{D1, Frame, Scratch, inner, outer};
use crate::element::{Data, Tower};
use crate::model::{Member, Model};
use crate::state::Point;
use mb_algebra::{Scatter, Triplets};
use mb_scalar::{Dual, Real};
use std::ops::Range;

impl<P: Data> Member<P> {
    /// The global indices of its velocity rows.
    pub(super) fn own_velocity_rows(&self) -> Range<usize> {
        let end = self.row + self.rows;
        end - self.velocity_rows..end
    }
}

impl<S: Real> Frame<S> {
    /// Evaluates A v + b into `out`, for the configuration, velocities and time in the frame.
    pub(super) fn rates<P: Data>(&mut self, m: &Member<P>)
    where
        S: Tower<P>,
    {
        self.out.clear();
        self.out.resize(m.velocity_rows, S::zero());
        let at = crate::element::Local {
            q: &self.q,
            v: &self.v,
            a: &[],
            t: self.t,
            u: &[],
            gravity: [S::zero(); 3],
        };
        m.element.rates(&at, &mut self.out);
    }
    /// Sets the velocities of the element, by their global index.
    pub(super) fn set_velocities<P: Data>(&mut self, m: &Member<P>, of: impl Fn(usize) -> S) {
        self.v.clear();
        self.v.extend(m.wires.v_index.iter().map(|i| of(*i)));
    }
}

/// What the velocity rows of an element are asked for, as numbers one a row.
#[derive(Clone, Copy)]
pub(super) enum Asked<'a, P> {
    /// A v + b at velocities v.
    Value(&'a [P]),
    /// b.
    Given,
    /// Partial derivative of b by time.
    GivenRate,
    /// The total rate along v and a.
    Rate(&'a [P], &'a [P]),
}

impl<P: Data> Model<P> {
    /// Writes what is asked of the velocity rows of an element into the last places of `out`, which has one for each row.
    pub(super) fn ask_rates(
        &self,
        s: &mut Scratch<P>,
        m: &Member<P>,
        (q, t): (&[P], P),
        asked: Asked<'_, P>,
        out: &mut [P],
    ) {
        if m.velocity_rows == 0 {
            return;
        }
        let f = &mut s.d1;
        f.gather_q(&m.wires, q, t);
        f.set_velocities(m, |_| D1::zero());
        match asked {
            Asked::Value(v) => f.set_velocities(m, |i| Dual::constant(v[i])),
            Asked::Given => {}
            Asked::GivenRate => f.t = Dual::variable(t),
            Asked::Rate(v, a) => {
                let along: Vec<_> = m.wires.v_index.iter().map(|i| Dual::new(P::zero(), v[*i])).collect();
                f.step_all(&m.wires, self.coordinates(), &along);
                f.set_velocities(m, |i| Dual::new(v[i], a[i]));
                f.t = Dual::variable(t);
            }
        }
        f.rates(m);
        let derivative = matches!(asked, Asked::GivenRate | Asked::Rate(..));
        let first = m.rows - m.velocity_rows;
        for (out, x) in out[first..].iter_mut().zip(&f.out) {
            *out = if derivative { x.eps } else { x.re };
        }
    }
    /// Adds the columns `own` of A of one element.
    pub(super) fn rates_v_of(
        s: &mut Scratch<P>,
        m: &Member<P>,
        own: &Range<usize>,
        (q, t): (&[P], P),
        out: &mut impl Scatter<P>,
    ) {
        if m.velocity_rows == 0 {
            return;
        }
        let f = &mut s.d1;
        f.gather_q(&m.wires, q, t);
        f.set_velocities(m, |_| D1::zero());
        for (j, col) in m.wires.v_index.iter().enumerate().filter(|(_, col)| own.contains(col)) {
            f.v[j].eps = P::one();
            f.rates(m);
            f.v[j].eps = P::zero();
            scatter(m, *col, f.out.iter().map(|x| x.eps), out);
        }
    }
    /// d(A v + b)/dq along the tangent at constant v: nc x nv, without entries in position rows.
    pub fn rates_q(&self, q: &[P], v: &[P], t: P) -> Triplets<P> {
        self.collect(self.nc(), self.nv(), |s, m, out| self.rates_q_of(s, m, (q, t), Some(v), out))
    }
    /// Adds d(A v + b)/dq of one element along the tangent at constant v; with v absent db/dq.
    pub(super) fn rates_q_of(
        &self,
        s: &mut Scratch<P>,
        m: &Member<P>,
        (q, t): (&[P], P),
        v: Option<&[P]>,
        out: &mut impl Scatter<P>,
    ) {
        if m.velocity_rows == 0 {
            return;
        }
        let f = &mut s.d1;
        f.set_velocities(m, |i| v.map_or(D1::zero(), |v| Dual::constant(v[i])));
        for (j, col) in m.wires.v_index.iter().enumerate() {
            f.gather_q(&m.wires, q, t);
            f.step(&m.wires, self.coordinates(), j, outer());
            f.rates(m);
            scatter(m, *col, f.out.iter().map(|x| x.eps), out);
        }
    }
    /// Adds A^T mu of one element to `out`, one number for each local velocity.
    pub(super) fn rates_reaction(
        f: &mut Frame<D1<P>>,
        m: &Member<P>,
        (q, t): (&[P], P),
        lambda: &[P],
        mut add: impl FnMut(usize, P),
    ) {
        let mu = &lambda[m.own_velocity_rows()];
        if mu.iter().all(|x| *x == P::zero()) {
            return;
        }
        f.gather_q(&m.wires, q, t);
        f.set_velocities(m, |_| D1::zero());
        for j in 0..m.wires.v_index.len() {
            f.v[j].eps = P::one();
            f.rates(m);
            f.v[j].eps = P::zero();
            let mut sum = P::zero();
            for (l, x) in mu.iter().zip(&f.out) {
                sum += *l * x.eps;
            }
            add(j, sum);
        }
    }
    /// Adds the columns `own` of d(A^T mu)/dq of one element along the tangent; it is not symmetric.
    pub(super) fn rates_stiffness_of(
        &self,
        s: &mut Scratch<P>,
        m: &Member<P>,
        own: &Range<usize>,
        (q, t): (&[P], P),
        lambda: &[P],
        out: &mut impl Scatter<P>,
    ) {
        let mu = &lambda[m.own_velocity_rows()];
        if mu.iter().all(|x| *x == P::zero()) {
            return;
        }
        let f = &mut s.d2;
        f.set_velocities(m, |_| Dual::constant(D1::zero()));
        for (j, col) in m.wires.v_index.iter().enumerate().filter(|(_, col)| own.contains(col)) {
            f.gather_q(&m.wires, q, t);
            f.step(&m.wires, self.coordinates(), j, outer());
            for (i, row) in m.wires.v_index.iter().enumerate() {
                f.v[i] = inner();
                f.rates(m);
                f.v[i] = Dual::constant(D1::zero());
                let mut k = P::zero();
                for (l, x) in mu.iter().zip(&f.out) {
                    k += *l * x.eps.eps;
                }
                if k != P::zero() {
                    out.add(*row, *col, k);
                }
            }
        }
    }
    /// Adds d((A v + b)')/dq at constant v and a, or by v at constant q and a, of one element.
    pub(super) fn rates_ddot_of(
        &self,
        s: &mut Scratch<P>,
        m: &Member<P>,
        point: &Point<P>,
        by_velocity: bool,
        out: &mut Triplets<P>,
    ) {
        if m.velocity_rows == 0 {
            return;
        }
        let f = &mut s.d2;
        let lifted = |x: P| Dual::constant(D1::constant(x));
        for (j, col) in m.wires.v_index.iter().enumerate() {
            f.gather_q(&m.wires, &point.q, point.t);
            f.set_velocities(m, |i| lifted(point.v[i]));
            if by_velocity {
                f.v[j] += outer();
            } else {
                f.step(&m.wires, self.coordinates(), j, outer());
            }
            let along: Vec<_> = f.v.iter().map(|v| *v * inner()).collect();
            f.step_all(&m.wires, self.coordinates(), &along);
            for (v, i) in f.v.iter_mut().zip(&m.wires.v_index) {
                *v += lifted(point.a[*i]) * inner();
            }
            f.t += inner();
            f.rates(m);
            scatter(m, *col, f.out.iter().map(|x| x.eps.eps), out);
        }
    }
    /// Partial derivative of (A v + b)' by time at constant q, v and a, into the places of the rows.
    pub(super) fn rates_ddot_t(&self, s: &mut Scratch<P>, m: &Member<P>, point: &Point<P>, out: &mut [P]) {
        if m.velocity_rows == 0 {
            return;
        }
        let f = &mut s.d2;
        let lifted = |x: P| Dual::constant(D1::constant(x));
        f.gather_q(&m.wires, &point.q, point.t);
        let along: Vec<_> = m.wires.v_index.iter().map(|i| lifted(point.v[*i]) * inner()).collect();
        f.step_all(&m.wires, self.coordinates(), &along);
        f.set_velocities(m, |i| lifted(point.v[i]) + lifted(point.a[i]) * inner());
        f.t += inner();
        f.t += outer();
        f.rates(m);
        for (row, x) in m.own_velocity_rows().zip(&f.out) {
            out[row] += x.eps.eps;
        }
    }
    /// Adds A_t^T mu of one element to the global vector `out`.
    pub(super) fn rates_reaction_t(s: &mut Scratch<P>, m: &Member<P>, point: &Point<P>, out: &mut [P]) {
        let mu = &point.lambda[m.own_velocity_rows()];
        if mu.iter().all(|x| *x == P::zero()) {
            return;
        }
        let f = &mut s.d2;
        f.gather_q(&m.wires, &point.q, point.t);
        f.t += inner();
        f.set_velocities(m, |_| Dual::constant(D1::zero()));
        for (j, i) in m.wires.v_index.iter().enumerate() {
            f.v[j] = outer();
            f.rates(m);
            f.v[j] = Dual::constant(D1::zero());
            for (l, x) in mu.iter().zip(&f.out) {
                out[*i] += *l * x.eps.eps;
            }
        }
    }
}

/// Adds one column of the velocity rows of a member.
fn scatter<P: Data>(m: &Member<P>, col: usize, values: impl Iterator<Item = P>, out: &mut impl Scatter<P>) {
    for (row, x) in m.own_velocity_rows().zip(values) {
        if x != P::zero() {
            out.add(row, col, x);
        }
    }
}
