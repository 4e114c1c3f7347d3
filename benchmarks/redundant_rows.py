"""Processor time of twenty modes with constraint rows that depend on each other, beside that with as many independent ones.

    python3 benchmarks/redundant_rows.py target/release/mb [OTHER/mb ...]

Needs numpy and SciPy, which write the matrices. Blocks of n^3 nodes with three coordinates each: the nodes of one face clamped once, four times
over with other factors, and by twelve random rows each; two blocks tied by mortar rows once, and again by the means of
neighbouring ties. Shown is the least processor time of three runs on one core, in seconds, and the ratio to the independent rows.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from paths import seconds

RUNS = 3


def block(n):
    """K of a grid of n^3 nodes, each linked to its 26 neighbours, three coupled coordinates each."""
    line = sp.diags([np.full(n - 1, -1.0), np.r_[1.0, np.full(n - 2, 2.0), 1.0], np.full(n - 1, -1.0)], [-1, 0, 1])
    one = sp.identity(n)
    near = sp.diags([np.ones(n - 1)] * 2, [-1, 1]) + one
    links = sp.kron(sp.kron(near, near), near)
    links = links - sp.diags(links.diagonal())
    grid = sp.kron(sp.kron(line, one), one) + sp.kron(sp.kron(one, line), one) + sp.kron(sp.kron(one, one), line)
    grid = grid + 0.25 * (sp.diags(np.asarray(links.sum(1)).ravel()) - links)
    return sp.kron(grid, np.array([[2.0, 0.3, 0.1], [0.3, 2.0, 0.2], [0.1, 0.2, 2.5]])).tocsc()


def face(n, last):
    return np.arange(3 * n**3).reshape(n, n, n, 3)[:, :, -1 if last else 0, :]


def held(columns, size):
    return sp.csr_matrix((np.ones(len(columns)), (np.arange(len(columns)), columns)), shape=(len(columns), size))


def clamped(n):
    k = block(n)
    rows = held(face(n, False).ravel(), k.shape[0])
    numbers = np.random.default_rng(1)
    mixed = sp.block_diag([sp.csr_matrix(numbers.standard_normal((12, 3))) for _ in range(rows.shape[0] // 3)]) @ rows
    return k, {"once": rows, "four times": sp.vstack([f * rows for f in (1, 2, 0.5, -3)]), "twelve random rows": mixed}


def tied(n):
    k = block(n)
    size = k.shape[0]
    low, high = face(n, True), size + face(n, False)
    ties = sp.lil_matrix((3 * n * n, 2 * size))
    for row, (i, j, d) in enumerate(np.ndindex(n, n, 3)):
        ties[row, high[i, j, d]] = 1.0
        for (p, q), weight in zip(((0, 0), (0, 1), (1, 0), (1, 1)), (0.4, 0.3, 0.2, 0.1)):
            ties[row, low[min(i + p, n - 1), min(j + q, n - 1), d]] -= weight
    ties, count = ties.tocsr(), 3 * n * n
    means = sp.diags([np.ones(count), np.full(count - 3, 0.5)], [0, 3]).tocsr()
    foot = held(face(n, False).ravel(), 2 * size)
    both = sp.block_diag([k, k + 0.01 * sp.identity(size)]).tocsc()
    overlapping = sp.vstack([ties, means @ ties, means.T @ ties, foot])
    return both, {"ties": sp.vstack([ties, foot]), "overlapping ties": overlapping}


def main():
    programs = sys.argv[1:] or sys.exit(__doc__)
    print(f"{'processor seconds':58}" + "".join(f"{Path(p).name:>16}" for p in programs))
    for name, (k, kinds) in {
        "block 11": clamped(11), "block 22": clamped(22), "two blocks 12": tied(12), "two blocks 22": tied(22),
    }.items():
        with tempfile.TemporaryDirectory() as folder:

            def kept(what, matrix):
                path = str(Path(folder) / f"{what}.npz")
                sp.save_npz(path, matrix, compressed=False)
                return path

            pencil = ["--stiffness", kept("K", k), "--mass", kept("M", sp.identity(k.shape[0], format="csc"))]
            first = None
            for kind, rows in kinds.items():
                args = ["modes", *pencil, "--constraints", kept("G", rows.tocsr()), "--lowest", "20"]
                times = [min(seconds(p, args) for _ in range(RUNS)) for p in programs]
                first = first or times
                shown = "".join(f"{t:9.2f} ({t / f:4.2f})" for t, f in zip(times, first))
                print(f"{f'{name}, {kind}: {rows.shape[0]} rows':58}" + shown, flush=True)


if __name__ == "__main__":
    main()
