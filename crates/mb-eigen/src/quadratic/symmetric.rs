//! Undamped symmetric problems: real arithmetic throughout.
//!
//! ```text
//! K x = w M x,   s = +-i sqrt(w) for w > 0,   s = +-sqrt(-w) for w < 0
//! ```
//!
//! M symmetric positive definite on what remains after the directions without mass are condensed,
//! x = (B - N (N^T K N)^-1 N^T K B) c with N their basis and B its complement, which is exact because no inertia acts
//! on them. Zero directions of K are deflated before the eigensolver sees the matrix. gonzalez2017, Eq. (6) with
//! C_r = 0. Sizes: k x k. Does not apply when N^T K N is singular or M is indefinite; the companion form then does.

use mb_algebra::{
    Cholesky, Dense, Lu, RankQr, RankTolerance, SymmetricDefiniteEigen, SymmetricEigen, c64, dense,
};

use super::chains::Chains;
use super::raw::{Kind, Raw};
use crate::EigenError;
use crate::error::at;

/// Solves an undamped symmetric problem; none when M is not positive definite where it should be.
///
/// `zeros` and `massless` are the null directions of K and M.
pub(crate) fn solve(
    m: &Dense,
    k: &Dense,
    zeros: &Chains,
    massless: &Chains,
) -> Result<Option<Vec<Raw>>, EigenError> {
    let (m, k) = (dense::symmetric_part(m), dense::symmetric_part(k));
    if massless.double.ncols() == 0 {
        return positive_definite(&m, &k, &zeros.double);
    }
    if !massless.regular {
        return Ok(None);
    }
    let Some(condensed) = Condensed::new(&m, &k, &massless.double)? else { return Ok(None) };
    let null = dense::mul_transpose(&condensed.complement, &zeros.double);
    let Some(raws) = positive_definite(&condensed.m, &condensed.k, &null)? else { return Ok(None) };
    let mut raws = Raw::lifted(raws, Some(&condensed.lift), None);
    raws.extend(massless.raws(Kind::Infinite));
    Ok(Some(raws))
}

/// The problem without its massless directions.
struct Condensed {
    m: Dense,
    k: Dense,
    complement: Dense,
    lift: Dense,
}

impl Condensed {
    fn new(m: &Dense, k: &Dense, massless: &Dense) -> Result<Option<Self>, EigenError> {
        let exact = RankTolerance { relative: 0.0 };
        let complement = RankQr::new(&dense::transpose(massless), exact)
            .map_err(at("Condensing massless directions"))?
            .null_space();
        let knn = dense::mul_transpose(massless, &dense::mul(k, massless));
        let kb = dense::mul(k, &complement);
        let Ok(lu) = Lu::new(&knn) else { return Ok(None) };
        let follow = lu.solve_mat(&dense::mul_transpose(massless, &kb));
        let lift = dense::add(1.0, &complement, -1.0, &dense::mul(massless, &follow));
        let k = dense::symmetric_part(&dense::mul_transpose(&complement, &dense::mul(k, &lift)));
        let m = dense::symmetric_part(&dense::mul_transpose(&complement, &dense::mul(m, &complement)));
        Ok(Some(Self { m, k, complement, lift }))
    }
}

/// K x = w M x with the null directions of K given (any basis).
fn positive_definite(m: &Dense, k: &Dense, null: &Dense) -> Result<Option<Vec<Raw>>, EigenError> {
    if m.nrows() == 0 {
        return Ok(Some(Vec::new()));
    }
    if null.ncols() == 0 && m.nrows() > 1 {
        return match SymmetricDefiniteEigen::new(k, m) {
            Ok(eigen) => Ok(Some(roots(&eigen.values, &eigen.vectors))),
            Err(mb_algebra::AlgebraError::NotPositiveDefinite { .. }) => Ok(None),
            Err(source) => Err(at("Symmetric eigenvalue problem")(source)),
        };
    }
    let Ok(factor) = Cholesky::new(m) else { return Ok(None) };
    let half = factor.solve_lower(k);
    let standard = dense::symmetric_part(&factor.solve_lower(&dense::transpose(&half)));
    let whitened = RankQr::new(&dense::mul_transpose(null, factor.l()), RankTolerance { relative: 0.0 })
        .map_err(at("Deflating zero roots"))?;
    let (zero, rest) = (whitened.row_space(), whitened.null_space());
    let deflated = dense::symmetric_part(&dense::mul_transpose(&rest, &dense::mul(&standard, &rest)));
    let eigen = SymmetricEigen::new(&deflated).map_err(at("Symmetric eigenvalue problem"))?;
    let vectors = factor.solve_lower_transpose(&dense::mul(&rest, &eigen.vectors));
    let mut raws = roots(&eigen.values, &vectors);
    let zero = factor.solve_lower_transpose(&zero);
    for x in crate::vectors::columns(&zero) {
        // M-orthonormal: x^T M x = 1.
        let raw = Raw::structural(Kind::Zero, x, None, 2, 1.0);
        raws.extend([raw.clone(), raw]);
    }
    Ok(Some(raws))
}

/// Two roots for every w.
fn roots(values: &[f64], vectors: &Dense) -> Vec<Raw> {
    let mut out = Vec::with_capacity(2 * values.len());
    for (&w, x) in values.iter().zip(crate::vectors::columns(vectors)) {
        let x = crate::vectors::complex(x);
        let size = w.abs().sqrt();
        if w > 0.0 {
            out.push(Raw::finite(c64::new(0.0, size), x, None, true));
        } else {
            out.push(Raw::finite(c64::new(size, 0.0), x.clone(), None, false));
            out.push(Raw::finite(c64::new(-size, 0.0), x, None, false));
        }
    }
    out
}
