//! A = L U without any exchange, pivots that are too small replaced: static pivoting.
//!
//! ```text
//! |u_jj| < e max|A|   ->   u_jj = +- e max|A|
//! ```
//!
//! What fast parallel solvers do in place of exchanges (Li and Demmel, SuperLU_DIST, 1998; Schenk and Gaertner,
//! ETNA 23, 2006). The factors are those of a matrix near A: a pivot that is small only because its unknown has
//! another unit is overwritten, which is how a saddle-point matrix with unscaled multipliers loses its meaning
//! (yang2012, section 3). Kept to show that; use [`crate::SparseLu`] for results.
//!
//! Skyline storage in the order given: row i of L and column i of U from the first entry in either. Sizes: A n x n with
//! a profile of p entries, 2 p numbers.

use super::{check_square, first_non_finite};
use crate::{AlgebraError, Sparse, norms};

/// L U factors of a sparse matrix in its own order, with the number of pivots replaced.
#[derive(Clone, Debug)]
pub struct StaticLu {
    /// First column of row i of L and first row of column i of U.
    first: Vec<usize>,
    /// Where the profile of i starts; i - first\[i\] entries.
    start: Vec<usize>,
    /// Rows of L without the unit diagonal.
    lower: Vec<f64>,
    /// Columns of U without the diagonal.
    upper: Vec<f64>,
    pivots: Vec<f64>,
    replaced: usize,
}

impl StaticLu {
    /// Factors an n x n matrix; pivots below `perturbation` times the largest entry are replaced.
    ///
    /// Errors: not square, not finite, a zero matrix or a pivot of zero where nothing is replaced
    /// ([`AlgebraError::ZeroPivot`]), factors that overflow.
    pub fn new(a: &Sparse, perturbation: f64) -> Result<Self, AlgebraError> {
        let n = check_square("LU factorization without exchanges", a.rows(), a.cols())?;
        first_non_finite(a)?;
        let mut first: Vec<usize> = (0..n).collect();
        for (_, (row, col)) in a {
            let (low, high) = (row.min(col), row.max(col));
            first[high] = first[high].min(low);
        }
        let mut start = Vec::with_capacity(n + 1);
        start.push(0_usize);
        for (i, first) in first.iter().enumerate() {
            let next = start[i].checked_add(i - first).ok_or(AlgebraError::OutOfMemory { size: n })?;
            start.push(next);
        }
        let entries = start[n];
        let reserve = || -> Result<Vec<f64>, AlgebraError> {
            let mut values: Vec<f64> = Vec::new();
            crate::memory::ask(|| values.try_reserve_exact(entries))
                .map_err(|_| AlgebraError::OutOfMemory { size: n })?;
            values.resize(entries, 0.0);
            Ok(values)
        };
        let (lower, upper) = (reserve()?, reserve()?);
        let mut factors = Self { first, start, lower, upper, pivots: vec![0.0; n], replaced: 0 };
        for (&value, (row, col)) in a {
            match row.cmp(&col) {
                std::cmp::Ordering::Equal => factors.pivots[row] += value,
                std::cmp::Ordering::Greater => {
                    let at = factors.start[row] + col - factors.first[row];
                    factors.lower[at] += value;
                }
                std::cmp::Ordering::Less => {
                    let at = factors.start[col] + row - factors.first[col];
                    factors.upper[at] += value;
                }
            }
        }
        factors.eliminate(perturbation * norms::max_abs(a))?;
        Ok(factors)
    }

    /// Doolittle's scheme by profiles: row i of L and column i of U from those before.
    fn eliminate(&mut self, least: f64) -> Result<(), AlgebraError> {
        let n = self.pivots.len();
        for i in 0..n {
            let (first, at) = (self.first[i], self.start[i]);
            for j in first..i {
                // Both profiles of j begin at first[j].
                let from = first.max(self.first[j]);
                let (own, other) = (at + from - first, self.start[j] + from - self.first[j]);
                let count = j - from;
                let dot = |x: &[f64], y: &[f64]| -> f64 {
                    x[own..own + count].iter().zip(&y[other..other + count]).map(|(x, y)| x * y).sum()
                };
                let (row, column) = (dot(&self.lower, &self.upper), dot(&self.upper, &self.lower));
                let here = at + j - first;
                self.lower[here] = (self.lower[here] - row) / self.pivots[j];
                self.upper[here] -= column;
            }
            let profile = at..at + i - first;
            let sum: f64 =
                self.lower[profile.clone()].iter().zip(&self.upper[profile]).map(|(l, u)| l * u).sum();
            let mut pivot = self.pivots[i] - sum;
            if pivot.abs() < least {
                pivot = if pivot < 0.0 { -least } else { least };
                self.replaced += 1;
            }
            if pivot == 0.0 {
                return Err(AlgebraError::ZeroPivot { index: i, pivot });
            }
            if !pivot.is_finite() {
                let algorithm = "LU factorization without exchanges";
                return Err(AlgebraError::NonFiniteResult { algorithm, size: n });
            }
            self.pivots[i] = pivot;
        }
        Ok(())
    }

    /// n.
    pub fn size(&self) -> usize {
        self.pivots.len()
    }

    /// How many pivots were replaced.
    pub fn replaced(&self) -> usize {
        self.replaced
    }

    /// Solves L U x = b for a right-hand side of length n.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        self.substitute(b, &self.lower, &self.upper, false)
    }

    /// Solves U^T L^T x = b.
    pub fn solve_transpose(&self, b: &[f64]) -> Vec<f64> {
        self.substitute(b, &self.upper, &self.lower, true)
    }

    /// Forward with the rows of one factor, back with the columns of the other; the diagonal belongs to U.
    fn substitute(&self, b: &[f64], rows: &[f64], columns: &[f64], transposed: bool) -> Vec<f64> {
        assert_eq!(b.len(), self.size(), "StaticLu: right-hand side of wrong length");
        let mut x = b.to_vec();
        for i in 0..x.len() {
            let first = self.first[i];
            let row = &rows[self.start[i]..self.start[i + 1]];
            let sum: f64 = row.iter().zip(&x[first..i]).map(|(a, x)| a * x).sum();
            x[i] -= sum;
            if transposed {
                x[i] /= self.pivots[i];
            }
        }
        for i in (0..x.len()).rev() {
            if !transposed {
                x[i] /= self.pivots[i];
            }
            let (value, first) = (x[i], self.first[i]);
            let column = &columns[self.start[i]..self.start[i + 1]];
            x[first..i].iter_mut().zip(column).for_each(|(x, a)| *x -= a * value);
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dense, dense, to_sparse};

    #[test]
    fn both_systems_are_solved() {
        let a = Dense::from_fn(7, 7, |i, j| match i.abs_diff(j) {
            0 => 9.0 + i as f64,
            1 | 3 => (2 * i + j) as f64 / 5.0 - 1.0,
            _ => 0.0,
        });
        let lu = StaticLu::new(&to_sparse(&a), 1e-13).unwrap();
        assert_eq!((lu.size(), lu.replaced()), (7, 0));
        let known: Vec<f64> = (0..7).map(|i| 1.0 + f64::from(i)).collect();
        let near = |x: &[f64]| x.iter().zip(&known).all(|(x, k)| (x - k).abs() < 1e-13 * k);
        assert!(near(&lu.solve(&dense::matvec(&a, &known))));
        assert!(near(&lu.solve_transpose(&dense::matvec_transpose(&a, &known))));
    }

    #[test]
    fn a_small_pivot_is_replaced_and_spoils_the_solution() {
        // Two springs of 1e12, the first coordinate held: the multiplier's pivot is -1e-12 whatever the shift.
        let k = 1e12;
        let saddle = |g: f64| dense::from_rows(&[&[2.0 * k, -k, g], &[-k, k, 0.0], &[g, 0.0, 0.0]]);
        for (g, replaced) in [(1.0, 1), (k, 0)] {
            let a = saddle(g);
            let lu = StaticLu::new(&to_sparse(&a), 1e-13).unwrap();
            assert_eq!(lu.replaced(), replaced);
            let x = lu.solve(&[0.0, k, 0.0]);
            // Held at zero by the constraint, the second coordinate moves by one.
            assert_eq!(x[0].abs() < 1e-9 && (x[1] - 1.0).abs() < 1e-9, replaced == 0, "{x:?}");
        }
    }

    #[test]
    fn a_zero_pivot_is_an_error_where_nothing_is_replaced() {
        let a = to_sparse(&dense::from_rows(&[&[0.0, 1.0], &[1.0, 0.0]]));
        assert_eq!(StaticLu::new(&a, 0.0).unwrap_err(), AlgebraError::ZeroPivot { index: 0, pivot: 0.0 });
        assert!(matches!(
            StaticLu::new(&crate::sparse::zeros(2, 3), 0.0),
            Err(AlgebraError::NotSquare { .. })
        ));
    }
}
