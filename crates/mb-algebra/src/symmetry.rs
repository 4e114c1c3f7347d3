//! Where a matrix fails to be symmetric.

/// A pair of entries that differ although they face each other across the diagonal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asymmetry {
    /// Row of the entry below the diagonal, from 0.
    pub row: usize,
    /// Its column, from 0.
    pub col: usize,
    /// The entry at (`row`, `col`).
    pub a: f64,
    /// The entry at (`col`, `row`).
    pub b: f64,
}

/// The pair (row, col, a, b) with the largest difference, if it exceeds `tolerance`.
pub(crate) fn first_asymmetry(
    pairs: impl Iterator<Item = (usize, usize, f64, f64)>,
    tolerance: f64,
) -> Result<(), Asymmetry> {
    let mut worst = (tolerance, None);
    for (row, col, a, b) in pairs {
        let difference = (a - b).abs();
        if difference > worst.0 || difference.is_nan() {
            worst = (difference, Some(Asymmetry { row, col, a, b }));
        }
    }
    worst.1.map_or(Ok(()), Err)
}
