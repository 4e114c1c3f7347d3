"""SLEPc on MUMPS: Krylov-Schur with shift-invert, or TOAR for quadratic problems.

    slepc_eps.py FOLDER SHIFT

Quadratic problems with a complex point need a build for complex numbers. Symmetric matrices go to L D L^T, others to LU.
Debian: python3-slepc4py-real, python3-slepc4py-complex, python3-scipy, libopenblas0-pthread (the plain BLAS is several times
slower).
"""

import sys
import time

import slepc4py

slepc4py.init([])
from petsc4py import PETSc
from slepc4py import SLEPc

# The rest serves the reading and checking, which SLEPc itself would not need.
STARTUP = time.process_time()

import common
import numpy as np


def petsc(a, symmetric):
    values = a.data.astype(PETSc.ScalarType)
    matrix = PETSc.Mat().createAIJ(
        a.shape, csr=(a.indptr.astype(PETSc.IntType), a.indices.astype(PETSc.IntType), values), comm=PETSc.COMM_SELF
    )
    if symmetric:
        matrix.setOption(PETSc.Mat.Option.SYMMETRIC, True)
    matrix.assemble()
    return matrix


def mumps(st, symmetric):
    st.setType(SLEPc.ST.Type.SINVERT)
    ksp = st.getKSP()
    ksp.setType("preonly")
    pc = ksp.getPC()
    pc.setType("cholesky" if symmetric else "lu")
    pc.setFactorSolverType("mumps")


def lowest(case, a, b, shift):
    eps = SLEPc.EPS().create(PETSc.COMM_SELF)
    eps.setOperators(a, b)
    eps.setProblemType(SLEPc.EPS.ProblemType.GHEP)
    eps.setDimensions(case["count"])
    eps.setTolerances(1e-10, 500)
    eps.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE)
    eps.setTarget(shift)
    mumps(eps.getST(), True)
    eps.solve()
    return eps


def nearest(case, matrices, point, symmetric):
    pep = SLEPc.PEP().create(PETSc.COMM_SELF)
    pep.setOperators(matrices)
    pep.setType(SLEPc.PEP.Type.TOAR)
    pep.setScale(SLEPc.PEP.Scale.SCALAR)
    pep.setDimensions(case["count"])
    pep.setTolerances(1e-10, 500)
    pep.setWhichEigenpairs(SLEPc.PEP.Which.TARGET_MAGNITUDE)
    pep.setTarget(point)
    mumps(pep.getST(), symmetric)
    pep.solve()
    return pep


def main():
    meter = common.Meter(STARTUP)
    folder, shift = sys.argv[1], float(sys.argv[2])
    case, k, c, m, g = common.read(folder)
    near = common.point(case)
    symmetric = near is None or all(abs(x - x.T).max() <= 1e-10 * abs(x).max() for x in (k, c))
    matrices = [petsc(common.saddle(k, g), symmetric), petsc(common.bordered(m, g), symmetric)]
    if near is not None:
        matrices.insert(1, petsc(common.bordered(c, g), symmetric))
    right = matrices[0].createVecRight()
    meter.start()
    if near is None:
        solver = lowest(case, *matrices, shift)
    else:
        solver = nearest(case, matrices, near, symmetric)
    found = min(solver.getConverged(), case["count"])
    kind = float if near is None else complex
    values, vectors = np.zeros(found, dtype=kind), np.zeros((right.getSize(), found), dtype=kind)
    for j in range(found):
        value = solver.getEigenpair(j, right)
        values[j] = value.real if near is None else value
        vectors[:, j] = right.getArray()
    version = ".".join(str(part) for part in SLEPc.Sys.getVersion())
    common.report(meter.stop(), f"SLEPc {version} with MUMPS", case, k, c, m, g, values, vectors)


main()
