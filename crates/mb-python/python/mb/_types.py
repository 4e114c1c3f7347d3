"""Kinds of arrays that results have."""

from __future__ import annotations

from typing import Union

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]
Whole = NDArray[np.int64]
Flags = NDArray[np.bool_]
#: Vectors of modes: real where all of them are, complex otherwise.
Vectors = Union[Floats, Complexes]

__all__ = ["Complexes", "Flags", "Floats", "Vectors", "Whole"]
