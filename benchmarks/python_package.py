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
#: Turns of calls from Python and from Rust: clocks of processors change within seconds.
ROUNDS = 60
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
        "full 12, all": (full(12), {"all": True}, 200),
        "chain 10000, lowest 20": (chain(10_000), {"lowest": 20}, 3),
        "chain 60000, lowest 20": (chain(60_000), {"lowest": 20}, 1),
        "full 30, all": (full(30), {"all": True}, 100),
        "full 100, all": (full(100), {"all": True}, 20),
        "full 300, all": (full(300), {"all": True}, 3),
    }
    for name, (k, request, times) in calls.items():
        beside(name, times, lambda k=k, request=request: mb.eigs(k, **request))


def beside(name, times, call):
    """Prints the time of a call, and that of the same from Rust: both take turns, so that what else the machine does meets both."""
    if not RUST.exists():
        print(f"{name}: {1e3 * shortest(ROUNDS * times, call):.3f} ms")
        return
    mine = theirs = float("inf")
    with subprocess.Popen([RUST, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as rust:
        for _ in range(ROUNDS):
            rust.stdin.write(f"{times}\n")
            rust.stdin.flush()
            theirs = min(theirs, float(rust.stdout.readline()))
            mine = min(mine, shortest(times, call))
        rust.stdin.close()
    print(f"{name}: {1e3 * mine:.3f} ms, Rust {1e3 * theirs:.3f} ms, {100 * (mine / theirs - 1):+.1f} %")


if __name__ == "__main__":
    main()
