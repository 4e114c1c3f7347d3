//! Entries of a linearization that are nothing compared with the others.
//!
//! Newton's method leaves 1e-80 in coordinates that are zero, and their products are entries of 1e-160. Compared with entries of
//! ordinary size they have no effect, but scalings by rows and columns bring them to the front, and squares of them leave the
//! range of numbers: eigenvalues of such matrices were wrong in the first digit. An entry x of a matrix X is zero where
//!
//! ```text
//! |x| < 1e-60 max |X|
//! ```
//!
//! which is 44 digits below the rounding of the largest, so that no error bound depends on it; cubes of what is left are numbers.

use mb_algebra::{Dense, Scatter, Sparse, Triplets, norms};

/// Share of the largest entry below which an entry is zero.
const NOTHING: f64 = 1e-60;

/// The matrix without such entries.
pub(crate) fn dense(mut x: Dense) -> Dense {
    let least = NOTHING * norms::max_abs(&x);
    for j in 0..x.ncols() {
        for i in 0..x.nrows() {
            // A NaN stays.
            if x[(i, j)].abs() < least {
                x[(i, j)] = 0.0;
            }
        }
    }
    x
}

/// The largest and the smallest magnitude of entries that are not zero.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extremes(Option<(f64, f64)>);

impl Extremes {
    /// Takes more entries in.
    pub(crate) fn add(&mut self, x: &Sparse) {
        for value in x.data().iter().map(|x| x.abs()).filter(|x| *x != 0.0) {
            let (largest, smallest) = self.0.unwrap_or((value, value));
            self.0 = Some((largest.max(value), smallest.min(value)));
        }
    }

    /// Whether there are entries that are nothing beside the largest.
    pub(crate) fn hold_nothing(&self) -> bool {
        self.0.is_some_and(|(largest, smallest)| smallest < NOTHING * largest)
    }
}

/// The matrix without such entries; the same pattern where there are none.
pub(crate) fn sparse(x: Sparse) -> Sparse {
    let least = NOTHING * x.data().iter().fold(0.0_f64, |a, x| a.max(x.abs()));
    let nothing = |value: f64| value != 0.0 && value.abs() < least;
    if !x.data().iter().any(|value| nothing(*value)) {
        return x;
    }
    let mut out = Triplets::with_capacity(x.rows(), x.cols(), x.nnz());
    for (value, (i, j)) in &x {
        if !nothing(*value) {
            out.add(i, j, *value);
        }
    }
    out.to_sparse()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_dropped_beside_the_largest_and_not_by_their_size() {
        let rows = [[1.0, 1e-80], [0.0, 1e-40]];
        let whole = Dense::from_fn(2, 2, |i, j| rows[i][j]);
        let small = Dense::from_fn(2, 2, |i, j| 1e-90 * rows[i][j]);
        for (x, unit) in [(whole, 1.0), (small, 1e-90)] {
            let mut triplets = Triplets::new(2, 2);
            for i in 0..2 {
                for j in 0..2 {
                    triplets.add(i, j, x[(i, j)]);
                }
            }
            let thin = sparse(triplets.to_sparse());
            let full = dense(x.clone());
            for i in 0..2 {
                for j in 0..2 {
                    let expected = if (i, j) == (0, 1) { 0.0 } else { unit * rows[i][j] };
                    assert_eq!(full[(i, j)].to_bits(), expected.to_bits(), "{i} {j}");
                    let kept = thin.get(i, j).copied().unwrap_or(0.0);
                    assert_eq!(kept.to_bits(), expected.to_bits(), "{i} {j}");
                }
            }
        }
    }
}
