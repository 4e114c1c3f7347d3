//! A value with its derivatives in several directions at once.

use crate::real::{Lift, Real};
use core::cmp::Ordering;
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// `re + sum eps_i e_i` with `e_i e_j = 0`: the derivatives in N directions with one value.
///
/// The same numbers as N sweeps of [`crate::Dual`], for the price of about N / 3 of them: what
/// belongs to the value is computed once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wide<const N: usize> {
    /// Value.
    pub re: f64,
    /// Derivatives in the seeded directions.
    pub eps: [f64; N],
}

impl<const N: usize> Wide<N> {
    /// A constant.
    #[inline]
    pub const fn constant(re: f64) -> Self {
        Self { re, eps: [0.0; N] }
    }
    /// f(self) from f(re) and f'(re).
    #[inline]
    fn chain(self, f: f64, df: f64) -> Self {
        Self { re: f, eps: self.eps.map(|x| x * df) }
    }
    /// re, and a eps + b o.eps.
    #[inline]
    fn combine(self, re: f64, a: f64, o: &Self, b: f64) -> Self {
        let mut eps = self.eps;
        for (x, y) in eps.iter_mut().zip(&o.eps) {
            *x = a * *x + b * *y;
        }
        Self { re, eps }
    }
}

impl<const N: usize> Default for Wide<N> {
    fn default() -> Self {
        Self::constant(0.0)
    }
}

impl<const N: usize> Lift<f64> for Wide<N> {
    #[inline]
    fn lift(p: f64) -> Self {
        Self::constant(p)
    }
    #[inline]
    fn times(self, p: f64) -> Self {
        self.scale(p)
    }
}

impl<const N: usize> PartialOrd for Wide<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.re.partial_cmp(&other.re)
    }
}

impl<const N: usize> Add for Wide<N> {
    type Output = Self;
    #[inline]
    fn add(mut self, o: Self) -> Self {
        self += o;
        self
    }
}
impl<const N: usize> Sub for Wide<N> {
    type Output = Self;
    #[inline]
    fn sub(mut self, o: Self) -> Self {
        self -= o;
        self
    }
}
impl<const N: usize> Mul for Wide<N> {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        self.combine(self.re * o.re, o.re, &o, self.re)
    }
}
impl<const N: usize> Div for Wide<N> {
    type Output = Self;
    #[inline]
    fn div(self, o: Self) -> Self {
        // (a/b)' = a'/b - (a/b) b'/b
        let (q, r) = (self.re / o.re, 1.0 / o.re);
        self.combine(q, r, &o, -q * r)
    }
}
impl<const N: usize> Neg for Wide<N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { re: -self.re, eps: self.eps.map(|x| -x) }
    }
}
impl<const N: usize> AddAssign for Wide<N> {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        self.re += o.re;
        for (x, y) in self.eps.iter_mut().zip(o.eps) {
            *x += y;
        }
    }
}
impl<const N: usize> SubAssign for Wide<N> {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        self.re -= o.re;
        for (x, y) in self.eps.iter_mut().zip(o.eps) {
            *x -= y;
        }
    }
}
impl<const N: usize> MulAssign for Wide<N> {
    #[inline]
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}
impl<const N: usize> DivAssign for Wide<N> {
    #[inline]
    fn div_assign(&mut self, o: Self) {
        *self = *self / o;
    }
}

impl<const N: usize> Real for Wide<N> {
    #[inline]
    fn cst(x: f64) -> Self {
        Self::constant(x)
    }
    #[inline]
    fn value(self) -> f64 {
        self.re
    }
    fn is_finite(self) -> bool {
        self.re.is_finite() && self.eps.iter().all(|x| x.is_finite())
    }
    #[inline]
    fn sqrt(self) -> Self {
        let r = self.re.sqrt();
        self.chain(r, 0.5 / r)
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.re.sin_cos();
        (self.chain(s, c), self.chain(c, -s))
    }
    fn atan2(self, x: Self) -> Self {
        // d atan2(y, x) = (x dy - y dx) / (x^2 + y^2)
        let r2 = x.re * x.re + self.re * self.re;
        self.combine(self.re.atan2(x.re), x.re / r2, &x, -self.re / r2)
    }
    fn exp(self) -> Self {
        let e = self.re.exp();
        self.chain(e, e)
    }
    fn ln(self) -> Self {
        self.chain(self.re.ln(), 1.0 / self.re)
    }
    fn powi(self, n: i32) -> Self {
        // The derivative n x^(n-1) must not be formed for n = 0: it is 0 * x^-1 at x = 0.
        let slope = if n == 0 { 0.0 } else { self.re.powi(n - 1) * f64::from(n) };
        self.chain(self.re.powi(n), slope)
    }
    #[inline]
    fn scale(self, x: f64) -> Self {
        Self { re: self.re * x, eps: self.eps.map(|e| e * x) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dual;

    #[test]
    fn a_constant_factor_is_that_constant() {
        let x = Wide { re: 1.3, eps: [0.4, -2.0] };
        assert_eq!(x.times(0.7), x * Wide::lift(0.7));
        let y = Dual::new(Dual::new(1.3, 0.2), Dual::new(-0.4, 0.9));
        assert_eq!(y.times(0.7), y * Dual::lift(0.7));
    }

    /// Every operation, in each direction as a dual number has it.
    #[test]
    fn each_direction_is_a_dual_number() {
        fn f<S: Real>(x: S, y: S) -> S {
            let mut z = (x * y + x.sin() / y.exp()).sqrt() - y.atan2(x) * x.powi(3);
            z += x.ln().scale(0.7) - -y;
            z -= x.cos();
            z *= y;
            z /= x + S::cst(2.0);
            z + y.powi(0)
        }
        let (x, y) = (1.3, 0.8);
        let wide = f(Wide { re: x, eps: [1.0, 0.0, 0.4] }, Wide { re: y, eps: [0.0, 1.0, -0.9] });
        for (i, (dx, dy)) in [(1.0, 0.0), (0.0, 1.0), (0.4, -0.9)].into_iter().enumerate() {
            let dual = f(Dual::new(x, dx), Dual::new(y, dy));
            assert!((wide.re - dual.re).abs() < 1e-15);
            assert!((wide.eps[i] - dual.eps).abs() < 1e-14, "{i}");
        }
    }
}
