"""SciPy: ARPACK's shift-invert mode on a sparse LU factorization (SuperLU).

    scipy_eigsh.py FOLDER SHIFT [ORDERING]

ORDERING is SuperLU's; with MMD_AT_PLUS_A its symmetric mode is used, which suits these matrices best. Quadratic problems
are put to `eigs` as the inverse of their companion form, of which only S = s^2 M + s C + K with G is factored.
"""

import sys

import common
import numpy as np
import scipy
import scipy.sparse.linalg as spl


def factor(shifted, ordering):
    symmetric = ordering == "MMD_AT_PLUS_A"
    return spl.splu(
        shifted.tocsc(),
        permc_spec=ordering,
        diag_pivot_thresh=1e-3 if symmetric else 1.0,
        options={"SymmetricMode": symmetric},
    )


def lowest(case, k, m, g, shift, ordering):
    a, b = common.saddle(k, g), common.bordered(m, g)
    lu = factor(a - shift * b, ordering)
    inverse = spl.LinearOperator(a.shape, lu.solve, dtype=np.float64)
    return spl.eigsh(a, case["count"], b, sigma=shift, OPinv=inverse, tol=1e-10)


def nearest(case, k, c, m, g, s, ordering):
    """s = s_0 + 1 / theta, S x' = -(M v + (C + s_0 M) x), v' = x + s_0 x'; v in units of |s_0|."""
    n, rows = case["unknowns"], case["constraints"]
    shifted = (common.saddle(k, g) + s * common.bordered(c, g) + s * s * common.bordered(m, g)).astype(complex)
    lu = factor(shifted, ordering)
    unit = abs(s)

    def apply(z):
        x, v = z[:n], z[n:]
        f = np.zeros(n + rows, dtype=complex)
        f[:n] = -(m @ (unit * v + s * x) + c @ x)
        new = lu.solve(f)[:n]
        return np.concatenate([new, (x + s * new) / unit])

    operator = spl.LinearOperator((2 * n, 2 * n), apply, dtype=complex)
    theta, z = spl.eigs(operator, case["count"], which="LM", tol=1e-10)
    vectors = np.zeros((n + rows, theta.size), dtype=complex)
    for j in range(theta.size):
        # One more application gives the multipliers.
        x, v = z[:n, j], z[n:, j]
        f = np.zeros(n + rows, dtype=complex)
        f[:n] = -(m @ (unit * v + s * x) + c @ x)
        vectors[:, j] = lu.solve(f) / theta[j]
    return s + 1 / theta, vectors


def main():
    meter = common.Meter()
    folder, shift = sys.argv[1], float(sys.argv[2])
    ordering = sys.argv[3] if len(sys.argv) > 3 else "COLAMD"
    case, k, c, m, g = common.read(folder)
    near = common.point(case)
    meter.start()
    if near is None:
        values, vectors = lowest(case, k, m, g, shift, ordering)
    else:
        values, vectors = nearest(case, k, c, m, g, near, ordering)
    common.report(meter.stop(), f"SciPy {scipy.__version__}", case, k, c, m, g, values, vectors)


main()
