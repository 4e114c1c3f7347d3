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
    let n = a.nrows();
    let diagonal: Vec<f64> = (0..n).map(|i| a[(i, i)].abs().sqrt()).collect();
    let every = || (0..n).flat_map(|j| a.col_as_slice(j).iter().enumerate().map(move |(i, v)| (i, j, *v)));
    let rounding = Rounding::new(&diagonal, every);
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

/// What rounding leaves of an entry in which larger terms of its row and of its column cancel, in whatever units:
///
/// ```text
/// e_i = |a_ii|^(-1/2),   L_i = largest |e_i a_ik e_k|,   64 u (L_i L_j)^(1/2) / (e_i e_j)
/// ```
pub(crate) struct Rounding(Vec<f64>);

impl Rounding {
    /// `roots`: square roots of the diagonal; `entries`: row, column and value of each, as often as asked for.
    pub(crate) fn new<I: Iterator<Item = (usize, usize, f64)>>(
        roots: &[f64],
        entries: impl Fn() -> I,
    ) -> Self {
        // A coordinate without a diagonal entry is as large as what ties it to others.
        let mut sizes = roots.to_vec();
        for (i, j, v) in entries() {
            for (own, other) in [(i, j), (j, i)] {
                if roots[own] == 0.0 && roots[other] > 0.0 {
                    sizes[own] = sizes[own].max(v.abs() / roots[other]);
                }
            }
        }
        sizes.iter_mut().filter(|size| **size == 0.0).for_each(|size| *size = 1.0);
        let mut lines = vec![0.0_f64; sizes.len()];
        for (i, j, v) in entries() {
            let size = v.abs() / sizes[i] / sizes[j];
            lines[i] = lines[i].max(size);
            lines[j] = lines[j].max(size);
        }
        Self(lines.iter().zip(&sizes).map(|(line, size)| line.sqrt() * size).collect())
    }

    pub(crate) fn of(&self, i: usize, j: usize) -> f64 {
        tuning::MANY_ROUNDINGS * self.0[i] * self.0[j]
    }
}

/// Whether A differs from A^T by nothing but rounding of its assembly, entry by entry.
pub(crate) fn is_symmetric_to_rounding(a: &Dense) -> bool {
    asymmetry(a) <= ASSEMBLY
}
