//! Residuals of solutions with the rounding of their sums.

use mb_algebra::{Sparse, c64};

/// Residuals with the sizes of their terms.
pub(crate) type WithSizes = Vec<(c64, f64)>;

/// The terms f_k A_k of a sum of sparse matrices, with constraint rows.
pub(crate) struct Terms<'a> {
    terms: &'a [(c64, &'a Sparse)],
    phi: &'a Sparse,
}

impl<'a> Terms<'a> {
    pub(crate) fn new(terms: &'a [(c64, &'a Sparse)], phi: &'a Sparse) -> Self {
        Self { terms, phi }
    }

    /// Residuals of S (x, l) = (f, 0) in both blocks of rows, each with the sum of the sizes of its terms.
    pub(crate) fn residual(&self, f: &[c64], x: &[c64], l: &[c64]) -> (WithSizes, WithSizes) {
        let (n, m) = (self.phi.cols(), self.phi.rows());
        let mut rows: WithSizes = f.iter().map(|f| (*f, f.norm())).collect();
        let mut constraints = vec![(c64::new(0.0, 0.0), 0.0); m];
        let less = |at: &mut (c64, f64), product: c64| {
            at.0 -= product;
            at.1 += product.norm();
        };
        for (factor, a) in self.terms {
            if *factor == c64::new(0.0, 0.0) {
                continue;
            }
            for (value, (row, col)) in *a {
                less(&mut rows[row], factor * *value * x[col]);
            }
        }
        for (value, (row, col)) in self.phi {
            less(&mut rows[col], l[row] * *value);
            less(&mut constraints[row], x[col] * *value);
        }
        debug_assert_eq!(rows.len(), n);
        (rows, constraints)
    }
}

/// Rounding of complex sums as long as the longest row of any of the matrices.
pub(crate) fn rounding(matrices: &[&Sparse]) -> f64 {
    let mut longest = 0;
    for a in matrices {
        let mut counts = vec![0_usize; a.rows()];
        for (_, (row, _)) in *a {
            counts[row] += 1;
        }
        longest = longest.max(counts.into_iter().max().unwrap_or(0));
    }
    f64::EPSILON * (8.0 + 2.0 * (longest as f64).sqrt())
}
