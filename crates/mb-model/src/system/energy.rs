//! Kinetic and potential energy, and the power of everything else.
//!
//! ```text
//! T = v^T M v / 2,   V = sum of the elements' potentials
//! d(T + V)/dt = P + lambda . Phi_t
//! ```
//!
//! P is the power of the forces without a potential, element by element the difference between
//! d(T_e + V_e)/dt along the motion and v . (M a - f)_e; it does not depend on a. The second
//! term is the power of driving constraints: the reaction -Phi_q^T lambda does the work
//! -lambda . Phi_q v = lambda . Phi_t.

use super::motion::{MotionTerms, is_only_constraint};
use super::sweep::{D1, Frame};
use crate::element::{Data, Local};
use crate::model::{Member, Model};
use crate::state::Point;
use mb_scalar::{Dual, Real};

/// Energies and power at one point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Kinetic energy v^T M v / 2, J.
    pub kinetic: f64,
    /// Potential energy of weight and springs, J.
    pub potential: f64,
    /// Power of the forces that have no potential, W.
    pub power: f64,
}

impl Model<f64> {
    /// Energies at configuration `q`, velocities `v`, time `t` and inputs `u`, in the room of
    /// `terms`, whose results stay as they are; nothing is allocated.
    pub fn energies(&self, q: &[f64], v: &[f64], t: f64, u: &[f64], terms: &mut MotionTerms) -> Energies {
        let mut sum = Energies { power: self.outside_power(q, v, t, u, terms), ..Energies::default() };
        let frame = &mut terms.value;
        for m in self.members().iter().filter(|m| !is_only_constraint(m)) {
            frame.take(&m.wires, q, v, t, u, self.gravity);
            sum.potential += m.element.potential(&frame.local());
            if m.element.dependence().a {
                sum.kinetic += kinetic_of(m, frame);
            }
        }
        sum
    }
    /// The power alone: elements whose forces all have a potential are not looked at.
    pub fn outside_power(&self, q: &[f64], v: &[f64], t: f64, u: &[f64], terms: &mut MotionTerms) -> f64 {
        let MotionTerms { d1: frame, powered, .. } = terms;
        let mut sum = 0.0;
        for k in powered.iter() {
            let m = &self.members()[*k];
            frame.take(&m.wires, q, v, t, u, self.gravity);
            sum += energies_of(self, m, frame, t).2;
        }
        sum
    }
}

impl<P: Data> Model<P> {
    /// Kinetic energy v^T M(q) v / 2 in J.
    pub fn kinetic_energy(&self, point: &Point<P>) -> P {
        self.energy_sums(point).0
    }
    /// Potential energy of weight and springs in J.
    pub fn potential_energy(&self, point: &Point<P>) -> P {
        self.energy_sums(point).1
    }
    /// Power in W of the forces that have no potential: dampers, loads, inputs.
    pub fn power(&self, point: &Point<P>) -> P {
        self.energy_sums(point).2
    }
    fn energy_sums(&self, point: &Point<P>) -> (P, P, P) {
        let mut frame = Frame::<D1<P>>::default();
        let mut sum = (P::zero(), P::zero(), P::zero());
        for m in self.members() {
            frame.gather(&m.wires, point, self.gravity);
            let (kinetic, potential, power) = energies_of(self, m, &mut frame, point.t);
            sum.0 += kinetic;
            sum.1 += potential;
            sum.2 += power;
        }
        sum
    }
}

/// Kinetic energy, potential energy and power of one element, its coordinates in the frame.
fn energies_of<P: Data>(model: &Model<P>, m: &Member<P>, frame: &mut Frame<D1<P>>, t: P) -> (P, P, P) {
    frame.a.fill(Dual::zero());
    frame.residual(m);
    let mut power = P::zero();
    for (v, r) in frame.v.iter().zip(&frame.out) {
        power -= v.re * r.re;
    }
    frame.follow(&m.wires, model.coordinates(), |x| x.re, |x, rate| x.eps = rate);
    frame.t = Dual::variable(t);
    let potential = m.element.potential(&frame.local());
    power += potential.eps;
    let mut kinetic = P::zero();
    if m.element.dependence().a {
        let energy = kinetic_of(m, frame);
        kinetic = energy.re;
        power += energy.eps;
    }
    (kinetic, potential.re, power)
}

impl<S: Real> Frame<S> {
    /// What an element reads.
    pub(super) fn local(&self) -> Local<'_, S> {
        Local { q: &self.q, v: &self.v, a: &self.a, t: self.t, u: &self.u, gravity: self.gravity }
    }
}

/// v^T M v / 2 of one element: the residual is affine in a.
pub(super) fn kinetic_of<P: Data, S: crate::element::Tower<P>>(m: &Member<P>, frame: &mut Frame<S>) -> S {
    frame.a.fill(S::zero());
    frame.residual(m);
    let mut sum = S::zero();
    for (v, r) in frame.v.iter().zip(&frame.out) {
        sum -= *v * *r;
    }
    let Frame { a, v, .. } = frame;
    a.copy_from_slice(v);
    frame.residual(m);
    for (v, r) in frame.v.iter().zip(&frame.out) {
        sum += *v * *r;
    }
    sum.scale(0.5)
}
