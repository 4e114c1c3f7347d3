//! Components of vectors, their products, and derivatives that know the axis they belong to.
//!
//! ```text
//! component k of a vector     linear in the coordinates k of the nodes alone:   x + sum over four nodes n of x_n eps_(n k)
//! product of two components   y + sum over nodes n and axes k of y_(n k) eps_(n k)
//! ```
//!
//! The law of a hexahedron makes components of vectors out of coordinates by linear maps, numbers of products of
//! components, and forces of products of components and numbers. Written over [`Component`] it is one law for every
//! scalar ([`Real`], whose products are scalars again) and for [`Along`], which holds derivatives by one axis only: the
//! two thirds of the twelve that are zero are neither kept nor multiplied. What a product of it holds, all twelve, is
//! [`Across`]. The numbers are those of [`mb_scalar::Wide`] in twelve directions.

#![expect(clippy::inline_always, reason = "what is compiled for a processor must be in one piece")]

use core::ops::{Add, AddAssign, Sub, SubAssign};
use mb_scalar::{Lift, Real};

/// Nodes by whose coordinates derivatives are taken at once.
pub(crate) const NODES: usize = 4;

/// What linear maps act on.
pub(crate) trait Linear:
    Copy + Add<Output = Self> + Sub<Output = Self> + AddAssign + SubAssign
{
    /// Zero.
    fn none() -> Self;
    /// The multiple by `x`.
    fn by(self, x: f64) -> Self;
}

/// A component of a vector.
pub(crate) trait Component: Linear {
    /// What products of two components are.
    type Product: Linear;
    /// The product of two vectors.
    fn dot(a: &[Self; 3], b: &[Self; 3]) -> Self::Product;
    /// The sum of products of components along `axis` with numbers.
    fn weighted<const N: usize>(axis: usize, a: [&Self; N], p: [&Self::Product; N]) -> Self::Product;
}

/// A number that element data `P` are combined with as constants.
pub(crate) trait Beside<P>: Linear {
    /// The product with a constant.
    fn times(self, p: P) -> Self;
    /// The difference from a constant.
    fn less(self, p: P) -> Self;
}

impl<S: Real> Linear for S {
    #[inline(always)]
    fn none() -> Self {
        S::zero()
    }
    #[inline(always)]
    fn by(self, x: f64) -> Self {
        self.scale(x)
    }
}

impl<S: Real> Component for S {
    type Product = S;
    #[inline(always)]
    fn dot(a: &[S; 3], b: &[S; 3]) -> S {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }
    #[inline(always)]
    fn weighted<const N: usize>(_: usize, a: [&S; N], p: [&S; N]) -> S {
        let mut sum = *a[0] * *p[0];
        for i in 1..N {
            sum += *a[i] * *p[i];
        }
        sum
    }
}

impl<P, S: Lift<P>> Beside<P> for S {
    #[inline(always)]
    fn times(self, p: P) -> Self {
        Lift::times(self, p)
    }
    #[inline(always)]
    fn less(self, p: P) -> Self {
        self - S::lift(p)
    }
}

/// A number with its derivatives by the coordinates of four nodes, axis by axis; they lie as registers are loaded.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(crate) struct Fan<const AXES: usize> {
    /// Derivatives by the coordinates along each axis.
    pub(crate) eps: [[f64; NODES]; AXES],
    /// Value.
    pub(crate) re: f64,
}

/// A component of a vector: derivatives by the coordinates along its own axis.
pub(crate) type Along = Fan<1>;
/// A product of components: derivatives by all coordinates.
pub(crate) type Across = Fan<3>;

impl<const AXES: usize> Fan<AXES> {
    /// A constant.
    pub(crate) const fn constant(re: f64) -> Self {
        Self { eps: [[0.0; NODES]; AXES], re }
    }
    /// `with` of each pair of numbers.
    #[inline(always)]
    fn join(&mut self, o: &Self, with: impl Fn(f64, f64) -> f64) {
        self.re = with(self.re, o.re);
        for (x, y) in self.eps.iter_mut().zip(&o.eps) {
            for (x, y) in x.iter_mut().zip(y) {
                *x = with(*x, *y);
            }
        }
    }
}

impl<const AXES: usize> AddAssign for Fan<AXES> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        self.join(&o, |x, y| x + y);
    }
}
impl<const AXES: usize> SubAssign for Fan<AXES> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        self.join(&o, |x, y| x - y);
    }
}
impl<const AXES: usize> Add for Fan<AXES> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, o: Self) -> Self {
        self += o;
        self
    }
}
impl<const AXES: usize> Sub for Fan<AXES> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, o: Self) -> Self {
        self -= o;
        self
    }
}

impl<const AXES: usize> Linear for Fan<AXES> {
    #[inline(always)]
    fn none() -> Self {
        Self::constant(0.0)
    }
    #[inline(always)]
    fn by(mut self, x: f64) -> Self {
        self.join(&Self::none(), |y, _| y * x);
        self
    }
}

impl Beside<f64> for Across {
    #[inline(always)]
    fn times(self, p: f64) -> Self {
        self.by(p)
    }
    #[inline(always)]
    fn less(mut self, p: f64) -> Self {
        self.re -= p;
        self
    }
}

impl Component for Along {
    type Product = Across;
    #[inline(always)]
    fn dot(a: &[Self; 3], b: &[Self; 3]) -> Across {
        let mut out = Across::constant(a[0].re * b[0].re + a[1].re * b[1].re + a[2].re * b[2].re);
        for k in 0..3 {
            for n in 0..NODES {
                out.eps[k][n] = b[k].re * a[k].eps[0][n] + a[k].re * b[k].eps[0][n];
            }
        }
        out
    }
    #[inline(always)]
    fn weighted<const N: usize>(axis: usize, a: [&Self; N], p: [&Across; N]) -> Across {
        let (mut out, mut own) = (Across::none(), [0.0; NODES]);
        for i in 0..N {
            out.re += a[i].re * p[i].re;
            for n in 0..NODES {
                own[n] += p[i].re * a[i].eps[0][n];
            }
            for k in 0..3 {
                for n in 0..NODES {
                    out.eps[k][n] += a[i].re * p[i].eps[k][n];
                }
            }
        }
        for n in 0..NODES {
            out.eps[axis][n] += own[n];
        }
        out
    }
}
