"""ARPACK's shift-invert mode on PARDISO of Intel's MKL, which pypardiso installs and finds.

    pardiso_eigsh.py FOLDER SHIFT

The saddle-point matrix is indefinite and symmetric: PARDISO gets its upper triangle and the parameters that its manual
advises for such matrices. MKL is called directly, since every call of pypardiso copies and compares the whole matrix. It
takes no part in quadratic problems, which need complex numbers here.
"""

import ctypes
import os
import sys
from importlib import metadata

os.environ.setdefault("MKL_NUM_THREADS", "1")

import common
import numpy as np
import pypardiso
import scipy.sparse as sp
import scipy.sparse.linalg as spl

SYMMETRIC_INDEFINITE = -2
ANALYZE_AND_FACTOR, SOLVE = 12, 33
# Numbers of the parameters in the manual, from one: own values are given; order by nested dissection; at most two steps of
# refinement; pivots below 1e-8 are perturbed; scaling; weighted matching; Bunch-Kaufman pivoting.
PARAMETERS = {1: 1, 2: 2, 8: 2, 10: 8, 11: 1, 13: 1, 21: 1}


class Pardiso:
    """Factors of a symmetric matrix given by its upper triangle in compressed rows, every diagonal entry stored."""

    def __init__(self, upper):
        self.call = pypardiso.PyPardisoSolver().libmkl["pardiso"]
        self.size = upper.shape[0]
        self.values = upper.data
        self.starts, self.columns = ((a + 1).astype(np.int32) for a in (upper.indptr, upper.indices))
        self.handle, self.parameters = np.zeros(64, dtype=np.int64), np.zeros(64, dtype=np.int32)
        for number, value in PARAMETERS.items():
            self.parameters[number - 1] = value
        self.run(ANALYZE_AND_FACTOR, np.zeros(self.size))

    def run(self, phase, b):
        x, error = np.zeros(self.size), ctypes.c_int32(0)

        def integer(value):
            return ctypes.byref(ctypes.c_int32(value))

        def array(values):
            return values.ctypes.data_as(ctypes.c_void_p)

        self.call(
            array(self.handle), integer(1), integer(1), integer(SYMMETRIC_INDEFINITE), integer(phase), integer(self.size),
            array(self.values), array(self.starts), array(self.columns), None, integer(1), array(self.parameters), integer(0),
            array(b), array(x), ctypes.byref(error),
        )  # fmt: skip
        if error.value != 0:
            raise RuntimeError(f"PARDISO ends with error {error.value} in phase {phase}")
        return x

    def solve(self, b):
        return self.run(SOLVE, np.ascontiguousarray(b, dtype=np.float64))


def upper_triangle(matrix):
    """By rows, with a stored diagonal."""
    n = matrix.shape[0]
    diagonal = sp.csr_matrix((np.zeros(n), np.arange(n), np.arange(n + 1)), shape=matrix.shape)
    upper = sp.csr_matrix(sp.triu(matrix, format="csr") + diagonal)
    upper.sort_indices()
    return upper


def main():
    meter = common.Meter()
    folder, shift = sys.argv[1], float(sys.argv[2])
    case, k, c, m, g = common.read(folder)
    meter.start()
    a, b = common.saddle(k, g), common.bordered(m, g)
    factors = Pardiso(upper_triangle(a - shift * b))
    inverse = spl.LinearOperator(a.shape, factors.solve, dtype=np.float64)
    values, vectors = spl.eigsh(a, case["count"], b, sigma=shift, OPinv=inverse, tol=1e-10)
    common.report(meter.stop(), f"PARDISO of MKL {metadata.version('mkl')}", case, k, c, m, g, values, vectors)


main()
