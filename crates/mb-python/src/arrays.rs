//! Matrices from numpy and scipy, and back.
//!
//! `python/mb/_matrices.py` has made them arrays of doubles, or the parts of a sparse matrix; their sizes and indices are
//! checked here, so that no array can lead to memory that is not its own.

use mb_algebra::{Sparse, norms, push_line};
use mb_analysis::part::LARGEST_ENTRY;
use numpy::ndarray::{Array2, Array3, Axis, ShapeBuilder};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArray3, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::work::BRIEF_PASS;
use crate::{errors, work};

/// Indices as scipy has them.
#[derive(FromPyObject)]
enum Indices<'py> {
    Short(PyReadonlyArray1<'py, i32>),
    Long(PyReadonlyArray1<'py, i64>),
}

impl Indices<'_> {
    /// None where one is negative.
    fn whole(&self, py: Python<'_>) -> PyResult<Option<Vec<usize>>> {
        match self {
            Self::Short(a) => copied(py, a, |i| usize::try_from(i).ok()),
            Self::Long(a) => copied(py, a, |i| usize::try_from(i).ok()),
        }
    }
}

/// Every entry as `one` has it; None where it has nothing for one of them. Signals are looked at between two pieces: the array is
/// borrowed, and its reading stays with the interpreter's lock.
fn copied<T: numpy::Element + Copy, U>(
    py: Python<'_>,
    array: &PyReadonlyArray1<'_, T>,
    one: impl Fn(T) -> Option<U>,
) -> PyResult<Option<Vec<U>>> {
    let array = array.as_array();
    let mut out = Vec::with_capacity(array.len());
    for piece in array.axis_chunks_iter(Axis(0), BRIEF_PASS) {
        for x in piece {
            let Some(x) = one(*x) else { return Ok(None) };
            out.push(x);
        }
        py.check_signals()?;
    }
    Ok(Some(out))
}

/// Rows, columns, whether by columns, starts, indices, values.
type Parts<'py> = (usize, usize, bool, Indices<'py>, Indices<'py>, PyReadonlyArray1<'py, f64>);

/// A matrix argument as a sparse matrix; entries of dense ones that are exactly zero are left out.
///
/// Errors name the argument: entries that are not finite, with their position; indices that do not make a matrix.
pub(crate) fn sparse(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Sparse> {
    let py = value.py();
    let matrix = if let Ok(dense) = value.extract::<PyReadonlyArray2<'_, f64>>() {
        from_dense(py, &dense)?
    } else if let Ok((rows, cols, by_columns, starts, indices, values)) = value.extract::<Parts<'_>>() {
        let (Some(starts), Some(indices)) = (starts.whole(py)?, indices.whole(py)?) else {
            return Err(errors::argument(py, name, format!("{name} has negative indices."), None));
        };
        let values = copied(py, &values, Some)?.unwrap_or_default();
        let of = if by_columns { Sparse::try_new_csc } else { Sparse::try_new };
        let made = work::run_over(py, starts.len() + values.len(), move || {
            of((rows, cols), starts, indices, values)
        })?;
        made.map_err(|(_, _, _, why)| {
            errors::argument(py, name, format!("{name} is not a valid sparse matrix: {why}."), None)
        })?
    } else {
        return Err(PyTypeError::new_err(format!("{name} is neither a matrix of doubles nor a sparse one.")));
    };
    let (matrix, bad) = work::run_over(py, matrix.nnz(), move || {
        let bad = unusable(&matrix);
        (matrix, bad)
    })?;
    if let Some((entry, (row, col))) = bad {
        let rule = if entry.is_finite() {
            format!("products of entries beyond {LARGEST_ENTRY:e} overflow: take other units")
        } else {
            "all entries must be finite".to_owned()
        };
        let message = format!("{name}[{row}, {col}] is {entry:?}; {rule}.");
        return Err(errors::argument(py, name, message, Some((row, col))));
    }
    Ok(matrix)
}

/// An entry that cannot be calculated with, and its place, which is searched for where there is one.
fn unusable(matrix: &Sparse) -> Option<(f64, (usize, usize))> {
    if norms::max_abs(matrix) <= LARGEST_ENTRY {
        return None;
    }
    matrix.iter().find(|(x, _)| x.is_nan() || x.abs() > LARGEST_ENTRY).map(|(x, at)| (*x, at))
}

/// Whether every number is one.
pub(crate) fn finite(numbers: &[f64]) -> bool {
    norms::max_abs_vec(numbers) <= f64::MAX
}

/// A matrix as `MatLoad` of PETSc reads it.
#[pyfunction]
pub(crate) fn petsc<'py>(py: Python<'py>, block: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = mb_engine::petsc::file(&sparse("block", block)?).ok_or_else(|| {
        let message = "format 'petsc' has indices of 31 bits, and a matrix is too large for them.";
        errors::argument(py, "format", message.to_owned(), None)
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// The entries of a dense matrix that are not zero, in the order of the memory, so that large arrays are read once from end to end.
/// Signals are looked at between two lines.
fn from_dense(py: Python<'_>, a: &PyReadonlyArray2<'_, f64>) -> PyResult<Sparse> {
    let view = a.as_array();
    let by_columns = view.strides()[0].abs() < view.strides()[1].abs();
    let (lines, count) =
        if by_columns { (view.columns(), view.ncols()) } else { (view.rows(), view.nrows()) };
    let mut unseen = 0;
    let mut look = |read: usize| {
        unseen += read;
        if unseen <= BRIEF_PASS {
            return Ok(());
        }
        unseen = 0;
        py.check_signals()
    };
    let mut starts = Vec::with_capacity(count + 1);
    let (mut indices, mut values, mut apart) = (Vec::new(), Vec::new(), Vec::new());
    starts.push(0);
    for line in lines {
        let whole = line.to_slice().unwrap_or_else(|| {
            apart.clear();
            apart.extend(line.iter().copied());
            &apart
        });
        push_line(whole, &mut indices, &mut values);
        starts.push(indices.len());
        look(line.len())?;
    }
    let of = if by_columns { Sparse::new_csc } else { Sparse::new };
    Ok(of(view.dim(), starts, indices, values))
}

/// A numpy matrix, rows x columns, from numbers by columns.
pub(crate) fn by_columns<T: numpy::Element>(
    py: Python<'_>,
    (rows, cols): (usize, usize),
    numbers: Vec<T>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    Array2::from_shape_vec((rows, cols).f(), numbers)
        .map(|a| a.into_pyarray(py))
        .map_err(|e| errors::internal(py, &e.to_string()))
}

/// A numpy matrix with `cols` columns, from its rows.
pub(crate) fn by_rows<'py, T: numpy::Element + Clone>(
    py: Python<'py>,
    rows: &[&[T]],
    cols: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    Array2::from_shape_vec((rows.len(), cols), rows.concat())
        .map(|a| a.into_pyarray(py))
        .map_err(|e| errors::internal(py, &e.to_string()))
}

/// A numpy block of three dimensions, the last one running fastest.
pub(crate) fn block<T: numpy::Element>(
    py: Python<'_>,
    shape: (usize, usize, usize),
    numbers: Vec<T>,
) -> PyResult<Bound<'_, PyArray3<T>>> {
    Array3::from_shape_vec(shape, numbers)
        .map(|a| a.into_pyarray(py))
        .map_err(|e| errors::internal(py, &e.to_string()))
}

/// A numpy vector.
pub(crate) fn vector<T: numpy::Element>(py: Python<'_>, numbers: Vec<T>) -> Bound<'_, PyArray1<T>> {
    numbers.into_pyarray(py)
}
