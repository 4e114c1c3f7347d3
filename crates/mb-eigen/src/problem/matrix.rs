//! A sparse matrix by rows, with what is known of it.

#![expect(clippy::inline_always, reason = "what pulp compiles for a processor must be in one piece")]

use std::borrow::Cow;
use std::sync::Arc;

use faer::{ColMut, ColRef, Mat, MatMut, MatRef};
use mb_algebra::{Asymmetry, Sparse, c64, norms, side_by_side, sparse};
use pulp::{Arch, Simd, WithSimd};

use crate::EigenError;
use crate::krylov::Scalar;
use crate::numeric::check;
use crate::numeric::vectors::norm_bound;
use crate::tuning;

/// A square or rectangular sparse matrix by rows; borrowed where the storage given already is, or serves as, that.
#[derive(Clone, Debug)]
pub(crate) struct Matrix<'a> {
    /// By rows, or by columns where these are the rows too but for rounding.
    rows: Cow<'a, Sparse>,
    /// The symmetric part, of a matrix that is symmetric but for more than the rounding of its assembly.
    even: Option<Arc<Sparse>>,
    /// Bound of the 2-norm.
    pub(crate) norm: f64,
    pub(crate) symmetric: bool,
    /// Whether the entries are those of the diagonal, all of them.
    diagonal: bool,
}

impl<'a> Matrix<'a> {
    /// Takes a matrix in either storage; `tolerance` decides on symmetry.
    pub(crate) fn new(a: &'a Sparse, tolerance: f64) -> Self {
        let square = a.rows() == a.cols();
        // Columns of a matrix that only the rounding of its assembly makes unsymmetric are its rows.
        let mirrored = square && sparse::is_symmetric_to_rounding(a);
        let nearly = !mirrored && square && asymmetry(a, tolerance).is_none();
        Self {
            symmetric: mirrored || nearly,
            even: nearly.then(|| Arc::new(sparse::add(0.5, a, 0.5, &sparse::transpose(a)))),
            norm: if mirrored { norm_of_mirrored(a) } else { norm_bound(a) },
            diagonal: square && a.nnz() == a.rows() && a.iter().all(|(_, (i, j))| i == j),
            rows: if mirrored || a.is_csr() { Cow::Borrowed(a) } else { Cow::Owned(a.to_csr()) },
        }
    }

    /// The same, of a matrix that is nobody else's.
    pub(crate) fn owned(a: Sparse, tolerance: f64) -> Matrix<'static> {
        let Matrix { rows, even, norm, symmetric, diagonal } = Matrix::new(&a, tolerance);
        let other = if let Cow::Owned(rows) = rows { Some(rows) } else { None };
        Matrix { rows: Cow::Owned(other.unwrap_or(a)), even, norm, symmetric, diagonal }
    }

    /// diag(A, B); `tolerance` decides on the symmetry of B. The larger of both bounds is one of its norm.
    pub(crate) fn with_block(&self, block: &Sparse, tolerance: f64) -> Matrix<'static> {
        let own = Matrix::new(block, tolerance);
        let symmetric = self.symmetric && own.symmetric;
        let nearly = symmetric && (self.even.is_some() || own.even.is_some());
        let even = nearly.then(|| Arc::new(joined(&self.for_factors().to_csr(), own.for_factors())));
        // Columns serve as rows where they are the same.
        let whole = if own.symmetric && own.even.is_none() {
            joined(&self.rows, block)
        } else {
            joined(&self.rows.to_csr(), block)
        };
        Matrix {
            rows: Cow::Owned(whole),
            even,
            norm: self.norm.max(own.norm),
            symmetric,
            diagonal: self.diagonal && own.diagonal,
        }
    }

    /// The matrix; its outer vectors are the rows.
    pub(crate) fn sparse(&self) -> &Sparse {
        &self.rows
    }

    /// The matrix for factors that take it as symmetric.
    pub(crate) fn for_factors(&self) -> &Sparse {
        self.even.as_deref().unwrap_or(&self.rows)
    }

    /// Whether it has the entries of its diagonal, all of them, and no others.
    pub(crate) fn is_diagonal(&self) -> bool {
        self.diagonal
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.norm == 0.0
    }

    /// Its transpose.
    pub(crate) fn transposed(&self) -> Self {
        if self.symmetric {
            return self.clone();
        }
        Self { rows: Cow::Owned(self.rows.transpose_view().to_csr()), ..self.clone() }
    }

    /// (A + A^T) / 2 without what rounding of the entries of (A - A^T) / 2 leaves in it: the forces of A that do work.
    pub(crate) fn working(&self) -> Sparse {
        let turned = sparse::transpose(&self.rows);
        let mut even = sparse::add(0.5, &self.rows, 0.5, &turned);
        if self.symmetric {
            return even;
        }
        let odd = sparse::add(0.5, &self.rows, -0.5, &turned);
        let rounding = check::Rounding::new(odd.rows(), odd.iter().map(|(v, (i, j))| (i, j, *v)));
        for (i, mut row) in even.outer_iterator_mut().enumerate() {
            row.iter_mut().filter(|(j, v)| v.abs() <= rounding.of(i, *j)).for_each(|(_, v)| *v = 0.0);
        }
        even
    }

    /// Whether A^T = -A but for rounding.
    pub(crate) fn is_skew(&self) -> bool {
        self.working().data().iter().all(|v| *v == 0.0)
    }

    /// A X.
    pub(crate) fn mul<T: Scalar>(&self, x: &Mat<T>) -> Mat<T> {
        let mut out = Mat::zeros(self.rows.rows(), x.ncols());
        self.mul_into(x.as_ref(), out.as_mut());
        out
    }

    /// A X into an array that holds anything.
    pub(crate) fn mul_into<T: Scalar>(&self, x: MatRef<'_, T>, mut out: MatMut<'_, T>) {
        let (n, p) = (self.rows.rows(), x.ncols());
        if self.rows.nnz() == 0 {
            out.fill(T::default());
            return;
        }
        let from: Vec<&[T]> =
            x.col_iter().filter_map(ColRef::try_as_col_major).map(ColRef::as_slice).collect();
        let to = out.as_mut().col_iter_mut().filter_map(ColMut::try_as_col_major_mut);
        let mut to: Vec<&mut [T]> = to.map(ColMut::as_slice_mut).collect();
        assert!(from.len() == p && to.len() == p, "vectors in one piece each");
        if self.diagonal {
            for (x, y) in from.iter().zip(&mut to) {
                y.iter_mut().zip(*x).zip(self.rows.data()).for_each(|((y, x), a)| *y = x.times(*a));
            }
        // Entries of a row up to which products with several columns are made one by one.
        } else if p == 1 || self.rows.nnz() <= tuning::NARROW * n {
            // So few entries are read again for every column sooner than X is packed.
            let starts = self.rows.proper_indptr();
            for (x, y) in from.iter().zip(&mut to) {
                for (y, own) in y.iter_mut().zip(starts.windows(2)) {
                    let entries =
                        self.rows.indices()[own[0]..own[1]].iter().zip(&self.rows.data()[own[0]..own[1]]);
                    *y = entries.fold(T::default(), |s, (j, a)| s + x[*j].times(*a));
                }
            }
        } else {
            for (x, y) in from.chunks(8).zip(to.chunks_mut(8)) {
                match x.len() {
                    1 | 2 => self.columns::<2, T>(x, y),
                    3 | 4 => self.columns::<4, T>(x, y),
                    _ => self.columns::<8, T>(x, y),
                }
            }
        }
    }

    /// Up to W columns of A X. Packed by rows of X, so that the W numbers an entry meets are neighbours in
    /// memory; W is fixed, so that their sums stay in registers.
    fn columns<const W: usize, T: Scalar>(&self, x: &[&[T]], out: &mut [&mut [T]]) {
        // Lanes beyond the columns in work are not used.
        let side: [&[T]; W] = std::array::from_fn(|k| x[k.min(x.len() - 1)]);
        let packed: Vec<[T; W]> = (0..self.rows.cols()).map(|i| side.map(|x| x[i])).collect();
        let lines = |first: usize, out: &mut [&mut [T]]| {
            Arch::new().dispatch(Products { a: &self.rows, packed: &packed, first, out });
        };
        let entries = self.rows.nnz();
        // Multiplications, a millisecond or more, from which on two cores share a product where one is idle.
        if W * entries < tuning::SHARED_WORK {
            return lines(0, out);
        }
        // Rows with half of the entries each.
        let starts = self.rows.proper_indptr();
        let middle = starts.partition_point(|&start| start < entries / 2).min(self.rows.rows());
        let (mut upper, mut lower): (Vec<_>, Vec<_>) =
            out.iter_mut().map(|out| out.split_at_mut(middle)).unzip();
        side_by_side(|| lines(0, &mut upper), || lines(middle, &mut lower));
    }

    /// A x and |A| |x| of one complex vector, whose magnitudes are `sizes`.
    pub(crate) fn with_magnitude(&self, x: &[c64], sizes: &[f64]) -> (Vec<c64>, Vec<f64>) {
        let n = self.rows.rows();
        if self.is_zero() {
            return (vec![c64::new(0.0, 0.0); n], vec![0.0; n]);
        }
        let complex = x.iter().any(|x| x.im != 0.0);
        let line = |row: sprs::CsVecView<'_, f64>| {
            let (mut re, mut im, mut size) = (0.0, 0.0, 0.0);
            for (&j, &a) in row.indices().iter().zip(row.data()) {
                re += a * x[j].re;
                size += a.abs() * sizes[j];
                if complex {
                    im += a * x[j].im;
                }
            }
            (c64::new(re, im), size)
        };
        self.rows.outer_iterator().map(line).unzip()
    }

    /// |A| |x|.
    pub(crate) fn magnitude(&self, x: &[f64]) -> Vec<f64> {
        self.rows.outer_iterator().map(|row| row.iter().map(|(j, a)| a.abs() * x[j]).sum()).collect()
    }

    /// |x^T A x| / |x|^T |A| |x|: what is left of a quadratic form of what cancels in it; zero for zero.
    pub(crate) fn relative_form(&self, x: &[f64]) -> f64 {
        let (mut form, mut terms) = (0.0, 0.0);
        for (row, xi) in self.rows.outer_iterator().zip(x) {
            let (mut sum, mut size) = (0.0, 0.0);
            for (j, a) in row.iter() {
                sum += a * x[j];
                size += (a * x[j]).abs();
            }
            form += xi * sum;
            terms += xi.abs() * size;
        }
        // Of a vector that A annihilates only rounding is left, whose terms are rounding too.
        let nothing = (8.0 * f64::EPSILON).powi(2) * self.norm * norms::two(x).powi(2);
        if form.abs() <= nothing { 0.0 } else { form.abs() / terms }
    }

    /// |A|^T |x|.
    pub(crate) fn magnitude_transpose(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.rows.cols()];
        for (row, x) in self.rows.outer_iterator().zip(x) {
            row.iter().for_each(|(j, a)| out[j] += a.abs() * x);
        }
        out
    }

    /// A^T X.
    pub(crate) fn mul_transpose<T: Scalar>(&self, x: &Mat<T>) -> Mat<T> {
        let mut out = Mat::zeros(self.rows.cols(), x.ncols());
        for j in 0..x.ncols() {
            let (x, y) = (x.col_as_slice(j), out.col_as_slice_mut(j));
            for (row, x) in self.rows.outer_iterator().zip(x) {
                row.iter().for_each(|(j, a)| y[j] += x.times(*a));
            }
        }
        out
    }
}

/// Products of a matrix by rows, from one of them on, with W columns side by side, by the instructions of this processor.
struct Products<'a, 'b, const W: usize, T> {
    a: &'a Sparse,
    packed: &'a [[T; W]],
    first: usize,
    out: &'a mut [&'b mut [T]],
}

impl<const W: usize, T: Scalar> WithSimd for Products<'_, '_, W, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { a, packed, first, out } = self;
        let (starts, indices, values) = (a.proper_indptr(), a.indices(), a.data());
        let length = out.first().map_or(0, |out| out.len());
        for (i, own) in starts[first..=first + length].windows(2).enumerate() {
            let mut sum = [T::default(); W];
            for (&j, &a) in indices[own[0]..own[1]].iter().zip(&values[own[0]..own[1]]) {
                let x = &packed[j];
                for k in 0..W {
                    sum[k] += x[k].times(a);
                }
            }
            out.iter_mut().zip(sum).for_each(|(out, s)| out[i] = s);
        }
    }
}

/// diag(A, B) in the storage of A.
fn joined(a: &Sparse, b: &Sparse) -> Sparse {
    let b = if a.is_csr() { b.to_csr() } else { b.to_csc() };
    let (n, size) = (a.rows(), (a.rows() + b.rows(), a.cols() + b.cols()));
    let before = if a.is_csr() { a.cols() } else { n };
    let starts = a.proper_indptr();
    let own = b.proper_indptr();
    let start = starts.iter().copied().chain(own[1..].iter().map(|at| a.nnz() + at)).collect();
    let (mut indices, mut values) =
        (Vec::with_capacity(a.nnz() + b.nnz()), Vec::with_capacity(a.nnz() + b.nnz()));
    indices.extend_from_slice(a.indices());
    indices.extend(b.indices().iter().map(|i| before + i));
    values.extend_from_slice(a.data());
    values.extend_from_slice(b.data());
    if a.is_csr() {
        Sparse::new(size, start, indices, values)
    } else {
        Sparse::new_csc(size, start, indices, values)
    }
}

/// [`norm_bound`] of a matrix whose rows are its columns: |A|_1 = |A|_inf, the largest sum along a line of its storage.
fn norm_of_mirrored(a: &Sparse) -> f64 {
    let lines = if a.is_csr() { norms::inf(a) } else { norms::one(a) };
    norms::frobenius(a).min(lines)
}

/// Checks shape and entries.
pub(crate) fn check(name: &'static str, a: &Sparse, rows: usize, cols: usize) -> Result<(), EigenError> {
    check::entries(name, [a.shape(), (rows, cols)], || sparse::first_non_finite(a))
}

/// The pair of facing entries that differ most beyond a tolerance times their size and sqrt(|a_ii a_jj|), if there is one: circulatory forces of a
/// soft part compared with a stiff one are far below the norm, and no rounding. What cancellation of larger entries of their rows may have left
/// does not count.
fn asymmetry(a: &Sparse, tolerance: f64) -> Option<Asymmetry> {
    let entry = |i: usize, j: usize| a.get(i, j).copied().unwrap_or(0.0);
    let diagonal: Vec<f64> = (0..a.rows()).map(|i| entry(i, i).abs().sqrt()).collect();
    let rounding = check::Rounding::new(a.rows(), a.iter().map(|(v, (i, j))| (i, j, *v)));
    let mut worst = (1.0, None);
    for (&v, (i, j)) in a {
        let facing = entry(j, i);
        let size = v.abs().max(facing.abs()).max(diagonal[i] * diagonal[j]);
        let allowed = rounding.of(i, j).max(tolerance * size);
        let difference = (v - facing).abs();
        if difference > worst.0 * allowed {
            let (row, col) = (i.max(j), i.min(j));
            let found = Asymmetry { row, col, a: entry(row, col), b: entry(col, row) };
            worst = (difference / allowed, Some(found));
        }
    }
    worst.1
}

/// Refuses a matrix that is not symmetric though it was declared so.
pub(crate) fn check_symmetric(matrix: &'static str, a: &Sparse, tolerance: f64) -> Result<(), EigenError> {
    asymmetry(a, tolerance).map_or(Ok(()), |found| {
        let (row, col, below, above) = (found.row, found.col, found.a, found.b);
        Err(EigenError::NotSymmetric { matrix, row, col, below, above })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{Dense, Scatter, Triplets, dense, to_sparse};

    #[test]
    fn products_with_a_diagonal_are_those_of_its_entries() {
        let a = Matrix::owned(to_sparse(&dense::diagonal(&[2.0, -3.0, 0.5])), 0.0);
        assert!(a.diagonal);
        let x = Dense::from_fn(3, 2, |i, j| (i + 3 * j) as f64);
        assert_eq!(a.mul(&x), Dense::from_fn(3, 2, |i, j| [2.0, -3.0, 0.5][i] * x[(i, j)]));
        // As many entries elsewhere.
        let b = Dense::from_fn(3, 3, |i, j| if (i + 1) % 3 == j { 2.0 } else { 0.0 });
        let b = Matrix::owned(to_sparse(&b), 0.0);
        assert!(!b.diagonal && b.mul(&x) == Dense::from_fn(3, 2, |i, j| 2.0 * x[((i + 1) % 3, j)]));
        // As many in one column, a row each, and in one row, in both storages.
        for c in [
            Dense::from_fn(3, 3, |i, j| if j == 1 { (i + 1) as f64 } else { 0.0 }),
            Dense::from_fn(3, 3, |i, j| if i == 1 { (j + 1) as f64 } else { 0.0 }),
        ] {
            let sparse = to_sparse(&c);
            for given in [sparse.to_csr(), sparse.to_csc()] {
                let given = Matrix::owned(given, 0.0);
                assert!(!given.diagonal && given.mul(&x) == dense::mul(&c, &x));
                assert_eq!(given.transposed().mul(&x), dense::mul(&dense::transpose(&c), &x));
            }
        }
    }

    #[test]
    fn products_shared_by_two_cores_are_those_of_each_column_alone() {
        let (n, half) = (25_000, 12);
        let mut a = Triplets::new(n, n);
        for i in 0..n {
            for j in i.saturating_sub(half)..n.min(i + half + 1) {
                a.add(i, j, ((3 * i + j) % 7) as f64 - 2.5);
            }
        }
        let a = Matrix::owned(a.to_sparse(), 0.0);
        let x = Dense::from_fn(n, 7, |i, j| ((i * (j + 2)) % 11) as f64 - 4.0);
        assert!(8 * a.sparse().nnz() >= tuning::SHARED_WORK);
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let product = pool.install(|| a.mul(&x));
            for j in 0..x.ncols() {
                let alone = a.mul(&x.subcols(j, 1).to_owned());
                assert_eq!(product.col_as_slice(j), alone.col_as_slice(0), "{threads} {j}");
            }
        }
    }

    #[test]
    fn a_block_behind_a_matrix_is_that_of_the_whole() {
        let tolerance = 1e-9;
        let even = Dense::from_fn(4, 4, |i, j| if (i + j) % 3 == 1 { 0.0 } else { (1 + i * j) as f64 });
        let nearly = Dense::from_fn(4, 4, |i, j| even[(i, j)] + if i > j { 1e-12 } else { 0.0 });
        let uneven = Dense::from_fn(4, 4, |i, j| even[(i, j)] + if i > j { 1.0 } else { 0.0 });
        let kinds = [dense::identity(4), even, nearly, uneven];
        for (a, b) in kinds.iter().flat_map(|a| kinds.iter().map(move |b| (a, b))) {
            let block = Dense::from_fn(2, 2, |i, j| 3.0 * b[(i, j)]);
            let whole = Dense::from_fn(6, 6, |i, j| match (i < 4, j < 4) {
                (true, true) => a[(i, j)],
                (false, false) => block[(i - 4, j - 4)],
                _ => 0.0,
            });
            let expected = Matrix::owned(to_sparse(&whole), tolerance);
            for given in [to_sparse(a).to_csr(), to_sparse(a).to_csc()] {
                let found = Matrix::new(&given, tolerance).with_block(&to_sparse(&block), tolerance);
                assert_eq!((found.symmetric, found.diagonal), (expected.symmetric, expected.diagonal));
                assert_eq!(found.mul(&dense::identity(6)), whole);
                let factored = |a: &Matrix| mb_algebra::to_dense(a.for_factors());
                assert_eq!(factored(&found), factored(&expected));
                // The norm is at most its bound, and that no larger than the one of the whole.
                let largest = (0..6).map(|j| norms::two(whole.col_as_slice(j))).fold(0.0, f64::max);
                assert!(largest <= found.norm && found.norm <= expected.norm * (1.0 + 1e-12));
            }
        }
    }

    #[test]
    fn products_agree_with_the_dense_ones() {
        let a = Dense::from_fn(5, 7, |i, j| if (i * j) % 3 == 1 { 0.0 } else { i as f64 - 2.0 * j as f64 });
        let matrix = Matrix::owned(to_sparse(&a), 0.0);
        for p in [1, 2, 3, 7, 8, 10] {
            let x = Dense::from_fn(7, p, |i, j| (i + 2 * j) as f64);
            assert_eq!(matrix.mul(&x), dense::mul(&a, &x));
            let y = Dense::from_fn(5, p, |i, j| (i + 2 * j) as f64);
            assert_eq!(matrix.mul_transpose(&y), dense::mul_transpose(&a, &y));
        }
        assert_eq!(matrix.transposed().mul(&dense::identity(5)), dense::transpose(&a));
    }

    /// Pairs K = [400 2; -2 401], M = I beside one coordinate of any stiffness: s^2 = -(400.5 +- i root 3.75).
    #[test]
    fn circulatory_forces_beside_a_stiff_coordinate_are_no_rounding() {
        use crate::options::{SparseExpert, SparseOptions};
        use crate::sparse::{Request, solve};

        const PAIRS: usize = 20;
        let exact = c64::new(-400.5, 3.75_f64.sqrt()).sqrt();
        for (stiff, unit) in [(1e6, 1.0), (3e14, 1.0), (1e16, 1.0), (1e18, 1.0), (1e3, 1e6), (1e3, 1e-9)] {
            let n = 2 * PAIRS + 1;
            // Every fourth coordinate in another unit.
            let u = |i: usize| if i % 4 == 1 { unit } else { 1.0 };
            let mut k = Triplets::new(n, n);
            k.add(0, 0, stiff);
            for first in (1..n).step_by(2) {
                for (i, j, v) in [(0, 0, 400.0), (0, 1, 2.0), (1, 0, -2.0), (1, 1, 401.0)] {
                    k.add(first + i, first + j, v * u(first + i) * u(first + j));
                }
            }
            let k = k.to_sparse();
            assert!(!Matrix::new(&k, crate::tuning::SYMMETRY).symmetric, "{stiff:e}");
            assert!(crate::numeric::check::asymmetry(&mb_algebra::to_dense(&k)) > 1e-3, "{stiff:e}");
            let refused = check_symmetric("K", &k, crate::tuning::SYMMETRY);
            let named = matches!(refused, Err(EigenError::NotSymmetric { row, col, .. }) if row == col + 1);
            assert!(named, "{stiff:e}: {refused:?}");
            let m = sparse::diagonal(&(0..n).map(|i| u(i) * u(i)).collect::<Vec<f64>>());
            let c = sparse::zeros(n, n);
            let pencil = mb_algebra::QuadraticPencil { m, c, k, phi_q: sparse::zeros(0, n) };
            let options = SparseOptions::from(SparseExpert { dense_limit: 0, ..Default::default() });
            let found = solve(&pencil, &Request::NearPoint { s: exact, count: 2 }, &options).unwrap();
            for pair in &found.eigenpairs {
                let off = (pair.value().unwrap() - exact).norm();
                assert!(off <= pair.error_bound + 1e-13 && off < 1e-6, "{stiff:e}: {pair:?}");
            }
        }
    }
}
