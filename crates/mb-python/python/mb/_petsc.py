"""Matrices in the binary format of PETSc, which ``MatLoad`` and the program read."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import ArgumentError

#: The number with which a matrix begins.
MATRIX = 1211216


def petsc(block: Any) -> bytes:
    """A sparse matrix as PETSc writes it: big endian, by rows, indices of 31 bits from 0.

    The number 1211216, rows, columns, entries; entries of each row; columns; values.

    Examples
    --------
    >>> import scipy.sparse
    >>> len(petsc(scipy.sparse.csc_array([[1.0, 0.0], [0.0, 2.0]])))
    48
    """
    rows = block.tocsr()
    rows.sort_indices()
    if max(*rows.shape, rows.nnz) >= 2**31:
        raise ArgumentError("format 'petsc' has indices of 31 bits, and a matrix is too large for them.", "format")
    head = np.array([MATRIX, *rows.shape, rows.nnz, *np.diff(rows.indptr), *rows.indices], dtype=">i4")
    return bytes(head.tobytes() + rows.data.astype(">f8").tobytes())
