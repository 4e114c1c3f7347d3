//! Entries of elements summed column by column, for a range of columns, and ranges put together to one matrix.
//!
//! Elements give their entries column by column, so that what has to be sorted are runs of entries, not entries:
//!
//! ```text
//! runs sorted by column (by counting, their order kept); in a column, equal rows summed in the order of the elements;
//! its rows sorted, unless they came as in the column before
//! ```
//!
//! A range is small enough to stay in the caches. Its sums do not depend on where the ranges are cut, hence not on
//! the number of threads. Entries that sum to zero stay in the pattern.

use mb_algebra::{Dense, Scatter, Sparse};
use rayon::prelude::*;
use std::ops::Range;

/// A row that has not come up in the current column.
const NOT_YET: u32 = u32::MAX;

/// Collects entries for a range of columns; entries of other columns are left out.
#[derive(Debug, Default)]
pub(super) struct ColumnSums {
    rows: usize,
    own: Range<usize>,
    /// The entries in the order they came.
    row: Vec<u32>,
    value: Vec<f64>,
    /// Consecutive entries of one column: the column in the range, the first entry.
    runs: Vec<(usize, usize)>,
    /// First of the sorted runs of each column, and one more; the sorted runs.
    first: Vec<usize>,
    sorted: Vec<usize>,
    /// Where in `here` each row of the matrix is.
    place: Vec<u32>,
    /// Rows of the current column in the order they came up, and of the one before; the sums in them.
    here: Vec<u32>,
    before: Vec<u32>,
    sums: Vec<f64>,
    /// (row, place in `here`) of `before`, sorted by row.
    keys: Vec<(u32, u32)>,
    /// Rows and sums of all columns so far.
    found: (Vec<u32>, Vec<f64>),
}

/// The sums of a range of columns, rows in order in each.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Entries in each column.
    pub(super) counts: Vec<usize>,
    pub(super) rows: Vec<u32>,
    pub(super) values: Vec<f64>,
}

#[expect(clippy::cast_possible_truncation, reason = "numbers of rows are checked when a range begins")]
pub(super) const fn half_width(i: usize) -> u32 {
    i as u32
}

impl ColumnSums {
    /// Forgets everything and collects for the columns `own` of a matrix with `rows` rows from now on.
    pub(super) fn begin(&mut self, rows: usize, own: Range<usize>) {
        assert!(
            u32::try_from(rows).is_ok_and(|rows| rows < NOT_YET),
            "{rows} rows are too many for a matrix"
        );
        (self.rows, self.own) = (rows, own);
        self.row.clear();
        self.value.clear();
        self.runs.clear();
    }
    /// The sums.
    pub(super) fn sum(&mut self) -> Columns {
        if self.runs.is_empty() {
            return Columns { counts: vec![0; self.own.len()], ..Columns::default() };
        }
        if self.place.len() != self.rows {
            self.place = vec![NOT_YET; self.rows];
        }
        self.sort_runs();
        self.before.clear();
        self.keys.clear();
        self.found.0.clear();
        self.found.1.clear();
        let cols = self.own.len();
        let mut counts = Vec::with_capacity(cols);
        for col in 0..cols {
            self.add_up(col);
            if self.here != self.before {
                self.keys.clear();
                self.keys.extend(self.here.iter().zip(0..).map(|(row, at)| (*row, at)));
                self.keys.sort_unstable();
                std::mem::swap(&mut self.here, &mut self.before);
            }
            counts.push(self.keys.len());
            self.found.0.extend(self.keys.iter().map(|(row, _)| *row));
            self.found.1.extend(self.keys.iter().map(|(_, at)| self.sums[*at as usize]));
        }
        // The next range will have about as many.
        let (rows, values) = &mut self.found;
        let (rows_next, values_next) = (Vec::with_capacity(rows.len()), Vec::with_capacity(values.len()));
        Columns {
            counts,
            rows: std::mem::replace(rows, rows_next),
            values: std::mem::replace(values, values_next),
        }
    }
    /// `first` and `sorted`.
    fn sort_runs(&mut self) {
        let cols = self.own.len();
        self.first.clear();
        self.first.resize(cols + 1, 0);
        for (col, _) in &self.runs {
            self.first[col + 1] += 1;
        }
        for col in 0..cols {
            self.first[col + 1] += self.first[col];
        }
        self.sorted.clear();
        self.sorted.resize(self.runs.len(), 0);
        for (run, (col, _)) in self.runs.iter().enumerate() {
            self.sorted[self.first[*col]] = run;
            self.first[*col] += 1;
        }
        // Each start has moved to the next one.
        self.first.copy_within(0..cols, 1);
        self.first[0] = 0;
    }
    /// `here` and `sums` of a column.
    fn add_up(&mut self, col: usize) {
        self.here.clear();
        self.sums.clear();
        for run in &self.sorted[self.first[col]..self.first[col + 1]] {
            let start = self.runs[*run].1;
            let end = self.runs.get(run + 1).map_or(self.row.len(), |next| next.1);
            for (row, value) in self.row[start..end].iter().zip(&self.value[start..end]) {
                let place = &mut self.place[*row as usize];
                if *place == NOT_YET {
                    *place = half_width(self.here.len());
                    self.here.push(*row);
                    self.sums.push(*value);
                } else {
                    self.sums[*place as usize] += value;
                }
            }
        }
        for row in &self.here {
            self.place[*row as usize] = NOT_YET;
        }
    }
}

impl Scatter<f64> for ColumnSums {
    #[inline]
    fn add(&mut self, row: usize, col: usize, value: f64) {
        if !self.own.contains(&col) {
            return;
        }
        assert!(row < self.rows, "entry ({row}, {col}) outside the matrix");
        let col = col - self.own.start;
        if self.runs.last().is_none_or(|run| run.0 != col) {
            self.runs.push((col, self.row.len()));
        }
        self.row.push(half_width(row));
        self.value.push(value);
    }
}

/// Receives the entries that an element has in a column.
pub(super) trait Collect: Scatter<f64> {
    /// Adds the values to the entries at (`rows`, `col`); zeros are no entries.
    fn add_column(&mut self, col: usize, rows: &[usize], values: impl Iterator<Item = f64>) {
        for (row, value) in rows.iter().zip(values) {
            if value != 0.0 {
                self.add(*row, col, value);
            }
        }
    }
}

impl Collect for Dense {}

impl Collect for ColumnSums {
    #[inline]
    fn add_column(&mut self, col: usize, rows: &[usize], values: impl Iterator<Item = f64>) {
        if !self.own.contains(&col) {
            return;
        }
        let (col, start) = (col - self.own.start, self.row.len());
        for (row, value) in rows.iter().zip(values) {
            if value != 0.0 {
                assert!(*row < self.rows, "row {row} outside the matrix");
                self.row.push(half_width(*row));
                self.value.push(value);
            }
        }
        if self.row.len() > start && self.runs.last().is_none_or(|run| run.0 != col) {
            self.runs.push((col, start));
        }
    }
}

impl Columns {
    /// The matrix (CSC) of consecutive ranges of columns; all cores copy.
    pub(super) fn join(rows: usize, parts: Vec<Self>) -> Sparse {
        let mut starts = Vec::with_capacity(1 + parts.iter().map(|p| p.counts.len()).sum::<usize>());
        let mut entries = 0;
        starts.push(0);
        for count in parts.iter().flat_map(|p| &p.counts) {
            entries += count;
            starts.push(entries);
        }
        let (mut indices, mut values) = (vec![0_usize; entries], vec![0.0; entries]);
        let (mut rest, mut rest_of_values) = (&mut indices[..], &mut values[..]);
        let mut pieces = Vec::with_capacity(parts.len());
        for part in parts {
            let (at, after) = rest.split_at_mut(part.rows.len());
            let (values_at, values_after) = rest_of_values.split_at_mut(part.rows.len());
            (rest, rest_of_values) = (after, values_after);
            pieces.push((part, at, values_at));
        }
        let copy = |(part, at, values_at): (Self, &mut [usize], &mut [f64])| {
            at.iter_mut().zip(&part.rows).for_each(|(at, row)| *at = *row as usize);
            values_at.copy_from_slice(&part.values);
        };
        if pieces.len() > 1 {
            pieces.into_par_iter().for_each(copy);
        } else {
            pieces.into_iter().for_each(copy);
        }
        let cols = starts.len() - 1;
        Sparse::new_csc((rows, cols), starts, indices, values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mb_algebra::Triplets;

    /// Wherever the ranges are cut, the sums are those of triplets, to the last bit and with the same pattern.
    #[test]
    fn ranges_add_up_as_triplets_do() {
        let (rows, cols) = (7, 11);
        let entries: Vec<(usize, usize, f64)> = (0..200_usize)
            .map(|i| {
                (i * i * 5 % rows, (i / 3) * 7 % cols, (i as f64).sin() * f64::from(u8::from(i % 9 != 0)))
            })
            .collect();
        let mut all = Triplets::new(rows, cols);
        for (row, col, value) in &entries {
            all.add(*row, *col, *value);
        }
        let mut sums = ColumnSums::default();
        for cuts in [vec![0, 11], vec![0, 4, 5, 11], (0..=11).collect()] {
            let parts = cuts
                .windows(2)
                .map(|cut| {
                    sums.begin(rows, cut[0]..cut[1]);
                    for (row, col, value) in &entries {
                        sums.add(*row, *col, *value);
                    }
                    sums.sum()
                })
                .collect();
            assert_eq!(Columns::join(rows, parts), all.to_sparse(), "{cuts:?}");
        }
    }

    #[test]
    fn empty_shapes_work() {
        let mut sums = ColumnSums::default();
        sums.begin(0, 0..3);
        assert_eq!(Columns::join(0, vec![sums.sum()]).shape(), (0, 3));
        sums.begin(2, 0..0);
        assert_eq!(Columns::join(2, vec![sums.sum()]).shape(), (2, 0));
    }
}
