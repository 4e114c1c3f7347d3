//! Storage of the matrices: dense for small systems, sparse for large ones.
//!
//! The theory is the same for both; what differs is how a matrix is summed, multiplied and
//! factored. Everything that needs matrices is generic over [`Storage`].

use crate::ParametricError;
use crate::bordered::Frame;
use crate::model_series::{ModelSeries, Request, expand};
use mb_algebra::norms::Norms;
use mb_algebra::{AlgebraError, Dense, QuadraticPencil, Scatter, Sparse, Triplets, c64, sparse, to_sparse};
use mb_model::{AnySource, Model, Point};
use std::fmt::Debug;

/// Matrices that can be expanded: [`Dense`] and [`Sparse`]. Closed to other types.
pub trait Storage: Backend + Norms + Clone + Debug + PartialEq + Send + Sync + Sized {}

impl Storage for Dense {}
impl Storage for Sparse {}

/// What the two kinds of storage do differently.
pub trait Backend: Sized {
    /// Whether memory grows with the square of the size.
    const DENSE: bool;
    /// Rows and columns.
    fn size(&self) -> (usize, usize);
    /// The zero matrix.
    fn zero(rows: usize, cols: usize) -> Self;
    /// The matrix with these entries, repeated places summed.
    fn from_entries(entries: &Triplets) -> Self;
    /// M, C, K and Phi_q of a model at a point.
    fn of_model(model: &Model, point: &Point) -> QuadraticPencil<Self>;
    /// Row and column of the first entry that is not finite.
    fn not_finite(&self) -> Option<(usize, usize)>;
    /// The transposed matrix.
    fn transposed(&self) -> Self;
    /// alpha A + beta B of equal shape.
    fn sum(alpha: f64, a: &Self, beta: f64, b: &Self) -> Self;
    /// A B.
    fn product(&self, b: &Self) -> Self;
    /// Without its zeros; none for a zero matrix.
    fn nonzeros(&self) -> Option<Sparse>;
    /// `out += factor A x`.
    fn add_product(&self, factor: c64, x: &[c64], out: &mut [c64]);
    /// `out += factor A^T x`.
    fn add_product_transposed(&self, factor: c64, x: &[c64], out: &mut [c64]);
    /// Adds `factor A` at (`row`, `col`) of a matrix, or transposed there.
    fn scatter(&self, factor: c64, place: [usize; 2], transposed: bool, out: &mut impl Scatter<c64>);
    /// The series of a model; compiled here for both kinds of storage.
    fn model_series(
        source: &dyn AnySource,
        request: &Request<'_>,
    ) -> Result<ModelSeries<Self>, ParametricError>
    where
        Self: Storage;
    /// Factors the bordered system of these blocks.
    fn factor(frame: &Frame<'_, Self>) -> Result<crate::bordered::Core, AlgebraError>;
}

impl Backend for Dense {
    const DENSE: bool = true;
    fn size(&self) -> (usize, usize) {
        self.shape()
    }
    fn zero(rows: usize, cols: usize) -> Self {
        Self::zeros(rows, cols)
    }
    fn from_entries(entries: &Triplets) -> Self {
        entries.to_dense()
    }
    fn of_model(model: &Model, point: &Point) -> QuadraticPencil<Self> {
        let blocks = model.dense_blocks(point);
        QuadraticPencil { m: blocks.m, c: blocks.c, k: blocks.k, phi_q: blocks.phi_q }
    }
    fn not_finite(&self) -> Option<(usize, usize)> {
        mb_algebra::dense::first_non_finite(self).map(|(row, col, _)| (row, col))
    }
    fn transposed(&self) -> Self {
        mb_algebra::dense::transpose(self)
    }
    fn sum(alpha: f64, a: &Self, beta: f64, b: &Self) -> Self {
        mb_algebra::dense::add(alpha, a, beta, b)
    }
    fn product(&self, b: &Self) -> Self {
        mb_algebra::dense::mul(self, b)
    }
    fn nonzeros(&self) -> Option<Sparse> {
        Some(to_sparse(self)).filter(|a| a.nnz() > 0)
    }
    fn add_product(&self, factor: c64, x: &[c64], out: &mut [c64]) {
        for (j, xj) in x.iter().enumerate() {
            let scaled = factor * xj;
            for (o, v) in out.iter_mut().zip(self.col_as_slice(j)) {
                *o += scaled * *v;
            }
        }
    }
    fn add_product_transposed(&self, factor: c64, x: &[c64], out: &mut [c64]) {
        for (j, o) in out.iter_mut().enumerate() {
            let sum: c64 = self.col_as_slice(j).iter().zip(x).map(|(v, x)| x * *v).sum();
            *o += factor * sum;
        }
    }
    fn scatter(&self, factor: c64, [row, col]: [usize; 2], transposed: bool, out: &mut impl Scatter<c64>) {
        for j in 0..self.ncols() {
            for (i, v) in self.col_as_slice(j).iter().enumerate() {
                let (i, k) = if transposed { (j, i) } else { (i, j) };
                out.add(row + i, col + k, factor * *v);
            }
        }
    }
    fn model_series(
        source: &dyn AnySource,
        request: &Request<'_>,
    ) -> Result<ModelSeries<Self>, ParametricError> {
        expand(source, request)
    }
    fn factor(frame: &Frame<'_, Self>) -> Result<crate::bordered::Core, AlgebraError> {
        crate::bordered::dense_core(frame)
    }
}

/// `out += factor A x` with the rows of A where they are compressed and are `summed`, `out += factor A^T x` where they are not, and the same of
/// columns.
fn add_compressed(a: &Sparse, summed: bool, factor: c64, x: &[c64], out: &mut [c64]) {
    let (starts, indices, values) = (a.indptr(), a.indices(), a.data());
    for i in 0..a.outer_dims() {
        let range = starts.outer_inds_sz(i);
        let entries = indices[range.clone()].iter().zip(&values[range]);
        if summed {
            let sum: c64 = entries.map(|(j, v)| x[*j] * *v).sum();
            out[i] += factor * sum;
        } else {
            let scaled = factor * x[i];
            entries.for_each(|(j, v)| out[*j] += scaled * *v);
        }
    }
}

impl Backend for Sparse {
    const DENSE: bool = false;
    fn size(&self) -> (usize, usize) {
        self.shape()
    }
    fn zero(rows: usize, cols: usize) -> Self {
        sparse::zeros(rows, cols)
    }
    fn from_entries(entries: &Triplets) -> Self {
        entries.to_sparse()
    }
    fn of_model(model: &Model, point: &Point) -> QuadraticPencil<Self> {
        let blocks = model.blocks(point);
        QuadraticPencil { m: blocks.m, c: blocks.c, k: blocks.k, phi_q: blocks.phi_q }
    }
    fn not_finite(&self) -> Option<(usize, usize)> {
        sparse::first_non_finite(self).map(|(row, col, _)| (row, col))
    }
    fn transposed(&self) -> Self {
        sparse::transpose(self)
    }
    fn sum(alpha: f64, a: &Self, beta: f64, b: &Self) -> Self {
        sparse::add(alpha, a, beta, b)
    }
    fn product(&self, b: &Self) -> Self {
        sparse::mul(self, b)
    }
    fn nonzeros(&self) -> Option<Sparse> {
        let mut kept = Triplets::with_capacity(self.rows(), self.cols(), self.nnz());
        for (value, (row, col)) in self {
            if *value != 0.0 {
                kept.add(row, col, *value);
            }
        }
        (!kept.is_empty()).then(|| kept.to_sparse())
    }
    fn add_product(&self, factor: c64, x: &[c64], out: &mut [c64]) {
        add_compressed(self, self.is_csr(), factor, x, out);
    }
    fn add_product_transposed(&self, factor: c64, x: &[c64], out: &mut [c64]) {
        add_compressed(self, !self.is_csr(), factor, x, out);
    }
    fn scatter(&self, factor: c64, [row, col]: [usize; 2], transposed: bool, out: &mut impl Scatter<c64>) {
        for (value, (i, j)) in self {
            let (i, j) = if transposed { (j, i) } else { (i, j) };
            out.add(row + i, col + j, factor * *value);
        }
    }
    fn model_series(
        source: &dyn AnySource,
        request: &Request<'_>,
    ) -> Result<ModelSeries<Self>, ParametricError> {
        expand(source, request)
    }
    fn factor(frame: &Frame<'_, Self>) -> Result<crate::bordered::Core, AlgebraError> {
        crate::bordered::sparse_core(frame)
    }
}
