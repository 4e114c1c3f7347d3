//! Ring operations and division of jets.
//!
//! ```text
//! (a b)_d = sum over k of a_k b_(d-k)
//! q = a / b:  b_0 q_d = a_d - sum over k = 1..d of b_k q_(d-k)
//! ```
//!
//! with `a_d` the homogeneous part of degree `d`.

use super::Jet;
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
        let mut out = o.0.map(|x| x * self.0[0]);
        for i in 1..N {
            let x = self.0[i];
            // Constants and plain variables are mostly zeros. A non-finite factor still shows,
            // because the first row is always formed.
            if x == 0.0 {
                continue;
            }
            let row = &Self::TABLES.product[i];
            let columns = Self::TABLES.start[Self::ORDER - usize::from(Self::TABLES.degree[i]) + 1];
            for j in 0..columns {
                out[usize::from(row[j])] += x * o.0[j];
            }
        }
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
    fn div(self, o: Self) -> Self {
        let mut q = self.0;
        q[0] /= o.0[0];
        for d in 1..=Self::ORDER {
            let lower = q;
            for k in 1..=d {
                Self::add_parts(&mut q, -1.0, &o.0, k, &lower, d - k);
            }
            q[Self::range(d)].iter_mut().for_each(|x| *x /= o.0[0]);
        }
        Self(q)
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
