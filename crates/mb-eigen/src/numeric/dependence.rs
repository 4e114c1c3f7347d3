//! Whether a constraint row is a combination of others as written, or but for rounding of its entries.
//!
//! ```text
//! e = |phi_i - sum_j y_j phi_j| / (|phi_i| + sum_j |y_j| |phi_j|),   rows at length one
//! ```
//!
//! The difference is formed in double-double precision from the rows as written. Where e is more than what the making of entries leaves, no
//! rounding has made the rest, and the row counts as redundant by the tolerance alone. Sizes: phi of length n.

use mb_algebra::norms;

use super::double_double::Twofold;
use crate::tuning;

/// Rest of a row, as a pivot, between which and the tolerance its size says enough.
const SAID: f64 = tuning::SOLVE_ROUNDINGS;

/// Whether the largest rest of rows that were dropped says, or leaves to be looked at, that one of them is none of the others.
pub(crate) fn is_open(largest_dropped: f64, departs: impl FnOnce() -> bool) -> bool {
    largest_dropped > SAID || (largest_dropped > tuning::SUM_ROUNDINGS && departs())
}

/// Whether a row departs from a combination of others beyond rounding of their entries.
///
/// `rows`: of each row its share, with the entries as written: 1 / |phi_i| first, -y_j / |phi_j| behind it; `n`: their length.
pub(crate) fn departs<R>(n: usize, rows: impl Iterator<Item = (f64, R)>, scale: impl Fn(usize) -> f64) -> bool
where
    R: Iterator<Item = (usize, f64)>,
{
    let mut sums = vec![Twofold::default(); n];
    let mut size = 0.0;
    for (place, (share, row)) in rows.enumerate() {
        size += share.abs() / scale(place);
        for (j, v) in row {
            sums[j].add_product(share, v);
        }
    }
    let rest: Vec<f64> = sums.into_iter().map(Twofold::value).collect();
    norms::two(&rest) > tuning::SUM_ROUNDINGS * size
}
