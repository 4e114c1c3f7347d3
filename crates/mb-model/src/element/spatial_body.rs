//! Inertia of a rigid body in space.

use super::rotation::{cross, lifted, turned, turned_back};
use super::{Data, Dependence, ElementLaw, Local, Place};
use crate::outline::Stroke;
use mb_scalar::Lift;
use nalgebra::Vector3;

/// A rigid body in space, described by a reference point and Euler parameters.
///
/// Velocities are those of the reference point in ground axes and the angular velocity w in
/// body axes. With c the mass centre and J the inertia tensor about it, both in body axes,
///
/// ```text
/// a_c = a + R (w' x c + w x (w x c))
/// residual = [m (a_c - g);  J w' + w x J w + c x R^T m (a_c - g)]
/// ```
///
/// Proportional damping adds alpha times the velocity of each mass particle to its acceleration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpatialBody<P = f64> {
    /// First local configuration index of the pose.
    pub q: usize,
    /// First local velocity index of the pose.
    pub v: usize,
    /// Mass in kg.
    pub mass: P,
    /// Inertia tensor about the mass centre in body axes, kg m^2; symmetric.
    pub inertia: [[P; 3]; 3],
    /// Mass centre in body axes, m.
    pub center_of_mass: [P; 3],
    /// Mass-proportional damping in 1/s.
    pub alpha: P,
}

impl<P: Data> SpatialBody<P> {
    /// True when its mass matrix is positive definite.
    pub fn is_massive(&self) -> bool {
        let j = nalgebra::Matrix3::from_fn(|i, k| self.inertia[i][k].value());
        self.mass.value() > 0.0 && j.symmetric_eigenvalues().iter().all(|x| *x > 1e-12 * j.norm())
    }
    fn times_inertia<S: Lift<P>>(&self, w: &Vector3<S>) -> Vector3<S> {
        let row = |k: usize| {
            let [x, y, z] = self.inertia[k].map(S::lift);
            x * w.x + y * w.y + z * w.z
        };
        Vector3::new(row(0), row(1), row(2))
    }
}

impl<P: Data> ElementLaw<P> for SpatialBody<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        Some((Stroke::Body, vec![Place::OnBody { q: self.q, v: self.v, local: self.center_of_mass }]))
    }
    fn dependence(&self) -> Dependence {
        let arm = self.center_of_mass.iter().any(|c| *c != P::zero());
        Dependence { q: arm, v: true, a: true, u: false }
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let (i, j) = (self.q, self.v);
        let (m, alpha) = (S::lift(self.mass), S::lift(self.alpha));
        let w = Vector3::new(at.v[j + 3], at.v[j + 4], at.v[j + 5]);
        let mut spin = Vector3::new(at.a[j + 3], at.a[j + 4], at.a[j + 5]);
        let mut acceleration = [0, 1, 2].map(|k| at.a[j + k] - at.gravity[k]);
        if self.alpha != P::zero() {
            spin += w * alpha;
            for k in 0..3 {
                acceleration[k] += alpha * at.v[j + k];
            }
        }
        let mut acceleration = Vector3::from(acceleration);
        let mut moment = self.times_inertia(&spin) + cross(&w, &self.times_inertia(&w));
        if self.center_of_mass.iter().any(|c| *c != P::zero()) {
            let c = lifted(self.center_of_mass);
            let p = [at.q[i + 3], at.q[i + 4], at.q[i + 5], at.q[i + 6]];
            acceleration += turned(p, &(cross(&spin, &c) + cross(&w, &cross(&w, &c))));
            moment += cross(&c, &turned_back(p, &(acceleration * m)));
        }
        for k in 0..3 {
            out[j + k] += m * acceleration[k];
            out[j + 3 + k] += moment[k];
        }
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let i = self.q;
        let mut centre = Vector3::new(at.q[i], at.q[i + 1], at.q[i + 2]);
        if self.center_of_mass.iter().any(|c| *c != P::zero()) {
            let p = [at.q[i + 3], at.q[i + 4], at.q[i + 5], at.q[i + 6]];
            centre += turned(p, &lifted(self.center_of_mass));
        }
        let g = at.gravity;
        -S::lift(self.mass) * (g[0] * centre.x + g[1] * centre.y + g[2] * centre.z)
    }
}
