//! Jets whose monomials are chosen at run time.
//!
//! [`DynJet`] computes as [`Jet`](super::Jet) does, over any set of monomials that fits its
//! capacity: any order and number of parameters, or a chosen part of them, such as speeds to the
//! second power only.
//!
//! ```
//! use mb_scalar::Real;
//! use mb_scalar::jet::{DynJet, Monomials};
//!
//! // One angle to the third power and a speed to the first: 1, x, v, x^2, x v, x^3, x^2 v.
//! let exponents: Vec<Vec<u8>> = [[0, 0], [1, 0], [0, 1], [2, 0], [1, 1], [3, 0], [2, 1]].map(Vec::from).into();
//! let set = Monomials::new(&exponents)?;
//! let x = DynJet::<16>::variable(set, 0, 0.0);
//! let v = DynJet::<16>::variable(set, 1, 2.0);
//! let power = v * x.sin();
//! assert_eq!(power.coefficients(set), [0.0, 2.0, 0.0, 0.0, 1.0, -1.0 / 3.0, 0.0]);
//! # Ok::<(), mb_scalar::jet::MonomialsError>(())
//! ```

mod monomials;
#[cfg(test)]
#[expect(clippy::float_cmp, reason = "constants are carried exactly")]
mod tests;

pub use monomials::{Monomials, MonomialsError};

use super::kernel;
use crate::real::{Lift, Real};
use core::cmp::Ordering;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A truncated series over a set of monomials given at run time, at most `CAP` of them.
///
/// A constant belongs to every set; two series that meet must belong to the same one.
/// Operators and functions are calls and are never inlined: an element law in jets holds hundreds of them, and
/// a call costs less than the loop over the coefficients.
/// Comparison sees the value only; equality sees every coefficient.
#[derive(Clone, Copy, Debug)]
pub struct DynJet<const CAP: usize> {
    /// None for a constant.
    set: Option<&'static Monomials>,
    /// Zero beyond the set.
    c: [f64; CAP],
}

impl<const CAP: usize> DynJet<CAP> {
    /// Parameter `k` about the value `x`; a constant where the set does not keep it.
    ///
    /// # Panics
    /// When the set has more than `CAP` monomials, or no parameter `k`.
    pub fn variable(set: &'static Monomials, k: usize, x: f64) -> Self {
        assert!(k < set.parameters(), "a jet's parameter number must be below that of its set");
        let mut c = vec![0.0; set.len()];
        c[0] = x;
        if let Some(i) = set.variable(k) {
            c[i] = 1.0;
        }
        Self::from_coefficients(set, &c)
    }

    /// The series with these coefficients, in the order of the set.
    ///
    /// # Panics
    /// When the set has more than `CAP` monomials, or another number than there are coefficients.
    pub fn from_coefficients(set: &'static Monomials, coefficients: &[f64]) -> Self {
        assert!(set.len() <= CAP, "a set of {} monomials needs a DynJet of that capacity", set.len());
        assert_eq!(coefficients.len(), set.len(), "one coefficient for each monomial");
        let mut c = [0.0; CAP];
        c[..set.len()].copy_from_slice(coefficients);
        Self { set: Some(set), c }
    }

    /// All coefficients over `set`, which a constant has too.
    ///
    /// # Panics
    /// When the series belongs to another set, or the set has more than `CAP` monomials.
    pub fn coefficients(&self, set: &'static Monomials) -> &[f64] {
        assert!(self.set.is_none_or(|own| core::ptr::eq(own, set)), "the series belongs to another set");
        &self.c[..set.len()]
    }

    /// The coefficients that may differ from zero.
    fn used(&self) -> &[f64] {
        &self.c[..self.set.map_or(1, Monomials::len)]
    }

    /// The common set of two series.
    #[inline]
    fn meet(self, o: Self) -> Option<&'static Monomials> {
        debug_assert!(
            self.set.zip(o.set).is_none_or(|(a, b)| core::ptr::eq(a, b)),
            "series over different sets cannot meet"
        );
        self.set.or(o.set)
    }

    /// Applies a function that fills a series from this one, or its value alone for a constant.
    #[inline]
    fn map(self, value: impl Fn(f64) -> f64, series: impl Fn(&Monomials, &[f64], &mut [f64])) -> Self {
        let mut out = Self { set: self.set, c: [0.0; CAP] };
        match self.set {
            None => out.c[0] = value(self.c[0]),
            Some(set) => series(set, &self.c[..set.len()], &mut out.c[..set.len()]),
        }
        out
    }
}

impl<const CAP: usize> Default for DynJet<CAP> {
    fn default() -> Self {
        Self::cst(0.0)
    }
}

impl<const CAP: usize> PartialEq for DynJet<CAP> {
    fn eq(&self, o: &Self) -> bool {
        self.c == o.c
    }
}

impl<const CAP: usize> PartialOrd for DynJet<CAP> {
    fn partial_cmp(&self, o: &Self) -> Option<Ordering> {
        self.c[0].partial_cmp(&o.c[0])
    }
}

impl<const CAP: usize> AddAssign for DynJet<CAP> {
    #[inline(never)]
    fn add_assign(&mut self, o: Self) {
        self.set = self.meet(o);
        for (a, b) in self.c.iter_mut().zip(o.used()) {
            *a += b;
        }
    }
}

impl<const CAP: usize> SubAssign for DynJet<CAP> {
    #[inline(never)]
    fn sub_assign(&mut self, o: Self) {
        self.set = self.meet(o);
        for (a, b) in self.c.iter_mut().zip(o.used()) {
            *a -= b;
        }
    }
}

impl<const CAP: usize> Add for DynJet<CAP> {
    type Output = Self;
    #[inline(never)]
    fn add(mut self, o: Self) -> Self {
        self += o;
        self
    }
}

impl<const CAP: usize> Sub for DynJet<CAP> {
    type Output = Self;
    #[inline(never)]
    fn sub(mut self, o: Self) -> Self {
        self -= o;
        self
    }
}

impl<const CAP: usize> Neg for DynJet<CAP> {
    type Output = Self;
    #[inline(never)]
    fn neg(self) -> Self {
        self.scale(-1.0)
    }
}

impl<const CAP: usize> Mul for DynJet<CAP> {
    type Output = Self;
    #[inline(never)]
    fn mul(self, o: Self) -> Self {
        match (self.set, o.set) {
            (_, None) => self.scale(o.c[0]),
            (None, _) => o.scale(self.c[0]),
            (Some(set), Some(_)) => {
                let mut out = Self { set: self.meet(o), c: [0.0; CAP] };
                let n = set.len();
                kernel::mul(set, &self.c[..n], &o.c[..n], &mut out.c[..n]);
                out
            }
        }
    }
}

impl<const CAP: usize> Div for DynJet<CAP> {
    type Output = Self;
    #[inline(never)]
    fn div(mut self, o: Self) -> Self {
        let Some(set) = o.set else {
            let n = self.used().len();
            self.c[..n].iter_mut().for_each(|x| *x /= o.c[0]);
            return self;
        };
        self.set = self.meet(o);
        kernel::div(set, &mut self.c[..set.len()], &o.c[..set.len()]);
        self
    }
}

impl<const CAP: usize> MulAssign for DynJet<CAP> {
    #[inline(never)]
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl<const CAP: usize> DivAssign for DynJet<CAP> {
    #[inline(never)]
    fn div_assign(&mut self, o: Self) {
        *self = *self / o;
    }
}

impl<const CAP: usize> Real for DynJet<CAP> {
    const DUALS_ARE_CALLS: bool = true;

    #[inline(never)]
    fn cst(x: f64) -> Self {
        let mut c = [0.0; CAP];
        c[0] = x;
        Self { set: None, c }
    }
    fn value(self) -> f64 {
        self.c[0]
    }
    #[inline(never)]
    fn is_finite(self) -> bool {
        self.used().iter().all(|x| x.is_finite())
    }
    #[inline(never)]
    fn sqrt(self) -> Self {
        self.map(f64::sqrt, |set, a, out| {
            out.copy_from_slice(a);
            kernel::sqrt(set, out);
        })
    }
    #[inline(never)]
    fn sin_cos(self) -> (Self, Self) {
        let (mut s, mut c) = (Self { set: self.set, c: [0.0; CAP] }, Self { set: self.set, c: [0.0; CAP] });
        match self.set {
            None => (s.c[0], c.c[0]) = self.c[0].sin_cos(),
            Some(set) => {
                let n = set.len();
                kernel::sin_cos(set, &self.c[..n], &mut s.c[..n], &mut c.c[..n]);
            }
        }
        (s, c)
    }
    #[inline(never)]
    fn atan2(self, x: Self) -> Self {
        let Some(set) = self.meet(x) else { return Self::cst(self.c[0].atan2(x.c[0])) };
        let n = set.len();
        let (h, mut w) = (x * x + self * self, [0.0; CAP]);
        let mut p = Self { set: Some(set), c: [0.0; CAP] };
        kernel::atan2(set, &self.c[..n], &x.c[..n], &h.c[..n], &mut w[..n], &mut p.c[..n]);
        p
    }
    #[inline(never)]
    fn exp(self) -> Self {
        self.map(f64::exp, kernel::exp)
    }
    #[inline(never)]
    fn ln(self) -> Self {
        self.map(f64::ln, |set, a, out| kernel::ln(set, a, &mut [0.0; CAP][..a.len()], out))
    }
    #[inline(never)]
    fn powi(self, n: i32) -> Self {
        kernel::powi(self, n)
    }
    #[inline(never)]
    fn scale(mut self, x: f64) -> Self {
        let n = self.used().len();
        self.c[..n].iter_mut().for_each(|c| *c *= x);
        self
    }
}

impl<const CAP: usize> Lift<f64> for DynJet<CAP> {
    fn lift(p: f64) -> Self {
        Self::cst(p)
    }
}

impl<const CAP: usize> Lift<DynJet<CAP>> for DynJet<CAP> {
    fn lift(p: DynJet<CAP>) -> Self {
        p
    }
}

#[cfg(feature = "num-traits")]
impl<const CAP: usize> num_traits::Zero for DynJet<CAP> {
    fn zero() -> Self {
        Self::default()
    }
    fn is_zero(&self) -> bool {
        self.c.iter().all(|&x| x == 0.0)
    }
}

#[cfg(feature = "num-traits")]
impl<const CAP: usize> num_traits::One for DynJet<CAP> {
    fn one() -> Self {
        Self::cst(1.0)
    }
}
