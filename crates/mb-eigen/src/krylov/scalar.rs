//! Real and complex numbers with the dense kernels of the Krylov methods.
//!
//! Large products are cut in parts by rows, for two cores where one is idle; always, so that sums do not depend on the number of
//! cores.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::tuning;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use mb_algebra::{DenseC, c64, side_by_side};

/// A number the Krylov methods run on: `f64` or [`c64`].
pub trait Scalar:
    faer::traits::ComplexField
    + Copy
    + Default
    + PartialEq
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// Whether numbers have no imaginary part.
    const REAL: bool;
    /// A real number.
    fn real(x: f64) -> Self;
    /// The number as a complex one.
    fn complex(self) -> c64;
    /// A complex number; its imaginary part is lost where numbers are real.
    fn from_complex(z: c64) -> Self;
    /// Complex conjugate.
    fn conjugate(self) -> Self;
    /// The number times a real one.
    fn times(self, by: f64) -> Self;
    /// |z|^2.
    fn square(self) -> f64;
    /// out = A B, or out + A B.
    fn gemm(out: MatMut<'_, Self>, add: bool, a: MatRef<'_, Self>, b: MatRef<'_, Self>, alpha: f64);
    /// A^H B.
    fn adjoint_product(a: MatRef<'_, Self>, b: MatRef<'_, Self>) -> Mat<Self>;
}

macro_rules! scalar {
    ($t:ty, $real:expr, $from:expr, $complex:expr, $back:expr, $conj:expr, $square:expr) => {
        impl Scalar for $t {
            const REAL: bool = $real;
            fn real(x: f64) -> Self {
                $from(x)
            }
            fn complex(self) -> c64 {
                $complex(self)
            }
            fn from_complex(z: c64) -> Self {
                $back(z)
            }
            fn conjugate(self) -> Self {
                $conj(self)
            }
            fn times(self, by: f64) -> Self {
                self * by
            }
            fn square(self) -> f64 {
                $square(self)
            }
            fn gemm(out: MatMut<'_, Self>, add: bool, a: MatRef<'_, Self>, b: MatRef<'_, Self>, alpha: f64) {
                let accum = if add { Accum::Add } else { Accum::Replace };
                let Some(middle) = cut(a.nrows(), a.ncols() * b.ncols()) else {
                    return matmul(out, accum, a, b, Self::real(alpha), Par::Seq);
                };
                let ((top, bottom), (upper, lower)) = (out.split_at_row_mut(middle), a.split_at_row(middle));
                side_by_side(
                    || Self::gemm(top, add, upper, b, alpha),
                    || Self::gemm(bottom, add, lower, b, alpha),
                );
            }
            fn adjoint_product(a: MatRef<'_, Self>, b: MatRef<'_, Self>) -> Mat<Self> {
                if let Some(middle) = cut(a.nrows(), a.ncols() * b.ncols()) {
                    let ((upper, lower), (top, bottom)) = (a.split_at_row(middle), b.split_at_row(middle));
                    let (first, second) = side_by_side(
                        || Self::adjoint_product(upper, top),
                        || Self::adjoint_product(lower, bottom),
                    );
                    return first + second;
                }
                let mut out = Mat::zeros(a.ncols(), b.ncols());
                matmul(out.as_mut(), Accum::Replace, a.adjoint(), b, Self::real(1.0), Par::Seq);
                out
            }
        }
    };
}

scalar!(f64, true, |x| x, |x| c64::new(x, 0.0), |z: c64| z.re, |x| x, |x: f64| x * x);
scalar!(c64, false, |x| c64::new(x, 0.0), |z| z, |z| z, |z: c64| z.conj(), |z: c64| z.norm_sqr());

/// Where so many rows of so many multiplications each are cut in two, where that is worth it.
fn cut(rows: usize, each: usize) -> Option<usize> {
    // Rows of a basis turned at once.
    // Multiplications, a millisecond or more, from which on work is cut in two.
    (rows >= 4 * tuning::ROWS && rows.saturating_mul(each) >= tuning::SHARED_WORK)
        .then(|| (rows / 2).next_multiple_of(tuning::ROWS))
}

/// A B.
pub(crate) fn product<T: Scalar>(a: MatRef<'_, T>, b: MatRef<'_, T>) -> Mat<T> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    T::gemm(out.as_mut(), false, a, b, 1.0);
    out
}

/// V Y (n x k and k x p, p <= k) in the place of the first p columns of V: some rows at a time, so that no second basis is needed.
pub(crate) fn turn<T: Scalar>(mut v: MatMut<'_, T>, y: MatRef<'_, T>) {
    if let Some(middle) = cut(v.nrows(), v.ncols() * y.ncols()) {
        let (top, bottom) = v.split_at_row_mut(middle);
        side_by_side(|| turn(top, y), || turn(bottom, y));
        return;
    }
    let mut old = Mat::<T>::zeros(tuning::ROWS.min(v.nrows()), v.ncols());
    for first in (0..v.nrows()).step_by(tuning::ROWS) {
        let length = tuning::ROWS.min(v.nrows() - first);
        let mut old = old.as_mut().subrows_mut(0, length);
        old.copy_from(v.as_ref().subrows(first, length));
        let new = v.as_mut().subrows_mut(first, length).subcols_mut(0, y.ncols());
        T::gemm(new, false, old.as_ref(), y, 1.0);
    }
}

/// V Y for complex Y, V in its own arithmetic.
pub(crate) fn combine<T: Scalar>(v: MatRef<'_, T>, y: &DenseC) -> DenseC {
    let times = |entry: &dyn Fn(c64) -> T| {
        let y = Mat::from_fn(y.nrows(), y.ncols(), |i, j| entry(y[(i, j)]));
        product(v, y.as_ref())
    };
    if !T::REAL {
        let out = times(&T::from_complex);
        return DenseC::from_fn(v.nrows(), y.ncols(), |i, j| out[(i, j)].complex());
    }
    let (re, im) = (times(&|z| T::real(z.re)), times(&|z| T::real(z.im)));
    DenseC::from_fn(v.nrows(), y.ncols(), |i, j| c64::new(re[(i, j)].complex().re, im[(i, j)].complex().re))
}

/// A real linear map of the columns of B: of their real and imaginary parts, in real arithmetic.
pub(crate) fn real_map<T: Scalar>(b: MatRef<'_, T>, map: impl Fn(&Mat<f64>) -> Mat<f64>) -> Mat<T> {
    let of =
        |part: fn(c64) -> f64| map(&Mat::from_fn(b.nrows(), b.ncols(), |i, j| part(b[(i, j)].complex())));
    let re = of(|z| z.re);
    let im = (!T::REAL).then(|| of(|z| z.im));
    let entry = |i, j| c64::new(re[(i, j)], im.as_ref().map_or(0.0, |im| im[(i, j)]));
    Mat::from_fn(re.nrows(), re.ncols(), |i, j| T::from_complex(entry(i, j)))
}

/// W - V C in place.
pub(crate) fn subtract<T: Scalar>(w: &mut Mat<T>, v: MatRef<'_, T>, c: MatRef<'_, T>) {
    T::gemm(w.as_mut(), true, v, c, -1.0);
}

/// Euclidean norm of a column.
pub(crate) fn norm<T: Scalar>(x: &[T]) -> f64 {
    x.iter().map(|v| v.square()).sum::<f64>().sqrt()
}

/// Copies the columns of `from` to `to` from column `at` on.
pub(crate) fn put<T: Scalar>(to: &mut Mat<T>, at: usize, from: MatRef<'_, T>) {
    to.as_mut().subcols_mut(at, from.ncols()).copy_from(from);
}

/// Side by side.
pub(crate) fn hstack<T: Scalar>(a: MatRef<'_, T>, b: MatRef<'_, T>) -> Mat<T> {
    let mut out = Mat::zeros(a.nrows(), a.ncols() + b.ncols());
    put(&mut out, 0, a);
    put(&mut out, a.ncols(), b);
    out
}

/// Some columns, in the order asked for.
pub(crate) fn pick<T: Scalar>(a: &Mat<T>, columns: &[usize]) -> Mat<T> {
    let mut out = Mat::zeros(a.nrows(), columns.len());
    for (to, &from) in columns.iter().enumerate() {
        out.col_as_slice_mut(to).copy_from_slice(a.col_as_slice(from));
    }
    out
}

/// A start block that is the same on every machine: entries in (-1, 1) from a counter (splitmix64).
pub(crate) fn start_block<T: Scalar>(n: usize, p: usize, salt: u64) -> Mat<T> {
    let entry = |i: usize, j: usize| {
        let mut z = ((j as u64) << 40 | i as u64)
            .wrapping_add(salt.wrapping_mul(0x51_7c_c1_b7_27_22_0a_95))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    Mat::from_fn(n, p, |i, j| T::real(entry(i, j)))
}

/// Z with noise of a share of the length of each column.
#[cfg(test)]
pub(crate) fn add_noise(z: &mut Mat<f64>, share: f64, salt: u64) {
    let noise = start_block::<f64>(z.nrows(), z.ncols(), salt);
    for j in 0..z.ncols() {
        let size = share * norm(z.col_as_slice(j)) / norm(noise.col_as_slice(j));
        let pairs = z.col_as_slice_mut(j).iter_mut().zip(noise.col_as_slice(j));
        pairs.for_each(|(z, noise)| *z += size * noise);
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "sums of multiples of a power of two are exact")]
mod tests {
    use super::*;

    #[test]
    fn long_products_are_those_of_the_formula_on_one_core_and_two() {
        let (n, k, p) = (60_001, 40, 9);
        assert!(cut(n, k * p).is_some());
        // Multiples of 1/8 add up without error.
        let v = Mat::from_fn(n, k, |i, j| ((i * 5 + j * 11) % 23) as f64 / 8.0 - 1.0);
        let w = Mat::from_fn(n, p, |i, j| ((i * 3 + j * 7) % 17) as f64 / 8.0 - 1.0);
        let y = Mat::from_fn(k, p, |i, j| ((i + 2 * j) % 13) as f64 / 4.0 - 1.0);
        let at = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (mut less, mut turned) = (w.clone(), v.clone());
                subtract(&mut less, v.as_ref(), y.as_ref());
                turn(turned.as_mut(), y.as_ref());
                let gram = f64::adjoint_product(v.as_ref(), w.as_ref());
                (less, turned.as_ref().subcols(0, p).to_owned(), gram, product(v.as_ref(), y.as_ref()))
            })
        };
        let found = at(1);
        assert_eq!(found, at(2));
        let (less, turned, gram, whole) = found;
        assert_eq!(turned, whole);
        for j in 0..p {
            for i in (0..n).step_by(487).chain([n / 2, n - 1]) {
                let sum: f64 = (0..k).map(|l| v[(i, l)] * y[(l, j)]).sum();
                assert_eq!((whole[(i, j)], less[(i, j)]), (sum, w[(i, j)] - sum), "{i} {j}");
            }
            for i in 0..k {
                let sum: f64 = (0..n).map(|l| v[(l, i)] * w[(l, j)]).sum();
                assert_eq!(gram[(i, j)], sum, "{i} {j}");
            }
        }
    }
}
