//! Ring operations and division of jets on their arrays.

use super::{Jet, kernel};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

impl<const P: usize, const N: usize> Add for Jet<P, N> {
    type Output = Self;
    #[inline]
    fn add(mut self, o: Self) -> Self {
        self += o;
        self
    }
}

impl<const P: usize, const N: usize> AddAssign for Jet<P, N> {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        for (a, b) in self.0.iter_mut().zip(o.0) {
            *a += b;
        }
    }
}

impl<const P: usize, const N: usize> Sub for Jet<P, N> {
    type Output = Self;
    #[inline]
    fn sub(mut self, o: Self) -> Self {
        self -= o;
        self
    }
}

impl<const P: usize, const N: usize> SubAssign for Jet<P, N> {
    #[inline]
    fn sub_assign(&mut self, o: Self) {
        for (a, b) in self.0.iter_mut().zip(o.0) {
            *a -= b;
        }
    }
}

impl<const P: usize, const N: usize> Neg for Jet<P, N> {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self(self.0.map(|x| -x))
    }
}

impl<const P: usize, const N: usize> Mul for Jet<P, N> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let mut out = [0.0; N];
        kernel::mul(Self::TABLES, &self.0, &o.0, &mut out);
        Self(out)
    }
}

impl<const P: usize, const N: usize> MulAssign for Jet<P, N> {
    fn mul_assign(&mut self, o: Self) {
        *self = *self * o;
    }
}

impl<const P: usize, const N: usize> Div for Jet<P, N> {
    type Output = Self;
    fn div(mut self, o: Self) -> Self {
        kernel::div(Self::TABLES, &mut self.0, &o.0);
        self
    }
}

impl<const P: usize, const N: usize> DivAssign for Jet<P, N> {
    fn div_assign(&mut self, o: Self) {
        *self = *self / o;
    }
}

#[cfg(feature = "num-traits")]
impl<const P: usize, const N: usize> num_traits::Zero for Jet<P, N> {
    fn zero() -> Self {
        Self::default()
    }
    fn is_zero(&self) -> bool {
        self.0.iter().all(|&x| x == 0.0)
    }
}

#[cfg(feature = "num-traits")]
impl<const P: usize, const N: usize> num_traits::One for Jet<P, N> {
    fn one() -> Self {
        Self::constant(1.0)
    }
}
