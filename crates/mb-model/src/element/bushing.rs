//! Bushings: a stiffness and damping between two frames in all six relative motions.
//!
//! ```text
//! z = (u, phi),   u = A_b^T (r_a - r_b),   phi = rotation vector of A_b^T A_a
//! n = k z + c z' - n0
//! ```
//!
//! and the force on a, with its reaction on b, is minus the generalized force of n along z: with a
//! symmetric k the bushing has a potential, at large rotations too. With w the angular velocity
//! of a against b in the axes of a,
//!
//! ```text
//! u'   = A_b^T (r_a' - r_b' - w_b x (r_a - r_b))
//! phi' = w + phi x w / 2 + g phi x (phi x w),   g = (1 - (|phi|/2) cot(|phi|/2)) / |phi|^2
//! ```
//!
//! Fails at relative rotations of half a turn, where the rotation vector jumps.

use super::rotation::{cotangent_term, cross, dot, rotation_vector, turned};
use super::{Data, Dependence, ElementLaw, JointFrame, Local, Place};
use crate::outline::Stroke;
use mb_scalar::Lift;
use nalgebra::Vector3;

/// A 6 x 6 stiffness and damping between two frames, in the axes of `b`: three displacements,
/// then three rotations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bushing<P = f64> {
    /// The frame whose motion is measured.
    pub a: JointFrame<P>,
    /// The frame it is measured from.
    pub b: JointFrame<P>,
    /// Stiffness: N/m, N/rad, N m/m, N m/rad. It need not be symmetric.
    pub stiffness: [[P; 6]; 6],
    /// Damping: the same units times s.
    pub damping: [[P; 6]; 6],
    /// Force and moment n0 that the bushing exerts on a where z = 0, N and N m, in the axes of b.
    pub preload: [P; 6],
}

fn row<P: Data, S: Lift<P>>(matrix: &[[P; 6]; 6], i: usize, z: &[S; 6]) -> S {
    let mut sum = S::zero();
    for (m, z) in matrix[i].iter().zip(z) {
        if *m != P::zero() {
            sum += S::lift(*m) * *z;
        }
    }
    sum
}

impl<P: Data> Bushing<P> {
    fn is_damped(&self) -> bool {
        self.damping.iter().flatten().any(|c| *c != P::zero())
    }
    /// u and phi.
    fn deflection<S: Lift<P>>(&self, q: &[S]) -> [Vector3<S>; 2] {
        let d = self.a.place.position(q) - self.b.place.position(q);
        [self.b.seen(q, &d), rotation_vector(self.a.relative_to(&self.b, q))]
    }
}

impl<P: Data> ElementLaw<P> for Bushing<P> {
    fn outline(&self) -> Option<(Stroke, Vec<Place<P>>)> {
        Some((Stroke::Bushing, vec![self.a.place, self.b.place]))
    }
    fn dependence(&self) -> Dependence {
        Dependence { q: true, v: self.is_damped(), a: false, u: false }
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let [u, phi] = self.deflection(at.q);
        let z = [u.x, u.y, u.z, phi.x, phi.y, phi.z];
        let mut sum = S::zero();
        for (i, z_i) in z.iter().enumerate() {
            sum += *z_i * (row(&self.stiffness, i, &z).scale(0.5) - S::lift(self.preload[i]));
        }
        sum
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let q = at.q;
        let [u, phi] = self.deflection(q);
        let g = cotangent_term(dot(&phi, &phi));
        let z = [u.x, u.y, u.z, phi.x, phi.y, phi.z];
        let mut n: [S; 6] = std::array::from_fn(|i| row(&self.stiffness, i, &z) - S::lift(self.preload[i]));
        let d = self.a.place.position(q) - self.b.place.position(q);
        if self.is_damped() {
            let spin_b = self.b.attitude.spin(q, at.v);
            let velocity = self.a.place.velocity(q, at.v) - self.b.place.velocity(q, at.v);
            let rate = self.b.seen(q, &(velocity - cross(&spin_b, &d)));
            let w = self.a.seen(q, &(self.a.attitude.spin(q, at.v) - spin_b));
            let bend = cross(&phi, &w);
            let turn = w + bend * S::cst(0.5) + cross(&phi, &bend) * g;
            let rates = [rate.x, rate.y, rate.z, turn.x, turn.y, turn.z];
            for (i, n) in n.iter_mut().enumerate() {
                *n += row(&self.damping, i, &rates);
            }
        }
        let force = turned(self.b.euler(q), &Vector3::new(n[0], n[1], n[2]));
        let m = Vector3::new(n[3], n[4], n[5]);
        let bend = cross(&phi, &m);
        let moment = m - bend * S::cst(0.5) + cross(&phi, &bend) * g;
        let moment = turned(self.a.euler(q), &moment);
        // The residual carries minus the force: a gets -n, b gets n.
        self.a.place.push(q, force, out);
        self.a.attitude.twist(q, &moment, out);
        self.b.place.push(q, -force, out);
        self.b.attitude.twist(q, &-(moment + cross(&d, &force)), out);
    }
}
