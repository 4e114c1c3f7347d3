//! Standard eigenvalue problems of companion matrices, one eigenvalue of each conjugate pair.
//!
//! ```text
//! A z = sigma z,   w^H A = sigma w^H
//! ```
//!
//! Sizes: A d x d. Coincident complex pairs and exactly defective ones can leave the QR iteration or its back
//! substitution without an answer; QZ with B = I then gives it.

use mb_algebra::{AlgebraError, Dense, DenseC, GeneralEigen, Lu, Qz, c64, dense};

use super::raw::Raw;
use crate::EigenError;
use crate::error::at;

/// B^-1 A z = sigma z.
pub(crate) fn regular(a: &Dense, b: &Dense) -> Result<Vec<Raw>, EigenError> {
    if a.nrows() == 0 {
        return Ok(Vec::new());
    }
    let lu = Lu::new(b).map_err(at("Reduction to a standard eigenvalue problem"))?;
    let mut raws = standard(&lu.solve_mat(a), true)?;
    for raw in &mut raws {
        if let Some(w) = &mut raw.left {
            let part = |f: fn(&c64) -> f64| lu.solve_transpose(&w.iter().map(f).collect::<Vec<_>>());
            let (re, im) = (part(|z| z.re), part(|z| z.im));
            *w = re.into_iter().zip(im).map(|(re, im)| c64::new(re, im)).collect();
        }
    }
    Ok(raws)
}

/// Eigenvalues of a companion matrix, unknowns taken in the order x_1, v_1, x_2, v_2, ..: the QR iteration deflates a
/// tenth sooner than with x before v.
pub(crate) fn interleaved(a: &Dense, left: bool) -> Result<Vec<Raw>, EigenError> {
    let k = a.nrows() / 2;
    let place = |i: usize| i / 2 + (i % 2) * k;
    let mixed = Dense::from_fn(2 * k, 2 * k, |i, j| a[(place(i), place(j))]);
    let mut raws = standard(&mixed, left)?;
    let unmix = |v: &[c64]| (0..2 * k).map(|i| v[if i < k { 2 * i } else { 2 * (i - k) + 1 }]).collect();
    for raw in &mut raws {
        raw.right = unmix(&raw.right);
        raw.left = raw.left.as_deref().map(unmix);
    }
    Ok(raws)
}

/// Eigenvalues of A; left vectors on demand.
fn standard(a: &Dense, left: bool) -> Result<Vec<Raw>, EigenError> {
    let column = |v: &DenseC, j: usize| v.col_as_slice(j).to_vec();
    let (values, right, left) = match GeneralEigen::new(a, left) {
        Ok(eigen) => (eigen.values, eigen.right, eigen.left),
        Err(AlgebraError::NoConvergence { .. } | AlgebraError::NonFiniteResult { .. }) => {
            let qz = Qz::new(a, &dense::identity(a.nrows()), left)
                .map_err(at("Eigenvalues of the companion matrix"))?;
            let values = qz.alpha.iter().zip(&qz.beta).map(|(alpha, beta)| alpha / beta).collect();
            (values, qz.right, qz.left)
        }
        Err(source) => return Err(at("Eigenvalues of the companion matrix")(source)),
    };
    let kept = (0..values.len()).filter(|&j| values[j].im >= 0.0);
    Ok(kept
        .map(|j| {
            let left = left.as_ref().map(|left| column(left, j));
            Raw::finite(values[j], column(&right, j), left, values[j].im > 0.0)
        })
        .collect())
}
