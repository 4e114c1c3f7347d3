//! Jets as scalars: the elementary functions of [`super::kernel`] on their arrays.

use super::{Jet, kernel};
use crate::real::{Lift, Real};

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
    fn sqrt(mut self) -> Self {
        kernel::sqrt(Self::TABLES, &mut self.0);
        self
    }
    fn sin_cos(self) -> (Self, Self) {
        let (mut s, mut c) = ([0.0; N], [0.0; N]);
        kernel::sin_cos(Self::TABLES, &self.0, &mut s, &mut c);
        (Self(s), Self(c))
    }
    fn atan2(self, x: Self) -> Self {
        let (mut w, mut p) = ([0.0; N], [0.0; N]);
        kernel::atan2(Self::TABLES, &self.0, &x.0, &(x * x + self * self).0, &mut w, &mut p);
        Self(p)
    }
    fn exp(self) -> Self {
        let mut e = [0.0; N];
        kernel::exp(Self::TABLES, &self.0, &mut e);
        Self(e)
    }
    fn ln(self) -> Self {
        let (mut w, mut l) = ([0.0; N], [0.0; N]);
        kernel::ln(Self::TABLES, &self.0, &mut w, &mut l);
        Self(l)
    }
    fn powi(self, n: i32) -> Self {
        kernel::powi(self, n)
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
