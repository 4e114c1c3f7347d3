//! Dual numbers: a value and its derivative in one direction.

use crate::real::{Lift, Real};
use core::cmp::Ordering;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// `re + eps e` with `e^2 = 0`: `eps` is the derivative in the seeded direction.
///
/// Nested as `Dual<Dual<T>>` it gives mixed second derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Dual<T> {
    /// Value.
    pub re: T,
    /// Derivative.
    pub eps: T,
}

impl<T: Real> Dual<T> {
    /// A dual number from its two parts.
    pub const fn new(re: T, eps: T) -> Self {
        Self { re, eps }
    }
    /// A constant.
    pub fn constant(re: T) -> Self {
        Self { re, eps: T::zero() }
    }
    /// The variable that is differentiated by.
    pub fn variable(re: T) -> Self {
        Self { re, eps: T::one() }
    }
    /// f(self) from f(re) and f'(re).
    #[inline]
    fn chain(self, f: T, df: T) -> Self {
        Self { re: f, eps: self.eps * df }
    }
}

impl<P: Copy, T: Lift<P>> Lift<P> for Dual<T> {
    #[inline]
    fn lift(p: P) -> Self {
        Self::constant(T::lift(p))
    }
    #[inline]
    fn times(self, p: P) -> Self {
        #[inline]
        fn inlined<P: Copy, T: Lift<P>>(a: Dual<T>, p: P) -> Dual<T> {
            Dual { re: a.re.times(p), eps: a.eps.times(p) }
        }
        #[inline(never)]
        fn called<P: Copy, T: Lift<P>>(a: Dual<T>, p: P) -> Dual<T> {
            inlined(a, p)
        }
        if T::DUALS_ARE_CALLS { called(self, p) } else { inlined(self, p) }
    }
}

impl<T: Real> PartialOrd for Dual<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.re.partial_cmp(&other.re)
    }
}

/// The operator `$op`, inlined or as a call of a function, see [`Real::DUALS_ARE_CALLS`].
macro_rules! operator {
    ($trait:ident, $op:ident, |$a:ident, $b:ident| $result:expr) => {
        impl<T: Real> $trait for Dual<T> {
            type Output = Self;
            #[inline]
            fn $op(self, o: Self) -> Self {
                #[inline]
                fn inlined<T: Real>($a: Dual<T>, $b: Dual<T>) -> Dual<T> {
                    $result
                }
                #[inline(never)]
                fn called<T: Real>(a: Dual<T>, b: Dual<T>) -> Dual<T> {
                    inlined(a, b)
                }
                if T::DUALS_ARE_CALLS { called(self, o) } else { inlined(self, o) }
            }
        }
    };
}
operator!(Add, add, |a, b| Dual { re: a.re + b.re, eps: a.eps + b.eps });
operator!(Sub, sub, |a, b| Dual { re: a.re - b.re, eps: a.eps - b.eps });
operator!(Mul, mul, |a, b| Dual { re: a.re * b.re, eps: a.eps * b.re + a.re * b.eps });
operator!(Div, div, |a, b| {
    // (a/b)' = (a' - (a/b) b') / b
    let q = a.re / b.re;
    Dual { re: q, eps: (a.eps - q * b.eps) / b.re }
});
impl<T: Real> Neg for Dual<T> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { re: -self.re, eps: -self.eps }
    }
}
impl<T: Real> AddAssign for Dual<T> {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}
impl<T: Real> SubAssign for Dual<T> {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}
impl<T: Real> MulAssign for Dual<T> {
    #[inline]
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}
impl<T: Real> DivAssign for Dual<T> {
    #[inline]
    fn div_assign(&mut self, o: Self) {
        *self = *self / o;
    }
}

impl<T: Real> Real for Dual<T> {
    const DUALS_ARE_CALLS: bool = T::DUALS_ARE_CALLS;

    #[inline]
    fn cst(x: f64) -> Self {
        Self::constant(T::cst(x))
    }
    #[inline]
    fn value(self) -> f64 {
        self.re.value()
    }
    fn is_finite(self) -> bool {
        self.re.is_finite() && self.eps.is_finite()
    }
    #[inline]
    fn sqrt(self) -> Self {
        let r = self.re.sqrt();
        self.chain(r, T::cst(0.5) / r)
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.re.sin_cos();
        (self.chain(s, c), self.chain(c, -s))
    }
    fn atan2(self, x: Self) -> Self {
        // d atan2(y, x) = (x dy - y dx) / (x^2 + y^2)
        let r2 = x.re * x.re + self.re * self.re;
        Self { re: self.re.atan2(x.re), eps: (x.re * self.eps - self.re * x.eps) / r2 }
    }
    fn exp(self) -> Self {
        let e = self.re.exp();
        self.chain(e, e)
    }
    fn ln(self) -> Self {
        self.chain(self.re.ln(), T::one() / self.re)
    }
    fn powi(self, n: i32) -> Self {
        // The derivative n x^(n-1) must not be formed for n = 0: it is 0 * x^-1 at x = 0.
        let slope = if n == 0 { T::zero() } else { self.re.powi(n - 1) * T::cst(f64::from(n)) };
        self.chain(self.re.powi(n), slope)
    }
    #[inline]
    fn scale(self, x: f64) -> Self {
        Self { re: self.re.scale(x), eps: self.eps.scale(x) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function against its known derivative, at first and second order.
    #[test]
    fn elementary_functions_have_their_known_derivatives() {
        type D2 = Dual<Dual<f64>>;
        type Case = (fn(D2) -> D2, fn(f64) -> [f64; 3]);
        let cases: [Case; 7] = [
            (|x| x.sqrt(), |x| [x.sqrt(), 0.5 / x.sqrt(), -0.25 / x.powf(1.5)]),
            (|x| x.sin(), |x| [x.sin(), x.cos(), -x.sin()]),
            (|x| x.cos(), |x| [x.cos(), -x.sin(), -x.cos()]),
            (|x| x.exp(), |x| [x.exp(); 3]),
            (|x| x.ln(), |x| [x.ln(), 1.0 / x, -1.0 / (x * x)]),
            (|x| x.powi(3), |x| [x.powi(3), 3.0 * x * x, 6.0 * x]),
            (|x| x.recip(), |x| [1.0 / x, -1.0 / (x * x), 2.0 / x.powi(3)]),
        ];
        for x in [0.3, 1.1, 2.7] {
            for (i, (f, known)) in cases.iter().enumerate() {
                let y = f(Dual::new(Dual::new(x, 1.0), Dual::new(1.0, 0.0)));
                let k = known(x);
                for (got, want) in [(y.re.re, k[0]), (y.eps.re, k[1]), (y.re.eps, k[1]), (y.eps.eps, k[2])] {
                    assert!(
                        (got - want).abs() <= 1e-14 * want.abs().max(1.0),
                        "case {i} at {x}: {got} {want}"
                    );
                }
            }
        }
    }

    #[test]
    fn atan2_inverts_sin_cos_in_all_quadrants() {
        for k in -3..=3 {
            let angle = Dual::variable(0.9 * f64::from(k));
            let (s, c) = angle.sin_cos();
            let back = s.atan2(c);
            assert!((back.re - angle.re).abs() < 1e-15 && (back.eps - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn power_zero_is_one_with_no_slope_even_at_zero() {
        assert_eq!(Dual::variable(0.0).powi(0), Dual::constant(1.0));
    }
}
