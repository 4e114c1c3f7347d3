//! Eigenvectors of a real Schur form.

use crate::eigen::quasi_triangular::null_vector;
use crate::{Dense, c64};

/// Pivots below this count as this, in a matrix whose largest entry is about one: their quotients stay in range.
const LEAST: f64 = 1e-100;

/// Vectors x of T x = s x as real columns, a pair as its real and imaginary part side by side, for the values in their order.
pub(super) fn right(t: &Dense, values: &[c64]) -> Dense {
    let n = values.len();
    let starts: Vec<bool> = values.iter().map(|s| s.im > 0.0).collect();
    let mut out = Dense::zeros(n, n);
    for (j, &s) in values.iter().enumerate().filter(|(_, s)| s.im >= 0.0) {
        crate::interrupt::check();
        // A pivot is as small as rounding of its own eigenvalue, not of the largest one: soft motions near stiff ones.
        let least = (f64::EPSILON * s.norm()).max(LEAST);
        let entry = |row: usize, col: usize| {
            let value = c64::new(t[(row, col)], 0.0);
            if row == col { value - s } else { value }
        };
        let x = null_vector(j, &starts, least, entry);
        out.col_as_slice_mut(j).iter_mut().zip(&x).for_each(|(out, x)| *out = x.re);
        if s.im > 0.0 {
            out.col_as_slice_mut(j + 1).iter_mut().zip(&x).for_each(|(out, x)| *out = x.im);
        }
    }
    out
}

/// Vectors y of T^T y = conj(s) y in the same form.
pub(super) fn left(t: &Dense, values: &[c64]) -> Dense {
    let n = values.len();
    // Read backwards, the transpose is upper quasi-triangular, and pairs come in their old order as conjugates.
    let last = n.wrapping_sub(1);
    let mirrored = Dense::from_fn(n, n, |i, j| t[(last - j, last - i)]);
    let reversed: Vec<c64> = values.iter().rev().map(c64::conj).collect();
    let x = right(&mirrored, &reversed);
    let mut out = Dense::zeros(n, n);
    for (j, s) in values.iter().enumerate() {
        // The real part of a pair stands first, as its imaginary part, of other sign, stands second.
        let (from, sign) = match s.im {
            im if im > 0.0 => (last - j - 1, 1.0),
            im if im < 0.0 => (last - j + 1, -1.0),
            _ => (last - j, 1.0),
        };
        let column = x.col_as_slice(from);
        out.col_as_slice_mut(j).iter_mut().zip(column.iter().rev()).for_each(|(out, x)| *out = sign * x);
    }
    out
}
