//! A surface that rises and falls in one direction, z = h(x), and where a disc or a ball touches it.
//!
//! ```text
//! foot x of a point (X, Z):   (x - X) + (h - Z) h' = 0,   distance (Z - h - (X - x) h') / sqrt(1 + h'^2)
//! ball  foot of its centre
//! disc  the point of its circle that is nearest, at the angle a:   c + R (sin a along - cos a up),   t = cos a along + sin a up,
//!       t.n - h'(x) t.X = 0   with the foot x of that point; its tread is a circle about that point
//! ```
//!
//! Both are solved by Newton's method with exact slopes from the point below the centre; the last steps give the derivatives of the
//! solution, their order doubling with every step.

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
    bend: S,
    /// Derivative of what vanishes at the foot by x.
    stiffness: S,
}

impl<S: Real> Foot<S> {
    /// Of the point at `x` and the height `z`.
    pub(super) fn of<P: Data>(profile: &TimeLaw<P>, x: S, z: S) -> Self
    where
        S: Lift<P>,
    {
        let stiffness = |y: &Height<S>| S::one() + y.slope * y.slope + (y.h - z) * y.bend;
        let at = zero(x.value(), |at: S| {
            let y = height(profile, at);
            (at - x + (y.h - z) * y.slope, stiffness(&y))
        });
        let y = height(profile, at);
        let length = (S::one() + y.slope * y.slope).sqrt();
        let distance = (z - y.h - (x - at) * y.slope) / length;
        Self { distance, slope: y.slope, bend: y.bend, stiffness: stiffness(&y) }
    }
    /// sqrt(1 + h'^2).
    pub(super) fn length(&self) -> S {
        (S::one() + self.slope * self.slope).sqrt()
    }
    /// The rate of h' at the foot of a point that moves with (x', z').
    pub(super) fn turned(&self, x: S, z: S) -> S {
        self.bend * (x + z * self.slope) / self.stiffness
    }
}

/// The height of a profile at `x`.
fn height<P: Data, S: Lift<P>>(profile: &TimeLaw<P>, x: S) -> Height<S> {
    let y = profile.eval(Dual::new(Dual::variable(x), Dual::constant(S::one())));
    Height { h: y.re.re, slope: y.re.eps, bend: y.eps.eps }
}

/// Most steps, and those after the value has settled: derivatives of four levels are exact then.
const MOST: usize = 60;
const MORE: usize = 3;

/// The zero of a function near `start`, which is a number; `f` gives its value and its slope.
pub(super) fn zero<S: Real>(start: f64, f: impl Fn(S) -> (S, S)) -> S {
    let mut x = S::cst(start);
    let mut left = None;
    for _ in 0..MOST {
        let (value, slope) = f(x);
        let step = value / slope;
        x -= step;
        let settled = step.value().abs() <= 1e-14 * (1e-3 + x.value().abs());
        left = match left {
            None if settled => Some(MORE),
            None => None,
            Some(0) => break,
            Some(n) => Some(n - 1),
        };
    }
    x
}
