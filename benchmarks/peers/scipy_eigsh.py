"""SciPy: ARPACK's shift-invert mode on a sparse LU factorization (SuperLU).

    scipy_eigsh.py FOLDER SHIFT [ORDERING]

ORDERING is SuperLU's; with MMD_AT_PLUS_A its symmetric mode is used, which suits these matrices best.
"""

import sys

import common
import numpy as np
import scipy
import scipy.sparse.linalg as spl


def main():
    meter = common.Meter()
    folder, shift = sys.argv[1], float(sys.argv[2])
    ordering = sys.argv[3] if len(sys.argv) > 3 else "COLAMD"
    case, k, m, g = common.read(folder)
    a, b = common.saddle(k, m, g)
    meter.start()
    shifted = (a - shift * b).tocsc()
    symmetric = ordering == "MMD_AT_PLUS_A"
    lu = spl.splu(
        shifted,
        permc_spec=ordering,
        diag_pivot_thresh=1e-3 if symmetric else 1.0,
        options={"SymmetricMode": symmetric},
    )
    del shifted
    inverse = spl.LinearOperator(a.shape, lu.solve, dtype=np.float64)
    values, vectors = spl.eigsh(a, case["count"], b, sigma=shift, OPinv=inverse, tol=1e-10)
    common.report(meter.stop(), f"SciPy {scipy.__version__}", case, k, m, g, values, vectors)


main()
