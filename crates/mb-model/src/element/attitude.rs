//! Attitudes: how bodies are turned, and the frames that joints hold on to.
//!
//! An attitude gives the rotation from body axes to ground axes, its angular velocity, and
//! takes a moment; a [`JointFrame`] is a place with axes of its own in a body. A new kind of
//! body with an orientation adds one arm to [`Attitude`] and is at once usable by all joints.

use super::rotation::{conjugate, cross, dot, lifted, normalized, product, turned, turned_back};
use super::{AngleOf, Data, Place};
use crate::outline::CIRCLE;
use mb_scalar::{Lift, Real};
use nalgebra::Vector3;

/// The orientation of a body. Indices are first ones in the element's local coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Attitude<P = f64> {
    /// Turned about z by an angle: the ground, a body in the plane.
    Planar(AngleOf<P>),
    /// Turned by Euler parameters; its velocity is the angular velocity in body axes.
    Spatial {
        /// First local index of the four Euler parameters.
        q: usize,
        /// First local index of the angular velocity.
        v: usize,
    },
}

impl<P: Real> Attitude<P> {
    /// The ground's.
    pub const GROUND: Self = Self::Planar(AngleOf::Ground);

    /// Euler parameters (e0, e1, e2, e3) of the rotation from body axes to ground axes; their
    /// length means nothing.
    pub fn euler<S: Lift<P>>(self, q: &[S]) -> [S; 4] {
        match self {
            Self::Planar(AngleOf::Ground) => [S::one(), S::zero(), S::zero(), S::zero()],
            Self::Planar(angle) => {
                let (s, c) = angle.angle(q).scale(0.5).sin_cos();
                [c, S::zero(), S::zero(), s]
            }
            Self::Spatial { q: i, .. } => [q[i], q[i + 1], q[i + 2], q[i + 3]],
        }
    }
    /// The vector `x` of body axes in ground axes.
    pub fn turned<S: Lift<P>>(self, q: &[S], x: &Vector3<S>) -> Vector3<S> {
        match self {
            Self::Planar(AngleOf::Ground) => *x,
            Self::Planar(angle) => {
                let (s, c) = angle.angle(q).sin_cos();
                Vector3::new(c * x.x - s * x.y, s * x.x + c * x.y, x.z)
            }
            Self::Spatial { .. } => turned(self.euler(q), x),
        }
    }
    /// Angular velocity in ground axes, rad/s.
    pub fn spin<S: Lift<P>>(self, q: &[S], v: &[S]) -> Vector3<S> {
        match self {
            Self::Planar(angle) => Vector3::new(S::zero(), S::zero(), angle.rate(v)),
            Self::Spatial { v: j, .. } => turned(self.euler(q), &Vector3::new(v[j], v[j + 1], v[j + 2])),
        }
    }
    /// Adds the generalized force of a moment in ground axes, N m: (d spin / d v)^T moment.
    pub fn twist<S: Lift<P>>(self, q: &[S], moment: &Vector3<S>, out: &mut [S]) {
        match self {
            Self::Planar(angle) => angle.twist(moment.z, out),
            Self::Spatial { v: j, .. } => {
                let m = turned_back(self.euler(q), moment);
                out[j] += m.x;
                out[j + 1] += m.y;
                out[j + 2] += m.z;
            }
        }
    }
    /// Angular velocity in the axes of the body itself, rad/s. Linear in `v` with constant
    /// coefficients, so that accelerations give its rate.
    pub fn own_spin<S: Lift<P>>(self, v: &[S]) -> Vector3<S> {
        match self {
            Self::Planar(angle) => Vector3::new(S::zero(), S::zero(), angle.rate(v)),
            Self::Spatial { v: j, .. } => Vector3::new(v[j], v[j + 1], v[j + 2]),
        }
    }
    /// Adds the generalized force of a moment in the axes of the body, N m.
    pub fn own_twist<S: Lift<P>>(self, moment: &Vector3<S>, out: &mut [S]) {
        match self {
            Self::Planar(angle) => angle.twist(moment.z, out),
            Self::Spatial { v: j, .. } => {
                out[j] += moment.x;
                out[j + 1] += moment.y;
                out[j + 2] += moment.z;
            }
        }
    }
    /// True when it does not move.
    pub fn is_ground(self) -> bool {
        matches!(self, Self::Planar(AngleOf::Ground))
    }
}

/// A place with axes: what a joint, a bushing or a hinge holds on to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFrame<P = f64> {
    /// Its origin.
    pub place: Place<P>,
    /// The orientation of the body it belongs to.
    pub attitude: Attitude<P>,
    /// Its axes in body axes as Euler parameters of length one.
    euler: [P; 4],
    /// The same as three columns.
    axes: [[P; 3]; 3],
}

impl<P: Data> JointFrame<P> {
    /// The frame at `place` whose axes are turned by the Euler parameters `euler` (of any
    /// length but zero) against the axes of the body.
    pub fn new(place: Place<P>, attitude: Attitude<P>, euler: [P; 4]) -> Self {
        let euler = normalized(euler);
        let axes = [0, 1, 2].map(|k| {
            let mut unit = [P::zero(); 3];
            unit[k] = P::one();
            turned(euler, &Vector3::from(unit)).into()
        });
        Self { place, attitude, euler, axes }
    }
    /// Axis `k` (0 for x, 1 for y, 2 for z) in ground axes.
    pub fn axis<S: Lift<P>>(&self, q: &[S], k: usize) -> Vector3<S> {
        self.attitude.turned(q, &lifted(self.axes[k]))
    }
    /// Places of the body on a circle about the origin, in order round it: [`CIRCLE`] of them, in the plane across axis `k`; none
    /// where the origin is no point of a body in space.
    pub(crate) fn circle(&self, k: usize, radius: P) -> Vec<Place<P>> {
        let Place::OnBody { q, v, local } = self.place else { return Vec::new() };
        let [x, y] = [self.axes[(k + 1) % 3], self.axes[(k + 2) % 3]];
        let at = |i: usize| {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / CIRCLE as f64).sin_cos();
            let [x, y] = [[0, 1, 2].map(|j| x[j].scale(cos)), [0, 1, 2].map(|j| y[j].scale(sin))];
            Place::OnBody { q, v, local: [0, 1, 2].map(|j| local[j] + radius * (x[j] + y[j])) }
        };
        (0..CIRCLE).map(at).collect()
    }
    /// Euler parameters of the frame against the ground; their length means nothing.
    pub fn euler<S: Lift<P>>(&self, q: &[S]) -> [S; 4] {
        let body = self.attitude.euler(q);
        if self.is_aligned() { body } else { product(body, self.euler.map(S::lift)) }
    }
    /// Angular velocity in the axes of the frame, rad/s; linear in `v` with constant coefficients.
    pub fn own_spin<S: Lift<P>>(&self, v: &[S]) -> Vector3<S> {
        let spin = self.attitude.own_spin(v);
        if self.is_aligned() { spin } else { turned_back(self.euler.map(S::lift), &spin) }
    }
    /// Adds the generalized force of a moment in the axes of the frame, N m.
    pub fn own_twist<S: Lift<P>>(&self, moment: &Vector3<S>, out: &mut [S]) {
        if self.is_aligned() {
            self.attitude.own_twist(moment, out);
        } else {
            self.attitude.own_twist(&turned(self.euler.map(S::lift), moment), out);
        }
    }
    /// True when its axes are those of the body.
    pub(super) fn is_aligned(&self) -> bool {
        self.euler == [P::one(), P::zero(), P::zero(), P::zero()]
    }
    /// Vector of ground axes in the axes of the frame.
    pub fn seen<S: Lift<P>>(&self, q: &[S], x: &Vector3<S>) -> Vector3<S> {
        turned_back(self.euler(q), x)
    }
    /// Euler parameters of length one that turn the axes of `other` to those of this frame.
    pub fn relative_to<S: Lift<P>>(&self, other: &Self, q: &[S]) -> [S; 4] {
        normalized(product(conjugate(other.euler(q)), self.euler(q)))
    }
}

/// The rotation of frame `a` against frame `b` about their common z-axis.
///
/// ```text
/// (e0, e1, e2, e3) = conj(p_b) p_a,   angle = 2 atan2(e3, e0)
/// ```
///
/// The angle is the twist part of the relative rotation; where the z-axes are not aligned it is
/// still smooth, and undefined only where they are opposite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge<P = f64> {
    /// The frame whose rotation is measured.
    pub a: JointFrame<P>,
    /// The frame it is measured from.
    pub b: JointFrame<P>,
}

impl<P: Data> Hinge<P> {
    /// The angle in rad, from -pi to pi.
    pub fn angle<S: Lift<P>>(&self, q: &[S]) -> S {
        let e = self.a.relative_to(&self.b, q);
        let two = S::cst(2.0);
        (two * e[0] * e[3]).atan2(e[0] * e[0] - e[3] * e[3])
    }
    /// 2 sin((angle - given) / 2): zero at the given angle with slope one, for any number of
    /// turns.
    pub fn short_of<S: Lift<P>>(&self, q: &[S], given: S) -> S {
        let e = self.a.relative_to(&self.b, q);
        let (s, c) = given.scale(0.5).sin_cos();
        let length = (e[0] * e[0] + e[3] * e[3]).sqrt();
        S::cst(2.0) * (e[3] * c - e[0] * s) / length
    }
    /// d(angle)/d(rotation of a against b) in ground axes; of length one where the z-axes agree.
    ///
    /// From e' = e (0, w) / 2 with w in the axes of a:
    /// angle' = w3 + ((e3 e1 - e0 e2) w1 + (e0 e1 + e3 e2) w2) / (e0^2 + e3^2).
    fn gradient<S: Lift<P>>(&self, q: &[S]) -> Vector3<S> {
        let [e0, e1, e2, e3] = self.a.relative_to(&self.b, q);
        let n = e0 * e0 + e3 * e3;
        let local = Vector3::new((e3 * e1 - e0 * e2) / n, (e0 * e1 + e3 * e2) / n, S::one());
        turned(self.a.euler(q), &local)
    }
    /// The rate of the angle, rad/s.
    pub fn rate<S: Lift<P>>(&self, q: &[S], v: &[S]) -> S {
        let relative = self.a.attitude.spin(q, v) - self.b.attitude.spin(q, v);
        dot(&self.gradient(q), &relative)
    }
    /// Adds the generalized force of a torque on a and its reaction on b, N m.
    pub fn twist<S: Lift<P>>(&self, q: &[S], torque: S, out: &mut [S]) {
        let moment = self.gradient(q) * torque;
        self.a.attitude.twist(q, &moment, out);
        self.b.attitude.twist(q, &-moment, out);
    }
}

/// The displacement of frame `a` against frame `b` along the z-axis of b.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slide<P = f64> {
    /// The frame whose displacement is measured.
    pub a: JointFrame<P>,
    /// The frame it is measured from, and along whose z-axis.
    pub b: JointFrame<P>,
}

impl<P: Data> Slide<P> {
    /// The displacement, m.
    pub fn length<S: Lift<P>>(&self, q: &[S]) -> S {
        dot(&self.b.axis(q, 2), &(self.a.place.position(q) - self.b.place.position(q)))
    }
    /// Its rate, m/s.
    pub fn rate<S: Lift<P>>(&self, q: &[S], v: &[S]) -> S {
        let d = self.a.place.position(q) - self.b.place.position(q);
        let axis = self.b.axis(q, 2);
        let relative = self.a.place.velocity(q, v) - self.b.place.velocity(q, v);
        dot(&axis, &relative) + dot(&cross(&self.b.attitude.spin(q, v), &axis), &d)
    }
    /// Adds the generalized force of a force along the axis on a and its reaction on b, N.
    pub fn push<S: Lift<P>>(&self, q: &[S], force: S, out: &mut [S]) {
        let d = self.a.place.position(q) - self.b.place.position(q);
        let f = self.b.axis(q, 2) * force;
        self.a.place.push(q, f, out);
        self.b.place.push(q, -f, out);
        self.b.attitude.twist(q, &-cross(&d, &f), out);
    }
}

#[cfg(test)]
mod tests {
    use super::super::rotation::about;
    use super::*;
    use crate::coordinates::BlockKind;
    use mb_scalar::Dual;

    /// Two spatial bodies, in local coordinates one after the other.
    fn frames() -> (JointFrame, JointFrame) {
        let body = |i: usize| {
            let (q, v) = (7 * i, 6 * i);
            let place = Place::OnBody { q, v, local: [0.3, -0.2, 0.5] };
            let attitude = Attitude::Spatial { q: q + 3, v: v + 3 };
            JointFrame::new(place, attitude, about([0.6, 0.0, 0.8], 0.4 + i as f64))
        };
        (body(0), body(1))
    }
    const Q: [f64; 14] = [0.1, 0.2, -0.3, 0.8, 0.36, 0.48, 0.0, -0.4, 0.9, 0.2, 0.5, -0.1, 0.7, 0.5];
    const V: [f64; 12] = [0.4, -1.0, 0.7, 1.1, -0.6, 0.9, -0.3, 0.2, 0.8, -1.2, 0.5, 0.7];

    fn moving() -> Vec<Dual<f64>> {
        let mut q = Q.map(Dual::constant).to_vec();
        let d = V.map(|v| Dual::new(0.0, v));
        BlockKind::Pose.retract(&mut q[..7], &d[..6]);
        BlockKind::Pose.retract(&mut q[7..], &d[6..]);
        q
    }
    fn power(out: &[f64]) -> f64 {
        out.iter().zip(V).map(|(f, v)| f * v).sum()
    }

    #[test]
    fn rates_are_derivatives_and_forces_are_their_transposes() {
        let (a, b) = frames();
        let hinge = Hinge { a, b };
        assert!((hinge.angle(&moving()).eps - hinge.rate(&Q, &V)).abs() < 1e-14);
        let mut out = [0.0; 12];
        hinge.twist(&Q, 1.3, &mut out);
        assert!((power(&out) - 1.3 * hinge.rate(&Q, &V)).abs() < 1e-14);
        let slide = Slide { a, b };
        assert!((slide.length(&moving()).eps - slide.rate(&Q, &V)).abs() < 1e-14);
        let mut out = [0.0; 12];
        slide.push(&Q, -0.7, &mut out);
        assert!((power(&out) + 0.7 * slide.rate(&Q, &V)).abs() < 1e-14);
    }

    #[test]
    fn hinge_angle_is_the_rotation_about_z_and_the_driven_form_vanishes_there() {
        let place = Place::Ground([0.0; 3]);
        for angle in [-2.5_f64, -0.3, 0.0, 1.0, 3.0] {
            let a = JointFrame::new(place, Attitude::GROUND, about([0.0, 0.0, 1.0], angle));
            let b = JointFrame::new(place, Attitude::GROUND, [1.0, 0.0, 0.0, 0.0]);
            let hinge = Hinge { a, b };
            assert!((hinge.angle::<f64>(&[]) - angle).abs() < 1e-15);
            for turns in [-3.0, 0.0, 2.0] {
                let given = angle + turns * core::f64::consts::TAU;
                assert!(hinge.short_of::<f64>(&[], given).abs() < 1e-14);
            }
        }
    }
}
