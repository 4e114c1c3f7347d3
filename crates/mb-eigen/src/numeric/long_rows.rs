//! Which of the rows that depend on each other the others are written in: the long ones.
//!
//! ```text
//! Phi_d = W Phi_k:   every l_k + W^T l_d = y reacts alike,   l_d = W (I + W^T W)^-1 y,   l_k = y - W^T l_d the shortest
//! ```
//!
//! The shortest multipliers give the longest rows most to do. With rows in units of all sizes W has entries of all sizes too where the rows
//! kept are short, and I + W^T W is not definite to rounding. Rows are therefore exchanged until no entry of W is large: each exchange makes
//! the volume of the rows kept larger (Knuth, Linear Algebra Appl. 64, 1985), on W of the rows at length one, which has digits of its
//! own. Sizes: W d x k.

use mb_algebra::Dense;

use crate::tuning;

/// Rows with those that depend on them.
#[derive(Clone, Debug)]
pub(crate) struct LongRows {
    pub(crate) kept: Vec<usize>,
    pub(crate) dropped: Vec<usize>,
    /// Dropped rows in those kept, all at length one, d x k.
    pub(crate) unit: Dense,
}

/// Entry of W from which on an exchange is worth it: one digit.
const LARGE: f64 = 1.0 / tuning::CLEAR;

/// |w| in units as given, of an entry of rows at length one whose lengths are one over `of` and `on`. What rounding leaves of an entry that is
/// zero is none in other units either.
fn size(w: f64, of: f64, on: f64) -> f64 {
    if w.abs() > tuning::SOLVE_ROUNDINGS { w.abs() * (on / of) } else { 0.0 }
}

/// Whether an entry asks for an exchange; `of`, `on`: one over the lengths of the row that depends and of the one kept.
pub(crate) fn is_large(w: f64, of: f64, on: f64) -> bool {
    size(w, of, on) > LARGE
}

impl LongRows {
    /// Exchanges rows until W in units as given has no large entry; `scale`: one over the lengths of all rows.
    pub(crate) fn exchange(&mut self, scale: &[f64]) {
        let (d, k) = self.unit.shape();
        // Every exchange multiplies the volume by ten at least.
        for _ in 0..tuning::STEPS {
            let mut changed = false;
            for j in 0..k {
                let size = |i: usize| size(self.unit[(i, j)], scale[self.dropped[i]], scale[self.kept[j]]);
                let Some(i) = (0..d).max_by(|a, b| size(*a).total_cmp(&size(*b))) else { break };
                if size(i) > LARGE {
                    exchange(&mut self.unit, i, j);
                    std::mem::swap(&mut self.kept[j], &mut self.dropped[i]);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }
}

/// W after row i of those that depend on others and row j of those kept have changed places.
fn exchange(w: &mut Dense, i: usize, j: usize) {
    let pivot = w[(i, j)];
    let column = w.col_as_slice(j).to_vec();
    for q in (0..w.ncols()).filter(|q| *q != j) {
        let by = w[(i, q)] / pivot;
        if by == 0.0 {
            continue;
        }
        w.col_as_slice_mut(q).iter_mut().zip(&column).for_each(|(w, of)| *w -= of * by);
        w[(i, q)] = -by;
    }
    w.col_as_slice_mut(j).iter_mut().for_each(|w| *w /= pivot);
    w[(i, j)] = pivot.recip();
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::dense;

    #[test]
    fn long_rows_are_kept_and_the_others_are_the_same_sums_of_them() {
        // Rows e_1 and e_2 of lengths 1e-9 and 1, and their sum and difference of lengths 1e5 and 1e7.
        let (r, scale) = (0.5_f64.sqrt(), [1e9, 1.0, 1e-5, 1e-7]);
        let rows = dense::from_rows(&[&[1.0, 0.0], &[0.0, 1.0], &[r, r], &[r, -r]]);
        let unit = dense::from_rows(&[&[r, r], &[r, -r]]);
        let mut found = LongRows { kept: vec![0, 1], dropped: vec![2, 3], unit };
        found.exchange(&scale);
        let mut kept = found.kept.clone();
        kept.sort_unstable();
        assert_eq!(kept, [2, 3]);
        for (i, row) in found.dropped.iter().enumerate() {
            for q in 0..2 {
                let sum: f64 =
                    found.kept.iter().enumerate().map(|(j, of)| found.unit[(i, j)] * rows[(*of, q)]).sum();
                assert!((sum - rows[(*row, q)]).abs() < 1e-15);
            }
        }
    }
}
