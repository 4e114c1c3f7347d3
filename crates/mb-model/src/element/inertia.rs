//! Inertia: point masses, rods in natural coordinates, rigid bodies in the plane.
//!
//! Each may carry proportional damping alpha (1/s) on its mass: the force -alpha M v.

use super::place::rotated;
use super::{Data, Dependence, ElementLaw, Local, Place};
use crate::outline::Stroke;
use mb_scalar::Lift;

/// A mass concentrated in a planar point.
///
/// ```text
/// residual = m (a + alpha v - g)
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointMass<P = f64> {
    /// First local index of the point's x (configuration and velocity agree for points).
    pub slot: usize,
    /// Mass in kg.
    pub mass: P,
    /// Mass-proportional damping in 1/s.
    pub alpha: P,
}

impl<P: Data> ElementLaw<P> for PointMass<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        Some((Stroke::Mass, vec![Place::PlanarPoint { q: self.slot, v: self.slot }]))
    }
    fn dependence(&self) -> Dependence {
        Dependence { q: false, v: self.alpha != P::zero(), a: true, u: false }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let (m, alpha) = (S::lift(self.mass), S::lift(self.alpha));
        for k in 0..2 {
            let i = self.slot + k;
            out[i] += m * (at.a[i] + alpha * at.v[i] - at.gravity[k]);
        }
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let i = self.slot;
        -S::lift(self.mass) * (at.gravity[0] * at.q[i] + at.gravity[1] * at.q[i + 1])
    }
}

/// A slender rod with uniformly distributed mass, described by its two end points (natural
/// coordinates). An end may be fixed in the ground.
///
/// ```text
/// M = m/6 [2I I; I 2I],   weight m g / 2 on each end
/// ```
///
/// Linear interpolation between the ends is exact for a rigid rod; its constant length is a
/// constraint of its own ([`super::Distance`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod<P = f64> {
    /// The two ends: planar points or ground.
    pub ends: [Place<P>; 2],
    /// Mass in kg.
    pub mass: P,
    /// Mass-proportional damping in 1/s.
    pub alpha: P,
}

impl<P: Data> ElementLaw<P> for Rod<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        Some((Stroke::Bar, self.ends.to_vec()))
    }
    fn dependence(&self) -> Dependence {
        Dependence { q: false, v: self.alpha != P::zero(), a: true, u: false }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let (m, alpha) = (S::lift(self.mass), S::lift(self.alpha));
        let slot = |end: &Place<P>| match *end {
            Place::PlanarPoint { v, .. } => Some(v),
            _ => None,
        };
        let [first, second] = [slot(&self.ends[0]), slot(&self.ends[1])];
        for (own, other) in [(first, second), (second, first)] {
            let Some(i) = own else { continue };
            for k in 0..2 {
                let motion = |j: usize| at.a[j + k] + alpha * at.v[j + k];
                let mut f = motion(i).scale(1.0 / 3.0) - at.gravity[k].scale(0.5);
                if let Some(j) = other {
                    f += motion(j).scale(1.0 / 6.0);
                }
                out[i + k] += m * f;
            }
        }
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let middle = (self.ends[0].position(at.q) + self.ends[1].position(at.q)) * S::cst(0.5);
        -S::lift(self.mass) * (at.gravity[0] * middle.x + at.gravity[1] * middle.y)
    }
}

/// A rigid body in the plane, described by a reference point and an angle.
///
/// With s = R(angle) c the arm to the mass centre,
///
/// ```text
/// a_c = a + angle'' k x s - angle'^2 s
/// residual = [m (a_c - g); J angle'' + s x m (a_c - g)]
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarBody<P = f64> {
    /// First local index of the body's x, y, angle.
    pub slot: usize,
    /// Mass in kg.
    pub mass: P,
    /// Moment of inertia about the mass centre in kg m^2.
    pub inertia: P,
    /// Mass centre in body axes, m.
    pub center_of_mass: [P; 2],
    /// Mass-proportional damping in 1/s.
    pub alpha: P,
}

impl<P: Data> ElementLaw<P> for PlanarBody<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        let center = Place::OnPlanarBody { q: self.slot, v: self.slot, local: self.center_of_mass };
        Some((Stroke::Body, vec![center]))
    }
    fn dependence(&self) -> Dependence {
        let arm = self.center_of_mass.iter().any(|c| *c != P::zero());
        Dependence { q: arm, v: arm || self.alpha != P::zero(), a: true, u: false }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let i = self.slot;
        let (m, inertia, alpha) = (S::lift(self.mass), S::lift(self.inertia), S::lift(self.alpha));
        let s = rotated(at.q[i + 2], self.center_of_mass);
        let rate = at.v[i + 2];
        // Damping adds alpha times the velocity of each mass particle to its acceleration.
        let spin = at.a[i + 2] + alpha * rate;
        let fx = m * (at.a[i] + alpha * at.v[i] - spin * s[1] - rate * rate * s[0] - at.gravity[0]);
        let fy = m * (at.a[i + 1] + alpha * at.v[i + 1] + spin * s[0] - rate * rate * s[1] - at.gravity[1]);
        out[i] += fx;
        out[i + 1] += fy;
        out[i + 2] += inertia * spin + s[0] * fy - s[1] * fx;
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let i = self.slot;
        let s = rotated(at.q[i + 2], self.center_of_mass);
        let lift = at.gravity[0] * (at.q[i] + s[0]) + at.gravity[1] * (at.q[i + 1] + s[1]);
        -S::lift(self.mass) * lift
    }
}
