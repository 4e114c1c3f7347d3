//! State-space systems without the states that no input reaches or no output sees.
//!
//! ```text
//! V: orthonormal basis of [B, A B, A^2 B, ...],   A_1 = V^T A V,  B_1 = V^T B,  C_1 = C V
//! W: orthonormal basis of [C_1^T, A_1^T C_1^T, ...],   A_2 = W^T A_1 W, ...
//! ```
//!
//! Rank decisions of such bases are relative to |A|, which in mechanics is the square of the highest frequency: slow modes of stiff models
//! can be lost below them (Paige, IEEE Trans. Autom. Control 26, 1981). Hence A is balanced first, which brings its norm to that frequency
//! itself, and a result is one only where its transfer function is that of the whole system at points next to all of its
//! frequencies; otherwise finer decisions are tried, and in the end there is an error.

use crate::descriptor::{StateSpace, numbered};
use crate::error::LinearError;
use mb_algebra::{Dense, GeneralEigen, RankQr, RankTolerance, balance, c64, dense, norms};

/// Factors of the tolerance of rank decisions that are tried one after another.
const FINER: [f64; 3] = [1.0, 1e-2, 1e-4];
/// Relative change of an entry of the transfer function that is rounding.
const SAME: f64 = 1e-7;
/// Entries of the transfer function below this share of their largest are compared with that share.
const SMALL: f64 = 1e-6;
/// Real part of the points of comparison, relative to the imaginary part: poles of light damping are sharp there still.
const ASIDE: f64 = 0.1;
/// Relative difference of two computations of an eigenvalue up to which its digits determine it.
const DETERMINED: f64 = 1e-4;
/// Most points of comparison.
const POINTS: usize = 40;

impl StateSpace {
    /// The same transfer function without states that no input reaches or no output sees; itself where there are none.
    ///
    /// `tolerance` of the rank decisions is relative to |A| of the balanced system.
    ///
    /// # Errors
    /// [`LinearError::NotMinimal`] where the states to be removed cannot be told from rounding; entries that are not finite.
    pub fn minimal(&self, tolerance: f64) -> Result<Self, LinearError> {
        if self.order() == 0 {
            return Ok(self.clone());
        }
        let whole = self.balanced();
        let points = points(&whole.a)?;
        let expected = points.iter().map(|s| whole.transfer(*s)).collect::<Result<Vec<_>, _>>()?;
        let mut least = f64::INFINITY;
        for finer in FINER {
            let reach = krylov(&whole.a, &whole.b, finer * tolerance)?;
            let within = whole.restricted(&reach);
            let see = krylov(&dense::transpose(&within.a), &dense::transpose(&within.c), finer * tolerance)?;
            if see.ncols() == self.order() {
                return Ok(self.clone());
            }
            let candidate = within.restricted(&see);
            let found = points.iter().map(|s| candidate.transfer(*s)).collect::<Result<Vec<_>, _>>()?;
            let change = change(&expected, &found);
            if change <= SAME {
                return Ok(candidate);
            }
            least = least.min(change);
        }
        Err(LinearError::NotMinimal { change: least })
    }

    /// The states in units of powers of two that bring rows and columns of A to like norms.
    fn balanced(&self) -> Self {
        let (a, d) = balance(&self.a);
        let k = self.order();
        Self {
            a,
            b: Dense::from_fn(k, self.b.ncols(), |i, j| self.b[(i, j)] / d[i]),
            c: Dense::from_fn(self.c.nrows(), k, |i, j| self.c[(i, j)] * d[j]),
            ..self.clone()
        }
    }

    /// The system seen in the orthonormal basis v (k x smaller).
    fn restricted(&self, v: &Dense) -> Self {
        Self {
            a: dense::mul_transpose(v, &dense::mul(&self.a, v)),
            b: dense::mul_transpose(v, &self.b),
            c: dense::mul(&self.c, v),
            states: numbered(v.ncols()),
            ..self.clone()
        }
    }
}

/// Points next to the eigenvalues of A, in the right half-plane: one for each magnitude, spread over all where there are many.
///
/// Free motions make Jordan chains of zero, which come out as small numbers of rounding, where the transfer function has no
/// digits. Rounding of A^T is another, so that magnitudes which both do not have are left out.
fn points(a: &Dense) -> Result<Vec<c64>, LinearError> {
    let sizes = |a: &Dense| -> Result<Vec<f64>, LinearError> {
        Ok(GeneralEigen::values(a)?.iter().map(|s| s.norm()).filter(|size| *size > 0.0).collect())
    };
    let again = sizes(&dense::transpose(a))?;
    let mut sizes = sizes(a)?;
    sizes.retain(|size| again.iter().any(|other| (size - other).abs() <= DETERMINED * size));
    sizes.sort_by(f64::total_cmp);
    sizes.dedup_by(|a, b| *a <= 1.01 * *b);
    if sizes.is_empty() {
        sizes.push(1.0);
    }
    let count = sizes.len().min(POINTS);
    let spread = |k: usize| sizes[k * (sizes.len() - 1) / (count - 1).max(1)];
    Ok((0..count).map(|k| c64::new(ASIDE, 1.0) * spread(k)).collect())
}

/// The largest relative change of an entry of the transfer function.
fn change(expected: &[mb_algebra::DenseC], found: &[mb_algebra::DenseC]) -> f64 {
    let Some(first) = expected.first() else { return 0.0 };
    let mut worst = 0.0_f64;
    for i in 0..first.nrows() {
        for j in 0..first.ncols() {
            let largest = expected.iter().fold(0.0_f64, |most, g| most.max(g[(i, j)].norm()));
            for (e, f) in expected.iter().zip(found) {
                let size = e[(i, j)].norm().max(SMALL * largest);
                let difference = (e[(i, j)] - f[(i, j)]).norm();
                if difference > 0.0 {
                    worst = worst.max(difference / size);
                }
            }
        }
    }
    worst
}

/// Orthonormal basis of the smallest subspace that holds `start` and is kept by `a`.
fn krylov(a: &Dense, start: &Dense, tolerance: f64) -> Result<Dense, LinearError> {
    let k = a.nrows();
    let mut basis = Dense::zeros(k, 0);
    let mut next = start.clone();
    let mut scale = norms::frobenius(start);
    while basis.ncols() < k && next.ncols() > 0 && scale > 0.0 {
        let mut rest = next.clone();
        for _ in 0..2 {
            rest = &rest - &dense::mul(&basis, &dense::mul_transpose(&basis, &rest));
        }
        let size = norms::frobenius(&rest);
        if size <= tolerance * scale {
            break;
        }
        let qr = RankQr::new(&dense::transpose(&rest), RankTolerance { relative: tolerance * scale / size })?;
        let fresh = qr.row_space();
        basis = dense::hstack(&[&basis, &fresh]);
        next = dense::mul(a, &fresh);
        scale = norms::frobenius(&next).max(norms::frobenius(a) * tolerance);
    }
    Ok(basis)
}
