//! Rank of a large matrix by rows, and the rows that follow from others.
//!
//! A row with an unknown that no other remaining row touches is independent of those; taking such rows away one
//! after the other (they cannot be part of any dependence) leaves a core that is small or empty in mechanisms
//! without redundancy. The core falls into connected parts. Small parts are decided by dense QR with pivoting,
//! large ones by elimination (module `elimination`). The work is that of reading the entries where the core is empty, and of the
//! elimination of the core alone where it is not.

mod elimination;

pub use elimination::RowElimination;

use crate::{AlgebraError, Dense, RankQr, RankTolerance, Sparse, sparse};

/// Share of a row's length an entry must have to make its row independent of the others.
const PEEL: f64 = 1e-2;
/// Rest of a row kept, relative to its length, below which the rows before it are said to nearly give it: complements of Schur, in
/// which rests come squared, then lose six of sixteen digits.
const NEARLY: f64 = 1e-3;
/// Parts of up to this many entries are decided densely.
const DENSE_PART: usize = 300_000;

/// A row that follows from others.
#[derive(Clone, Debug, PartialEq)]
pub struct RowDependence {
    /// Its index.
    pub row: usize,
    /// row = sum of coefficient times kept row: index and coefficient of each.
    pub combination: Vec<(usize, f64)>,
}

/// The rows of a matrix that follow from the others, with both sides of the decision.
#[derive(Clone, Debug)]
pub struct RowRank {
    /// The rows that follow, in their order; all others are independent.
    pub dependences: Vec<RowDependence>,
    /// Rows kept that nearly follow from those kept before them, in that order: a row less its combination is a small rest.
    pub nearly: Vec<RowDependence>,
    /// Smallest rest of a row kept after those kept before it; rows have length one, and so has the rest of one that no
    /// elimination was needed for.
    pub smallest_kept: f64,
    /// Largest rest of a row that follows.
    pub largest_dropped: f64,
}

impl RowRank {
    /// Decides on an m x n matrix whose rows have length one or are zero; `tolerance`: the rest of a row that follows from
    /// others, relative to its length.
    ///
    /// # Errors
    /// Entries that are not finite.
    pub fn new(unit: &Sparse, tolerance: RankTolerance) -> Result<Self, AlgebraError> {
        let by_rows;
        let unit = if unit.is_csr() {
            unit
        } else {
            by_rows = unit.to_csr();
            &by_rows
        };
        let (dependences, nearly) = (Vec::new(), Vec::new());
        let mut out = Self { dependences, nearly, smallest_kept: 1.0, largest_dropped: 0.0 };
        for part in parts(unit) {
            out.decide(unit, &part, tolerance)?;
        }
        out.dependences.sort_by_key(|dependence| dependence.row);
        Ok(out)
    }

    fn decide(
        &mut self,
        unit: &Sparse,
        part: &[usize],
        tolerance: RankTolerance,
    ) -> Result<(), AlgebraError> {
        let rows = sparse::select_rows(unit, part);
        let mut columns: Vec<usize> = rows.indices().to_vec();
        columns.sort_unstable();
        columns.dedup();
        if part.len() * columns.len() <= DENSE_PART {
            return self.decide_dense(part, &rows, &columns, tolerance);
        }
        let Some(found) = RowElimination::new(&rows, tolerance.relative, usize::MAX) else { return Ok(()) };
        self.saw(Some(found.smallest_kept), Some(found.largest_dropped));
        let of_all = |dependence: RowDependence| RowDependence {
            row: part[dependence.row],
            combination: dependence.combination.into_iter().map(|(row, by)| (part[row], by)).collect(),
        };
        self.dependences.extend(found.dependences().map(of_all));
        self.nearly.extend(found.nearly().map(of_all));
        Ok(())
    }

    fn decide_dense(
        &mut self,
        part: &[usize],
        rows: &Sparse,
        columns: &[usize],
        tolerance: RankTolerance,
    ) -> Result<(), AlgebraError> {
        let mut a = Dense::zeros(part.len(), columns.len());
        for (i, row) in rows.outer_iterator().enumerate() {
            for (j, v) in row.iter() {
                a[(i, columns.binary_search(&j).unwrap_or(0))] = *v;
            }
        }
        let qr = RankQr::new(&a, tolerance)?;
        let decision = qr.decision();
        self.saw(decision.smallest_kept, decision.largest_dropped);
        let (picked, dropped) = qr.pivots().split_at(qr.rank());
        let w = qr.dependence();
        let rests = qr.pivot_magnitudes();
        let nearly = (1..picked.len()).filter(|&i| rests[i] < NEARLY * rests[0]);
        self.nearly.extend(nearly.map(|i| RowDependence {
            row: part[picked[i]],
            combination: picked.iter().zip(qr.earlier_rows(i)).map(|(&row, by)| (part[row], by)).collect(),
        }));
        for (d, &row) in dropped.iter().enumerate() {
            let combination = picked.iter().enumerate().map(|(i, &row)| (part[row], w[(d, i)]));
            self.dependences.push(RowDependence { row: part[row], combination: combination.collect() });
        }
        Ok(())
    }

    fn saw(&mut self, kept: Option<f64>, dropped: Option<f64>) {
        self.smallest_kept = kept.map_or(self.smallest_kept, |x| x.min(self.smallest_kept));
        self.largest_dropped = dropped.map_or(self.largest_dropped, |x| x.max(self.largest_dropped));
    }
}

/// Connected parts of the core.
fn parts(unit: &Sparse) -> Vec<Vec<usize>> {
    let (m, n) = unit.shape();
    let by_column = unit.to_csc();
    let mut touching: Vec<usize> =
        by_column.outer_iterator().map(|c| c.data().iter().filter(|v| **v != 0.0).count()).collect();
    let mut present = vec![true; m];
    let mut lonely: Vec<usize> = (0..n).filter(|&j| touching[j] == 1).collect();
    while let Some(column) = lonely.pop() {
        let Some(entries) = by_column.outer_view(column) else { continue };
        let Some((row, value)) = entries.iter().find(|(row, v)| present[*row] && **v != 0.0) else {
            continue;
        };
        if value.abs() < PEEL {
            continue;
        }
        present[row] = false;
        let Some(row) = unit.outer_view(row) else { continue };
        for (column, _) in row.iter().filter(|(_, v)| **v != 0.0) {
            touching[column] -= 1;
            if touching[column] == 1 {
                lonely.push(column);
            }
        }
    }
    let mut parts = Vec::new();
    for first in 0..m {
        if !present[first] {
            continue;
        }
        present[first] = false;
        let mut part = vec![first];
        let mut next = 0;
        while next < part.len() {
            if let Some(row) = unit.outer_view(part[next]) {
                for (column, _) in row.iter().filter(|(_, v)| **v != 0.0) {
                    // The rows of a column are all found with the first of them.
                    if std::mem::take(&mut touching[column]) == 0 {
                        continue;
                    }
                    let Some(entries) = by_column.outer_view(column) else { continue };
                    for (other, _) in entries.iter().filter(|(_, v)| **v != 0.0) {
                        if present[other] {
                            present[other] = false;
                            part.push(other);
                        }
                    }
                }
            }
            next += 1;
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}
