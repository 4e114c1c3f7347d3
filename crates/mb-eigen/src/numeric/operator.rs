//! A matrix as given, applied by its nonzero entries where they are few.
//!
//! Certificates multiply the matrices as given with all vectors; elements leave a handful of entries in a row, which
//! makes the products O(n) per vector instead of O(n^2). Sizes: n x n, or m x n.

use std::borrow::Cow;

use mb_algebra::{Dense, Sparse, c64, dense};

use super::double_double::{bilinear, bilinear_dense};
use crate::tuning;

/// Entries at most this part of all make the sparse product the faster one.
const FEW: usize = 6;

/// A real matrix for products.
#[derive(Clone, Debug)]
pub(crate) enum Operator<'a> {
    Whole(Cow<'a, Dense>),
    /// By columns.
    Few(Sparse),
}

impl<'a> Operator<'a> {
    pub(crate) fn new(a: &'a Dense) -> Self {
        few(a).map_or(Self::Whole(Cow::Borrowed(a)), Self::Few)
    }

    /// |A| entry by entry.
    pub(crate) fn magnitudes(&self) -> Operator<'static> {
        match self {
            Self::Whole(a) => Operator::Whole(Cow::Owned(a.map(|v| v.abs()))),
            Self::Few(a) => Operator::Few(a.map(|v| v.abs())),
        }
    }

    /// A X.
    pub(crate) fn apply(&self, x: &Dense) -> Dense {
        let a = match self {
            Self::Whole(a) => return dense::mul(a, x),
            Self::Few(a) => a,
        };
        let mut out = Dense::zeros(a.rows(), x.ncols());
        for j in 0..x.ncols() {
            let y = out.col_as_slice_mut(j);
            for (&v, column) in x.col_as_slice(j).iter().zip(a.outer_iterator()) {
                if v != 0.0 {
                    for (&i, a) in column.indices().iter().zip(column.data()) {
                        y[i] += a * v;
                    }
                }
            }
        }
        out
    }

    /// A^T X.
    pub(crate) fn apply_transpose(&self, x: &Dense) -> Dense {
        let a = match self {
            Self::Whole(a) => return dense::mul_transpose(a, x),
            Self::Few(a) => a,
        };
        let mut out = Dense::zeros(a.cols(), x.ncols());
        for j in 0..x.ncols() {
            let x = x.col_as_slice(j);
            for (y, column) in out.col_as_slice_mut(j).iter_mut().zip(a.outer_iterator()) {
                *y = column.indices().iter().zip(column.data()).map(|(&i, a)| a * x[i]).sum();
            }
        }
        out
    }

    /// y^T A x as if in double-double precision; nothing is conjugated.
    pub(crate) fn form(&self, y: &[c64], x: &[c64]) -> c64 {
        match self {
            Self::Whole(a) => bilinear_dense(a, y, x),
            Self::Few(a) => {
                let lines = a.outer_iterator().map(|column| {
                    let (index, value) = column.into_raw_storage();
                    index.iter().copied().zip(value.iter().copied())
                });
                bilinear(lines, y, x)
            }
        }
    }
}

/// The entries by columns when they are few.
fn few(a: &Dense) -> Option<Sparse> {
    let (rows, cols) = a.shape();
    // Below this size the dense product is.
    if rows.min(cols) < 2 * tuning::WIDTH {
        return None;
    }
    let allowed = rows * cols / FEW;
    let (mut start, mut index, mut value) = (Vec::with_capacity(cols + 1), Vec::new(), Vec::new());
    start.push(0);
    for j in 0..cols {
        for (i, &v) in a.col_as_slice(j).iter().enumerate() {
            if v != 0.0 {
                index.push(i);
                value.push(v);
            }
        }
        if index.len() > allowed {
            return None;
        }
        start.push(index.len());
    }
    Some(Sparse::new_csc((rows, cols), start, index, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_entries_give_the_same_products() {
        let n = 40;
        for step in [1, 13] {
            let a =
                Dense::from_fn(
                    n,
                    n,
                    |i, j| {
                        if (i + 3 * j) % step == 0 { i as f64 - 0.5 * j as f64 } else { 0.0 }
                    },
                );
            let operator = Operator::new(&a);
            assert_eq!(matches!(operator, Operator::Few(_)), step > 1);
            // Small whole and half numbers: sums are exact in any order.
            let x = Dense::from_fn(n, 3, |i, j| (i % 7) as f64 - 2.0 * j as f64);
            assert_eq!(operator.apply(&x), dense::mul(&a, &x));
            assert_eq!(operator.apply_transpose(&x), dense::mul_transpose(&a, &x));
            let size = a.map(|v| v.abs());
            assert_eq!(operator.magnitudes().apply(&x), dense::mul(&size, &x));
            let column = |j: usize| crate::numeric::vectors::complex(x.col_as_slice(j));
            let form = dense::dot(x.col_as_slice(0), &dense::matvec(&a, x.col_as_slice(1)));
            assert_eq!(operator.form(&column(0), &column(1)), c64::new(form, 0.0));
        }
    }
}
