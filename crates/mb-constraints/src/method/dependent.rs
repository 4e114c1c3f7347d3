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
    room: Room,
}

/// What an elimination works in, kept for the next one.
#[derive(Debug, Default)]
struct Room {
    /// Rows not yet eliminated that have a column.
    count: Vec<usize>,
    /// Rows with the fewest entries of their columns, some of them older ones.
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    done: Vec<bool>,
    /// Entries of the reduced rows one after the other, the pivot first; where each begins, and one more.
    entries: Vec<(usize, f64)>,
    begin: Vec<usize>,
    /// Order of each pivot.
    order: Vec<usize>,
    x: Vec<f64>,
    seen: Vec<bool>,
    touched: Vec<usize>,
    due: BinaryHeap<Reverse<usize>>,
}

impl Room {
    /// For m rows and the columns that `columns` lists the rows of.
    fn clear(&mut self, m: usize, columns: &[Vec<usize>]) {
        let n = columns.len();
        self.count.clear();
        self.count.extend(columns.iter().map(Vec::len));
        self.queue.clear();
        fill(&mut self.done, m, false);
        self.entries.clear();
        self.begin.clear();
        self.begin.push(0);
        fill(&mut self.order, n, NONE);
        fill(&mut self.x, n, 0.0);
        fill(&mut self.seen, n, false);
        self.touched.clear();
        self.due.clear();
    }
}

fn fill<T: Clone>(x: &mut Vec<T>, length: usize, value: T) {
    x.clear();
    x.resize(length, value);
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
        let room = Room::default();
        Self { rows, columns, dependent: Vec::with_capacity(m), is_dependent: vec![false; n], room }
    }
    /// Picks the dependent coordinates for these values.
    pub(super) fn choose(&mut self, values: &[f64]) {
        let m = self.rows.len();
        self.dependent.clear();
        self.is_dependent.fill(false);
        let fewest =
            |row: &[(usize, usize)], count: &[usize]| row.iter().map(|(j, _)| count[*j]).min().unwrap_or(0);
        self.room.clear(m, &self.columns);
        let Room { count, queue, done, entries, begin, order, x, seen, touched, due } = &mut self.room;
        queue.extend((0..m).map(|i| Reverse((fewest(&self.rows[i], count), i))));
        while let Some(Reverse((key, i))) = queue.pop() {
            if done[i] || key != fewest(&self.rows[i], count) {
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
                let row = &entries[begin[k]..begin[k + 1]];
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
                    order[pivot] = begin.len() - 1;
                    let rest = touched.iter().filter(|j| order[**j] == NONE && x[**j] != 0.0);
                    entries.push((pivot, x[pivot]));
                    entries.extend(rest.map(|j| (*j, x[*j])));
                    begin.push(entries.len());
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
                    queue.push(Reverse((fewest(&self.rows[*k], count), *k)));
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
