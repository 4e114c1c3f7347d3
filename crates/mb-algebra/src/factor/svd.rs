//! A = U S V^T of a dense matrix.
//!
//! A is m x n, k = min(m, n). The surest way to a rank: the singular values are the distances to matrices of
//! lower rank (Eckart and Young). Golub and Van Loan, Matrix Computations, sections 2.4 and 8.6.
//!
//! The bidiagonal problem goes to the QR iteration at every size: the library's divide and conquer solves the same secular
//! equation as its symmetric one, which is not accurate on graded matrices (see [`crate::SymmetricEigen`]).

use faer::diag::DiagMut;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::svd::{ComputeSvdVectors, SvdParams, svd, svd_scratch};
use faer::{Auto, Par, Spec};

use super::check_finite;
use crate::{AlgebraError, Dense, RankDecision, RankTolerance, dense, interrupt};

/// Singular value decomposition of an m x n matrix, k = min(m, n).
#[derive(Clone, Debug)]
pub struct Svd {
    /// Left singular vectors, m x k, orthonormal columns.
    pub u: Dense,
    /// Singular values, k of them, largest first.
    pub s: Vec<f64>,
    /// Right singular vectors, n x n, orthogonal; the last n - k belong to no singular value.
    pub v: Dense,
}

impl Svd {
    /// Decomposes an m x n matrix; either size may be zero.
    ///
    /// Errors: entries that are not finite, no convergence.
    pub fn new(a: &Dense) -> Result<Self, AlgebraError> {
        check_finite(a)?;
        let (m, n) = a.shape();
        let size = m.min(n);
        if size == 0 {
            return Ok(Self { u: Dense::zeros(m, 0), s: Vec::new(), v: dense::identity(n) });
        }
        let a = a.clone();
        let Self { u, s, v } = interrupt::aside(21.0 * (m * n * size) as f64, move || iterate(&a))
            .ok_or(AlgebraError::NoConvergence { algorithm: "The singular value iteration", size })?;
        let finite = s.iter().all(|s| s.is_finite());
        if !finite || dense::first_non_finite(&u).is_some() || dense::first_non_finite(&v).is_some() {
            return Err(AlgebraError::NonFiniteResult { algorithm: "The singular value iteration", size });
        }
        Ok(Self { u, s, v })
    }

    /// Numerical rank with the singular values on both sides of the cut.
    pub fn rank(&self, tolerance: RankTolerance) -> RankDecision {
        RankDecision::new(&self.s, tolerance)
    }

    /// N, n x (n - r), with A N = 0 up to the tolerance and N^T N = I.
    pub fn null_space(&self, tolerance: RankTolerance) -> Dense {
        let rank = self.rank(tolerance).rank;
        dense::select_columns(&self.v, &(rank..self.v.ncols()).collect::<Vec<_>>())
    }

    /// m x r, an orthonormal basis of the space spanned by the columns of A.
    pub fn range(&self, tolerance: RankTolerance) -> Dense {
        let rank = self.rank(tolerance).rank;
        dense::select_columns(&self.u, &(0..rank).collect::<Vec<_>>())
    }

    /// The shortest of all x that minimize |A x - b|; b of length m.
    pub fn min_norm_solve(&self, b: &[f64], tolerance: RankTolerance) -> Vec<f64> {
        let mut y = self.over_values(dense::matvec_transpose(&self.u, b), tolerance);
        y.resize(self.v.ncols(), 0.0);
        dense::matvec(&self.v, &y)
    }

    /// The shortest of all y that minimize |A^T y - c|; c of length n.
    pub fn min_norm_solve_transposed(&self, c: &[f64], tolerance: RankTolerance) -> Vec<f64> {
        let mut y = dense::matvec_transpose(&self.v, c);
        y.truncate(self.s.len());
        dense::matvec(&self.u, &self.over_values(y, tolerance))
    }

    /// k numbers over the singular values, zero beyond the rank.
    fn over_values(&self, mut y: Vec<f64>, tolerance: RankTolerance) -> Vec<f64> {
        y.iter_mut().zip(&self.s).for_each(|(y, s)| *y /= s);
        y[self.rank(tolerance).rank..].fill(0.0);
        y
    }

    /// Largest over smallest singular value: the condition number in the 2-norm, infinite when singular.
    pub fn condition(&self) -> f64 {
        match (self.s.first(), self.s.last()) {
            (Some(&largest), Some(&smallest)) if smallest > 0.0 => largest / smallest,
            (Some(_), _) => f64::INFINITY,
            _ => 1.0,
        }
    }
}

/// The decomposition of a matrix that is not empty; none if the iteration does not converge.
fn iterate(a: &Dense) -> Option<Svd> {
    let (m, n) = a.shape();
    let size = m.min(n);
    let (mut u, mut v, mut s) = (Dense::zeros(m, size), Dense::zeros(n, n), vec![0.0; size]);
    let (thin, full) = (ComputeSvdVectors::Thin, ComputeSvdVectors::Full);
    let mut params = <SvdParams as Auto<f64>>::auto();
    params.recursion_threshold = usize::MAX;
    let params: Spec<SvdParams, f64> = params.into();
    let mut buffer = MemBuffer::new(svd_scratch::<f64>(m, n, thin, full, Par::Seq, params));
    let stack = MemStack::new(&mut buffer);
    let (left, right) = (Some(u.as_mut()), Some(v.as_mut()));
    svd(a.as_ref(), DiagMut::from_slice_mut(&mut s), left, right, Par::Seq, stack, params).ok()?;
    Some(Svd { u, s, v })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::norms;

    fn rebuilt(svd: &Svd) -> Dense {
        let k = svd.s.len();
        let v = dense::select_columns(&svd.v, &(0..k).collect::<Vec<_>>());
        dense::mul(&dense::mul(&svd.u, &dense::diagonal(&svd.s)), &dense::transpose(&v))
    }

    #[test]
    fn wide_tall_and_square_matrices_are_rebuilt() {
        for (m, n) in [(2, 5), (5, 2), (3, 3), (1, 1), (40, 3), (3, 40)] {
            let a = Dense::from_fn(m, n, |i, j| ((i * 7 + j * 3) % 5) as f64 - 1.5);
            let svd = Svd::new(&a).unwrap();
            assert!(norms::max_abs(&dense::add(1.0, &rebuilt(&svd), -1.0, &a)) < 1e-13, "{m} x {n}");
            assert!(svd.s.windows(2).all(|w| w[0] >= w[1]));
            let vv = dense::mul_transpose(&svd.v, &svd.v);
            assert!(norms::max_abs(&dense::add(1.0, &vv, -1.0, &dense::identity(n))) < 1e-14);
        }
    }

    #[test]
    fn the_shortest_solution_of_the_transposed_system_is_that_of_the_transposed_matrix() {
        for (m, n) in [(2, 5), (5, 2), (3, 3), (40, 3)] {
            let a = Dense::from_fn(m, n, |i, j| ((i * 7 + j * 3) % 5) as f64 - 1.5);
            let c: Vec<f64> = (0..n).map(|j| 1.0 + j as f64).collect();
            let default = RankTolerance::default();
            let own = Svd::new(&a).unwrap().min_norm_solve_transposed(&c, default);
            let other = Svd::new(&dense::transpose(&a)).unwrap().min_norm_solve(&c, default);
            assert!(own.iter().zip(other).all(|(x, y)| (x - y).abs() < 1e-13), "{m} x {n}");
        }
    }

    #[test]
    fn graded_matrices_are_rebuilt_at_any_size() {
        let n = 200;
        let a = Dense::from_fn(n, n, |i, j| {
            let coupling = [6.0, -4.0, 1.0].get(i.abs_diff(j)).copied().unwrap_or(0.0);
            coupling * 10.0_f64.powi(-i32::from(i % 2 == 0) * 5 - i32::from(j % 2 == 0) * 5)
        });
        let svd = Svd::new(&a).unwrap();
        assert!(norms::max_abs(&dense::add(1.0, &rebuilt(&svd), -1.0, &a)) < 1e-13);
        let uu = dense::mul_transpose(&svd.u, &svd.u);
        assert!(norms::max_abs(&dense::add(1.0, &uu, -1.0, &dense::identity(n))) < 1e-13);
    }

    #[test]
    fn the_minimum_norm_solution_has_no_null_part() {
        let a = dense::from_rows(&[&[1.0, 1.0, 0.0], &[2.0, 2.0, 0.0]]);
        let svd = Svd::new(&a).unwrap();
        let x = svd.min_norm_solve(&[1.0, 2.0], RankTolerance::default());
        assert!(x.iter().zip([0.5, 0.5, 0.0]).all(|(x, e)| (x - e).abs() < 1e-15), "{x:?}");
        let n = svd.null_space(RankTolerance::default());
        assert_eq!((n.shape(), svd.range(RankTolerance::default()).shape()), ((3, 2), (2, 1)));
        assert!(norms::max_abs(&dense::mul(&a, &n)) < 1e-15);
    }

    #[test]
    fn condition_numbers() {
        assert!((Svd::new(&dense::diagonal(&[4.0, -0.5])).unwrap().condition() - 8.0).abs() < 1e-14);
        assert!(Svd::new(&dense::zeros(2, 2)).unwrap().condition().is_infinite());
        assert!((Svd::new(&dense::zeros(0, 0)).unwrap().condition() - 1.0).abs() < 1e-15);
    }
}
