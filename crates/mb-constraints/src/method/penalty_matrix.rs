//! M + alpha Phi_q^T Phi_q of large models, summed and factored in the same memory.
//!
//! The pattern of the sum is found once; a sum goes column by column through M, through the rows of Phi_q that the column
//! has and through their columns. The factors are those of a saddle-point system without constraints, L D L^T, whose
//! solutions are checked and refined. Sizes: n x n, work in proportion to the squares of the entries of the rows.

use super::linear::sparse_column;
use super::sparse_system::REFINE_ABOVE;
use mb_algebra::{AlgebraError, Sparse, SparseCholesky, sparse};
use mb_model::system::MotionTerms;
use saddle_ldlt::{SaddleAnalysis, SaddleFactor, SaddleOptions};
use std::sync::Arc;

/// The sum and its factors.
#[derive(Debug)]
pub(super) struct PenaltyMatrix {
    sum: Sparse,
    /// Of each row of Phi_q the first of its entries, one more; their columns and places in the values.
    first: Vec<usize>,
    entries: Vec<(usize, usize)>,
    column: Vec<f64>,
    none: Sparse,
    analysis: Option<Arc<SaddleAnalysis>>,
    factor: Option<SaddleFactor>,
    rhs: Vec<f64>,
}

impl PenaltyMatrix {
    /// Room for the sum of matrices with the patterns of M (n x n) and Phi_q (m x n), by columns.
    pub(super) fn new(mass: &Sparse, phi_q: &Sparse) -> Self {
        let n = mass.cols();
        let (mut mass, mut rows) = (mass.clone(), phi_q.clone());
        // With ones nothing cancels.
        mass.data_mut().fill(1.0);
        rows.data_mut().fill(1.0);
        let sum = sparse::add(1.0, &mass, 1.0, &sparse::mul(&sparse::transpose(&rows), &rows));
        let sum = sparse::add(1.0, &sum, 1.0, &sparse::identity(n));
        let mut first = vec![0; phi_q.rows() + 1];
        for r in phi_q.indices() {
            first[r + 1] += 1;
        }
        for r in 0..phi_q.rows() {
            first[r + 1] += first[r];
        }
        let (mut next, mut entries) = (first.clone(), vec![(0, 0); phi_q.nnz()]);
        let start = phi_q.indptr();
        let start = start.into_raw_storage();
        for j in 0..n {
            for at in start[j]..start[j + 1] {
                let r = phi_q.indices()[at];
                entries[next[r]] = (j, at);
                next[r] += 1;
            }
        }
        Self {
            sum,
            first,
            entries,
            column: vec![0.0; n],
            none: sparse::zeros(0, n),
            analysis: None,
            factor: None,
            rhs: vec![0.0; n],
        }
    }
    fn fill(&mut self, terms: &MotionTerms, alpha: f64) {
        let (Some(mass), Some(phi_q)) = (terms.mass_pattern(), terms.phi_q_pattern()) else { return };
        let Self { sum, first, entries, column, .. } = self;
        let mut at = 0;
        for j in 0..terms.n {
            let (rows, values) = sparse_column(mass, &terms.mass, j);
            for (i, m) in rows.iter().zip(values) {
                column[*i] += m;
            }
            let (rows, values) = sparse_column(phi_q, &terms.phi_q, j);
            for (r, p) in rows.iter().zip(values) {
                for (i, place) in &entries[first[*r]..first[r + 1]] {
                    column[*i] += alpha * p * terms.phi_q[*place];
                }
            }
            let end = sum.indptr().into_raw_storage()[j + 1];
            while at < end {
                let i = sum.indices()[at];
                sum.data_mut()[at] = std::mem::take(&mut column[i]);
                at += 1;
            }
        }
    }
    /// Factors the sum at `terms`.
    pub(super) fn factor(&mut self, terms: &MotionTerms, alpha: f64) -> Result<(), AlgebraError> {
        self.fill(terms, alpha);
        if let Some(factor) = &mut self.factor
            && factor.refactor(&self.sum, &self.none).unwrap_or(false)
        {
            return Ok(());
        }
        let analysis = if let Some(analysis) = &self.analysis {
            analysis.clone()
        } else {
            let options =
                SaddleOptions { trial: false, refine_above: REFINE_ABOVE, ..SaddleOptions::default() };
            Arc::new(SaddleAnalysis::new(&self.sum, &self.none, &options)?)
        };
        self.analysis = Some(analysis.clone());
        self.factor = None;
        match SaddleFactor::new(&analysis, &self.sum, &self.none) {
            Ok(factor) => {
                self.factor = Some(factor);
                Ok(())
            }
            // Cholesky names the coordinate without mass.
            Err(failure) => SparseCholesky::new(&self.sum).and(Err(failure)),
        }
    }
    /// Solves in place with the last factors.
    pub(super) fn solve(&mut self, x: &mut [f64]) -> Result<(), AlgebraError> {
        let Some(factor) = &self.factor else { return Ok(()) };
        self.rhs.copy_from_slice(x);
        factor.solve_into(&self.rhs, &[], x, &mut [])
    }
}
