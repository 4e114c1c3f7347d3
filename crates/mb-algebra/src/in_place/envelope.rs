//! Cholesky factorization by rows inside the envelope.

use super::{add_multiple, dot};
use crate::AlgebraError;

/// A = L L^T of a symmetric positive definite n x n matrix, in storage that is used again.
#[derive(Clone, Debug)]
pub struct EnvelopeCholesky {
    n: usize,
    /// L by rows.
    l: Vec<f64>,
    /// First nonzero of each row.
    first: Vec<usize>,
    diagonal: Vec<f64>,
}

impl EnvelopeCholesky {
    /// Storage for n x n.
    pub fn new(n: usize) -> Self {
        Self { n, l: vec![0.0; n * n], first: vec![0; n], diagonal: vec![0.0; n] }
    }
    /// Size n.
    pub fn size(&self) -> usize {
        self.n
    }
    /// Factors A (n x n by columns; only the upper triangle is read).
    ///
    /// # Errors
    /// [`AlgebraError::NotPositiveDefinite`] at a pivot that is not above rounding of its
    /// diagonal entry; [`AlgebraError::NonFinite`].
    pub fn factor(&mut self, a: &[f64]) -> Result<(), AlgebraError> {
        let n = self.n;
        assert_eq!(a.len(), n * n, "size of the matrix");
        for i in 0..n {
            let column = &a[i * n..=i * n + i];
            let first = column.iter().position(|x| *x != 0.0).unwrap_or(i);
            self.first[i] = first;
            let (above, own) = self.l.split_at_mut(i * n);
            let row = &mut own[..=i];
            row[first..].copy_from_slice(&column[first..]);
            for j in first..i {
                let from = first.max(self.first[j]);
                let other = &above[j * n..=j * n + j];
                row[j] = (row[j] - dot(&row[from..j], &other[from..j])) / self.diagonal[j];
            }
            let given = row[i];
            let pivot = given - dot(&row[first..i], &row[first..i]);
            if !pivot.is_finite() {
                return Err(AlgebraError::NonFinite { row: i, col: i });
            }
            if pivot <= given.abs() * f64::EPSILON * n as f64 {
                return Err(AlgebraError::NotPositiveDefinite { index: i, pivot });
            }
            let root = pivot.sqrt();
            row[i] = root;
            self.diagonal[i] = root;
        }
        Ok(())
    }
    /// x <- L^-1 x.
    pub fn solve_lower(&self, x: &mut [f64]) {
        for i in 0..self.n {
            let first = self.first[i];
            let row = &self.l[i * self.n..i * self.n + i];
            x[i] = (x[i] - dot(&row[first..], &x[first..i])) / self.diagonal[i];
        }
    }
    /// x <- L^-T x.
    pub fn solve_lower_transpose(&self, x: &mut [f64]) {
        for i in (0..self.n).rev() {
            let first = self.first[i];
            let value = x[i] / self.diagonal[i];
            x[i] = value;
            let row = &self.l[i * self.n..i * self.n + i];
            add_multiple(&mut x[first..i], -value, &row[first..]);
        }
    }
    /// x <- A^-1 x.
    pub fn solve(&self, x: &mut [f64]) {
        self.solve_lower(x);
        self.solve_lower_transpose(x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cholesky, dense};

    /// Two blocks and a coupling at the end: the envelope has holes.
    fn sample() -> crate::Dense {
        let mut a = dense::diagonal(&[4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        for (i, j, x) in [(1, 0, 1.0), (3, 2, -2.0), (5, 1, 0.5), (5, 4, 1.5)] {
            a[(i, j)] = x;
            a[(j, i)] = x;
        }
        a
    }
    fn by_columns(a: &crate::Dense) -> Vec<f64> {
        (0..a.ncols()).flat_map(|j| dense::column(a, j)).collect()
    }

    #[test]
    fn agrees_with_the_full_factorization_and_can_be_used_again() {
        let a = sample();
        let b = [1.0, -2.0, 3.0, 0.5, -1.0, 2.0];
        let mut ours = EnvelopeCholesky::new(6);
        for scale in [3.0, 1.0] {
            let scaled = dense::scale(scale, &a);
            ours.factor(&by_columns(&scaled)).unwrap();
            let mut x = b;
            ours.solve(&mut x);
            let known = Cholesky::new(&scaled).unwrap().solve(&b);
            for (x, k) in x.iter().zip(&known) {
                assert!((x - k).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn a_semidefinite_matrix_is_refused_at_its_row() {
        let mut a = sample();
        a[(4, 4)] = 0.0;
        (a[(4, 5)], a[(5, 4)]) = (0.0, 0.0);
        let found = EnvelopeCholesky::new(6).factor(&by_columns(&a));
        assert!(matches!(found, Err(AlgebraError::NotPositiveDefinite { index: 4, .. })));
        a[(4, 4)] = f64::NAN;
        assert!(EnvelopeCholesky::new(6).factor(&by_columns(&a)).is_err());
    }
}
