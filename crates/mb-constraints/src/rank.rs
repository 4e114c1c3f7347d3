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
//!
//! Large models are decided by sparse elimination of the rows that can depend on others at all ([`RowRank`]).

use mb_algebra::{
    AlgebraError, Dense, RankDecision, RankQr, RankTolerance, RowDependence, RowRank, Sparse, Svd, dense,
    norms, sparse,
};
use mb_model::Model;
use std::collections::BTreeMap;

/// Up to this many coordinates and rows in all the rank is decided by dense matrices.
pub const DENSE_RANK_UP_TO: usize = 1000;

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
/// Dense up to [`DENSE_RANK_UP_TO`]: about 2 m^2 n operations. Larger ones by sparse elimination.
///
/// # Errors
/// Entries that are not finite; memory.
pub fn constraint_rank(
    model: &Model,
    q: &[f64],
    t: f64,
    tolerance: RankTolerance,
) -> Result<ConstraintRank, AlgebraError> {
    if model.nv() + model.nc() > DENSE_RANK_UP_TO {
        return sparse_rank(model, &model.phi_q(q, t).to_sparse(), tolerance);
    }
    let scaled = normalized_rows(&model.phi_q(q, t).to_dense());
    let qr = RankQr::new(&scaled, tolerance)?;
    let redundant =
        if qr.rank() < model.nc() { redundant_rows(model, &scaled, tolerance)? } else { Vec::new() };
    Ok(ConstraintRank { velocities: model.nv(), rows: model.nc(), decision: qr.decision(), redundant })
}

/// Pivots of one rank are this much smaller than those of the rank before them, where a Jacobian almost has the lower rank.
const CLEAR_GAP: f64 = 1e-3;

/// The tolerance at which the Jacobian of a mechanism that its constraints do not quite hold, m x n, has the rank that it has where
/// they do.
///
/// A loop that moves against the count of its constraints does so only where it closes. Under penalties it is open by a
/// little, and what depends on other rows there is independent by as much: pivots of the size of the violation, which are none of
/// the mechanism's. Where no clear gap parts them from the others, the default stays, and the counts show it.
///
/// # Errors
/// Entries that are not finite.
pub fn tolerance_of_rank(closed: &Dense, open: &Dense) -> Result<RankTolerance, AlgebraError> {
    let default = RankTolerance::default();
    let decide = |phi_q: &Dense, tolerance: RankTolerance| {
        RankQr::new(&normalized_rows(phi_q), tolerance).map(|qr| qr.decision())
    };
    let rank = decide(closed, default)?.rank;
    let mut at = decide(open, default)?;
    while let (true, Some(least)) = (at.rank > rank, at.smallest_kept) {
        // Rows of length one: the largest pivot is one.
        at = decide(open, RankTolerance { relative: least * (1.0 + 1e-6) })?;
    }
    let between = at.smallest_kept.zip(at.largest_dropped).map(|(kept, dropped)| (kept * dropped).sqrt());
    Ok(match between {
        Some(relative) if at.rank == rank && at.gap() < CLEAR_GAP && relative > default.relative => {
            RankTolerance { relative }
        }
        _ => default,
    })
}

/// The rank of a large Jacobian.
fn sparse_rank(
    model: &Model,
    phi_q: &Sparse,
    tolerance: RankTolerance,
) -> Result<ConstraintRank, AlgebraError> {
    let (rows, velocities) = phi_q.shape();
    let found = RowRank::new(&unit_rows(phi_q).0, tolerance)?;
    let name = |i: usize| model.row_name(i);
    let redundant = in_order(&found.dependences)
        .into_iter()
        .map(|(row, others)| RedundantRow {
            row,
            name: name(row),
            depends_on: others.into_iter().map(name).collect(),
        })
        .collect();
    let rank = rows - found.dependences.len();
    let decision = RankDecision {
        rank,
        smallest_kept: (rank > 0).then_some(found.smallest_kept),
        largest_dropped: (rank < rows).then_some(found.largest_dropped),
    };
    Ok(ConstraintRank { velocities, rows, decision, redundant })
}

/// The rows of Phi_q with length one, and by which factor each was scaled: one over its length, zero where the row is zero here.
pub fn unit_rows(phi_q: &Sparse) -> (Sparse, Vec<f64>) {
    let mut squares = vec![0.0; phi_q.rows()];
    for (v, (i, _)) in phi_q {
        squares[i] += v * v;
    }
    let longest = norms::max_abs_vec(&squares).sqrt();
    let scale = |s: &f64| if s.sqrt() > STATIONARY * longest { s.sqrt().recip() } else { 0.0 };
    let scales: Vec<f64> = squares.iter().map(scale).collect();
    (sparse::mul(&sparse::diagonal(&scales), phi_q), scales)
}

/// Indices of the rows of Phi_q that do not follow from the others, in their order.
///
/// # Errors
/// Entries that are not finite.
pub fn independent_rows(phi_q: &Sparse) -> Result<Vec<usize>, AlgebraError> {
    let dependences = RowRank::new(&unit_rows(phi_q).0, RankTolerance::default())?.dependences;
    let mut dependent = dependences.into_iter().map(|d| d.row).peekable();
    Ok((0..phi_q.rows()).filter(|i| dependent.next_if_eq(i).is_none()).collect())
}

/// Of every combination of rows that vanishes the last row that no other combination names, with the rows it depends
/// on: elimination from the last row on.
fn in_order(found: &[RowDependence]) -> Vec<(usize, Vec<usize>)> {
    const SMALL: f64 = 1e-6;
    let mut reduced: Vec<(usize, BTreeMap<usize, f64>)> = Vec::new();
    // By pivot the combination that has it; by row the combinations that name it, some of them no longer.
    let mut of_pivot: BTreeMap<usize, usize> = BTreeMap::new();
    let mut naming: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for r in found {
        let mut own: BTreeMap<usize, f64> = r.combination.iter().map(|(k, by)| (*k, -by)).collect();
        own.insert(r.row, 1.0);
        // A combination names no other's pivot, so that one pass removes them all.
        let known: Vec<(usize, usize)> =
            own.keys().filter_map(|k| of_pivot.get(k).map(|at| (*k, *at))).collect();
        for (pivot, at) in known {
            subtract(&mut own, &reduced[at].1, pivot);
        }
        let largest = own.values().fold(0.0_f64, |a, y| a.max(y.abs()));
        own.retain(|_, y| y.abs() > SMALL * largest);
        let Some((&pivot, &by)) = own.last_key_value() else { continue };
        for y in own.values_mut() {
            *y /= by;
        }
        let mut namers = naming.remove(&pivot).unwrap_or_default();
        namers.retain(|at| subtract(&mut reduced[*at].1, &own, pivot));
        namers.push(reduced.len());
        for k in own.keys().filter(|k| **k != pivot) {
            naming.entry(*k).or_default().extend(&namers);
        }
        of_pivot.insert(pivot, reduced.len());
        reduced.push((pivot, own));
    }
    let mut out: Vec<(usize, Vec<usize>)> = reduced
        .into_iter()
        .map(|(pivot, own)| {
            let others = own.iter().filter(|(k, y)| **k != pivot && y.abs() > SMALL).map(|(k, _)| *k);
            (pivot, others.collect())
        })
        .collect();
    out.sort_unstable();
    out
}

/// Takes row `pivot`, which `by` has with the coefficient one, out of a combination; whether it was there.
fn subtract(from: &mut BTreeMap<usize, f64>, by: &BTreeMap<usize, f64>, pivot: usize) -> bool {
    let Some(share) = from.remove(&pivot) else { return false };
    for (k, y) in by.iter().filter(|(k, _)| **k != pivot) {
        *from.entry(*k).or_insert(0.0) -= share * y;
    }
    true
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_depends_on_another_but_for_a_violation_adds_no_rank() {
        let rows = |off: f64| dense::from_rows(&[&[3.0, 0.0, 0.0], &[0.0, 1.0, 1.0], &[6.0, off, 0.0]]);
        let rank = |off: f64| {
            let tolerance = tolerance_of_rank(&rows(0.0), &rows(off)).unwrap();
            RankQr::new(&normalized_rows(&rows(off)), tolerance).unwrap().rank()
        };
        assert_eq!([0.0, 1e-12, 1e-7, 1e-4].map(rank), [2; 4]);
        // No gap distinguishes a violation from another mechanism.
        assert_eq!(rank(0.1), 3);
    }

    #[test]
    fn the_last_rows_of_combinations_are_named_each_once() {
        let of = |row, combination: &[(usize, f64)]| RowDependence { row, combination: combination.to_vec() };
        // 0 + 1 = 5 and 2 = 5: rows 5 and 2, or 5 and 1.
        let found = [of(0, &[(1, -1.0), (5, 1.0)]), of(2, &[(5, 1.0)])];
        let named = in_order(&found);
        assert_eq!(named, [(2, vec![0, 1]), (5, vec![0, 1])]);
    }
}
