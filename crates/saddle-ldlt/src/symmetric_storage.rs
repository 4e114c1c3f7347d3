//! Matrices by halves, in 32-bit indices: a third of the memory of all entries with the indices of the machine.
//!
//! Column j of a half keeps the entries a_ij whose row i is eliminated with or after j, which are those its front assembles.
//! The other half of a symmetric matrix is read across the diagonal: of two entries that face each other and differ by
//! rounding of assembly one counts. A matrix of any kind has a half of its own for each side, the upper one by rows.

use sprs::CsMat;

use super::number::Number;

/// One triangle of a matrix, in the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct Half<T> {
    start: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<T>,
    /// The largest terms that the entries of each row and column are sums of; empty where they are none.
    terms: Vec<f64>,
}

/// A as residuals and factorizations read it.
#[derive(Clone, Debug)]
pub(super) enum Stored<T> {
    /// A symmetric matrix.
    Half(Half<T>),
    /// A matrix of any kind.
    Pair {
        /// Entries a_ij of column j with i eliminated with or after j.
        lower: Half<T>,
        /// Entries a_ji of row j with i eliminated with or after j; the diagonal again.
        upper: Half<T>,
    },
}

impl<T: Number> Half<T> {
    /// The n x n sum of `terms`, factor `times` entry: symmetric matrices in either storage, others by columns for their lower
    /// half and by rows for their upper one. `place[j]`: the place of unknown j in the order of elimination.
    pub(super) fn of_sum<U: Copy>(
        n: usize,
        terms: &[(T, &CsMat<U>)],
        place: &[u32],
        times: impl Fn(T, U) -> T,
    ) -> Self {
        let most = terms.iter().map(|(_, a)| a.nnz().midpoint(n)).max().unwrap_or(0);
        let mut start = Vec::with_capacity(n + 1);
        let (mut rows, mut values) = (Vec::with_capacity(most), Vec::with_capacity(most));
        start.push(0);
        // Where the entry of each row of the column in work is, when it is there.
        let mut at = vec![usize::MAX; if terms.len() > 1 { n } else { 0 }];
        let mut largest = vec![0.0_f64; at.len()];
        let starts: Vec<_> = terms.iter().map(|(_, a)| a.proper_indptr()).collect();
        for j in 0..n {
            let first = rows.len();
            for (k, ((factor, a), starts)) in terms.iter().zip(&starts).enumerate() {
                let own = starts[j]..starts[j + 1];
                for (&i, &value) in a.indices()[own.clone()].iter().zip(&a.data()[own]) {
                    if place[i] < place[j] {
                        continue;
                    }
                    let value = times(*factor, value);
                    if !largest.is_empty() {
                        let size = value.size();
                        largest[i] = largest[i].max(size);
                        largest[j] = largest[j].max(size);
                    }
                    if k > 0 && (first..rows.len()).contains(&at[i]) {
                        values[at[i]] += value;
                        continue;
                    }
                    if let Some(at) = at.get_mut(i) {
                        *at = rows.len();
                    }
                    rows.push(i as u32);
                    values.push(value);
                }
            }
            start.push(rows.len());
        }
        Self { start, rows, values, terms: largest }
    }

    /// Takes the values of another matrix by columns; false where its pattern is not that of this one.
    pub(super) fn refill(&mut self, a: &CsMat<T>, place: &[u32]) -> bool {
        let starts = a.indptr();
        let starts = starts.into_raw_storage();
        if !a.is_csc() || starts.len() != self.start.len() {
            return false;
        }
        self.terms.clear();
        let mut at = 0;
        for j in 0..self.size() {
            let own = starts[j]..starts[j + 1];
            for (&i, &value) in a.indices()[own.clone()].iter().zip(&a.data()[own]) {
                if place[i] < place[j] {
                    continue;
                }
                if self.rows.get(at) != Some(&(i as u32)) {
                    return false;
                }
                self.values[at] = value;
                at += 1;
            }
            if self.start[j + 1] != at {
                return false;
            }
        }
        true
    }

    /// The matrix in other numbers, each entry scaled along its row and column: single precision has a smaller range.
    pub(super) fn scaled_to<U: Number>(&self, scale: &[f64], to: impl Fn(T) -> U) -> Half<U> {
        let mut values = Vec::with_capacity(self.values.len());
        for (j, by) in scale.iter().enumerate() {
            let (rows, own) = self.column(j);
            values.extend(rows.iter().zip(own).map(|(&i, &value)| to(value.scaled(by * scale[i as usize]))));
        }
        Half { start: self.start.clone(), rows: self.rows.clone(), values, terms: Vec::new() }
    }

    /// A diagonal matrix.
    pub(super) fn diagonal(values: Vec<T>) -> Self {
        let (start, rows) = ((0..=values.len()).collect(), (0..values.len() as u32).collect());
        Self { start, rows, values, terms: Vec::new() }
    }

    /// Number of columns.
    pub(super) fn size(&self) -> usize {
        self.start.len() - 1
    }

    /// Rows and values kept of column j.
    #[inline]
    pub(super) fn column(&self, j: usize) -> (&[u32], &[T]) {
        let own = self.start[j]..self.start[j + 1];
        (&self.rows[own.clone()], &self.values[own])
    }
}

impl<T: Number> Stored<T> {
    /// Number of columns.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Half(a) | Self::Pair { lower: a, .. } => a.size(),
        }
    }

    /// Number of entries, those across the diagonal included.
    pub(super) fn entries(&self) -> usize {
        match self {
            Self::Half(a) => 2 * a.rows.len(),
            Self::Pair { lower, upper } => lower.rows.len() + upper.rows.len(),
        }
    }

    /// Calls with row, column and value of every entry.
    pub(super) fn for_each(&self, mut call: impl FnMut(usize, usize, T)) {
        let (lower, upper) = self.halves();
        for j in 0..self.size() {
            let (rows, values) = lower.column(j);
            rows.iter().zip(values).for_each(|(&i, &value)| call(i as usize, j, value));
            let (cols, values) = upper.column(j);
            for (&i, &value) in cols.iter().zip(values).filter(|(i, _)| **i as usize != j) {
                call(j, i as usize, value);
            }
        }
    }

    /// The largest term that the entries of row and column j are sums of; zero where they are none.
    pub(super) fn largest_term(&self, j: usize) -> f64 {
        let (lower, upper) = self.halves();
        let of = |half: &Half<T>| half.terms.get(j).copied().unwrap_or(0.0);
        of(lower).max(of(upper))
    }

    /// The lower half by columns and the upper one by rows; the same for a symmetric matrix.
    pub(super) fn halves(&self) -> (&Half<T>, &Half<T>) {
        match self {
            Self::Half(a) => (a, a),
            Self::Pair { lower, upper } => (lower, upper),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::{Dense, sparse, to_dense, to_sparse};

    #[test]
    fn a_sum_by_half_holds_the_sum() {
        let a = Dense::from_fn(5, 5, |i, j| if (i + j) % 2 == 0 { (1 + i * j) as f64 } else { 0.0 });
        let b = Dense::from_fn(5, 5, |i, j| if i.abs_diff(j) == 1 || i == j { -3.0 } else { 0.0 });
        let (a, b) = (to_sparse(&a), to_sparse(&b));
        let place = [3, 0, 4, 1, 2];
        let half = Half::of_sum(5, &[(2.0, &a), (0.5, &b.to_csr())], &place, |f, x| f * x);
        let expected = to_dense(&sparse::add(2.0, &a, 0.5, &b));
        let mut seen = Dense::zeros(5, 5);
        for j in 0..5 {
            assert!(half.column(j).0.iter().all(|&i| place[i as usize] >= place[j]));
        }
        let half = Stored::Half(half);
        half.for_each(|i, j, value| seen[(i, j)] += value);
        assert_eq!(seen, expected);
        // 2 a and b / 2 by rows: the diagonal of a is 1, 2, 5, 10, 17, and its last column 1, 0, 9, 0, 17.
        let largest: Vec<f64> = (0..5).map(|j| half.largest_term(j)).collect();
        assert_eq!(largest, [2.0, 8.0, 18.0, 20.0, 34.0]);
        let one = Half::of_sum(5, &[(2.0, &a)], &place, |f, x| f * x);
        assert!(one.terms.is_empty());
    }

    #[test]
    fn two_halves_hold_a_matrix_of_any_kind() {
        let a = Dense::from_fn(5, 5, |i, j| if (i + 2 * j) % 3 == 0 { (1 + i + 7 * j) as f64 } else { 0.0 });
        let by_columns = to_sparse(&a);
        let place = [3, 0, 4, 1, 2];
        let half = |a: &mb_algebra::Sparse| Half::of_sum(5, &[(1.0, a)], &place, |f, x| f * x);
        let stored = Stored::Pair { lower: half(&by_columns), upper: half(&by_columns.to_csr()) };
        let mut seen = Dense::zeros(5, 5);
        stored.for_each(|i, j, value| seen[(i, j)] += value);
        assert_eq!(seen, a);
    }
}
