//! Elementary functions of jets, degree by degree.
//!
//! With `D = sum x_k d/dx_k` (degree `d` is multiplied by `d`):
//!
//! ```text
//! r = sqrt(a):   2 r_0 r_d = a_d - sum over k = 1..d-1 of r_k r_(d-k)
//! e = exp(a):    D e = (D a) e
//! s, c = sin, cos(a):   D s = (D a) c,   D c = -(D a) s
//! l = ln(a):     a D l = D a
//! p = atan2(y, x):   (x^2 + y^2) D p = x D y - y D x
//! ```

use super::Jet;
use crate::real::{Lift, Real};

impl<const P: usize, const N: usize> Jet<P, N> {
    /// The part of one degree of `out += factor * (D a) b`; it needs `b` below that degree only.
    fn add_euler(out: &mut [f64; N], factor: f64, a: &[f64; N], b: &[f64; N], degree: usize) {
        for k in 1..=degree {
            Self::add_parts(out, factor * k as f64, a, k, b, degree - k);
        }
    }

    /// Solves `h D p = w` for the degrees above 0, given `p_0`; `w` has no constant part.
    fn solve_euler(p0: f64, h: &[f64; N], mut w: [f64; N]) -> Self {
        let mut p = [0.0; N];
        p[0] = p0;
        for d in 1..=Self::ORDER {
            for k in 1..d {
                Self::add_parts(&mut w, -(k as f64), &p, k, h, d - k);
            }
            for i in Self::range(d) {
                p[i] = w[i] / (h[0] * d as f64);
            }
        }
        Self(p)
    }
}

impl<const P: usize, const N: usize> Real for Jet<P, N> {
    fn cst(x: f64) -> Self {
        Self::constant(x)
    }
    fn value(self) -> f64 {
        self.0[0]
    }
    fn is_finite(self) -> bool {
        self.0.iter().all(|x| x.is_finite())
    }
    fn sqrt(self) -> Self {
        let mut r = self.0;
        r[0] = r[0].sqrt();
        for d in 1..=Self::ORDER {
            let lower = r;
            for k in 1..d {
                Self::add_parts(&mut r, -1.0, &lower, k, &lower, d - k);
            }
            r[Self::range(d)].iter_mut().for_each(|x| *x /= 2.0 * lower[0]);
        }
        Self(r)
    }
    fn sin_cos(self) -> (Self, Self) {
        let (mut s, mut c) = ([0.0; N], [0.0; N]);
        (s[0], c[0]) = self.0[0].sin_cos();
        for d in 1..=Self::ORDER {
            Self::add_euler(&mut s, 1.0 / d as f64, &self.0, &c, d);
            Self::add_euler(&mut c, -1.0 / d as f64, &self.0, &s, d);
        }
        (Self(s), Self(c))
    }
    fn atan2(self, x: Self) -> Self {
        let mut w = [0.0; N];
        for d in 1..=Self::ORDER {
            Self::add_euler(&mut w, 1.0, &self.0, &x.0, d);
            Self::add_euler(&mut w, -1.0, &x.0, &self.0, d);
        }
        Self::solve_euler(self.0[0].atan2(x.0[0]), &(x * x + self * self).0, w)
    }
    fn exp(self) -> Self {
        let mut e = [0.0; N];
        e[0] = self.0[0].exp();
        for d in 1..=Self::ORDER {
            let lower = e;
            Self::add_euler(&mut e, 1.0 / d as f64, &self.0, &lower, d);
        }
        Self(e)
    }
    fn ln(self) -> Self {
        let mut w = self.0;
        for d in 0..=Self::ORDER {
            w[Self::range(d)].iter_mut().for_each(|x| *x *= d as f64);
        }
        Self::solve_euler(self.0[0].ln(), &self.0, w)
    }
    fn powi(self, n: i32) -> Self {
        // By squaring, so that powers of a jet with value 0 are exact.
        let mut power = Self::constant(1.0);
        let mut square = self;
        let mut left = n.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                power *= square;
            }
            left >>= 1;
            if left > 0 {
                square *= square;
            }
        }
        if n < 0 { power.recip() } else { power }
    }
    fn scale(self, x: f64) -> Self {
        Self(self.0.map(|c| c * x))
    }
}

impl<const P: usize, const N: usize> Lift<f64> for Jet<P, N> {
    fn lift(p: f64) -> Self {
        Self::constant(p)
    }
}

impl<const P: usize, const N: usize> Lift<Jet<P, N>> for Jet<P, N> {
    fn lift(p: Jet<P, N>) -> Self {
        p
    }
}
