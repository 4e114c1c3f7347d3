//! Complex numbers of 32 digits.
//!
//! ```text
//! z op w (1 + d),   |d| <= 4 u,   u = 2^-100 of the real operations
//! ```
//!
//! Brent, Percival and Zimmermann, Math. Comp. 76 (2007): a product errs by sqrt(5) u, a sum by u; the quotient is a product with a
//! conjugate over a real number.

use std::ops::{Add, Mul, Neg, Sub};

use mb_algebra::c64;

use super::number::DoubleDouble;

/// re + im i.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Complex {
    pub(crate) re: DoubleDouble,
    pub(crate) im: DoubleDouble,
}

impl Complex {
    /// Rounded to double precision.
    pub(crate) fn rounded(self) -> c64 {
        c64::new(self.re.high, self.im.high)
    }

    pub(crate) fn is_zero(self) -> bool {
        self.re.high == 0.0 && self.im.high == 0.0
    }

    /// z times a real number.
    pub(crate) fn times(self, by: f64) -> Self {
        let by = DoubleDouble::from(by);
        Self { re: self.re * by, im: self.im * by }
    }

    /// 1 / z, of a number whose square is in range.
    pub(crate) fn inverse(self) -> Self {
        let square = self.re * self.re + self.im * self.im;
        Self { re: self.re / square, im: -(self.im / square) }
    }
}

impl From<c64> for Complex {
    fn from(z: c64) -> Self {
        Self { re: z.re.into(), im: z.im.into() }
    }
}

impl From<f64> for Complex {
    fn from(re: f64) -> Self {
        Self { re: re.into(), im: DoubleDouble::default() }
    }
}

impl Add for Complex {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Complex {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Neg for Complex {
    type Output = Self;

    fn neg(self) -> Self {
        Self { re: -self.re, im: -self.im }
    }
}

impl Mul for Complex {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::double_double::number::UNIT;

    #[test]
    fn a_number_times_its_inverse_is_one_to_thirty_digits() {
        let z = Complex::from(c64::new(3.0, -7.0)).inverse() * Complex::from(c64::new(0.1, 5.0));
        let off = z * z.inverse() - Complex::from(1.0);
        assert!(off.re.high.abs() + off.im.high.abs() <= 16.0 * UNIT);
        // (3 - 7 i) (3 + 7 i) = 58.
        let product = Complex::from(c64::new(3.0, -7.0)) * Complex::from(c64::new(3.0, 7.0));
        assert_eq!(product, Complex::from(58.0));
        assert_eq!(product.times(0.5).rounded(), c64::new(29.0, 0.0));
    }
}
