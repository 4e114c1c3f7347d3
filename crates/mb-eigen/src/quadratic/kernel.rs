//! Directions in which a reduced matrix vanishes: found first, so that zeros are exact and not rounding.
//!
//! ```text
//! N: L_0^T A R_0 N = 0,   L: L^T L_0^T A R_0 = 0
//! ```
//!
//! A is K (zero eigenvalues, rigid and mechanism modes) or M (infinite eigenvalues), n x n; R_0, L_0 (n x k) span
//! the directions looked at. Candidates come from pivoted QR; a bordered system compresses A onto them with the
//! accuracy of elimination (Golub and Van Loan, section 5.5; Govaerts, Numerical Methods for Bifurcations of
//! Dynamical Equilibria, section 3.2). A candidate x is accepted when |L_0^T A x| <= tolerance |A| |x|, both sides
//! taken on the matrix as given, so that a soft spring beside a stiff one is not lost as long as it stands above
//! the rounding of what it is added to. Below 2e-14 |A| nothing can be told from rounding and counts as zero.

use mb_algebra::{Dense, Lu, RankQr, RankTolerance, Svd, dense, norms};

use crate::EigenError;
use crate::error::at;
use crate::vectors::magnitudes;

/// Candidates: pivots below this fraction of the norm of A.
const CANDIDATE: f64 = 1e-10;
/// Rounding of a candidate of length one: what it leaves, times |A|, proves nothing.
const ROUNDING: f64 = 2e-14;
/// A refused candidate within this factor of the tolerance deserves a word.
const NEAR: f64 = 1e3;

/// Right and left null directions of a reduced matrix, with orthonormal columns.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    /// k x p.
    pub(crate) right: Dense,
    /// k x p.
    pub(crate) left: Dense,
    /// |A x| / (|A| |x|) of the best candidate refused, when it is close to the tolerance.
    pub(crate) nearly: Option<f64>,
}

/// The matrix as given with its magnitudes, and the directions looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a> {
    pub(crate) a: &'a Dense,
    /// R_0, L_0; absent means the identity.
    pub(crate) lift: Option<&'a Dense>,
    pub(crate) lift_left: Option<&'a Dense>,
}

impl Kernel {
    /// No directions among k.
    pub(crate) fn empty(k: usize) -> Self {
        Self { right: Dense::zeros(k, 0), left: Dense::zeros(k, 0), nearly: None }
    }

    /// Number of directions.
    pub(crate) fn dim(&self) -> usize {
        self.right.ncols()
    }

    /// Finds the null directions of `reduced` = L_0^T A R_0, k x k.
    pub(crate) fn find(reduced: &Dense, given: Given<'_>, tolerance: f64) -> Result<Self, EigenError> {
        let k = reduced.nrows();
        let scale = norms::frobenius(given.a);
        if k == 0 {
            return Ok(Self::empty(k));
        }
        if norms::max_abs(reduced) == 0.0 {
            return Ok(Self { right: dense::identity(k), left: dense::identity(k), nearly: None });
        }
        if smallest_singular_value(reduced) > CANDIDATE * scale {
            return Ok(Self::empty(k));
        }
        let (v, u) = candidates(reduced, scale)?;
        if v.ncols() == 0 || v.ncols() != u.ncols() {
            return Ok(Self::empty(k));
        }
        given.accept(&compress(reduced, v, u)?, tolerance)
    }
}

/// A compressed onto the candidates: A V + U T = 0 with the singular values of T in sight.
struct Candidates {
    right: Dense,
    left: Dense,
}

impl Given<'_> {
    fn accept(&self, candidates: &Candidates, tolerance: f64) -> Result<Kernel, EigenError> {
        let (k, count) = candidates.right.shape();
        let mut nearly = None;
        let mut accepted = 0;
        for j in 0..count {
            let x = candidates.right.col_as_slice(j);
            let y = candidates.left.col_as_slice(j);
            let relative = self.relative(x, false).max(self.relative(y, true));
            if relative > tolerance {
                nearly = (relative <= NEAR * tolerance).then_some(relative);
                break;
            }
            accepted += 1;
        }
        let orthonormal = |a: &Dense| -> Result<Dense, EigenError> {
            if accepted == 0 {
                return Ok(Dense::zeros(k, 0));
            }
            let kept = crate::vectors::column_range(a, 0, accepted);
            let qr = RankQr::new(&dense::transpose(&kept), RankTolerance { relative: 0.0 });
            Ok(qr.map_err(at("Orthonormalizing null directions"))?.row_space())
        };
        Ok(Kernel { right: orthonormal(&candidates.right)?, left: orthonormal(&candidates.left)?, nearly })
    }

    /// |L_0^T A x| / (|A| |x|), or the same with A^T, on the matrix as given and less what the rounding of x explains.
    fn relative(&self, z: &[f64], transposed: bool) -> f64 {
        let left = self.lift_left.or(self.lift);
        let (lift, test) = if transposed { (left, self.lift) } else { (self.lift, left) };
        let x = lift.map_or_else(|| z.to_vec(), |r| dense::matvec(r, z));
        let magnitude: Vec<f64> = x.iter().map(|v| v.abs()).collect();
        let size = magnitudes(self.a);
        let apply = |a: &Dense, x: &[f64]| {
            if transposed { dense::matvec_transpose(a, x) } else { dense::matvec(a, x) }
        };
        let ax = apply(self.a, &x);
        let rest = norms::two(&test.map_or_else(|| ax.clone(), |r| dense::matvec_transpose(r, &ax)));
        let terms = norms::two(&apply(&size, &magnitude));
        let rest = (rest - ROUNDING * norms::frobenius(self.a) * norms::two(&x)).max(0.0);
        if rest > 0.0 { rest / terms.max(f64::MIN_POSITIVE) } else { 0.0 }
    }
}

/// An estimate from above by inverse iteration, cheap and good to a small factor; 0 when A is exactly singular.
fn smallest_singular_value(a: &Dense) -> f64 {
    let k = a.nrows();
    if k == 1 {
        return a[(0, 0)].abs();
    }
    let Ok(lu) = Lu::new(a) else { return 0.0 };
    // A start vector without symmetry, so that it is not orthogonal to a symmetric or alternating null vector.
    let mut x: Vec<f64> = (0..k).map(|i| 1.0 + ((i * i * 7 + 3 * i) % 11) as f64 / 7.0).collect();
    let mut estimate = f64::INFINITY;
    for step in 0..4 {
        let norm = norms::two(&x);
        if !(norm > 0.0 && norm.is_finite()) {
            return 0.0;
        }
        for v in &mut x {
            *v /= norm;
        }
        x = if step % 2 == 0 { lu.solve(&x) } else { lu.solve_transpose(&x) };
        estimate = estimate.min(norms::two(&x).recip());
    }
    if estimate.is_nan() { 0.0 } else { estimate }
}

/// Approximate right and left null directions, k x p each.
fn candidates(a: &Dense, scale: f64) -> Result<(Dense, Dense), EigenError> {
    let relative = RankTolerance { relative: (CANDIDATE * scale / norms::max_abs(a)).min(1.0) };
    let right = RankQr::new(a, relative).map_err(at("Null directions"))?;
    let left = RankQr::new(&dense::transpose(a), relative).map_err(at("Null directions"))?;
    // Both count the same singular values; where the pivots disagree the larger set is the safe one.
    let p = (a.nrows() - right.rank()).max(a.nrows() - left.rank());
    let last = |qr: &RankQr| -> Dense {
        let full = dense::hstack(&[&qr.row_space(), &qr.null_space()]);
        crate::vectors::column_range(&full, full.ncols() - p, full.ncols())
    };
    Ok((last(&right), last(&left)))
}

/// [A U; V^T 0] [X; T] = [0; I] and its transpose; null directions are X t with T t small, smallest first.
fn compress(a: &Dense, v: Dense, u: Dense) -> Result<Candidates, EigenError> {
    let (k, p) = v.shape();
    if p == k {
        // Everything is small against the matrix as given: there is nothing to compress on.
        let svd = Svd::new(a).map_err(at("Null directions"))?;
        let order: Vec<usize> = (0..k).rev().collect();
        return Ok(Candidates {
            right: dense::select_columns(&svd.v, &order),
            left: dense::select_columns(&svd.u, &order),
        });
    }
    let size = norms::max_abs(a);
    let mut bordered = Dense::zeros(k + p, k + p);
    for j in 0..k {
        bordered.col_as_slice_mut(j)[..k].copy_from_slice(a.col_as_slice(j));
        for i in 0..p {
            bordered[(k + i, j)] = v[(j, i)] * size;
            bordered[(j, k + i)] = u[(j, i)] * size;
        }
    }
    let right_side = Dense::from_fn(k + p, p, |i, j| if i == k + j { size } else { 0.0 });
    let Ok(lu) = Lu::new(&bordered) else { return Ok(Candidates { right: v, left: u }) };
    let solution = lu.solve_mat(&right_side);
    let transposed = dense::from_columns(
        k + p,
        &crate::vectors::columns(&right_side).map(|b| lu.solve_transpose(b)).collect::<Vec<_>>(),
    );
    let t = Dense::from_fn(p, p, |i, j| solution[(k + i, j)]);
    let svd = Svd::new(&t).map_err(at("Null directions"))?;
    let order: Vec<usize> = (0..p).rev().collect();
    let x = Dense::from_fn(k, p, |i, j| solution[(i, j)]);
    let y = Dense::from_fn(k, p, |i, j| transposed[(i, j)]);
    Ok(Candidates {
        right: dense::mul(&x, &dense::select_columns(&svd.v, &order)),
        left: dense::mul(&y, &dense::select_columns(&svd.u, &order)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(a: &Dense) -> Kernel {
        Kernel::find(a, Given { a, lift: None, lift_left: None }, 1e-12).unwrap()
    }

    /// Free chain of k masses; every spring but the first has stiffness one.
    fn chain(k: usize, first: f64) -> Dense {
        let mut out = Dense::zeros(k, k);
        for i in 0..k - 1 {
            let stiffness = if i == 0 { first } else { 1.0 };
            out[(i, i)] += stiffness;
            out[(i + 1, i + 1)] += stiffness;
            out[(i, i + 1)] -= stiffness;
            out[(i + 1, i)] -= stiffness;
        }
        out
    }

    #[test]
    fn a_free_chain_has_one_uniform_direction() {
        for first in [1.0, 1e9, 1e-7] {
            let kernel = find(&chain(6, first));
            assert_eq!(kernel.dim(), 1, "{first}");
            let x = kernel.right.col_as_slice(0);
            assert!(x.iter().all(|v| (v / x[0] - 1.0).abs() < 1e-8), "{x:?}");
        }
    }

    #[test]
    fn an_untouched_coordinate_beside_a_chain_is_found_with_it() {
        let inner = chain(5, 1e6);
        let a = Dense::from_fn(6, 6, |i, j| if i > 0 && j > 0 { inner[(i - 1, j - 1)] } else { 0.0 });
        assert_eq!(find(&a).dim(), 2);
    }

    #[test]
    fn a_dense_basis_does_not_hide_a_zero_behind_stiff_springs() {
        // Two springs of very different stiffness; the direction (1, 1, 1) is free in any orthonormal coordinates.
        let a = dense::from_rows(&[&[1e9, -1e9, 0.0], &[-1e9, 1e9 + 1.0, -1.0], &[0.0, -1.0, 1.0]]);
        let turn = dense::from_rows(&[&[2.0, -2.0, 1.0], &[1.0, 2.0, 2.0], &[2.0, 1.0, -2.0]]);
        let turn = dense::scale(1.0 / 3.0, &turn);
        let reduced = dense::mul_transpose(&turn, &dense::mul(&a, &turn));
        let kernel =
            Kernel::find(&reduced, Given { a: &a, lift: Some(&turn), lift_left: None }, 1e-12).unwrap();
        assert_eq!(kernel.dim(), 1);
    }

    #[test]
    fn a_soft_ground_spring_is_no_zero() {
        let mut a = chain(6, 1e6);
        a[(5, 5)] += 1e-3;
        assert_eq!(find(&a).dim(), 0);
    }

    #[test]
    fn left_and_right_directions_of_an_unsymmetric_matrix() {
        // Rank one: x = (1, -1, 0), (0, 0, 1); y orthogonal to (1, 2, 3).
        let a = dense::from_rows(&[&[1.0, 1.0, 0.0], &[2.0, 2.0, 0.0], &[3.0, 3.0, 0.0]]);
        let kernel = find(&a);
        assert_eq!(kernel.dim(), 2);
        assert!(norms::max_abs(&dense::mul(&a, &kernel.right)) < 1e-14);
        assert!(norms::max_abs(&dense::mul_transpose(&kernel.left, &a)) < 1e-14);
    }

    #[test]
    fn a_regular_matrix_has_none() {
        assert_eq!(find(&dense::diagonal(&[1.0, -2.0, 1e-6])).dim(), 0);
        assert_eq!(find(&dense::zeros(3, 3)).dim(), 3);
        assert_eq!(find(&dense::zeros(0, 0)).dim(), 0);
    }

    #[test]
    fn a_direction_near_the_tolerance_is_told() {
        let a = dense::from_rows(&[&[1.0, -1.0], &[-1.0, 1.0 + 1e-10]]);
        let kernel = find(&a);
        assert!(kernel.dim() == 0 && kernel.nearly.is_some());
    }
}
