//! The two kinds of numbers in factorizations.

use std::ops::{AddAssign, Mul, SubAssign};

use faer::traits::ComplexField;

use crate::c64;

/// A real or complex matrix entry.
pub trait Entry:
    ComplexField + Copy + Default + PartialEq + AddAssign + SubAssign + Mul<Output = Self> + 'static
{
    /// One.
    const UNIT: Self;
    /// Absolute value.
    fn magnitude(self) -> f64;
    /// Complex conjugate.
    fn conjugate(self) -> Self;
    /// x / |x|, and one for zero.
    fn phase(self) -> Self;
    /// The number with this real part and no imaginary one.
    fn from_real(value: f64) -> Self;
}

impl Entry for f64 {
    const UNIT: Self = 1.0;

    fn magnitude(self) -> f64 {
        self.abs()
    }

    fn conjugate(self) -> Self {
        self
    }

    fn phase(self) -> Self {
        if self < 0.0 { -1.0 } else { 1.0 }
    }

    fn from_real(value: f64) -> Self {
        value
    }
}

impl Entry for f32 {
    const UNIT: Self = 1.0;

    fn magnitude(self) -> f64 {
        f64::from(self.abs())
    }

    fn conjugate(self) -> Self {
        self
    }

    fn phase(self) -> Self {
        if self < 0.0 { -1.0 } else { 1.0 }
    }

    #[expect(clippy::cast_possible_truncation, reason = "single precision is what is asked for")]
    fn from_real(value: f64) -> Self {
        value as Self
    }
}

impl Entry for c64 {
    const UNIT: Self = c64::new(1.0, 0.0);

    fn magnitude(self) -> f64 {
        self.norm()
    }

    fn conjugate(self) -> Self {
        self.conj()
    }

    fn phase(self) -> Self {
        let size = self.norm();
        if size > 0.0 { self / size } else { Self::UNIT }
    }

    fn from_real(value: f64) -> Self {
        c64::new(value, 0.0)
    }
}
