//! Mass, damping, stiffness and input matrices.

use super::sweep::{D1, Frame, Scratch, outer};
use crate::element::Data;
use crate::model::{Member, Model};
use crate::state::Point;
use mb_algebra::{Scatter, Triplets};
use mb_scalar::{Dual, Real};
use std::ops::Range;

/// The argument a residual is differentiated by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Configuration,
    Velocity,
    Acceleration,
    Input,
}

impl<P: Data> Model<P> {
    /// Mass matrix M = dr/da: nv x nv.
    pub fn mass(&self, point: &Point<P>) -> Triplets<P> {
        self.collect(self.nv(), self.nv(), |s, m, out| self.residual_by(By::Acceleration, s, m, point, out))
    }
    /// Damping matrix C = dr/dv = -df/dv (gyroscopic terms included): nv x nv.
    pub fn damping(&self, point: &Point<P>) -> Triplets<P> {
        self.collect(self.nv(), self.nv(), |s, m, out| self.residual_by(By::Velocity, s, m, point, out))
    }
    /// d(M a - f)/dq along the tangent, without the constraint reactions: nv x nv.
    pub fn applied_stiffness(&self, point: &Point<P>) -> Triplets<P> {
        self.collect(self.nv(), self.nv(), |s, m, out| self.residual_by(By::Configuration, s, m, point, out))
    }
    /// d(M a)/dq along the tangent at constant a: nv x nv.
    pub fn inertia_stiffness(&self, point: &Point<P>) -> Triplets<P> {
        // The residual is affine in a, so the part that a contributes is a difference of two.
        let still = Point { a: vec![P::zero(); self.nv()], ..point.clone() };
        let mut out = self.applied_stiffness(point);
        out.append(self.applied_stiffness(&still).map(|x| -*x));
        out
    }
    /// Stiffness matrix K = dr/dq = d(M a)/dq + d(Phi_q^T lambda)/dq - df/dq: nv x nv.
    pub fn stiffness(&self, point: &Point<P>) -> Triplets<P> {
        let mut k = self.applied_stiffness(point);
        k.append(self.reaction_stiffness(&point.q, point.t, &point.lambda));
        k
    }
    /// Input matrix F = df/du = -dr/du: nv x inputs.
    pub fn input_matrix(&self, point: &Point<P>) -> Triplets<P> {
        self.collect(self.nv(), self.inputs().len(), |s, m, out| {
            self.residual_by(By::Input, s, m, point, &mut Negative(out));
        })
    }
    /// Adds the derivative of one element's residual.
    pub(super) fn residual_by(
        &self,
        by: By,
        s: &mut Scratch<P>,
        m: &Member<P>,
        point: &Point<P>,
        out: &mut impl Scatter<P>,
    ) {
        s.d1.gather(&m.wires, point, self.gravity);
        self.sweep_residual(by, &mut s.d1, m, &(0..usize::MAX), point, out);
    }
    /// As [`Self::residual_by`], the columns `own` alone, on a frame that holds the element's coordinates as
    /// constants; it holds them again afterwards, unless the configuration is not linear.
    pub(super) fn sweep_residual(
        &self,
        by: By,
        f: &mut Frame<D1<P>>,
        m: &Member<P>,
        own: &Range<usize>,
        point: &Point<P>,
        out: &mut impl Scatter<P>,
    ) {
        let depends = m.element.dependence();
        let wanted = match by {
            By::Configuration => depends.q,
            By::Velocity => depends.v,
            By::Acceleration => depends.a,
            By::Input => depends.u,
        };
        if !wanted {
            return;
        }
        let columns = if by == By::Input { &m.wires.inputs } else { &m.wires.v_index };
        let seeds = |f: &mut Frame<D1<P>>, j: usize, eps: P| match by {
            By::Configuration => f.q[j].eps = eps,
            By::Velocity => f.v[j].eps = eps,
            By::Acceleration => f.a[j].eps = eps,
            By::Input => f.u[j].eps = eps,
        };
        for (j, col) in columns.iter().enumerate().filter(|(_, col)| own.contains(col)) {
            if by == By::Configuration && !m.wires.linear {
                f.gather_q(&m.wires, &point.q, point.t);
                f.step(&m.wires, self.coordinates(), j, outer());
                f.residual(m);
            } else {
                seeds(f, j, P::one());
                f.residual(m);
                seeds(f, j, P::zero());
            }
            for (row, x) in m.wires.v_index.iter().zip(&f.out) {
                if x.eps != P::zero() {
                    out.add(*row, *col, x.eps);
                }
            }
        }
    }
}

/// Scatters with the opposite sign.
struct Negative<'a, S>(&'a mut S);

impl<P: Real, S: Scatter<P>> Scatter<P> for Negative<'_, S> {
    fn add(&mut self, row: usize, col: usize, value: P) {
        self.0.add(row, col, -value);
    }
}

impl<P: Data> Model<P> {
    /// dr/dt at constant q, v, a, lambda and u, reactions included: nv numbers.
    pub fn residual_t(&self, point: &Point<P>) -> Vec<P> {
        let mut s = Scratch::default();
        let mut r = vec![P::zero(); self.nv()];
        for m in self.members() {
            let f = &mut s.d1;
            f.gather(&m.wires, point, self.gravity);
            f.t = Dual::variable(point.t);
            f.residual(m);
            for (i, x) in m.wires.v_index.iter().zip(&f.out) {
                r[*i] += x.eps;
            }
            Self::rates_reaction_t(&mut s, m, point, &mut r);
        }
        let velocity_rows = self.velocity_rows();
        let phi_tq = self.phi_tq(&point.q, point.t);
        for (row, col, x) in phi_tq.iter().filter(|(row, ..)| !velocity_rows[*row]) {
            r[col] += *x * point.lambda[row];
        }
        r
    }
}
