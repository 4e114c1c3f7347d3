//! A matrix as given, applied by its nonzero entries where they are few.
//!
//! Certificates multiply the matrices as given with all vectors; elements leave a handful of entries in a row, which
//! makes the products O(n) per vector instead of O(n^2). Sizes: n x n, or m x n.

use mb_algebra::{Dense, c64, dense};

use super::double_double::{bilinear, bilinear_dense};
use crate::tuning;

/// Entries at most this part of all make the sparse product the faster one.
const FEW: usize = 6;

/// A real matrix for products.
#[derive(Clone, Debug)]
pub(crate) struct Operator<'a> {
    rows: usize,
    cols: usize,
    entries: Entries<'a>,
}

#[derive(Clone, Debug)]
enum Entries<'a> {
    Given(&'a Dense),
    Own(Dense),
    /// By columns: column j has the entries start[j]..start[j + 1].
    Columns {
        start: Vec<usize>,
        index: Vec<usize>,
        value: Vec<f64>,
    },
}

impl<'a> Operator<'a> {
    pub(crate) fn new(a: &'a Dense) -> Self {
        let (rows, cols) = a.shape();
        let entries = columns(a).unwrap_or(Entries::Given(a));
        Self { rows, cols, entries }
    }

    /// |A| entry by entry.
    pub(crate) fn magnitudes(&self) -> Operator<'static> {
        let entries = match &self.entries {
            Entries::Given(a) => Entries::Own(a.map(|v| v.abs())),
            Entries::Own(a) => Entries::Own(a.map(|v| v.abs())),
            Entries::Columns { start, index, value } => Entries::Columns {
                start: start.clone(),
                index: index.clone(),
                value: value.iter().map(|v| v.abs()).collect(),
            },
        };
        Operator { rows: self.rows, cols: self.cols, entries }
    }

    /// A X.
    pub(crate) fn apply(&self, x: &Dense) -> Dense {
        let (start, index, value) = match &self.entries {
            Entries::Given(a) => return dense::mul(a, x),
            Entries::Own(a) => return dense::mul(a, x),
            Entries::Columns { start, index, value } => (start, index, value),
        };
        let mut out = Dense::zeros(self.rows, x.ncols());
        for j in 0..x.ncols() {
            let y = out.col_as_slice_mut(j);
            for (&v, range) in x.col_as_slice(j).iter().zip(start.windows(2)) {
                if v != 0.0 {
                    let range = range[0]..range[1];
                    for (&i, a) in index[range.clone()].iter().zip(&value[range]) {
                        y[i] += a * v;
                    }
                }
            }
        }
        out
    }

    /// A^T X.
    pub(crate) fn apply_transpose(&self, x: &Dense) -> Dense {
        let (start, index, value) = match &self.entries {
            Entries::Given(a) => return dense::mul_transpose(a, x),
            Entries::Own(a) => return dense::mul_transpose(a, x),
            Entries::Columns { start, index, value } => (start, index, value),
        };
        let mut out = Dense::zeros(self.cols, x.ncols());
        for j in 0..x.ncols() {
            let x = x.col_as_slice(j);
            for (y, range) in out.col_as_slice_mut(j).iter_mut().zip(start.windows(2)) {
                let range = range[0]..range[1];
                *y = index[range.clone()].iter().zip(&value[range]).map(|(&i, a)| a * x[i]).sum();
            }
        }
        out
    }

    /// y^T A x as if in double-double precision; nothing is conjugated.
    pub(crate) fn form(&self, y: &[c64], x: &[c64]) -> c64 {
        match &self.entries {
            Entries::Given(a) => bilinear_dense(a, y, x),
            Entries::Own(a) => bilinear_dense(a, y, x),
            Entries::Columns { start, index, value } => {
                let lines = start.windows(2).map(|range| {
                    let range = range[0]..range[1];
                    index[range.clone()].iter().copied().zip(value[range].iter().copied())
                });
                bilinear(lines, y, x)
            }
        }
    }
}

/// The entries by columns when they are few.
fn columns(a: &Dense) -> Option<Entries<'static>> {
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
    Some(Entries::Columns { start, index, value })
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
            assert_eq!(matches!(operator.entries, Entries::Columns { .. }), step > 1);
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
