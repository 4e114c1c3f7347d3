//! A Krylov basis kept as it is, n x k.

use faer::Mat;
use mb_algebra::DenseC;

use super::Operator;
use super::gram_schmidt::{Expansion, Indefinite, expand};
use super::krylov_schur::Store;
use super::scalar::{Scalar, combine, product, put, start_block};
use crate::EigenError;

/// The vectors of a basis.
pub(super) struct Flat<'a, T> {
    operator: &'a dyn Operator<T>,
    v: Mat<T>,
    filled: usize,
}

impl<'a, T: Scalar> Flat<'a, T> {
    /// Room for so many vectors.
    pub(super) fn new(operator: &'a dyn Operator<T>, columns: usize) -> Self {
        Self { operator, v: Mat::zeros(operator.size(), columns), filled: 0 }
    }

    fn append(&mut self, w: Mat<T>) -> Result<Expansion<T>, EigenError> {
        let v = self.v.as_ref().subcols(0, self.filled);
        let next = expand(v, w, None).map_err(|Indefinite| EigenError::IndefiniteMetric)?;
        put(&mut self.v, self.filled, next.q.as_ref());
        self.filled += next.q.ncols();
        Ok(next)
    }
}

impl<T: Scalar> Store<T> for Flat<'_, T> {
    fn length(&self) -> usize {
        self.operator.size()
    }

    fn filled(&self) -> usize {
        self.filled
    }

    fn start(&mut self, width: usize, salt: u64) -> Result<usize, EigenError> {
        let start = self.operator.apply(&start_block(self.length(), width, salt))?;
        Ok(self.append(start)?.q.ncols())
    }

    fn extend(&mut self, from: usize) -> Result<(Mat<T>, Mat<T>), EigenError> {
        let w = self.operator.apply(&self.v.as_ref().subcols(from, self.filled - from).to_owned())?;
        self.append(w).map(|next| (next.c, next.r))
    }

    fn truncate(&mut self, u: &Mat<T>) {
        let (done, keep) = u.shape();
        let kept = product(self.v.as_ref().subcols(0, done), u.as_ref());
        let next = self.v.as_ref().subcols(done, self.filled - done).to_owned();
        put(&mut self.v, 0, kept.as_ref());
        put(&mut self.v, keep, next.as_ref());
        self.filled = keep + next.ncols();
    }

    fn combine(&self, y: &DenseC) -> DenseC {
        combine(self.v.as_ref().subcols(0, y.nrows()), y)
    }
}
