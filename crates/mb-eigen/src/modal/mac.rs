//! Likeness of mode shapes, and which mode of one analysis is which of another.
//!
//! ```text
//! MAC_ij = |a_i^H W b_j|^2 / ((a_i^H W a_i) (b_j^H W b_j)),    W = I, or M for the mass-weighted one
//! ```
//!
//! Allemang and Brown, Proc. 1st IMAC, 1982. One for parallel shapes, zero for W-orthogonal ones, whatever their length
//! and phase. W symmetric and positive semi-definite; zero for a shape without W-length. The identity weighs metres and
//! radians alike: take M where coordinates have different units.

use mb_algebra::{Dense, Sparse, c64, sparse};
use serde::{Deserialize, Serialize};

use crate::numeric::vectors::inner;
use crate::pairing;
use crate::{EigenError, Eigenpair, tuning};

/// What decides that two modes are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatchBy {
    /// The smallest sum of distances |s_a - s_b|: the same problem analysed twice.
    #[default]
    Value,
    /// The largest sum of MAC: a changed problem, whose modes may have changed places.
    Shape,
}

/// Two modes that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModeMatch {
    /// Index into the first list.
    pub a: usize,
    /// Index into the second list.
    pub b: usize,
    /// |s_a - s_b|, rad/s; 0 between infinite eigenvalues, infinite between such a one and a finite one.
    pub distance: f64,
    /// MAC of their shapes.
    pub mac: f64,
}

/// MAC of all shapes of one list with all of another; a.len() x b.len().
///
/// `weight`: n x n, or none for the identity. Errors: shapes or weight of different sizes.
pub fn mac_matrix(a: &[Eigenpair], b: &[Eigenpair], weight: Option<&Sparse>) -> Result<Dense, EigenError> {
    let n = a.iter().chain(b).map(|pair| pair.right.len()).next().unwrap_or(0);
    for length in a.iter().chain(b).map(|pair| pair.right.len()) {
        if length != n {
            let name = "a mode shape".to_owned();
            return Err(EigenError::DirectionLength { name, length, size: n });
        }
    }
    if let Some(weight) = weight.filter(|_| n > 0) {
        crate::problem::matrix::check("W", weight, n, n)?;
    }
    let weighted = |x: &[c64]| weight.map_or_else(|| x.to_vec(), |w| sparse::matvec_complex(w, x));
    let images: Vec<Vec<c64>> = b.iter().map(|pair| weighted(&pair.right)).collect();
    let own: Vec<f64> = a.iter().map(|pair| inner(&pair.right, &weighted(&pair.right)).re).collect();
    let other: Vec<f64> = b.iter().zip(&images).map(|(pair, image)| inner(&pair.right, image).re).collect();
    Ok(Dense::from_fn(a.len(), b.len(), |i, j| {
        let lengths = own[i] * other[j];
        if lengths > 0.0 { (inner(&a[i].right, &images[j]).norm_sqr() / lengths).min(1.0) } else { 0.0 }
    }))
}

/// Matches two lists one to one by assignment; min(|a|, |b|) matches, ordered by the first index. Errors as [`mac_matrix`].
pub fn match_modes(
    a: &[Eigenpair],
    b: &[Eigenpair],
    by: MatchBy,
    weight: Option<&Sparse>,
) -> Result<Vec<ModeMatch>, EigenError> {
    let mac = mac_matrix(a, b, weight)?;
    let distance = |i: usize, j: usize| match (a[i].value(), b[j].value()) {
        (Some(s), Some(t)) => (s - t).norm(),
        (None, None) => 0.0,
        _ => f64::INFINITY,
    };
    let indices: Vec<(usize, usize)> = match by {
        MatchBy::Value => pairing::match_spectra(a, b).into_iter().map(|(i, j, _)| (i, j)).collect(),
        MatchBy::Shape => {
            let cost = |i: usize, j: usize| {
                let size = a[i].value().map_or(0.0, c64::norm) + b[j].value().map_or(0.0, c64::norm);
                let apart = distance(i, j).min(size.max(f64::MIN_POSITIVE)) / size.max(f64::MIN_POSITIVE);
                // Share of the value in the cost of an assignment by shape: enough to distinguish conjugates.
                1.0 - mac[(i, j)] + tuning::CBRT_EPS * apart
            };
            pairing::assign_by(a.len(), b.len(), cost)
        }
    };
    Ok(indices
        .into_iter()
        .map(|(a, b)| ModeMatch { a, b, distance: distance(a, b), mac: mac[(a, b)] })
        .collect())
}
