//! The assignment of rows to columns with the largest product of entries.
//!
//! ```text
//! max over permutations p of prod_i |a_(i p(i))|,   found as the shortest assignment with costs c_ij = -ln |a_ij|
//! ```
//!
//! It is the same for D_r A D_c, whatever the units of rows and columns, and of a positive definite matrix it is the diagonal, since
//! a_ij^2 < a_ii a_jj: rows and columns that were put in another order and in other units find together again. Shortest augmenting
//! paths with dual variables (Duff and Koster, SIAM J. Matrix Anal. 22, 2001). Sizes: A n x n.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// No row or column.
const NONE: usize = usize::MAX;

/// The column of every row; none where every permutation meets a zero. `rows`: columns and entries of each row.
pub(crate) fn largest_product(rows: &[Vec<(usize, f64)>]) -> Option<Vec<usize>> {
    let n = rows.len();
    let costs: Vec<Vec<(usize, f64)>> = rows
        .iter()
        .map(|row| row.iter().filter(|(_, v)| *v != 0.0).map(|(j, v)| (*j, -v.abs().ln())).collect())
        .collect();
    let mut search = Search {
        of_rows: vec![0.0; n],
        of_columns: vec![f64::INFINITY; n],
        column: vec![NONE; n],
        row: vec![NONE; n],
    };
    search.start(&costs);
    for i in 0..n {
        if search.column[i] == NONE && !search.augment(&costs, i) {
            return None;
        }
    }
    Some(search.column)
}

/// Dual variables with c_ij >= u_i + v_j, equal where i and j are assigned.
struct Search {
    of_rows: Vec<f64>,
    of_columns: Vec<f64>,
    column: Vec<usize>,
    row: Vec<usize>,
}

impl Search {
    /// Dual variables from the smallest costs of columns and rows, and the assignments that they show.
    fn start(&mut self, costs: &[Vec<(usize, f64)>]) {
        for (j, cost) in costs.iter().flatten() {
            self.of_columns[*j] = self.of_columns[*j].min(*cost);
        }
        for (i, row) in costs.iter().enumerate() {
            let reduced = |(j, cost): &(usize, f64)| cost - self.of_columns[*j];
            let least = row.iter().map(reduced).fold(f64::INFINITY, f64::min);
            self.of_rows[i] = if least.is_finite() { least } else { 0.0 };
            let free = row.iter().find(|entry| reduced(entry) <= least && self.row[entry.0] == NONE);
            if let Some(&(j, _)) = free {
                (self.column[i], self.row[j]) = (j, i);
            }
        }
    }

    /// Assigns one more row along the shortest path that changes assignments; whether there is one.
    fn augment(&mut self, costs: &[Vec<(usize, f64)>], from: usize) -> bool {
        let mut heap = BinaryHeap::new();
        let mut distance = std::collections::HashMap::new();
        let mut done: Vec<(usize, f64)> = Vec::new();
        let mut settled = std::collections::HashSet::new();
        let (mut i, mut base) = (from, 0.0);
        let (end, length) = loop {
            for &(j, cost) in &costs[i] {
                let through = base + cost - self.of_rows[i] - self.of_columns[j];
                let known = distance.get(&j).is_some_and(|(d, _)| *d <= through);
                if !known && !settled.contains(&j) {
                    distance.insert(j, (through, i));
                    heap.push(Step { distance: through, column: j });
                }
            }
            let next = loop {
                let Some(step) = heap.pop() else { return false };
                if settled.insert(step.column) {
                    break step;
                }
            };
            if self.row[next.column] == NONE {
                break (next.column, next.distance);
            }
            done.push((next.column, next.distance));
            (i, base) = (self.row[next.column], next.distance);
        };
        self.of_rows[from] += length;
        for (j, d) in done {
            self.of_rows[self.row[j]] += length - d;
            self.of_columns[j] -= length - d;
        }
        let mut j = end;
        while let Some(&(_, i)) = distance.get(&j) {
            let before = std::mem::replace(&mut self.column[i], j);
            self.row[j] = i;
            if i == from {
                break;
            }
            j = before;
        }
        true
    }
}

/// A column with the length of the path to it; the shortest is the greatest.
struct Step {
    distance: f64,
    column: usize,
}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Step {}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.column.cmp(&self.column))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diagonal_of_a_definite_matrix_is_found_in_any_order_and_units() {
        // M of a chain of elements with consistent masses.
        let n = 9;
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => 4.0,
            1 => 1.9,
            _ => 0.0,
        };
        let order = |i: usize| (4 * i + 3) % n;
        let unit = |i: usize| ((i * i % 23) as f64 - 11.0).exp2();
        let rows: Vec<Vec<(usize, f64)>> = (0..n)
            .map(|i| (0..n).map(|j| (j, entry(order(i), j) * unit(i) * unit(j + 5))).collect())
            .collect();
        assert_eq!(largest_product(&rows), Some((0..n).map(order).collect()));
    }

    #[test]
    fn a_path_of_changes_is_followed_and_a_singular_pattern_is_told() {
        // Every row would rather have the first column.
        let rows = vec![vec![(0, 8.0), (1, 2.0)], vec![(0, 8.0), (2, 4.0)], vec![(0, 8.0), (1, 4.0)]];
        assert_eq!(largest_product(&rows), Some(vec![0, 2, 1]));
        assert_eq!(largest_product(&[vec![(0, 1.0)], vec![(0, 2.0), (1, 0.0)]]), None);
    }
}
