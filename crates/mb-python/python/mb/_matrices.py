"""Matrices of the caller as what the native module takes: arrays of doubles, or the parts of sparse matrices."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _mb
from ._errors import ArgumentError, ArgumentTypeError
from ._types import Floats

#: Whole numbers up to here are doubles without rounding.
_EXACT = 2**53
#: Entries up to which a matrix takes another layout in a few milliseconds.
_BRIEF = 100_000
_DOUBLE = np.dtype(np.float64)

_T = TypeVar("_T")


def is_sparse(value: Any) -> bool:
    """Whether a value is a sparse matrix of scipy."""
    return hasattr(value, "tocsc") and hasattr(type(value), "nnz")


def dense(value: Any, name: str) -> Floats:
    """A sparse matrix as an array, its indices checked before anything follows them."""
    rows, cols, by_columns, starts, indices, entries = matrix(value, name)
    major = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    _fits((rows, cols), name, "take fewer at once")
    array = np.zeros((rows, cols))
    array[(indices, major) if by_columns else (major, indices)] = entries
    return array


def matrix(value: Any, name: str) -> Any:
    """A matrix argument: an array, a nested list or a scipy.sparse matrix of real numbers, of two dimensions."""
    # What needs no look: of small problems the others would take a good part of the time.
    if type(value) is np.ndarray and value.dtype is _DOUBLE and value.ndim == 2 and value.size <= _BRIEF and value.flags.carray:
        return value
    if is_sparse(value):
        try:
            return _sparse(value, name)
        except (AttributeError, TypeError) as error:
            if isinstance(error, ArgumentTypeError):
                raise
            raise ArgumentTypeError(f"{name} of type {type(value).__name__} is no sparse matrix of scipy: {error}.", name) from error
    if hasattr(value, "matvec") and not hasattr(value, "__array__"):
        raise ArgumentTypeError(f"{name} is a linear operator; its entries are needed, as an array or a sparse matrix.", name)
    if value is None:
        raise ArgumentTypeError(f"{name} is None, but a matrix is needed.", name)
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        row, col = (int(i) for i in (*np.argwhere(np.atleast_2d(np.ma.getmaskarray(value)))[0], 0)[:2])
        raise ArgumentError(f"{name}[{row}, {col}] is masked; all entries are needed.", name, (row, col))
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ArgumentError(f"{name} is no matrix: {error}", name) from error
    except Exception as error:
        # Whatever the __array__ of another package raises.
        raise ArgumentTypeError(f"{name} of type {type(value).__name__} cannot be made an array: {error}", name) from error
    _fits(array.shape, name, "give the entries that are not zero, as a matrix of scipy.sparse")
    array = _doubles(array, name)
    if array.ndim != 2:
        help = ""
        if array.ndim == 1:
            help = " A diagonal matrix is numpy.diag(...), a single row is [...]."
        raise ArgumentError(
            f"{name} has {array.ndim} dimension{'' if array.ndim == 1 else 's'}, but a matrix has two.{help}", name
        )
    return array


def _fits(shape: tuple[int, ...], name: str, remedy: str) -> None:
    """Refuses an array whose doubles are more than the memory that is left: views by strides, and sparse matrices, may have any size."""
    needed = 8 * math.prod(shape)
    left = _mb.memory_for(min(needed, 2**62))
    if left is not None and needed > left:
        size = " x ".join(map(str, shape))
        raise ArgumentError(
            f"{name} is a dense matrix of {size} entries, {needed / 1e9:.3g} GB as doubles, but {left / 1e9:.3g} GB of memory are left; {remedy}.",
            name,
        )


def _apart(entries: int, work: Callable[[], _T]) -> _T:
    """Runs work of scipy on so many entries, of many on a thread of its own, so that this one sees signals meanwhile."""
    if entries <= _BRIEF:
        return work()
    done: list[_T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.04)
    if failed:
        raise failed[0]
    return done[0]


def vector(value: Any, name: str) -> Floats:
    """Finite numbers in an array of any shape, as doubles."""
    try:
        array = np.array(value)
    except Exception as error:
        # Rows of different lengths, or whatever the __array__ of another package raises.
        raise ArgumentTypeError(f"{name} is no array of numbers: {error}", name) from error
    array = _doubles(array, name)
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} has values that are not finite.", name)
    return array


def _doubles(array: NDArray[Any], name: str) -> Floats:
    """The same numbers as doubles, if no digit is lost."""
    kind = array.dtype.kind
    if kind == "f" and array.dtype.itemsize <= 8:
        # Fields of records may stand anywhere in memory.
        return np.require(array, np.float64, "A")
    if kind in "iu":
        if array.size and max(int(array.max()), -int(array.min())) > _EXACT:
            at = np.unravel_index(int(np.argmax(np.abs(array.astype(np.float64)))), array.shape)
            place = ", ".join(str(int(i)) for i in at)
            position = (int(at[0]), int(at[1])) if len(at) == 2 else None
            raise ArgumentError(
                f"{name}[{place}] is {array[at]}, which a double does not hold without rounding.", name, position
            )
        return array.astype(np.float64)
    if kind == "c":
        raise ArgumentTypeError(
            f"{name} has dtype {array.dtype}, but M, C and K of this problem are real; for a real matrix pass {name}.real.",
            name,
        )
    if array.size == 0 and kind != "O":
        return array.astype(np.float64) if kind in "fiub" else np.zeros(array.shape)
    more = ""
    if kind == "O":
        flat = array.reshape(-1)
        bad = next((i for i, x in enumerate(flat) if not isinstance(x, (int, float, np.number))), None)
        if bad is not None and array.ndim == 2:
            row, col = (int(i) for i in np.unravel_index(bad, array.shape))
            message = f"{name}[{row}, {col}] is {_short(flat[bad])}; {name} has dtype object, but numbers are needed."
            raise ArgumentTypeError(message, name, (row, col))
        more = "; pass an array with dtype float"
    elif kind in "bf":
        more = f"; pass {name}.astype(float) where that is meant"
    raise ArgumentTypeError(f"{name} has dtype {array.dtype}, but real numbers in double precision are needed{more}.", name)


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:
        text = type(value).__name__
    return text if len(text) <= 40 else text[:37] + "..."


def _sparse(value: Any, name: str) -> tuple[int, int, bool, NDArray[Any], NDArray[Any], Floats]:
    """Rows, columns, whether by columns, starts, indices, values."""
    if len(value.shape) != 2:
        plural = "" if len(value.shape) == 1 else "s"
        raise ArgumentError(f"{name} has {len(value.shape)} dimension{plural}, but a matrix has two.", name)
    rows, cols = (int(i) for i in value.shape)
    kind = getattr(value, "format", None)
    if kind in ("csr", "csc", "coo") and np.ndim(value.data) != 1:
        raise _invalid(name, f"its entries have {np.ndim(value.data)} dimensions, but stand one after the other")
    if kind == "dia":
        value, kind = _apart(value.nnz, value.tocoo), "coo"
    # Routines of scipy trust what they read, so that a bad index ends the process: nothing of it is called before.
    if kind in ("csr", "csc"):
        _compressed(value, name, *((rows, cols) if kind == "csr" else (cols, rows)))
    elif kind == "bsr":
        high, wide = value.data.shape[1:]
        _compressed(value, name, rows // high, cols // wide)
    elif kind == "coo":
        for what, index, size in (("row", value.row, rows), ("column", value.col, cols)):
            if len(index) != len(value.data):
                raise _invalid(name, f"it has {len(index)} {what} indices, but {len(value.data)} entries")
            _inside(index, size, name)
    by_columns = kind != "csr"
    whole = _apart(value.nnz, value.tocsc) if by_columns and kind != "csc" else value
    if kind not in ("csr", "csc"):
        _compressed(whole, name, cols, rows)
    if not _apart(value.nnz, lambda: whole.has_canonical_format):
        whole = whole.copy()
        _apart(value.nnz, whole.sum_duplicates)
    entries = int(whole.indptr[-1])
    return (
        rows,
        cols,
        by_columns,
        _indices(whole.indptr),
        _indices(whole.indices[:entries]),
        _doubles(whole.data[:entries], name),
    )


def _invalid(name: str, why: str) -> ArgumentError:
    return ArgumentError(f"{name} is not a valid sparse matrix: {why}.", name)


def _compressed(value: Any, name: str, major: int, minor: int) -> None:
    """Refuses starts and indices that lead out of their arrays or the matrix."""
    starts, indices = np.asarray(value.indptr), np.asarray(value.indices)
    if starts.ndim != 1 or indices.ndim != 1 or starts.dtype.kind not in "iu" or indices.dtype.kind not in "iu":
        raise _invalid(name, "indptr and indices are not whole numbers, one after the other")
    if len(starts) != major + 1:
        raise _invalid(name, f"indptr has {len(starts)} entries, but needs {major + 1}")
    if starts[0] != 0 or (starts[1:] < starts[:-1]).any():
        raise _invalid(name, "indptr does not begin at 0, or decreases")
    stored = min(len(indices), len(value.data))
    if starts[-1] > stored:
        raise _invalid(name, f"indptr ends at {starts[-1]}, but {stored} entries are stored")
    _inside(indices[: starts[-1]], minor, name)


def _inside(indices: NDArray[Any], size: int, name: str) -> None:
    if not len(indices):
        return
    if indices.min() < 0:
        raise ArgumentError(f"{name} has negative indices.", name)
    if indices.max() >= size:
        raise _invalid(name, f"index {indices.max()} is outside, the largest is {size - 1}")


def _indices(array: NDArray[Any]) -> NDArray[Any]:
    """Indices as they are, where they have 32 or 64 bits."""
    return np.require(array, array.dtype if array.dtype in (np.int32, np.int64) else np.int64, "A")
