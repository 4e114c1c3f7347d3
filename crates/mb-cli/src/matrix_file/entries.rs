//! A matrix out of the lists that a format stores, every index and entry checked.

use super::MatrixFileError;
use mb_algebra::matrix_market::MOST_ROWS;
use mb_algebra::{Scatter as _, Sparse, Triplets, sparse};

/// A matrix with the number of entries that were added to one given before them.
#[derive(Clone, Debug)]
pub(super) struct Summed {
    pub(super) matrix: Sparse,
    pub(super) repeated: usize,
}

/// Whether lists are those of rows or of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Rows,
    Columns,
}

/// A size that is read.
pub(super) fn size(rows: u64, cols: u64) -> Result<(usize, usize), MatrixFileError> {
    let fits = |x: u64| usize::try_from(x).ok().filter(|x| *x <= MOST_ROWS);
    fits(rows).zip(fits(cols)).ok_or(MatrixFileError::TooLarge { rows, cols, most: MOST_ROWS })
}

/// Looks at one entry: within the matrix, and a finite number.
fn check(shape: (usize, usize), row: usize, col: usize, value: f64) -> Result<(), MatrixFileError> {
    if row >= shape.0 || col >= shape.1 {
        return Err(MatrixFileError::malformed(format!(
            "an entry stands in row {}, column {} (from 1) of a matrix of {} x {}",
            row + 1,
            col + 1,
            shape.0,
            shape.1
        )));
    }
    if value.is_finite() {
        return Ok(());
    }
    Err(MatrixFileError::NotFinite { row: row + 1, col: col + 1, value })
}

/// A matrix in compressed storage: `start[i]..start[i + 1]` are the entries of list i; indices in any order, repeated ones are
/// summed.
pub(super) fn compressed(
    by: By,
    shape: (usize, usize),
    start: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
) -> Result<Summed, MatrixFileError> {
    let outer = if by == By::Rows { shape.0 } else { shape.1 };
    if start.len() != outer + 1 {
        return Err(MatrixFileError::malformed(format!(
            "{} starts of rows or columns are there for {outer} of them",
            start.len()
        )));
    }
    if start[0] != 0 || start.windows(2).any(|w| w[0] > w[1]) || start[outer] != indices.len() {
        return Err(MatrixFileError::malformed(
            "the starts of rows or columns do not rise from 0 to the number of entries",
        ));
    }
    if values.len() != indices.len() {
        return Err(MatrixFileError::malformed(format!(
            "{} values are there for {} indices",
            values.len(),
            indices.len()
        )));
    }
    let entry = |i: usize, k: usize| match by {
        By::Rows => (i, indices[k], values[k]),
        By::Columns => (indices[k], i, values[k]),
    };
    let ends = || start.windows(2).enumerate();
    let list = || ends().flat_map(|(i, w)| (w[0]..w[1]).map(move |k| entry(i, k)));
    if !ends().all(|(_, w)| indices[w[0]..w[1]].is_sorted_by(|a, b| a < b)) {
        return places(shape, list());
    }
    list().try_for_each(|(row, col, value)| check(shape, row, col, value))?;
    let matrix = match by {
        By::Columns => Sparse::new_csc(shape, start, indices, values),
        By::Rows => Sparse::new(shape, start, indices, values).to_csc(),
    };
    Ok(Summed { matrix, repeated: 0 })
}

/// A matrix by places; repeated ones are summed.
pub(super) fn places(
    shape: (usize, usize),
    list: impl Iterator<Item = (usize, usize, f64)>,
) -> Result<Summed, MatrixFileError> {
    let mut triplets = Triplets::new(shape.0, shape.1);
    for (row, col, value) in list {
        check(shape, row, col, value)?;
        triplets.add(row, col, value);
    }
    let matrix = triplets.to_sparse();
    let repeated = triplets.len() - matrix.nnz();
    if let Some((row, col, value)) = sparse::first_non_finite(&matrix) {
        return Err(MatrixFileError::SumNotFinite { row: row + 1, col: col + 1, value });
    }
    Ok(Summed { matrix, repeated })
}

/// A matrix of which all entries are given; zeros are left out.
pub(super) fn dense(by: By, shape: (usize, usize), values: &[f64]) -> Result<Summed, MatrixFileError> {
    let list = values.iter().enumerate().filter(|(_, value)| **value != 0.0).map(|(k, value)| {
        let (row, col) = match by {
            By::Rows => (k / shape.1, k % shape.1),
            By::Columns => (k % shape.0, k / shape.0),
        };
        (row, col, *value)
    });
    places(shape, list)
}
