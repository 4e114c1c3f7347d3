//! A V with the digits that cancellation takes from plain sums.
//!
//! ```text
//! |fl(A V) - A V| <= u |A V| + (N u)^2 |A| |V|,   N entries in a row of A
//! ```
//!
//! The products of a stiff matrix with smooth deflections are small against |A| |V|, by the square of the ratio of the highest
//! frequency of the mesh to that of the deflection. Sums and products are those of [`mb_algebra::compensated`]. Sizes: A m x n, V n x k.

#![expect(clippy::inline_always, reason = "what pulp compiles for a processor must be in one piece")]

use mb_algebra::compensated::{self, product_error};
use mb_algebra::{Dense, Sparse, interrupt};
use pulp::{Arch, Simd, WithSimd};

/// Columns that are summed side by side.
pub(crate) const WIDE: usize = 8;

/// A V.
pub(crate) fn products(a: &Sparse, v: &Dense) -> Dense {
    // By rows, whichever way A is stored.
    let a = a.to_csr();
    let mut out = Dense::zeros(a.rows(), v.ncols());
    for first in (0..v.ncols()).step_by(WIDE) {
        interrupt::check();
        let count = WIDE.min(v.ncols() - first);
        let mut x = vec![[0.0; WIDE]; v.nrows()];
        for k in 0..count {
            x.iter_mut().zip(v.col_as_slice(first + k)).for_each(|(x, v)| x[k] = *v);
        }
        let sums = row_sums(&a, &x);
        for k in 0..count {
            let column = out.col_as_slice_mut(first + k);
            column.iter_mut().zip(&sums).for_each(|(out, (sum, lost))| *out = sum[k] + lost[k]);
        }
    }
    out
}

/// Sums as rounded, and what they lost, of [`WIDE`] columns.
pub(crate) type Sums = ([f64; WIDE], [f64; WIDE]);

/// The rows of A, stored by rows, times columns packed by rows.
pub(crate) fn row_sums(a: &Sparse, x: &[[f64; WIDE]]) -> Vec<Sums> {
    debug_assert!(a.is_csr());
    Arch::new().dispatch(Rows { a, x })
}

/// The rows of A times columns packed by rows.
struct Rows<'a> {
    a: &'a Sparse,
    x: &'a [[f64; WIDE]],
}

impl Rows<'_> {
    #[inline(always)]
    fn run(self, error: impl Fn(f64, f64, f64) -> f64) -> Vec<Sums> {
        let Self { a, x } = self;
        let starts = a.proper_indptr();
        let row = |own: &[usize]| {
            let own = own[0]..own[1];
            compensated::row(&a.indices()[own.clone()], &a.data()[own], x, &error)
        };
        starts.windows(2).map(row).collect()
    }
}

impl WithSimd for Rows<'_> {
    type Output = Vec<Sums>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Self::Output {
        // Registers that wide come with products and sums in one rounding.
        if S::F64_LANES >= 4 {
            self.run(|a, b, product| a.mul_add(b, -product))
        } else {
            self.run(product_error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{Scatter, Triplets, sparse};

    /// k x + y - k x is y; plain sums lose it against k x.
    #[test]
    fn products_that_cancel_keep_their_digits() {
        let k = 2.0_f64.powi(60) / 3.0;
        let mut a = Triplets::new(2, 3);
        for (j, value) in [k, 1.0, -k].into_iter().enumerate() {
            a.add(1, j, value);
        }
        let a = a.to_sparse();
        let v = Dense::from_fn(3, 2 * WIDE + 3, |i, j| if i == 1 { 0.3 * (j + 1) as f64 } else { 0.7 });
        let found = products(&a, &v);
        let u = 0.5 * f64::EPSILON;
        for j in 0..v.ncols() {
            let (exact, size) = (v[(1, j)], 1.4 * k + v[(1, j)]);
            let error = (found[(1, j)] - exact).abs();
            assert!(found[(0, j)] == 0.0 && error <= u * exact + (3.0 * u).powi(2) * size, "{j}: {error:e}");
            let plain = (sparse::matvec(&a, v.col_as_slice(j))[1] - exact).abs();
            assert!(error < 1e-6 * exact && plain >= exact, "{j}: {error:e} {plain:e}");
        }
    }
}
