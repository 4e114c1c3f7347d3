//! The residual of the equations of motion.

use super::sweep::Scratch;
use crate::element::Data;
use crate::model::Model;
use crate::state::Point;

impl<P: Data> Model<P> {
    /// M a - f(q, v, t, u): nv numbers, constraint reactions left out.
    pub fn applied_residual(&self, point: &Point<P>) -> Vec<P> {
        let parts = self.numbers(|s, m, out| {
            s.value.gather(&m.wires, point, self.gravity);
            s.value.residual(m);
            out.extend_from_slice(&s.value.out);
        });
        self.added_up(parts)
    }
    /// The sum of what all elements have in their equations: nv numbers.
    pub(super) fn added_up(&self, parts: impl Iterator<Item = P>) -> Vec<P> {
        let mut r = vec![P::zero(); self.nv()];
        for (i, x) in self.members().iter().flat_map(|m| &m.wires.v_index).zip(parts) {
            r[*i] += x;
        }
        r
    }
    /// r = M a + Phi_q^T lambda - f(q, v, t, u): nv numbers.
    pub fn residual(&self, point: &Point<P>) -> Vec<P> {
        let mut r = self.applied_residual(point);
        for (r, x) in r.iter_mut().zip(self.reaction(&point.q, point.t, &point.lambda)) {
            *r += x;
        }
        r
    }
    /// The largest force or moment that any single element or constraint row exerts here.
    ///
    /// What a residual is small against: in a prestressed structure the sums cancel, the parts
    /// do not.
    pub fn largest_force(&self, point: &Point<P>) -> f64 {
        self.largest_force_in(point, &vec![1.0; self.nv()])
    }
    /// The same where what an equation says counts `unit` times (nv): with lengths for forces and one for moments both are moments.
    pub fn largest_force_in(&self, point: &Point<P>, unit: &[f64]) -> f64 {
        let parts = self.numbers(|s, m, out| {
            s.value.gather(&m.wires, point, self.gravity);
            s.value.residual(m);
            out.extend_from_slice(&s.value.out);
        });
        let equations = self.members().iter().flat_map(|m| &m.wires.v_index);
        let mut largest =
            equations.zip(parts).fold(0.0_f64, |largest, (i, x)| largest.max(unit[*i] * x.value().abs()));
        for (row, column, x) in self.phi_q(&point.q, point.t).iter() {
            largest = largest.max(unit[column] * (x.value() * point.lambda[row].value()).abs());
        }
        largest
    }
    /// The first element whose residual or constraint function is not a finite number here.
    ///
    /// For messages: a spring shrunk to a point, a law of time outside its range.
    pub fn first_non_finite(&self, point: &Point<P>) -> Option<&str> {
        let mut scratch = Scratch::<P>::default();
        let frame = &mut scratch.d1;
        self.members()
            .iter()
            .find(|m| {
                frame.gather(&m.wires, point, self.gravity);
                frame.residual(m);
                let bad = frame.out.iter().any(|x| !mb_scalar::Real::is_finite(*x));
                frame.phi(m);
                let bad = bad || frame.out.iter().any(|x| !mb_scalar::Real::is_finite(*x));
                frame.rates(m);
                bad || frame.out.iter().any(|x| !mb_scalar::Real::is_finite(*x))
            })
            .map(|m| m.owner.as_str())
    }
}
