//! C = F J F^T with J = diag(+-1), for a symmetric matrix of low rank.
//!
//! Elimination with complete pivoting finds the columns that span C, an orthonormal basis Q of them leaves Q^T C Q, whose
//! eigenvectors and eigenvalues give F. Sizes: C k x k, F k x p. Costs O(k^2 p). Refused where what is left
//! exceeds rounding after the p allowed.

use mb_algebra::{Dense, RankQr, RankTolerance, SymmetricEigen, dense, norms};

use crate::EigenError;
use crate::error::at;
use crate::tuning;

/// The factors.
#[derive(Clone, Debug)]
pub(super) struct LowRank {
    /// k x p.
    pub(super) f: Dense,
    /// +-1, p of them.
    pub(super) signs: Vec<f64>,
}

/// Factors C, whose entries hold roundings of numbers of the given size, when its rank is at most `most`.
pub(super) fn factor(c: &Dense, size: f64, most: usize) -> Result<Option<LowRank>, EigenError> {
    // What elimination may leave of C, relative to the size of what C was computed from.
    if norms::max_abs(c) <= tuning::MANY_ROUNDINGS * size {
        return Ok(Some(LowRank { f: Dense::zeros(c.nrows(), 0), signs: Vec::new() }));
    }
    let Some(picked) = spanning(c, most, tuning::MANY_ROUNDINGS * size) else { return Ok(None) };
    let step = at("Factors of the damping matrix");
    let columns = dense::select_columns(c, &picked);
    let qr = RankQr::new(&dense::transpose(&columns), RankTolerance { relative: 0.0 }).map_err(&step)?;
    let q = qr.row_space();
    let within = dense::symmetric_part(&dense::mul_transpose(&q, &dense::mul(c, &q)));
    let eigen = SymmetricEigen::new(&within).map_err(&step)?;
    let kept: Vec<usize> =
        (0..eigen.values.len()).filter(|&j| eigen.values[j].abs() > tuning::MANY_ROUNDINGS * size).collect();
    let signs: Vec<f64> = kept.iter().map(|&j| eigen.values[j].signum()).collect();
    let scale: Vec<f64> = kept.iter().map(|&j| eigen.values[j].abs().sqrt()).collect();
    let vectors = dense::select_columns(&eigen.vectors, &kept);
    let f = dense::mul(&q, &dense::mul(&vectors, &dense::diagonal(&scale)));
    let signed = dense::mul(&f, &dense::diagonal(&signs));
    let rest = dense::add(1.0, c, -1.0, &dense::mul(&signed, &dense::transpose(&f)));
    // The basis adds a few roundings of its own.
    Ok((norms::max_abs(&rest) <= tuning::SOLVE_ROUNDINGS * size).then_some(LowRank { f, signs }))
}

/// Columns that span C up to `left`, at most `most`.
fn spanning(c: &Dense, most: usize, left: f64) -> Option<Vec<usize>> {
    let k = c.nrows();
    let mut rest = c.clone();
    let mut picked = Vec::new();
    loop {
        let (mut row, mut col, mut largest) = (0, 0, 0.0);
        for j in 0..k {
            for (i, v) in rest.col_as_slice(j).iter().enumerate() {
                if v.abs() > largest {
                    (row, col, largest) = (i, j, v.abs());
                }
            }
        }
        if largest <= left {
            return Some(picked);
        }
        if picked.len() == most {
            return None;
        }
        picked.push(col);
        let pivot = rest[(row, col)];
        let column = rest.col_as_slice(col).to_vec();
        for j in 0..k {
            let factor = rest[(row, j)] / pivot;
            if factor != 0.0 {
                rest.col_as_slice_mut(j).iter_mut().zip(&column).for_each(|(v, c)| *v -= factor * c);
            }
        }
        // What elimination has removed is zero, whatever rounding left.
        rest.col_as_slice_mut(col).fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dampers_of_either_sign_are_found_and_full_rank_refused() {
        let k = 12;
        let c = Dense::from_fn(k, k, |i, j| {
            let (a, b) = (|i: usize| (i % 5) as f64 - 1.0, |i: usize| 1.0 / (1 + i) as f64);
            a(i) * a(j) * 3.0 - b(i) * b(j)
        });
        let found = factor(&c, 27.0, 4).unwrap().unwrap();
        let mut signs = found.signs.clone();
        signs.sort_by(f64::total_cmp);
        assert_eq!(signs, [-1.0, 1.0]);
        let signed = dense::mul(&found.f, &dense::diagonal(&found.signs));
        let rest = dense::add(1.0, &c, -1.0, &dense::mul(&signed, &dense::transpose(&found.f)));
        assert!(norms::max_abs(&rest) < 1e-14);
        assert!(factor(&dense::identity(k), 1.0, 4).unwrap().is_none());
        assert!(factor(&dense::zeros(k, k), 1.0, 4).unwrap().unwrap().signs.is_empty());
    }
}
