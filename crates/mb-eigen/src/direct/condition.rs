//! Condition number of K_ before and after scaling.
//!
//! ```text
//! cond = |K_|_2 |K_^-1|_2,    K_^-1 = D K_(k)^-1 D,  D = diag(I, k I)
//! ```
//!
//! The inverse of the unscaled matrix comes from the scaled one, whose solutions are accurate: in double precision
//! the unscaled matrix itself shows nothing beyond 1e16 or so. yang2012, (3.4) to (3.9): |K_^-1| grows with c times
//! the larger of 1, c / k and c^2 / k^2. Small matrices: singular values. Large ones: both norms by Lanczos on
//! A^T A, from below, to a few digits. Sizes: n + r.
//!
//! Paper: [yang2012] Eq. (3.9).
//!
//! [yang2012]: super

use faer::MatRef;
use mb_algebra::{Dense, Lu, QuadraticPencil, Sparse, Svd, dense, sparse, to_dense};

use super::factored::Factored;
use super::options::Factorization;
use crate::EigenError;
use crate::error::{at, only_here};
use crate::krylov::{BuiltIn, KrylovDriver, SymmetricOperator, Wanted};
use crate::options::SparseOptions;
use crate::problem::Problem;

/// Matrices of up to this size get exact numbers.
const EXACT_UP_TO: usize = 300;

/// A condition number in the 2-norm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// Infinite where the matrix is singular.
    pub value: f64,
    /// Whether it comes from singular values; otherwise it is an estimate from below, good to a few percent.
    pub exact: bool,
}

/// Condition numbers of K_ = \[a^2 M + a C + K, k Phi_q^T; k Phi_q, 0\], first for k = 1, then for the given k.
///
/// a = 0 gives those of K^, which is singular for free bodies and mechanisms. Redundant rows, which make any such matrix
/// singular, are left out. Errors: shapes, entries that are not finite.
pub fn condition(pencil: &QuadraticPencil<Sparse>, k: f64, shift: f64) -> Result<[Condition; 2], EigenError> {
    let problem = Problem::new(pencil, &SparseOptions::default())?;
    let rows = problem.rows.kept_as_given();
    let factored = match Factored::new(&problem, &rows, k, shift, Factorization::Pivoted, 1) {
        Ok(factored) => factored,
        Err(error) => {
            only_here(error)?;
            let exact = problem.n + problem.rows.rank <= EXACT_UP_TO;
            return Ok([Condition { value: f64::INFINITY, exact }; 2]);
        }
    };
    of(&factored)
}

/// The same for a matrix already factored.
pub(crate) fn of(factored: &Factored) -> Result<[Condition; 2], EigenError> {
    let n = factored.unknowns;
    let scaled = &factored.matrix;
    let mut unscaled = scaled.clone();
    for (col, mut column) in unscaled.outer_iterator_mut().enumerate() {
        for (row, value) in column.iter_mut() {
            if (row >= n) != (col >= n) {
                *value /= factored.scale;
            }
        }
    }
    let of = |matrix: &Sparse, by: f64| -> Result<Condition, EigenError> {
        let value = if matrix.rows() <= EXACT_UP_TO {
            exact(matrix, scaled, n, by)?
        } else {
            largest(&Gram::Direct(matrix, &sparse::transpose(matrix)))?
                * largest(&Gram::Inverse(factored, by))?
        };
        Ok(Condition { value: checked(value), exact: matrix.rows() <= EXACT_UP_TO })
    };
    Ok([of(&unscaled, factored.scale)?, of(scaled, 1.0)?])
}

fn checked(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::INFINITY }
}

/// |A| |D B^-1 D| by singular values, D = by in the rows from n on.
fn exact(matrix: &Sparse, scaled: &Sparse, n: usize, by: f64) -> Result<f64, EigenError> {
    let step = "Condition number of the shifted matrix";
    let Ok(lu) = Lu::new(&to_dense(scaled)) else { return Ok(f64::INFINITY) };
    let inverse = lu.solve_mat(&dense::identity(lu.size()));
    let factor = |i: usize| if i < n { 1.0 } else { by };
    let inverse = Dense::from_fn(lu.size(), lu.size(), |i, j| factor(i) * factor(j) * inverse[(i, j)]);
    if dense::first_non_finite(&inverse).is_some() {
        return Ok(f64::INFINITY);
    }
    let norm = |a: &Dense| -> Result<f64, EigenError> {
        Ok(Svd::new(a).map_err(at(step))?.s.first().copied().unwrap_or(0.0))
    };
    Ok(norm(&to_dense(matrix))? * norm(&inverse)?)
}

/// A^T A, or (D K_^-1 D)^T (D K_^-1 D).
enum Gram<'a> {
    Direct(&'a Sparse, &'a Sparse),
    Inverse(&'a Factored, f64),
}

impl SymmetricOperator for Gram<'_> {
    fn size(&self) -> usize {
        match self {
            Self::Direct(a, _) => a.rows(),
            Self::Inverse(factored, _) => factored.size(),
        }
    }

    fn apply(&self, v: MatRef<'_, f64>, _gv: MatRef<'_, f64>) -> Result<Dense, EigenError> {
        let mut out = v.to_owned();
        match self {
            Self::Direct(a, transposed) => {
                for j in 0..out.ncols() {
                    let image = sparse::matvec(a, out.col_as_slice(j));
                    out.col_as_slice_mut(j).copy_from_slice(&sparse::matvec(transposed, &image));
                }
            }
            Self::Inverse(factored, by) => {
                let weigh = |a: &mut Dense, power: f64| {
                    for j in 0..a.ncols() {
                        a.col_as_slice_mut(j)[factored.unknowns..].iter_mut().for_each(|v| *v *= power);
                    }
                };
                weigh(&mut out, *by);
                out = factored.solve(&out, false);
                weigh(&mut out, by * by);
                out = factored.solve(&out, true);
                weigh(&mut out, *by);
            }
        }
        Ok(out)
    }

    fn metric(&self, v: &Dense) -> Dense {
        v.clone()
    }
}

/// Square root of the largest eigenvalue.
fn largest(gram: &Gram<'_>) -> Result<f64, EigenError> {
    let wanted = Wanted { count: 1, tolerance: 1e-4, block: 1, subspace: None, restarts: 20, salt: 0xc0 };
    let ritz = BuiltIn.symmetric(gram, None, &wanted)?;
    let value = ritz.values.first().or(ritz.estimates.first()).copied().unwrap_or(0.0);
    Ok(value.max(0.0).sqrt())
}
