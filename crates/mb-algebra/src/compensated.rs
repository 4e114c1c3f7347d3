//! Errors of products, and sums that keep what rounding takes from them, in double-double precision.
//!
//! ```text
//! a b = p + e,   p = fl(a b);      sum_j a_j x_j = s + l + O(u^2) |a|^T |x|,   s = fl(sum), l what was lost
//! ```
//!
//! Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26 (2005), algorithm 5.3. The error of a product is found by a product and a sum in
//! one rounding or, where the processor has none, by Dekker, Numer. Math. 18 (1971).

#![expect(clippy::inline_always, reason = "what pulp compiles for a processor must be in one piece")]

use crate::Dense;

/// e = a b - fl(a b), without instructions that round a product and a sum once; `product` is fl(a b).
#[inline(always)]
pub fn product_error(a: f64, b: f64, product: f64) -> f64 {
    let ((a1, a2), (b1, b2)) = (halves(a), halves(b));
    a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2)
}

/// Two numbers of at most 26 bits with sum a.
#[inline(always)]
fn halves(a: f64) -> (f64, f64) {
    let shifted = 134_217_729.0 * a;
    let high = shifted - (shifted - a);
    (high, a - high)
}

/// a + b as rounded, and what rounding took from it (Knuth, The Art of Computer Programming 2, section 4.2.2).
#[inline(always)]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// sum + lost <- sum + lost + a b, with what rounding takes from both in `lost`.
#[inline]
pub fn add_product([sum, lost]: [&mut f64; 2], a: f64, b: f64) {
    let product = a * b;
    let (next, rest) = two_sum(*sum, product);
    *lost += rest + product_error(a, b, product);
    *sum = next;
}

/// A B, m x n and n x k, each entry as if summed with twice the digits: directions that rows and B hold by nothing are then held by nothing
/// that is more than rounding of the entries themselves. Entries of A that are zero cost nothing; what is not a number in B stays so.
pub fn product(a: &Dense, b: &Dense) -> Dense {
    let column = |j: usize| -> Vec<(usize, f64)> {
        let entries = a.col_as_slice(j).iter().copied().enumerate();
        entries.filter(|(_, v)| *v != 0.0).collect()
    };
    let columns: Vec<_> = (0..a.ncols()).map(column).collect();
    let mut out = Dense::zeros(a.nrows(), b.ncols());
    let mut lost = vec![0.0; a.nrows()];
    for j in 0..b.ncols() {
        let sums = out.col_as_slice_mut(j);
        lost.fill(0.0);
        for (column, &y) in columns.iter().zip(b.col_as_slice(j)).filter(|(_, y)| **y != 0.0) {
            for &(i, x) in column {
                add_product([&mut sums[i], &mut lost[i]], x, y);
            }
            if !y.is_finite() {
                sums.fill(f64::NAN);
            }
        }
        sums.iter_mut().zip(&lost).for_each(|(sum, lost)| *sum += lost);
    }
    out
}

/// A row of a sparse matrix times W columns packed by rows: the sums as rounded, and what they lost.
///
/// `error` gives the error of a product, as [`product_error`] does.
#[inline(always)]
pub fn row<const W: usize>(
    indices: &[usize],
    values: &[f64],
    x: &[[f64; W]],
    error: impl Fn(f64, f64, f64) -> f64,
) -> ([f64; W], [f64; W]) {
    let (mut sum, mut lost) = ([0.0; W], [0.0; W]);
    for (&j, &a) in indices.iter().zip(values) {
        let x = &x[j];
        for k in 0..W {
            let product = a * x[k];
            let (next, rest) = two_sum(sum[k], product);
            lost[k] += rest + error(a, x[k], product);
            sum[k] = next;
        }
    }
    (sum, lost)
}

#[cfg(test)]
mod tests {
    use super::product_error;

    /// (1 + u)(1 - u) = 1 - u^2.
    #[test]
    #[expect(clippy::float_cmp, reason = "exact")]
    fn the_error_of_a_product_is_found_without_fused_instructions() {
        let u = f64::EPSILON;
        let (a, b) = (1.0 + u, 1.0 - u);
        assert_eq!((a * b, product_error(a, b, a * b)), (1.0, -u * u));
        assert_eq!(product_error(0.5, 3.0, 1.5), 0.0);
    }
}
