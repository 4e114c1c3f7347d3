//! A surface that rises and falls in one direction, z = h(x), and where a disc or a ball touches it.
//!
//! ```text
//! foot x of a point (X, Z):   (x - X) + (h - Z) h' = 0,   distance (Z - h - (X - x) h') / sqrt(1 + h'^2)
//! ball  foot of its centre
//! disc  the point of its circle that is nearest, at the angle a:   c + R (sin a along - cos a up),   t = cos a along + sin a up,
//!       t.n - h'(x) t.X = 0   with the foot x of that point; its tread is a circle about that point
//! ```
//!
//! Both are solved by Newton's method with exact slopes from the point below the centre: for their values first, without derivatives; a few
//! steps from there give the derivatives of the solution, their order doubling with every step.

use super::Data;
use crate::law::TimeLaw;
use mb_scalar::{Dual, Lift, Real};

/// h, h' and h'' at one x.
struct Height<S> {
    h: S,
    slope: S,
    bend: S,
}

/// The point of a profile that is nearest to a point.
pub(super) struct Foot<S> {
    /// The distance, positive above.
    pub(super) distance: S,
    /// h' there.
    pub(super) slope: S,
}

impl<S: Real> Foot<S> {
    /// Of the point at `x` and the height `z`.
    pub(super) fn of<P: Data>(profile: &TimeLaw<P>, x: S, z: S) -> Self
    where
        S: Lift<P>,
    {
        let start = place(profile, P::cst(x.value()), P::cst(z.value()));
        let mut at = S::cst(start.value());
        for _ in 0..P::DOUBLINGS {
            let (value, slope) = missed(&height(profile, at), at, x, z);
            at -= value / slope;
        }
        Self::at(&height(profile, at), at, x, z)
    }
    /// At the place `at`, where the profile is `y`.
    fn at(y: &Height<S>, at: S, x: S, z: S) -> Self {
        let length = (S::one() + y.slope * y.slope).sqrt();
        Self { distance: (z - y.h - (x - at) * y.slope) / length, slope: y.slope }
    }
    /// sqrt(1 + h'^2).
    pub(super) fn length(&self) -> S {
        (S::one() + self.slope * self.slope).sqrt()
    }
}

/// What vanishes at the foot of the point (x, z), with its derivative by the place.
fn missed<S: Real>(y: &Height<S>, at: S, x: S, z: S) -> (S, S) {
    (at - x + (y.h - z) * y.slope, S::one() + y.slope * y.slope + (y.h - z) * y.bend)
}

/// The place of the foot of the point (x, z), its value alone.
fn place<P: Data>(profile: &TimeLaw<P>, x: P, z: P) -> P {
    zero(x.value(), |at| missed(&height(profile, at), at, x, z))
}

/// The circle of a wheel seen along the axis that the profile does not change with: x and z of its centre and of its directions along and up.
pub(super) struct Circle<S> {
    pub(super) centre: [S; 2],
    pub(super) along: [S; 2],
    pub(super) up: [S; 2],
    pub(super) radius: S,
}

impl<S: Real> Circle<S> {
    /// The angle at which it touches a profile, and the foot there.
    pub(super) fn touching<P: Data>(&self, profile: &TimeLaw<P>) -> (S, Foot<S>)
    where
        S: Lift<P>,
    {
        let plain = |x: S| P::cst(x.value());
        let start = Circle {
            centre: self.centre.map(plain),
            along: self.along.map(plain),
            up: self.up.map(plain),
            radius: plain(self.radius),
        };
        let foot = |angle: P| {
            let [x, z] = start.point(start.turned(angle).0);
            place(profile, x, z)
        };
        let angle = zero(0.0, |angle: P| {
            let at = foot(angle);
            let ([value, _], [[a, b], [c, d]]) = start.missed(&height(profile, at), [angle, at]);
            (value, a - b * c / d)
        });
        let (mut angle, mut at) = (S::cst(angle.value()), S::cst(foot(angle).value()));
        for _ in 0..P::DOUBLINGS {
            let ([f, g], [[a, b], [c, d]]) = self.missed(&height(profile, at), [angle, at]);
            let determinant = a * d - b * c;
            angle -= (d * f - b * g) / determinant;
            at -= (a * g - c * f) / determinant;
        }
        let [x, z] = self.point(self.turned(angle).0);
        (angle, Foot::at(&height(profile, at), at, x, z))
    }
    /// Directions outwards and along the tangent at an angle.
    fn turned(&self, angle: S) -> ([S; 2], [S; 2]) {
        let ((sin, cos), Self { along, up, .. }) = (angle.sin_cos(), self);
        let both = |of: fn(S, S, S, S) -> S| [0, 1].map(|i| of(along[i], up[i], sin, cos));
        (
            both(|along, up, sin, cos| along * sin - up * cos),
            both(|along, up, sin, cos| along * cos + up * sin),
        )
    }
    fn point(&self, out: [S; 2]) -> [S; 2] {
        [0, 1].map(|i| self.centre[i] + out[i] * self.radius)
    }
    /// What vanishes where the point at an angle touches the profile at a place: its tangent against that of the profile, and what does at a foot.
    /// With the derivatives of both by angle and place, t' = -out and c' = R t.
    fn missed(&self, y: &Height<S>, [angle, at]: [S; 2]) -> ([S; 2], [[S; 2]; 2]) {
        let (out, [tx, tz]) = self.turned(angle);
        let [x, z] = self.point(out);
        let (off, by_place) = missed(y, at, x, z);
        let by_angle = [y.slope * out[0] - out[1], -self.radius * (tx + tz * y.slope)];
        ([tz - y.slope * tx, off], [[by_angle[0], -y.bend * tx], [by_angle[1], by_place]])
    }
}

/// The height of a profile at `x`.
fn height<P: Data, S: Lift<P>>(profile: &TimeLaw<P>, x: S) -> Height<S> {
    let y = profile.eval(Dual::new(Dual::variable(x), Dual::constant(S::one())));
    Height { h: y.re.re, slope: y.re.eps, bend: y.eps.eps }
}

/// Most steps to a value.
const MOST: usize = 60;

/// The zero of a function near `start`, which is a number; `f` gives its value and its slope.
fn zero<S: Real>(start: f64, f: impl Fn(S) -> (S, S)) -> S {
    let mut x = S::cst(start);
    for _ in 0..MOST {
        let (value, slope) = f(x);
        let step = value / slope;
        x -= step;
        if step.value().abs() <= 1e-14 * (1e-3 + x.value().abs()) {
            break;
        }
    }
    x
}
