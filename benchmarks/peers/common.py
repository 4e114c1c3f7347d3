"""What the peers' scripts share: reading a case, clocks, memory, residuals of the answers.

A case is a folder with K, C, M (n x n) and G (m x n), each as three arrays of compressed rows
(`k_data.npy`, `k_indices.npy`, `k_indptr.npy`), and `case.json` with `unknowns`, `constraints`, `count`, `point`.
Without a point the lowest w of K x + G^T l = w M x, G x = 0 are sought, as the pencil A z = w B z of saddle-point
matrices; with one the s nearest to it of (s^2 M + s C + K) x + G^T l = 0, G x = 0.
Constraints are scaled by the mean diagonal of K: unscaled, the peers lose six digits on stiff problems.
"""

import json
import os
import sys
import time

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg  # noqa: F401, sp.linalg


def read(folder):
    """The case's description, K, C, M and G."""
    with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
        case = json.load(file)
    n, m = case["unknowns"], case["constraints"]

    def matrix(name, rows):
        parts = [np.load(os.path.join(folder, f"{name}_{part}.npy")) for part in ("data", "indices", "indptr")]
        return sp.csr_matrix(tuple(parts), shape=(rows, n))

    return case, matrix("k", n), matrix("c", n), matrix("m", n), matrix("g", m)


def saddle(k, g):
    """[K, g G^T; g G, 0] by rows, with a full diagonal."""
    scale = float(np.abs(k.diagonal()).mean())
    rows = g.shape[0]
    return sp.bmat([[k, scale * g.T], [scale * g, sp.csr_matrix((rows, rows))]], format="csr")


def bordered(m, g):
    """[M, 0; 0, 0] by rows."""
    rows = g.shape[0]
    return sp.bmat([[m, None], [None, sp.csr_matrix((rows, rows))]], format="csr")


def point(case):
    """The point near which eigenvalues are sought, or none."""
    return complex(*case["point"]) if case["point"] else None


class Meter:
    """Processor time, time of the clock and peak memory of a stretch of work."""

    def __init__(self, startup=None):
        self.startup = time.process_time() if startup is None else startup

    def start(self):
        try:
            with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
                file.write("5")
        except OSError:
            pass
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def stop(self):
        return {
            "startup_s": self.startup,
            "cpu_s": time.process_time() - self.cpu,
            "wall_s": time.perf_counter() - self.wall,
            "peak_mib": peak_mib(),
        }


def peak_mib():
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024.0
    return float("nan")


def report(meter, version, case, k, c, m, g, values, vectors):
    """Prints one line of JSON: figures of the run, eigenvalues w or s, worst residuals of the vectors."""
    out = meter if isinstance(meter, dict) else meter.stop()
    n = case["unknowns"]
    near = point(case)
    order = np.argsort(values if near is None else np.abs(np.asarray(values) - near))[: case["count"]]
    scale = float(np.abs(k.diagonal()).mean())
    worst, violation = 0.0, 0.0
    norm_k, norm_c, norm_m = (sp.linalg.norm(a, np.inf) for a in (k, c, m))
    for j in order:
        x, l, value = vectors[:n, j], vectors[n:, j], values[j]
        size = np.linalg.norm(x)
        rest = k @ x + scale * (g.T @ l)
        if near is None:
            rest = rest - value * (m @ x)
            terms = norm_k + abs(value) * norm_m
        else:
            rest = rest + value * (c @ x) + value**2 * (m @ x)
            terms = norm_k + abs(value) * norm_c + abs(value) ** 2 * norm_m
        worst = max(worst, np.linalg.norm(rest) / (terms * size))
        violation = max(violation, np.linalg.norm(g @ x) / size)
    out.update(
        version=version,
        values=[float(np.real(values[j])) for j in order],
        imaginary=[] if near is None else [float(np.imag(values[j])) for j in order],
        residual=float(worst),
        violation=float(violation),
    )
    json.dump(out, sys.stdout)
    print()
