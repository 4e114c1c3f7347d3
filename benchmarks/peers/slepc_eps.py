"""SLEPc: Krylov-Schur with shift-invert on MUMPS's L D L^T.

    slepc_eps.py FOLDER SHIFT

Debian: python3-slepc4py, python3-scipy, libopenblas0-pthread (the plain BLAS is several times slower).
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


def petsc(a):
    matrix = PETSc.Mat().createAIJ(
        a.shape, csr=(a.indptr.astype(PETSc.IntType), a.indices.astype(PETSc.IntType), a.data), comm=PETSc.COMM_SELF
    )
    matrix.setOption(PETSc.Mat.Option.SYMMETRIC, True)
    matrix.assemble()
    return matrix


def main():
    meter = common.Meter(STARTUP)
    folder, shift = sys.argv[1], float(sys.argv[2])
    case, k, m, g = common.read(folder)
    a, b = common.saddle(k, m, g)
    size = a.shape[0]
    a, b = petsc(a), petsc(b)
    meter.start()
    eps = SLEPc.EPS().create(PETSc.COMM_SELF)
    eps.setOperators(a, b)
    eps.setProblemType(SLEPc.EPS.ProblemType.GHEP)
    eps.setDimensions(case["count"])
    eps.setTolerances(1e-10, 500)
    eps.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE)
    eps.setTarget(shift)
    st = eps.getST()
    st.setType(SLEPc.ST.Type.SINVERT)
    ksp = st.getKSP()
    ksp.setType("preonly")
    pc = ksp.getPC()
    pc.setType("cholesky")
    pc.setFactorSolverType("mumps")
    eps.solve()
    found = min(eps.getConverged(), case["count"])
    right = a.createVecRight()
    values, vectors = np.zeros(found), np.zeros((size, found))
    for j in range(found):
        values[j] = eps.getEigenpair(j, right).real
        vectors[:, j] = right.getArray()
    version = ".".join(str(part) for part in SLEPc.Sys.getVersion())
    common.report(meter.stop(), f"SLEPc {version} with MUMPS", case, k, m, g, values, vectors)


main()
