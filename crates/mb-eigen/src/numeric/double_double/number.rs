//! Numbers as unevaluated sums of two, with the four operations and the root.
//!
//! ```text
//! a = high + low,   |low| <= u |high| / 2;      a op b (1 + d),   |d| <= 2^-100
//! ```
//!
//! Dekker, Numer. Math. 18 (1971); Joldes, Muller and Popescu, ACM Trans. Math. Software 44 (2017), who prove smaller bounds of the
//! operations than the one taken here. Ranges are those of double precision.

#![expect(clippy::inline_always, reason = "what loops over numbers do must be in one piece")]

use std::ops::{Add, Div, Mul, Neg, Sub};

use mb_algebra::compensated::{product_error, two_sum};

/// 2^-100: what an operation leaves at most, relative to its result.
pub(crate) const UNIT: f64 = 1.0 / (1_u128 << 100) as f64;

/// A number of 32 digits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct DoubleDouble {
    pub(crate) high: f64,
    pub(crate) low: f64,
}

impl DoubleDouble {
    pub(crate) const ONE: Self = Self { high: 1.0, low: 0.0 };

    /// The sum of two numbers, without an error.
    #[inline(always)]
    fn sum(a: f64, b: f64) -> Self {
        let (high, low) = two_sum(a, b);
        Self { high, low }
    }

    /// The same where |a| >= |b|.
    #[inline(always)]
    fn quick_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        Self { high, low: b - (high - a) }
    }

    #[inline(always)]
    pub(crate) fn abs(self) -> Self {
        if self.high < 0.0 { -self } else { self }
    }

    /// The root of a number that is not negative.
    pub(crate) fn sqrt(self) -> Self {
        let root = self.high.sqrt();
        if root <= 0.0 || !root.is_finite() {
            return root.into();
        }
        let start = Self::from(root);
        start + Self::from((self - start * start).high / (2.0 * root))
    }
}

impl From<f64> for DoubleDouble {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Add for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let first = Self::quick_sum(high.high, high.low + low.high);
        Self::quick_sum(first.high, first.low + low.low)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let product = self.high * other.high;
        let error = product_error(self.high, other.high, product);
        Self::quick_sum(product, error + (self.high * other.low + self.low * other.high))
    }
}

impl Div for DoubleDouble {
    type Output = Self;

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * Self::from(first);
        let second = rest.high / other.high;
        let rest = rest - other * Self::from(second);
        Self::quick_sum(first, second) + Self::from(rest.high / other.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_keep_thirty_digits() {
        let (one, three) = (DoubleDouble::ONE, DoubleDouble::from(3.0));
        let third = one / three;
        assert!((third * three - one).high.abs() <= UNIT);
        let root = three.sqrt();
        assert!((root * root - three).high.abs() <= 4.0 * UNIT);
        let small = DoubleDouble::from(2.0_f64.powi(-80));
        assert_eq!((one + small) - one, small);
        assert_eq!((third - one).abs(), one - third);
        assert_eq!(DoubleDouble::default().sqrt(), DoubleDouble::default());
    }
}
