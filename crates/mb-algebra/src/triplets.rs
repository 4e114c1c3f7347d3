//! Matrix entries as (row, column, value), in the order elements give them.
//!
//! Entries at the same place add up, so an element scatters its matrix without knowing its neighbours.

use num_complex::Complex64;

use crate::{Dense, Sparse};

/// Receives the entries of an element matrix.
pub trait Scatter<T> {
    /// Adds `value` to the entry at (`row`, `col`), counted from 0.
    fn add(&mut self, row: usize, col: usize, value: T);
}

/// Entries of a matrix to be, repeated places allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Triplets<T = f64> {
    rows: usize,
    cols: usize,
    /// Half-width indices: large models hold tens of millions of entries.
    entries: Vec<(u32, u32, T)>,
}

impl<T> Triplets<T> {
    /// No entries yet, for a `rows` x `cols` matrix.
    pub fn new(rows: usize, cols: usize) -> Self {
        Self::with_capacity(rows, cols, 0)
    }

    /// As [`Triplets::new`], with room for `capacity` entries.
    pub fn with_capacity(rows: usize, cols: usize, capacity: usize) -> Self {
        Self { rows, cols, entries: Vec::with_capacity(capacity) }
    }

    /// Moves all entries of `other` (same shape) to the end of these; panics when the shapes differ.
    pub fn append(&mut self, mut other: Self) {
        assert_eq!((self.rows, self.cols), (other.rows, other.cols), "triplets of different shapes");
        self.entries.append(&mut other.entries);
    }

    /// Number of entries, repeated places counted each time.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Forgets the entries and keeps the memory.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the matrix.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The entries in the order they came, as (row, column, value).
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, usize, &T)> + '_ {
        self.entries.iter().map(|(row, col, value)| (*row as usize, *col as usize, value))
    }

    /// The same places with other values, such as one part of a dual number.
    pub fn map<U>(&self, mut f: impl FnMut(&T) -> U) -> Triplets<U> {
        let entries = self.entries.iter().map(|(row, col, value)| (*row, *col, f(value))).collect();
        Triplets { rows: self.rows, cols: self.cols, entries }
    }
}

impl<T> Scatter<T> for Triplets<T> {
    fn add(&mut self, row: usize, col: usize, value: T) {
        assert!(row < self.rows && col < self.cols, "entry ({row}, {col}) outside the matrix");
        match (u32::try_from(row), u32::try_from(col)) {
            (Ok(row), Ok(col)) => self.entries.push((row, col, value)),
            _ => panic!("entry ({row}, {col}) beyond the 2^32 rows and columns that triplets can hold"),
        }
    }
}

impl Scatter<f64> for Dense {
    fn add(&mut self, row: usize, col: usize, value: f64) {
        self[(row, col)] += value;
    }
}

/// Scatters into the transpose of the target: what goes to (row, col) arrives at (col, row).
#[derive(Debug)]
pub struct Transposed<'a, S>(pub &'a mut S);

impl<T, S: Scatter<T>> Scatter<T> for Transposed<'_, S> {
    fn add(&mut self, row: usize, col: usize, value: T) {
        self.0.add(col, row, value);
    }
}

impl Triplets<f64> {
    /// The sparse matrix (CSC) with the entries of equal place summed, in time linear in their number.
    ///
    /// Entries that are or sum to zero stay in the pattern, so that the pattern depends on the model only.
    pub fn to_sparse(&self) -> Sparse {
        sum_by_column(self, 0.0)
    }

    /// The dense matrix with the entries of equal place summed.
    pub fn to_dense(&self) -> Dense {
        let mut out = Dense::zeros(self.rows, self.cols);
        for (row, col, value) in self.iter() {
            out[(row, col)] += *value;
        }
        out
    }
}

impl Triplets<Complex64> {
    /// The sparse complex matrix (CSC); see [`Triplets::to_sparse`].
    pub fn to_sparse_complex(&self) -> crate::SparseC {
        sum_by_column(self, Complex64::new(0.0, 0.0))
    }
}

/// Two counting sorts, by row and then by column: within a column the rows come out in order.
fn sum_by_column<T: Copy + std::ops::AddAssign>(triplets: &Triplets<T>, zero: T) -> sprs::CsMat<T> {
    let &Triplets { rows, cols, ref entries } = triplets;
    let mut row_end = vec![0_usize; rows + 1];
    for &(row, _, _) in entries {
        row_end[row as usize + 1] += 1;
    }
    accumulate(&mut row_end);
    let mut by_row = vec![(0_u32, zero); row_end[rows]];
    for &(row, col, value) in entries {
        let next = &mut row_end[row as usize];
        by_row[*next] = (col, value);
        *next += 1;
    }
    // The start of every row has moved to its end.
    let in_row = |row: usize| &by_row[if row == 0 { 0 } else { row_end[row - 1] }..row_end[row]];
    // Count each place once: in row order the same place comes up in consecutive visits of its column.
    let mut last_row = vec![usize::MAX; cols];
    let mut col_start = vec![0_usize; cols + 1];
    for row in 0..rows {
        for &(col, _) in in_row(row) {
            let col = col as usize;
            if last_row[col] != row {
                last_row[col] = row;
                col_start[col + 1] += 1;
            }
        }
    }
    accumulate(&mut col_start);
    let nnz = col_start[cols];
    let (mut indices, mut values) = (vec![0_usize; nnz], vec![zero; nnz]);
    let mut next = col_start.clone();
    last_row.fill(usize::MAX);
    for row in 0..rows {
        for &(col, value) in in_row(row) {
            let col = col as usize;
            if last_row[col] == row {
                values[next[col] - 1] += value;
            } else {
                last_row[col] = row;
                indices[next[col]] = row;
                values[next[col]] = value;
                next[col] += 1;
            }
        }
    }
    sprs::CsMat::new_csc((rows, cols), col_start, indices, values)
}

/// Counts to starting positions.
fn accumulate(counts: &mut [usize]) {
    let mut sum = 0;
    for count in counts {
        sum += *count;
        *count = sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_places_add_up_and_zeros_keep_their_place() {
        let mut t = Triplets::new(3, 2);
        t.add(2, 1, 1.0);
        t.add(0, 0, 2.0);
        t.add(2, 1, 3.0);
        t.add(1, 0, 0.0);
        let a = t.to_sparse();
        assert_eq!((t.len(), a.nnz()), (4, 3));
        assert_eq!(a.get(2, 1), Some(&4.0));
        assert_eq!(a.get(1, 0), Some(&0.0));
        assert_eq!(t.to_dense(), crate::to_dense(&a));
    }

    #[test]
    fn the_transposed_adapter_swaps_places() {
        let mut a = Dense::zeros(2, 3);
        Transposed(&mut a).add(2, 0, 5.0);
        assert!((a[(0, 2)] - 5.0).abs() < f64::EPSILON);
    }

    #[test]
    #[should_panic(expected = "outside the matrix")]
    fn a_place_outside_is_refused() {
        Triplets::new(1, 1).add(1, 0, 1.0);
    }

    #[test]
    fn empty_shapes_work() {
        assert_eq!(Triplets::<f64>::new(0, 4).to_sparse().shape(), (0, 4));
        assert_eq!(Triplets::<f64>::new(3, 0).to_sparse().shape(), (3, 0));
    }
}
