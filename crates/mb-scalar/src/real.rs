//! The interface of a scalar that physics is written in.

use core::fmt::Debug;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// A real number, possibly with derivatives attached.
///
/// Comparisons (`PartialOrd`) see the value only, so a branch on a comparison takes the side
/// of the value; equality compares every part.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialEq
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
    + DivAssign
    + Send
    + Sync
    + 'static
{
    /// Whether operators of dual numbers over this scalar are calls. They are inlined otherwise; where each part is an operator that
    /// is a call itself, that is many times the code and no faster.
    const DUALS_ARE_CALLS: bool = false;

    /// The constant `x`: all derivatives zero.
    fn cst(x: f64) -> Self;
    /// The value without derivatives.
    fn value(self) -> f64;
    /// True when the value and every derivative is finite.
    fn is_finite(self) -> bool;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Sine and cosine together.
    fn sin_cos(self) -> (Self, Self);
    /// Four-quadrant arc tangent of `self / x`.
    fn atan2(self, x: Self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Integer power; `0^0 = 1`.
    fn powi(self, n: i32) -> Self;

    /// Zero.
    fn zero() -> Self {
        Self::cst(0.0)
    }
    /// One.
    fn one() -> Self {
        Self::cst(1.0)
    }
    /// Sine.
    fn sin(self) -> Self {
        self.sin_cos().0
    }
    /// Cosine.
    fn cos(self) -> Self {
        self.sin_cos().1
    }
    /// Tangent.
    fn tan(self) -> Self {
        let (s, c) = self.sin_cos();
        s / c
    }
    /// Reciprocal.
    fn recip(self) -> Self {
        Self::one() / self
    }
    /// Absolute value, with the derivative of the side the value is on.
    fn abs(self) -> Self {
        if self.value() < 0.0 { -self } else { self }
    }
    /// Product with a constant.
    fn scale(self, x: f64) -> Self {
        self * Self::cst(x)
    }
}

/// A scalar that can hold the constant data of an element, given in the scalar `P`.
///
/// Element data are `f64` or a jet (when a model parameter is expanded); the element is
/// evaluated in towers of dual numbers over that.
pub trait Lift<P>: Real {
    /// `p` as a constant of this scalar: derivatives of the added levels are zero.
    fn lift(p: P) -> Self;
    /// Product with the constant `p`, without the work on derivatives that it has not.
    #[inline]
    fn times(self, p: P) -> Self {
        self * Self::lift(p)
    }
}

impl Lift<f64> for f64 {
    fn lift(p: f64) -> Self {
        p
    }
}

impl Real for f64 {
    fn cst(x: f64) -> Self {
        x
    }
    fn value(self) -> f64 {
        self
    }
    fn is_finite(self) -> bool {
        self.is_finite()
    }
    fn sqrt(self) -> Self {
        self.sqrt()
    }
    fn sin_cos(self) -> (Self, Self) {
        self.sin_cos()
    }
    fn atan2(self, x: Self) -> Self {
        self.atan2(x)
    }
    fn exp(self) -> Self {
        self.exp()
    }
    fn ln(self) -> Self {
        self.ln()
    }
    fn powi(self, n: i32) -> Self {
        self.powi(n)
    }
}
