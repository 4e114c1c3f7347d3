//! Dependent coordinates of a large model, by sparse elimination of Phi_q.
//!
//! ```text
//! Phi_q = [Phi_d Phi_i] P,   Phi_d invertible up to redundant rows
//! ```
//!
//! Rows are eliminated one after the other, in each of them the pivot among the coordinates that
//! no earlier row took. A row whose coordinates occur in few other rows comes first, and of the
//! entries that are not much smaller than the largest the one that occurs in the fewest rows is
//! the pivot (threshold pivoting after Markowitz), so that trees are eliminated from their leaves
//! without fill. Time is linear for trees; each closed loop adds rows that see its whole tree.

use mb_algebra::Sparse;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Share of the largest entry of a row that a pivot must have.
const THRESHOLD: f64 = 0.1;
/// Share of the largest entry of a row that must be left of it, or it is redundant.
const REDUNDANT: f64 = 1e-9;

/// The elimination, with the room it works in.
#[derive(Debug)]
pub(super) struct Elimination {
    /// Columns of each row and the places of their values.
    rows: Vec<Vec<(usize, usize)>>,
    /// Rows of each column.
    columns: Vec<Vec<usize>>,
    /// Picked coordinates, in order.
    pub(super) dependent: Vec<usize>,
    /// By coordinate, whether it was picked.
    pub(super) is_dependent: Vec<bool>,
}

/// Never a place in the order of pivots.
const NONE: usize = usize::MAX;

impl Elimination {
    /// For a Jacobian of this pattern (by columns).
    pub(super) fn new(phi_q: &Sparse) -> Self {
        let (m, n) = (phi_q.rows(), phi_q.cols());
        let start = phi_q.indptr().into_raw_storage();
        let mut rows = vec![Vec::new(); m];
        let mut columns = vec![Vec::new(); n];
        for j in 0..n {
            for at in start[j]..start[j + 1] {
                let i = phi_q.indices()[at];
                rows[i].push((j, at));
                columns[j].push(i);
            }
        }
        Self { rows, columns, dependent: Vec::new(), is_dependent: vec![false; n] }
    }
    /// Picks the dependent coordinates for these values.
    pub(super) fn choose(&mut self, values: &[f64]) {
        let (m, n) = (self.rows.len(), self.columns.len());
        self.dependent.clear();
        self.is_dependent.fill(false);
        // Rows not yet eliminated that have a column.
        let mut count: Vec<usize> = self.columns.iter().map(Vec::len).collect();
        let fewest =
            |row: &[(usize, usize)], count: &[usize]| row.iter().map(|(j, _)| count[*j]).min().unwrap_or(0);
        let mut queue: BinaryHeap<_> = (0..m).map(|i| Reverse((fewest(&self.rows[i], &count), i))).collect();
        let mut done = vec![false; m];
        // Reduced rows by order of their pivots, and the order of each pivot.
        let mut reduced: Vec<Vec<(usize, f64)>> = Vec::new();
        let mut order = vec![NONE; n];
        let mut x = vec![0.0; n];
        let mut seen = vec![false; n];
        let mut touched: Vec<usize> = Vec::new();
        let mut due: BinaryHeap<Reverse<usize>> = BinaryHeap::new();
        while let Some(Reverse((key, i))) = queue.pop() {
            if done[i] || key != fewest(&self.rows[i], &count) {
                // An older key; the newer one is in the queue as well.
                continue;
            }
            done[i] = true;
            let mut size = 0.0_f64;
            for (j, at) in &self.rows[i] {
                x[*j] = values[*at];
                size = size.max(values[*at].abs());
                seen[*j] = true;
                touched.push(*j);
                if order[*j] != NONE {
                    due.push(Reverse(order[*j]));
                }
            }
            while let Some(Reverse(k)) = due.pop() {
                let row = &reduced[k];
                let (pivot, value) = row[0];
                let factor = x[pivot] / value;
                if factor == 0.0 {
                    continue;
                }
                for (j, u) in row {
                    if !seen[*j] {
                        seen[*j] = true;
                        touched.push(*j);
                        if order[*j] != NONE {
                            due.push(Reverse(order[*j]));
                        }
                    }
                    x[*j] -= factor * u;
                }
                x[pivot] = 0.0;
            }
            let free = |j: &&usize| order[**j] == NONE;
            let largest = touched.iter().filter(free).fold(0.0_f64, |s, j| s.max(x[*j].abs()));
            if largest > REDUNDANT * size {
                let good = |j: &&usize| order[**j] == NONE && x[**j].abs() >= THRESHOLD * largest;
                let fewest = touched.iter().filter(good).min_by_key(|j| (count[**j], **j));
                if let Some(pivot) = fewest.copied() {
                    order[pivot] = reduced.len();
                    let rest = touched.iter().filter(|j| order[**j] == NONE && x[**j] != 0.0);
                    reduced.push([(pivot, x[pivot])].into_iter().chain(rest.map(|j| (*j, x[*j]))).collect());
                    self.dependent.push(pivot);
                    self.is_dependent[pivot] = true;
                }
            }
            for j in touched.drain(..) {
                (x[j], seen[j]) = (0.0, false);
            }
            for (j, _) in &self.rows[i] {
                count[*j] -= 1;
            }
            for (j, _) in &self.rows[i] {
                for k in self.columns[*j].iter().filter(|k| !done[**k]) {
                    queue.push(Reverse((fewest(&self.rows[*k], &count), *k)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{Scatter, Triplets};

    fn sparse(rows: &[&[f64]]) -> Sparse {
        let mut t = Triplets::new(rows.len(), rows[0].len());
        for (i, row) in rows.iter().enumerate() {
            for (j, x) in row.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                t.add(i, j, *x);
            }
        }
        t.to_sparse()
    }

    #[test]
    fn as_many_coordinates_as_independent_rows_are_picked() {
        let a = sparse(&[
            &[1.0, -1.0, 0.0, 0.5],
            &[0.0, 1.0, -1.0, 0.0],
            &[1.0, 0.0, -1.0, 0.5], // the sum of the first two
        ]);
        let mut e = Elimination::new(&a);
        e.choose(a.data());
        assert_eq!(e.dependent.len(), 2);
        assert_eq!(e.is_dependent.iter().filter(|x| **x).count(), 2);
        // The picked columns of the first two rows are independent.
        let [p, q] = [e.dependent[0], e.dependent[1]];
        let dense = |i: usize, j: usize| mb_algebra::to_dense(&a)[(i, j)];
        assert!((dense(0, p) * dense(1, q) - dense(0, q) * dense(1, p)).abs() > 0.1);
    }

    /// A chain is eliminated from its end: no reduced row sees more than two links.
    #[test]
    fn a_chain_is_eliminated_without_fill() {
        let n = 300;
        let mut t = Triplets::new(n, 2 * n);
        for i in 0..n {
            t.add(i, 2 * i, 1.0);
            t.add(i, 2 * i + 1, 0.4);
            if i > 0 {
                t.add(i, 2 * i - 2, -1.0);
                t.add(i, 2 * i - 1, 0.3);
            }
        }
        let a = t.to_sparse();
        let mut e = Elimination::new(&a);
        e.choose(a.data());
        assert_eq!(e.dependent.len(), n);
        assert!((0..n).all(|i| e.is_dependent[2 * i] != e.is_dependent[2 * i + 1]));
    }
}
