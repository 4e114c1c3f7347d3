"""What the Python package costs: wheel, import, small models in a loop, its calls beside the same calls from Rust.

    cargo build --release -p benchmarks --example matrix_calls
    python -m pip wheel --no-deps -w target/wheels .
    python benchmarks/python_package.py

with the package installed in a release build. The shortest of many times is printed: what else the machine does adds to them.
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
#: Rounds in which both are timed, each for a fraction of a second: clocks of processors change within seconds.
ROUNDS = 10
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


def main():
    for wheel in sorted((ROOT / "target" / "wheels").glob("mb_modes-*.whl")):
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    print(f"import numpy {imports('numpy'):.3f} s, import mb with it {imports('mb'):.3f} s")
    print(f"1000 four-bars, linearized with modes: {shortest(5, four_bars()):.3f} s")
    print(f"1000 four-bars, from the model file on: {shortest(3, from_file()):.3f} s")
    calls = {
        "full 12, all": (full(12), {"all": True}, 2000),
        "chain 10000, lowest 20": (chain(10_000), {"lowest": 20}, 30),
        "chain 60000, lowest 20": (chain(60_000), {"lowest": 20}, 15),
        "full 30, all": (full(30), {"all": True}, 400),
        "full 100, all": (full(100), {"all": True}, 100),
        "full 300, all": (full(300), {"all": True}, 20),
    }
    for name, (k, request, times) in calls.items():
        # Rust and Python take turns, so that what else the machine does meets both.
        rust = mine = float("inf")
        for _ in range(ROUNDS):
            if RUST.exists():
                line = subprocess.run([RUST, name], capture_output=True, text=True, check=True).stdout
                rust = min(rust, float(line.split()[-1]))
            mine = min(mine, shortest(times, lambda k=k, request=request: mb.eigs(k, **request)))
        beside = f", Rust {1e3 * rust:.3f} ms, {100 * (mine / rust - 1):+.1f} %" if RUST.exists() else ""
        print(f"{name}: {1e3 * mine:.3f} ms{beside}")


if __name__ == "__main__":
    main()
