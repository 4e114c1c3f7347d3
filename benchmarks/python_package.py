"""What the Python package costs: wheel, import, small models in a loop, its calls beside the same calls from Rust.

    cargo build --release -p benchmarks --example matrix_calls
    python -m pip wheel --no-deps -w target/wheels .
    python benchmarks/python_package.py

with the package installed in a release build. Of many times in a process the shortest counts: what else the machine does adds to them. Where memory
lies and which clock a processor has differ by process, by a tenth for short calls: of calls beside the same from Rust the medians of several pairs
of processes are printed.
"""

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import mb

ROOT = Path(__file__).resolve().parents[1]
FOUR_BAR = ROOT / "crates" / "mb-gallery" / "models" / "n-four-bar.toml"
#: Pairs of processes, and turns of calls from Python and from Rust in each: clocks of processors change within seconds.
PAIRS, ROUNDS = 9, 10
RUST = ROOT / "target" / "release" / "examples" / "matrix_calls"


def shortest(times, call):
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def imports(module, times=15):
    """Seconds that importing a module takes a new interpreter, by the clock: threads of BLAS that wait count in processor time."""
    code = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    runs = (subprocess.run([sys.executable, "-c", code], capture_output=True, check=True) for _ in range(times))
    return min(float(run.stdout) for run in runs)


def four_bars(count=1000):
    """Models of different stiffness at their equilibria, each linearized with its modes."""
    model = mb.load(FOUR_BAR)
    points = [model.with_parameters(k=k).equilibrium() for k in np.linspace(26, 36, count)]

    def loop():
        for point in points:
            point.linearize().modes().hz

    return loop


def from_file(count=1000):
    """The same from the text of the model file on."""
    text = FOUR_BAR.read_text(encoding="utf-8")

    def loop():
        for k in np.linspace(26, 36, count):
            mb.loads(text, k=k).equilibrium().linearize().modes().hz

    return loop


def chain(n):
    return sp.diags_array([np.full(n - 1, -1.0), np.full(n, 2.0), np.full(n - 1, -1.0)], offsets=[-1, 0, 1]).tocsc()


def full(n):
    i = np.arange(n)
    return 1 / (1 + np.abs(i[:, None] - i)) + n * np.eye(n)


#: By name: the matrix, what is asked for, and calls in a turn.
CALLS = {
    "full 12, all": (lambda: full(12), {"all": True}, 400),
    "chain 10000, lowest 20": (lambda: chain(10_000), {"lowest": 20}, 3),
    "chain 60000, lowest 20": (lambda: chain(60_000), {"lowest": 20}, 1),
    "full 30, all": (lambda: full(30), {"all": True}, 100),
    "full 100, all": (lambda: full(100), {"all": True}, 20),
    "full 300, all": (lambda: full(300), {"all": True}, 3),
}


def main():
    for wheel in sorted((ROOT / "target" / "wheels").glob("mb_modes-*.whl")):
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB")
    print(f"import numpy {imports('numpy'):.3f} s, import mb with it {imports('mb'):.3f} s")
    print(f"1000 four-bars, linearized with modes: {shortest(5, four_bars()):.3f} s")
    print(f"1000 four-bars, from the model file on: {shortest(3, from_file()):.3f} s")
    for name in CALLS:
        pairs = [subprocess.run([sys.executable, __file__, name], capture_output=True, check=True, text=True) for _ in range(PAIRS)]
        times = np.array([[float(x) for x in pair.stdout.split()] for pair in pairs]) * 1e3
        mine, theirs = np.median(times, axis=0)
        off = 100 * np.sort(times[:, 0] / times[:, 1] - 1)
        print(f"{name}: {mine:.3f} ms, Rust {theirs:.3f} ms, {100 * (mine / theirs - 1):+.1f} % ({off[0]:+.1f} to {off[-1]:+.1f})")


def beside(name):
    """Prints the time of a call, and that of the same from Rust, s: both take turns, so that what else the machine does meets both."""
    made, request, times = CALLS[name]
    k = made()
    mine = theirs = float("inf")
    with subprocess.Popen([RUST, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as rust:
        for _ in range(ROUNDS):
            rust.stdin.write(f"{times}\n")
            rust.stdin.flush()
            theirs = min(theirs, float(rust.stdout.readline()))
            mine = min(mine, shortest(times, lambda: mb.eigs(k, **request)))
        rust.stdin.close()
    print(mine, theirs)


if __name__ == "__main__":
    beside(*sys.argv[1:]) if len(sys.argv) > 1 else main()
