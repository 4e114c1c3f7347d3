//! Which rows of a sparse matrix follow from others: elimination of rows with the pivots of their largest entries.
//!
//! ```text
//! row_i = sum_k m_k u_k + rest,   u_k = row_p(k) - sum_(j < k) m_j u_j   a row kept, zero at the pivot columns of those before it
//! ```
//!
//! Rows with the fewest entries come first, so that rows with one unknown, or that repeat each other, cost as much as they have entries.
//! A row whose rest is small waits until all rows with larger ones are kept: multipliers then stay small, and a rest that is
//! rounding is not blown up to one that counts. Rest and combination are those of elimination with threshold
//! pivoting (Duff, Erisman and Reid, Direct Methods for Sparse Matrices, sections 5.4 and 7.5). Sizes: m rows of length one, n columns.
//!
//! The null space has one vector for each column without a pivot: x = 1 there, 0 in the other columns without, and by the rows u_k from the
//! last to the first
//!
//! ```text
//! x_p(k) = - sum_(j /= p(k)) u_kj x_j / u_kp(k)
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{NEARLY, RowDependence};
use crate::Sparse;

/// Smallest rest kept in each round before the last, whose limit is the tolerance.
const ROUNDS: [f64; 3] = [0.1, NEARLY, 1e-6];
/// A pivot is at least this fraction of the largest entry; among those the column with the fewest entries is taken.
const THRESHOLD: f64 = 0.1;
/// Entries this small are rounding of rows of length one.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// The rows of a matrix in the form that elimination brings them to, with both sides of the decision on its rank.
#[derive(Clone, Debug)]
pub struct RowElimination {
    pivots: Vec<Pivot>,
    /// The pivot of a column.
    at: Vec<Option<usize>>,
    /// Rows that follow from those kept, with their m_k.
    dropped: Vec<Multiples>,
    /// Rows kept with rests below [`NEARLY`].
    nearly: Vec<Multiples>,
    /// Smallest rest of a row kept; rows have length one.
    pub smallest_kept: f64,
    /// Largest rest of one that follows from those kept.
    pub largest_dropped: f64,
}

/// A row and its m_k.
type Multiples = (usize, Vec<(usize, f64)>);

/// u_k.
#[derive(Clone, Debug)]
struct Pivot {
    column: usize,
    row: usize,
    entries: Vec<(usize, f64)>,
    value: f64,
    multipliers: Vec<(usize, f64)>,
}

/// The state of an elimination.
struct Eliminator<'a> {
    rows: &'a Sparse,
    /// Products that are left to be made.
    work_left: usize,
    pivots: Vec<Pivot>,
    /// The pivot of a column.
    at: Vec<Option<usize>>,
    /// Entries of each column as given.
    touching: Vec<usize>,
    /// The current row, and which of its entries may be nonzero.
    work: Vec<f64>,
    filled: Vec<bool>,
    pattern: Vec<usize>,
}

impl RowElimination {
    /// Decides on rows of length one, stored by rows; `tolerance`: largest rest of one that follows from others. None where that takes more
    /// than `most` products.
    pub fn new(rows: &Sparse, tolerance: f64, most: usize) -> Option<Self> {
        let (m, n) = rows.shape();
        let mut touching = vec![0; n];
        rows.indices().iter().for_each(|&j| touching[j] += 1);
        let mut state = Eliminator {
            rows,
            work_left: most,
            pivots: Vec::new(),
            at: vec![None; n],
            touching,
            work: vec![0.0; n],
            filled: vec![false; n],
            pattern: Vec::new(),
        };
        let mut waiting: Vec<usize> = (0..m).collect();
        waiting.sort_by_key(|&i| rows.outer_view(i).map_or(0, |row| row.nnz()));
        let (mut smallest_kept, mut largest_dropped) = (1.0_f64, 0.0_f64);
        let (mut dropped, mut nearly) = (Vec::new(), Vec::new());
        let limits = ROUNDS.into_iter().filter(|limit| *limit > tolerance).chain([tolerance]);
        for limit in limits {
            for row in std::mem::take(&mut waiting) {
                let multipliers = state.reduce(row)?;
                let rest = state.largest();
                if rest > limit {
                    smallest_kept = smallest_kept.min(rest);
                    if rest < NEARLY {
                        nearly.push((row, multipliers.clone()));
                    }
                    state.keep(row, multipliers, rest);
                } else if rest <= ROUNDING || limit <= tolerance {
                    largest_dropped = largest_dropped.max(rest);
                    dropped.push((row, multipliers));
                } else {
                    waiting.push(row);
                }
                state.clear();
            }
        }
        let Eliminator { pivots, at, .. } = state;
        Some(Self { pivots, at, dropped, nearly, smallest_kept, largest_dropped })
    }

    /// Rows that do not follow from others.
    pub fn rank(&self) -> usize {
        self.pivots.len()
    }

    /// The rows that follow from others.
    pub(super) fn dependences(&self) -> impl Iterator<Item = RowDependence> + '_ {
        self.dropped.iter().map(|row| self.dependence(row))
    }

    /// The rows kept that nearly do.
    pub(super) fn nearly(&self) -> impl Iterator<Item = RowDependence> + '_ {
        self.nearly.iter().map(|row| self.dependence(row))
    }

    /// Index and value of the entries of independent null vectors of the rows, n less the rank of them, each made when it is asked for.
    pub fn null_vectors(&self) -> impl Iterator<Item = Vec<(usize, f64)>> + '_ {
        let n = self.at.len();
        let mut x = vec![0.0; n];
        let free = (0..n).filter(|&j| self.at[j].is_none());
        free.map(move |own| {
            x[own] = 1.0;
            let mut out = vec![(own, 1.0)];
            for pivot in self.pivots.iter().rev() {
                let sum: f64 = pivot.entries.iter().map(|(j, u)| u * x[*j]).sum();
                if sum != 0.0 {
                    x[pivot.column] = -sum / pivot.value;
                    out.push((pivot.column, x[pivot.column]));
                }
            }
            for (j, _) in &out {
                x[*j] = 0.0;
            }
            out
        })
    }

    /// sum_k m_k u_k in the rows kept, as given.
    fn dependence(&self, (row, multipliers): &Multiples) -> RowDependence {
        let mut share = vec![0.0; self.pivots.len()];
        let mut open: BinaryHeap<usize> = BinaryHeap::new();
        for &(k, by) in multipliers {
            share[k] = by;
            open.push(k);
        }
        let mut combination = Vec::new();
        while let Some(k) = open.pop() {
            let own = std::mem::take(&mut share[k]);
            if own == 0.0 {
                continue;
            }
            combination.push((self.pivots[k].row, own));
            for &(j, by) in &self.pivots[k].multipliers {
                if share[j] == 0.0 {
                    open.push(j);
                }
                share[j] -= own * by;
            }
        }
        RowDependence { row: *row, combination }
    }
}

impl Eliminator<'_> {
    fn fill(&mut self, column: usize, value: f64) {
        if !self.filled[column] {
            self.filled[column] = true;
            self.pattern.push(column);
        }
        self.work[column] += value;
    }

    /// Subtracts the pivots from a row; m_k, none where too much work is left.
    fn reduce(&mut self, row: usize) -> Option<Vec<(usize, f64)>> {
        let given: Vec<(usize, f64)> =
            self.rows.outer_view(row).map_or_else(Vec::new, |row| row.iter().map(|(j, v)| (j, *v)).collect());
        let mut next: BinaryHeap<Reverse<usize>> = BinaryHeap::new();
        for (j, v) in given {
            self.fill(j, v);
            next.extend(self.at[j].map(Reverse));
        }
        let mut multipliers = Vec::new();
        while let Some(Reverse(k)) = next.pop() {
            let column = self.pivots[k].column;
            let value = std::mem::take(&mut self.work[column]);
            // A pivot stands in the heap once for each row that has filled its column.
            if value.abs() <= ROUNDING {
                continue;
            }
            let by = value / self.pivots[k].value;
            multipliers.push((k, by));
            let entries = std::mem::take(&mut self.pivots[k].entries);
            self.work_left = self.work_left.checked_sub(entries.len())?;
            for &(j, u) in &entries {
                if !self.filled[j] {
                    next.extend(self.at[j].map(Reverse));
                }
                self.fill(j, -by * u);
            }
            self.pivots[k].entries = entries;
        }
        Some(multipliers)
    }

    /// The largest entry that is left.
    fn largest(&self) -> f64 {
        self.pattern.iter().map(|&j| self.work[j].abs()).fold(0.0, f64::max)
    }

    /// Makes the current row a pivot.
    fn keep(&mut self, row: usize, multipliers: Vec<(usize, f64)>, largest: f64) {
        let usable = |j: &&usize| self.work[**j].abs() >= THRESHOLD * largest;
        let Some(&column) = self.pattern.iter().filter(usable).min_by_key(|j| self.touching[**j]) else {
            return;
        };
        let entries = self.pattern.iter().map(|&j| (j, self.work[j]));
        let entries = entries.filter(|(j, v)| *j != column && v.abs() > ROUNDING).collect();
        self.at[column] = Some(self.pivots.len());
        self.pivots.push(Pivot { column, row, entries, value: self.work[column], multipliers });
    }

    fn clear(&mut self) {
        for j in self.pattern.drain(..) {
            (self.work[j], self.filled[j]) = (0.0, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dense, Scatter, Svd, Triplets, to_dense};

    /// Checks every combination on the rows; returns the rank.
    fn rank(rows: &Sparse) -> usize {
        let found = RowElimination::new(rows, 1e-10, usize::MAX).unwrap();
        for RowDependence { row, combination } in found.dependences() {
            let mut rest = vec![0.0; rows.cols()];
            let mut add = |i: usize, by: f64| {
                rows.outer_view(i).unwrap().iter().for_each(|(j, v)| rest[j] += by * v);
            };
            add(row, 1.0);
            for (i, by) in combination {
                add(i, -by);
            }
            assert!(rest.iter().all(|v| v.abs() < 1e-11), "row {row}");
        }
        assert!(found.largest_dropped < 1e-12 && found.smallest_kept > 1e-7);
        let null: Vec<_> = found.null_vectors().collect();
        assert_eq!(null.len(), rows.cols() - found.rank());
        for vector in null {
            let mut x = vec![0.0; rows.cols()];
            for (j, v) in vector {
                x[j] = v;
            }
            let size = crate::norms::max_abs_vec(&x);
            assert!(crate::sparse::matvec(rows, &x).iter().all(|v| v.abs() < 1e-11 * size));
        }
        rows.rows() - found.dropped.len()
    }

    fn sparse(rows: &[Vec<(usize, f64)>], n: usize) -> Sparse {
        let mut t = Triplets::new(rows.len(), n);
        for (i, row) in rows.iter().enumerate() {
            let length = row.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
            for &(j, v) in row {
                t.add(i, j, v / length);
            }
        }
        t.to_sparse().to_csr()
    }

    #[test]
    fn work_has_a_limit() {
        let rows: Vec<_> =
            (0..40).map(|i| (0..40).map(|j| (j, 1.0 / (1.0 + (i + j) as f64))).collect()).collect();
        assert!(RowElimination::new(&sparse(&rows, 40), 1e-10, 10).is_none());
        assert!(RowElimination::new(&sparse(&rows, 40), 1e-10, 40 * 40 * 40).is_some());
    }

    #[test]
    fn every_unknown_held_four_times_over() {
        let n = 363;
        let rows: Vec<_> = (0..4 * n).map(|i| vec![(i % n, 1.0 + (i / n) as f64)]).collect();
        assert_eq!(rank(&sparse(&rows, n)), n);
    }

    #[test]
    fn four_times_as_many_connected_rows_as_columns_have_the_rank_of_the_columns() {
        let n = 120;
        let entry = |i: usize, k: usize| {
            (((7 * i * i + 13 * i + 5 * k * k + k) % n), 1.0 + ((3 * i + 7 * k) % 11) as f64)
        };
        let rows: Vec<Vec<_>> = (0..4 * n).map(|i| (0..4).map(|k| entry(i, k)).collect()).collect();
        let a = sparse(&rows, n);
        // The rank by singular values of the same rows.
        let dense: Dense = to_dense(&a);
        let svd = Svd::new(&dense).unwrap();
        let expected = svd.s.iter().filter(|s| **s > 1e-10).count();
        assert_eq!(rank(&a), expected);
        assert!(expected <= n);
    }

    #[test]
    fn overlapping_ties_of_two_meshes_along_a_line() {
        // Node i of one side is tied to the point t_i between two nodes of the other, and every tie stands there twice more: as
        // it is and as the mean of two neighbours.
        let (n, count) = (400, 350);
        let tie = |i: usize| {
            let t = (i % 7) as f64 / 7.0;
            vec![(i, 1.0), (n + i, t - 1.0), (n + i + 1, -t)]
        };
        let mut rows: Vec<Vec<(usize, f64)>> = (0..count).map(tie).collect();
        rows.extend((0..count).map(tie));
        rows.extend((0..count - 1).map(|i| [tie(i), tie(i + 1)].concat()));
        assert_eq!(rank(&sparse(&rows, 2 * n + 1)), count);
    }
}
