//! Rank of the constraint Jacobian, and redundant constraints by name.
//!
//! ```text
//! r = rank Phi_q,   dof = n - r,   m - r redundant rows
//! ```
//!
//! Rows may be in different units, so each is scaled to length one before the decision; a row
//! far shorter than the others (a constraint that is stationary here, as at some singular
//! configurations) counts as zero. The rank comes from QR with pivoting; the redundant rows
//! are then the ones that depend on rows before them, in the order of the model, so that the
//! constraint a user added last is the one that is named.

use mb_algebra::{AlgebraError, Dense, RankDecision, RankQr, RankTolerance, Svd, dense, norms};
use mb_model::Model;

/// A row shorter than this times the longest row counts as zero.
const STATIONARY: f64 = 1e-10;

/// A constraint row that depends on others.
#[derive(Clone, Debug, PartialEq)]
pub struct RedundantRow {
    /// Index of the row.
    pub row: usize,
    /// Owner and axis.
    pub name: String,
    /// The rows it is a combination of; empty when the row itself is zero here.
    pub depends_on: Vec<String>,
}

/// What the constraint Jacobian says about a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct ConstraintRank {
    /// Number of velocities n.
    pub velocities: usize,
    /// Number of constraint rows m.
    pub rows: usize,
    /// Rank r, with the pivots on both sides of the cut.
    pub decision: RankDecision,
    /// The m - r rows that add nothing.
    pub redundant: Vec<RedundantRow>,
}

impl ConstraintRank {
    /// Rank r of Phi_q.
    pub fn rank(&self) -> usize {
        self.decision.rank
    }
    /// Instantaneous degrees of freedom n - r.
    pub fn degrees_of_freedom(&self) -> usize {
        self.velocities - self.decision.rank
    }
}

/// Rows of Phi_q scaled to length one; rows that are zero here stay zero.
pub fn normalized_rows(phi_q: &Dense) -> Dense {
    let mut out = phi_q.clone();
    let lengths: Vec<f64> = (0..phi_q.nrows()).map(|i| norms::two(&dense::row(phi_q, i))).collect();
    let longest = norms::max_abs_vec(&lengths);
    for (i, length) in lengths.into_iter().enumerate() {
        let factor = if length > STATIONARY * longest { 1.0 / length } else { 0.0 };
        for j in 0..phi_q.ncols() {
            out[(i, j)] *= factor;
        }
    }
    out
}

/// Decides the rank of Phi_q at `q` and names the redundant rows.
///
/// Dense: about 2 m^2 n operations.
///
/// # Errors
/// Entries that are not finite.
pub fn constraint_rank(
    model: &Model,
    q: &[f64],
    t: f64,
    tolerance: RankTolerance,
) -> Result<ConstraintRank, AlgebraError> {
    let scaled = normalized_rows(&model.phi_q(q, t).to_dense());
    let qr = RankQr::new(&scaled, tolerance)?;
    let redundant =
        if qr.rank() < model.nc() { redundant_rows(model, &scaled, tolerance)? } else { Vec::new() };
    Ok(ConstraintRank { velocities: model.nv(), rows: model.nc(), decision: qr.decision(), redundant })
}

/// The rows that depend on rows before them.
fn redundant_rows(
    model: &Model,
    scaled: &Dense,
    tolerance: RankTolerance,
) -> Result<Vec<RedundantRow>, AlgebraError> {
    let n = scaled.ncols();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut kept: Vec<usize> = Vec::new();
    let mut out = Vec::new();
    for i in 0..scaled.nrows() {
        let row = dense::row(scaled, i);
        let mut rest = row.clone();
        // Twice is enough for orthogonality to rounding.
        for _ in 0..2 {
            for b in &basis {
                let along = dense::dot(b, &rest);
                rest.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
            }
        }
        let length = norms::two(&rest);
        if length > tolerance.relative {
            for x in &mut rest {
                *x /= length;
            }
            basis.push(rest);
            kept.push(i);
            continue;
        }
        let zero = norms::max_abs_vec(&row) == 0.0;
        let depends_on = if zero || kept.is_empty() {
            Vec::new()
        } else {
            let rows: Vec<Vec<f64>> = kept.iter().map(|k| dense::row(scaled, *k)).collect();
            let weights = Svd::new(&dense::from_columns(n, &rows))?.min_norm_solve(&row, tolerance);
            let largest = norms::max_abs_vec(&weights);
            let matters = kept.iter().zip(&weights).filter(|(_, w)| w.abs() > 1e-6 * largest);
            matters.map(|(k, _)| model.row_name(*k)).collect()
        };
        out.push(RedundantRow { row: i, name: model.row_name(i), depends_on });
    }
    Ok(out)
}
