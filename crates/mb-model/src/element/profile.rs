//! A surface that rises and falls in one direction, z = h(x), and where a disc or a ball touches it.
//!
//! ```text
//! ball  foot x of the centre (X, Z):   (x - X) + (h - Z) h' = 0
//! disc  point at the angle a of the circle, p = c + R (sin a along - cos a up), t = cos a along + sin a up:   t.n - h'(x) t.X = 0
//! ```
//!
//! Both are solved by Newton's method with exact slopes from the point below the centre; the last steps give the derivatives of the
//! solution, their order doubling with every step.

use super::Data;
use crate::law::TimeLaw;
use mb_scalar::{Dual, Lift, Real};

/// h, h' and h'' at one x.
pub(super) struct Height<S> {
    pub(super) h: S,
    pub(super) slope: S,
    pub(super) bend: S,
}

/// The height of a profile at `x`.
pub(super) fn height<P: Data, S: Lift<P>>(profile: &TimeLaw<P>, x: S) -> Height<S> {
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
