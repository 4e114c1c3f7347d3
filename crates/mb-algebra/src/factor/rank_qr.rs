//! Rank, null space and independent rows of a dense matrix by QR with pivoting.
//!
//! The factored matrix is the transpose, A^T P = Q R with A m x n, Q n x n orthogonal, R n x m upper
//! trapezoidal, because in constrained mechanics A = Phi_q and its rows are the constraint equations: the
//! pivots then name independent constraints, the first r columns of Q span the row space and the last n - r
//! are an orthonormal null space. Golub and Van Loan, Matrix Computations, sections 5.4.2 and 5.4.6.
//!
//! The rank is decided on the magnitudes of R's diagonal. They may overestimate the smallest singular value by
//! a factor that grows with the size (Kahan's matrix); [`crate::Svd`] decides on the singular values themselves.
//! Rows in different units must be scaled by the caller: the tolerance is relative to the largest row.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::householder::{
    apply_block_householder_sequence_on_the_left_in_place_scratch,
    apply_block_householder_sequence_on_the_left_in_place_with_conj,
    apply_block_householder_sequence_transpose_on_the_left_in_place_scratch,
    apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj,
};
use faer::linalg::qr::col_pivoting::factor::{ColPivQrParams, qr_in_place, qr_in_place_scratch};
use faer::linalg::qr::no_pivoting::factor::recommended_block_size;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Auto, Conj, MatMut, Par, Spec};

use super::check_finite;
use crate::{AlgebraError, Dense, RankDecision, RankTolerance, dense, interrupt, norms};

/// A^T P = Q R of an m x n matrix A, with its rank decided.
#[derive(Clone, Debug)]
pub struct RankQr {
    /// Householder vectors below the diagonal, R on and above; n x m.
    qr: Dense,
    /// Block reflector factors.
    tau: Dense,
    /// Rows of A in pivot order.
    pivots: Vec<usize>,
    decision: RankDecision,
}

impl RankQr {
    /// Factors the transpose of an m x n matrix; either size may be zero.
    ///
    /// Errors: entries that are not finite, numbers that overflow on the way.
    pub fn new(a: &Dense, tolerance: RankTolerance) -> Result<Self, AlgebraError> {
        check_finite(a)?;
        let (m, n) = a.shape();
        let size = m.min(n);
        let mut qr = dense::transpose(a);
        let mut pivots: Vec<usize> = (0..m).collect();
        let block = if size == 0 { 1 } else { recommended_block_size::<f64>(n, m).max(1) };
        let mut tau = Dense::zeros(block, size);
        // A zero matrix has Q = I (no reflectors); the library would scale it by 1 / 0.
        let empty = norms::max_abs(a) == 0.0;
        if !empty {
            (qr, tau, pivots) = interrupt::aside(2.0 * (m * n * size) as f64, move || {
                let params: Spec<ColPivQrParams, f64> = <ColPivQrParams as Auto<f64>>::auto().into();
                let scratch = qr_in_place_scratch::<usize, f64>(n, m, block, Par::Seq, params);
                let mut inverse = vec![0; m];
                let mut buffer = MemBuffer::new(scratch);
                let stack = MemStack::new(&mut buffer);
                qr_in_place(qr.as_mut(), tau.as_mut(), &mut pivots, &mut inverse, Par::Seq, stack, params);
                (qr, tau, pivots)
            });
            if dense::first_non_finite(&qr).is_some() {
                return Err(AlgebraError::NonFiniteResult { algorithm: "QR with pivoting", size: m.max(n) });
            }
        }
        let diagonal: Vec<f64> = (0..size).map(|i| qr[(i, i)].abs()).collect();
        if empty {
            tau = Dense::zeros(block, 0);
        }
        Ok(Self { qr, tau, pivots, decision: RankDecision::new(&diagonal, tolerance) })
    }

    /// Rows m of A.
    pub fn rows(&self) -> usize {
        self.qr.ncols()
    }

    /// Columns n of A.
    pub fn cols(&self) -> usize {
        self.qr.nrows()
    }

    /// Numerical rank r.
    pub fn rank(&self) -> usize {
        self.decision.rank
    }

    /// The rank with the pivots on both sides of the cut.
    pub fn decision(&self) -> RankDecision {
        self.decision
    }

    /// All rows of A in the order they were picked, the most independent first.
    pub fn pivots(&self) -> &[usize] {
        &self.pivots
    }

    /// Magnitudes of the diagonal of R, min(m, n) of them.
    pub fn pivot_magnitudes(&self) -> Vec<f64> {
        (0..self.rows().min(self.cols())).map(|i| self.qr[(i, i)].abs()).collect()
    }

    /// The r rows of A picked as independent, in increasing order.
    pub fn independent_rows(&self) -> Vec<usize> {
        sorted(&self.pivots[..self.rank()])
    }

    /// The m - r rows of A that depend on the picked ones, in increasing order.
    pub fn redundant_rows(&self) -> Vec<usize> {
        sorted(&self.pivots[self.rank()..])
    }

    /// W, (m - r) x r: row `redundant[i]` of A is about the sum over j of W[i, j] times row `picked[j]`,
    /// where `picked` and `redundant` are the first r and the other entries of [`RankQr::pivots`].
    pub fn dependence(&self) -> Dense {
        let (r, m) = (self.rank(), self.rows());
        let mut w = Dense::from_fn(r, m - r, |i, j| self.qr[(i, r + j)]);
        solve_upper_triangular_in_place(self.qr.as_ref().submatrix(0, 0, r, r), w.as_mut(), Par::Seq);
        dense::transpose(&w)
    }

    /// y with row `pivots[i]` of A about the sum over j < i of y_j times row `pivots[j]`, for i below the rank.
    pub fn earlier_rows(&self, i: usize) -> Vec<f64> {
        assert!(i < self.rank(), "RankQr: a row that is not kept");
        let mut y: Vec<f64> = (0..i).map(|j| self.qr[(j, i)]).collect();
        let upper = self.qr.as_ref().submatrix(0, 0, i, i);
        solve_upper_triangular_in_place(upper, MatMut::from_column_major_slice_mut(&mut y, i, 1), Par::Seq);
        y
    }

    /// N, n x (n - r), with A N = 0 and N^T N = I.
    pub fn null_space(&self) -> Dense {
        self.q_columns(self.rank(), self.cols())
    }

    /// n x r, an orthonormal basis of the space spanned by the rows of A.
    pub fn row_space(&self) -> Dense {
        self.q_columns(0, self.rank())
    }

    /// m x r, an orthonormal basis of the space spanned by the columns of A.
    pub fn range(&self) -> Result<Dense, AlgebraError> {
        let r = self.rank();
        // A = P R^T Q^T: the columns of the kept part of P R^T span the range and have full rank.
        let mut kept = Dense::zeros(self.rows(), r);
        for (position, &row) in self.pivots.iter().enumerate() {
            for j in 0..r.min(position + 1) {
                kept[(row, j)] = self.qr[(j, position)];
            }
        }
        Ok(Self::new(&dense::transpose(&kept), RankTolerance { relative: 0.0 })?.row_space())
    }

    /// The r columns of A to keep as dependent unknowns, and the n - r left as independent ones.
    ///
    /// Coordinate partitioning: columns picked by pivoting on the row space, so that the r x r block of A
    /// (independent rows, first list) is well conditioned. Both lists are in increasing order.
    pub fn partition_columns(&self) -> Result<(Vec<usize>, Vec<usize>), AlgebraError> {
        let picked = Self::new(&self.row_space(), RankTolerance { relative: 0.0 })?;
        let (dependent, independent) = picked.pivots.split_at(self.rank());
        Ok((sorted(dependent), sorted(independent)))
    }

    /// The shortest x that satisfies the independent rows of A x = b exactly; b of length m.
    ///
    /// For consistent b this is the minimum-norm solution. For inconsistent b see [`crate::Svd`].
    pub fn solve_independent_rows(&self, b: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.cols()];
        let n = x.len();
        self.independent_rows_into(
            |row, _| b[row],
            b.len(),
            MatMut::from_column_major_slice_mut(&mut x, n, 1),
        );
        x
    }

    /// The same for every column of b, m x k; the solutions are n x k.
    pub fn solve_independent_rows_of(&self, b: &Dense) -> Dense {
        let mut x = Dense::zeros(self.cols(), b.ncols());
        self.independent_rows_into(|row, j| b[(row, j)], b.nrows(), x.as_mut());
        x
    }

    /// `x`: n x k, zeros.
    fn independent_rows_into(&self, b: impl Fn(usize, usize) -> f64, rows: usize, mut x: MatMut<'_, f64>) {
        assert_eq!(rows, self.rows(), "RankQr: right-hand side of wrong length");
        let r = self.rank();
        for j in 0..x.ncols() {
            for (i, &row) in self.pivots[..r].iter().enumerate() {
                x[(i, j)] = b(row, j);
            }
        }
        let lower = self.qr.as_ref().submatrix(0, 0, r, r).transpose();
        let k = x.ncols();
        solve_lower_triangular_in_place(lower, x.as_mut().submatrix_mut(0, 0, r, k), Par::Seq);
        self.apply_q(x);
    }

    /// The least-squares solution y of A^T y = c with zeros for redundant rows; c of length n.
    ///
    /// With A = Phi_q these are the multipliers of the independent constraints.
    pub fn solve_transpose(&self, c: &[f64]) -> Vec<f64> {
        assert_eq!(c.len(), self.cols(), "RankQr: right-hand side of wrong length");
        let r = self.rank();
        let mut x = c.to_vec();
        let n = x.len();
        self.apply_q_transpose(MatMut::from_column_major_slice_mut(&mut x, n, 1));
        let upper = self.qr.as_ref().submatrix(0, 0, r, r);
        solve_upper_triangular_in_place(
            upper,
            MatMut::from_column_major_slice_mut(&mut x[..r], r, 1),
            Par::Seq,
        );
        let mut y = vec![0.0; self.rows()];
        for (&row, value) in self.pivots[..r].iter().zip(x) {
            y[row] = value;
        }
        y
    }

    fn q_columns(&self, from: usize, to: usize) -> Dense {
        let mut q = Dense::from_fn(self.cols(), to - from, |i, j| if i == from + j { 1.0 } else { 0.0 });
        self.apply_q(q.as_mut());
        q
    }

    fn apply_q(&self, x: MatMut<'_, f64>) {
        let (n, k, size) = (self.cols(), x.ncols(), self.tau.ncols());
        if size == 0 || k == 0 {
            return;
        }
        let mut buffer = MemBuffer::new(
            apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(n, self.tau.nrows(), k),
        );
        apply_block_householder_sequence_on_the_left_in_place_with_conj(
            self.qr.as_ref().submatrix(0, 0, n, size),
            self.tau.as_ref(),
            Conj::No,
            x,
            Par::Seq,
            MemStack::new(&mut buffer),
        );
    }

    fn apply_q_transpose(&self, x: MatMut<'_, f64>) {
        let (n, k, size) = (self.cols(), x.ncols(), self.tau.ncols());
        if size == 0 || k == 0 {
            return;
        }
        let mut buffer =
            MemBuffer::new(apply_block_householder_sequence_transpose_on_the_left_in_place_scratch::<f64>(
                n,
                self.tau.nrows(),
                k,
            ));
        apply_block_householder_sequence_transpose_on_the_left_in_place_with_conj(
            self.qr.as_ref().submatrix(0, 0, n, size),
            self.tau.as_ref(),
            Conj::No,
            x,
            Par::Seq,
            MemStack::new(&mut buffer),
        );
    }
}

fn sorted(indices: &[usize]) -> Vec<usize> {
    let mut out = indices.to_vec();
    out.sort_unstable();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &Dense, b: &Dense, tolerance: f64) -> bool {
        a.shape() == b.shape() && norms::max_abs(&dense::add(1.0, a, -1.0, b)) < tolerance
    }

    /// Rows 0, 1 and 3 independent in pairs, row 2 = row 0 + row 1, row 3 = 2 row 1.
    fn redundant() -> Dense {
        dense::from_rows(&[
            &[1.0, 0.0, 2.0, 0.0, 1.0],
            &[0.0, 3.0, 0.0, 1.0, 0.0],
            &[1.0, 3.0, 2.0, 1.0, 1.0],
            &[0.0, 6.0, 0.0, 2.0, 0.0],
        ])
    }

    #[test]
    fn redundant_rows_are_named_and_explained() {
        let a = redundant();
        let qr = RankQr::new(&a, RankTolerance::default()).unwrap();
        assert_eq!(qr.rank(), 2);
        assert!(qr.decision().gap() < 1e-14);
        let (kept, dropped) = qr.pivots().split_at(2);
        let rebuilt = dense::mul(&qr.dependence(), &dense::select_rows(&a, kept));
        assert!(close(&rebuilt, &dense::select_rows(&a, dropped), 1e-14));
        let mut all = [qr.independent_rows(), qr.redundant_rows()].concat();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3]);
    }

    #[test]
    fn bases_are_orthonormal_and_complete() {
        let a = redundant();
        let qr = RankQr::new(&a, RankTolerance::default()).unwrap();
        let (n, r, range) = (qr.null_space(), qr.row_space(), qr.range().unwrap());
        assert_eq!((n.shape(), r.shape(), range.shape()), ((5, 3), (5, 2), (4, 2)));
        assert!(norms::max_abs(&dense::mul(&a, &n)) < 1e-14);
        let q = dense::hstack(&[&r, &n]);
        assert!(close(&dense::mul_transpose(&q, &q), &dense::identity(5), 1e-14));
        let projected = dense::mul(&range, &dense::mul_transpose(&range, &a));
        assert!(close(&projected, &a, 1e-14));
    }

    #[test]
    fn solutions_satisfy_what_they_promise() {
        let a = redundant();
        let qr = RankQr::new(&a, RankTolerance::default()).unwrap();
        let b = dense::matvec(&a, &[1.0, 2.0, 3.0, 4.0, 5.0]);
        let x = qr.solve_independent_rows(&b);
        assert!(dense::matvec(&a, &x).iter().zip(&b).all(|(ax, b)| (ax - b).abs() < 1e-13));
        let normal = dense::matvec_transpose(&qr.null_space(), &x);
        assert!(norms::two(&normal) < 1e-14);
        let c = dense::matvec_transpose(&a, &[1.0, -1.0, 0.5, 2.0]);
        let y = qr.solve_transpose(&c);
        assert!(dense::matvec_transpose(&a, &y).iter().zip(&c).all(|(ay, c)| (ay - c).abs() < 1e-13));
        assert!(qr.redundant_rows().iter().all(|&row| y[row] == 0.0));
    }

    #[test]
    fn the_column_partition_gives_a_regular_block() {
        let a = redundant();
        let qr = RankQr::new(&a, RankTolerance::default()).unwrap();
        let (dependent, independent) = qr.partition_columns().unwrap();
        assert_eq!((dependent.len(), independent.len()), (2, 3));
        let block = dense::select_columns(&dense::select_rows(&a, &qr.independent_rows()), &dependent);
        assert!(crate::Lu::new(&block).is_ok());
    }

    #[test]
    fn zero_and_empty_matrices_have_rank_zero() {
        for (m, n) in [(2, 3), (0, 3), (3, 0), (0, 0), (4, 2)] {
            let qr = RankQr::new(&dense::zeros(m, n), RankTolerance::default()).unwrap();
            assert_eq!((qr.rank(), qr.rows(), qr.cols()), (0, m, n));
            assert!(close(&qr.null_space(), &dense::identity(n), 1e-300));
            assert_eq!(qr.range().unwrap().shape(), (m, 0));
            assert_eq!(qr.redundant_rows(), (0..m).collect::<Vec<_>>());
            assert_eq!(qr.solve_independent_rows(&vec![1.0; m]), vec![0.0; n]);
        }
    }

    #[test]
    fn more_rows_than_columns() {
        let a = dense::transpose(&redundant());
        let qr = RankQr::new(&a, RankTolerance::default()).unwrap();
        assert_eq!((qr.rank(), qr.null_space().shape()), (2, (4, 2)));
        assert!(norms::max_abs(&dense::mul(&a, &qr.null_space())) < 1e-14);
    }
}
