//! The mass of a geometrically exact beam element.
//!
//! ```text
//! T = integral of 1/2 rho A |r_t|^2 + 1/2 w^T J w,   r_t = sum N_i r_t,i,   w = sum N_i w_i,   J = rho diag(I_p, I_2, I_3)
//! force on node i    rho A sum_j S_ij (a_j - g)
//! moment on node i   p_i' + w_i x p_i,   p_i = J sum_j S_ij w_j,   S_ij = integral of N_i N_j
//! ```
//!
//! w_i is the angular velocity of node i in its own section axes: the mass matrix is constant, and
//! the gyroscopic moments do no work. Damping proportional to mass adds alpha times the velocities to the accelerations.

use super::super::rotation::cross;
use super::super::{Data, Dependence, ElementLaw, JointFrame, Local, Place};
use super::kinematics::{BeamStation, Interpolation, MOST, times};
use mb_scalar::Lift;
use nalgebra::Vector3;

/// The mass of one beam element.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamInertia<P = f64> {
    frames: Vec<JointFrame<P>>,
    /// Mass between two nodes, kg.
    mass: [[P; MOST]; MOST],
    /// Mass that each node carries the weight of, kg.
    weight: [P; MOST],
    /// Principal moments over the mass of a slice, m^2.
    gyration: [P; 3],
    alpha: P,
}

impl<P: Data> BeamInertia<P> {
    /// The element between section frames, of which `natural` is the natural shape. `mass` per length, kg/m; `moments` of
    /// inertia per length about the section axes, the first along the beam, kg m; `alpha` 1/s.
    pub fn new(
        shape: Interpolation,
        frames: Vec<JointFrame<P>>,
        natural: &[BeamStation<P>],
        mass: P,
        moments: [P; 3],
        alpha: P,
    ) -> Self {
        let (pairs, single) = super::strain::mass_shape(shape, natural);
        Self {
            frames,
            mass: pairs.map(|row| row.map(|x| mass * x)),
            weight: single.map(|x| mass * x),
            gyration: moments.map(|j| j / mass),
            alpha,
        }
    }
    /// True when it dissipates.
    pub fn is_damped(&self) -> bool {
        self.alpha != P::zero()
    }
}

impl<P: Data> ElementLaw<P> for BeamInertia<P> {
    fn dependence(&self) -> Dependence {
        let plain = |p: &Place<P>| match p {
            Place::OnBody { local, .. } => local.iter().all(|x| *x == P::zero()),
            other => !other.has_moment_arm(),
        };
        Dependence { q: !self.frames.iter().all(|f| plain(&f.place)), v: true, a: true, u: false }
    }
    fn undamped(&self) -> bool {
        !self.is_damped()
    }
    fn residual<S: Lift<P>>(&self, at: &Local<'_, S>, out: &mut [S]) {
        let zero = Vector3::from([S::zero(); 3]);
        let (mut a, mut w, mut w_t) = ([zero; MOST], [zero; MOST], [zero; MOST]);
        let gravity = Vector3::from(at.gravity);
        for (i, frame) in self.frames.iter().enumerate() {
            a[i] = frame.place.acceleration(at.q, at.v, at.a);
            w[i] = frame.own_spin(at.v);
            w_t[i] = frame.own_spin(at.a);
            if self.is_damped() {
                a[i] += times(&frame.place.velocity(at.q, at.v), self.alpha);
                w_t[i] += times(&w[i], self.alpha);
            }
        }
        for (i, frame) in self.frames.iter().enumerate() {
            let (mut force, mut momentum, mut rate) = (times(&gravity, -self.weight[i]), zero, zero);
            for j in 0..self.frames.len() {
                let m = self.mass[i][j];
                force += times(&a[j], m);
                momentum += times(&w[j], m);
                rate += times(&w_t[j], m);
            }
            for k in 0..3 {
                momentum[k] = momentum[k].times(self.gyration[k]);
                rate[k] = rate[k].times(self.gyration[k]);
            }
            frame.place.push(at.q, force, out);
            frame.own_twist(&(rate + cross(&w[i], &momentum)), out);
        }
    }
    fn potential<S: Lift<P>>(&self, at: &Local<'_, S>) -> S {
        let mut sum = S::zero();
        for (frame, m) in self.frames.iter().zip(self.weight) {
            let x = frame.place.position(at.q);
            let g = at.gravity;
            sum -= S::lift(m) * (g[0] * x.x + g[1] * x.y + g[2] * x.z);
        }
        sum
    }
}
