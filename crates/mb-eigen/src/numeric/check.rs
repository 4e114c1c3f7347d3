//! Shapes, entries and symmetry of the input.

use mb_algebra::{Dense, QuadraticPencil, dense};

use crate::EigenError;
use crate::tuning;

/// Checks that M, C, K are n x n, Phi_q is m x n, n > 0, and everything is finite.
pub(crate) fn quadratic(pencil: &QuadraticPencil) -> Result<(), EigenError> {
    let n = pencil.m.nrows();
    if n == 0 {
        return Err(EigenError::Empty);
    }
    matrix("M", &pencil.m, n, n)?;
    matrix("C", &pencil.c, n, n)?;
    matrix("K", &pencil.k, n, n)?;
    matrix("Phi_q", &pencil.phi_q, pencil.phi_q.nrows(), n)
}

/// Checks one matrix.
pub(crate) fn matrix(name: &'static str, a: &Dense, rows: usize, cols: usize) -> Result<(), EigenError> {
    entries(name, [a.shape(), (rows, cols)], || dense::first_non_finite(a))
}

/// Checks the shape of a matrix and that it has no entry (row, column, value) that is not finite.
pub(crate) fn entries(
    matrix: &'static str,
    [(rows, cols), (expected_rows, expected_cols)]: [(usize, usize); 2],
    first_non_finite: impl FnOnce() -> Option<(usize, usize, f64)>,
) -> Result<(), EigenError> {
    if (rows, cols) != (expected_rows, expected_cols) {
        return Err(EigenError::Shape { matrix, rows, cols, expected_rows, expected_cols });
    }
    match first_non_finite() {
        Some((row, col, value)) => Err(EigenError::NonFinite { matrix, row, col, value }),
        None => Ok(()),
    }
}

/// Asymmetry of entries that is rounding of their assembly, as of sparse matrices ([`mb_algebra::sparse::is_symmetric_to_rounding`]).
const ASSEMBLY: f64 = 8.0 * f64::EPSILON;

/// The largest |a_ij - a_ji| over the size of these entries and sqrt(|a_ii a_jj|); differences that cancellation of larger entries of the
/// rows i and j may have left do not count.
///
/// By the entries, not by the norm: circulatory forces of a soft part compared with a stiff one are no rounding. A n x n.
pub(crate) fn asymmetry(a: &Dense) -> f64 {
    if dense::is_its_transpose(a) {
        return 0.0;
    }
    let n = a.nrows();
    let diagonal: Vec<f64> = (0..n).map(|i| a[(i, i)].abs().sqrt()).collect();
    let every = (0..n).flat_map(|j| a.col_as_slice(j).iter().enumerate().map(move |(i, v)| (i, j, *v)));
    let rounding = Rounding::new(n, every);
    let mut largest = 0.0_f64;
    for j in 0..n {
        for i in j + 1..n {
            let (below, above) = (a[(i, j)], a[(j, i)]);
            let difference = (below - above).abs();
            if difference > rounding.of(i, j) {
                let size = below.abs().max(above.abs()).max(diagonal[i] * diagonal[j]);
                largest = largest.max(difference / size);
            }
        }
    }
    largest
}

/// What rounding leaves of an entry, of the largest terms that meet in its row or in its column, those of a direction cosine that is zero among
/// them:
///
/// ```text
/// 64 u max(L_i, L_j),   L_i = largest |a_ik| and |a_ki|;   where nothing else is in both, squares of rounding of the largest entry
/// ```
pub(crate) struct Rounding {
    lines: Vec<f64>,
    least: f64,
}

impl Rounding {
    /// `entries`: row, column and value of each; n x n.
    pub(crate) fn new(n: usize, entries: impl Iterator<Item = (usize, usize, f64)>) -> Self {
        let mut lines = vec![0.0_f64; n];
        for (i, j, v) in entries {
            lines[i] = lines[i].max(v.abs());
            lines[j] = lines[j].max(v.abs());
        }
        let least = tuning::NOISE * lines.iter().copied().fold(0.0, f64::max);
        Self { lines, least }
    }

    pub(crate) fn of(&self, i: usize, j: usize) -> f64 {
        (tuning::MANY_ROUNDINGS * self.lines[i].max(self.lines[j])).max(self.least)
    }
}

/// Whether A differs from A^T by nothing but rounding of its assembly, entry by entry.
pub(crate) fn is_symmetric_to_rounding(a: &Dense) -> bool {
    a.nrows() == a.ncols() && asymmetry(a) <= ASSEMBLY
}
