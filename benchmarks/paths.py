"""Processor time of paths over a parameter or a speed, and of checks.

    python3 benchmarks/paths.py target/release/mb [OTHER/mb ...] [--only WORD]

Programs take turns, each on one core; shown is the least processor time of RUNS runs of each, in seconds. `anew` is what solving by
`mb modes` at each of the samples of a track takes: five of them are run, and the mean is taken for all.
"""

import argparse
import os
import resource
import subprocess
import tempfile
from pathlib import Path

RUNS = 3
SAMPLES = 51

SHAFT = """
units = "SI"
name = "elastic shaft with a disc"
parameters = { W = 100, k = 2e7 }
beam = [{ name = "shaft", from = [0, 0, 0], to = [0, 0, 1], elements = ELEMENTS, density = 7850, youngs_modulus = 2.1e11, poissons_ratio = 0.3, section = { radius = 0.02 } }]
spatial-body = [{ name = "disc", mass = 20, inertia = [0.1, 0.1, 0.2], at = [0, 0, 0.4] }]
joint = [{ name = "hub", type = "fixed", a = "disc", b = "shaft.nodeNODE" }]
bushing = [{ name = "thrust", a = "shaft.start", b = [0, 0, 0], stiffness = [0, 0, 1e7, 0, 0, TORSION] }]
bearing = [
    { name = "lower", a = "shaft.start", b = [0, 0, 0], stiffness = [["k", 0], [0, 4e7]], damping = [[1e3, 0], [0, 1e3]] },
    { name = "upper", a = "shaft.end", b = [0, 0, 1], stiffness = [[2e7, 0], [0, 2e7]], damping = [[1e3, 0], [0, 1e3]] },
]
"""
SPIN = """steady-rotation = [{ name = "spin", bodies = ["shaft", "disc"], axis = [0, 0, 1], through = [0, 0, 0], speed = "W" }]
"""


def shaft(elements, spin):
    text = SHAFT.replace("ELEMENTS", str(elements)).replace("NODE", str(2 * elements // 5 + 1))
    # A shaft that does not turn has to be held about its axis.
    return text.replace("TORSION", "0" if spin else "1e5") + (SPIN if spin else "")


def generated(program, name, *sets):
    changes = [word for s in sets for word in ("--set", s)]
    return subprocess.run([program, "generate", name, *changes], check=True, capture_output=True, text=True).stdout


def seconds(program, args):
    env = dict(os.environ, RAYON_NUM_THREADS="1")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, *args], check=True, capture_output=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def row(programs, name, args, runs=RUNS):
    best = [float("inf")] * len(programs)
    for _ in range(runs):
        for i, program in enumerate(programs):
            best[i] = min(best[i], seconds(program, args))
    print(f"{name:58}" + "".join(f"{t:10.3f}" for t in best), flush=True)
    return best


def track(programs, name, model, parameter, ends, more=()):
    given = ["--parameter", parameter, "--from", str(ends[0]), "--to", str(ends[1]), "--samples", str(SAMPLES)]
    own = row(programs, f"track, {name}", ["track", model, *given, *more])
    anew = [0.0] * len(programs)
    for k in range(5):
        value = ends[0] + (ends[1] - ends[0]) * k / 4
        args = ["modes", model, "--lowest", "6", "--set", f"{parameter}={value}"]
        for i, program in enumerate(programs):
            anew[i] += min(seconds(program, args) for _ in range(RUNS)) * SAMPLES / 5
    print(f"{'  anew':58}" + "".join(f"{t:10.3f}" for t in anew))
    print(f"{'  share':58}" + "".join(f"{o / a:10.2f}" for o, a in zip(own, anew)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--only", default="", help="rows whose name contains this word")
    args = parser.parse_args()
    programs = args.programs
    with tempfile.TemporaryDirectory() as folder:

        def kept(name, text):
            path = Path(folder) / f"{name}.toml"
            path.write_text(text)
            return str(path)

        def bars(n):
            return kept(f"bars{n}", generated(programs[0], "n-four-bar", f"N={n}"))

        frame = kept("frame", generated(programs[0], "beam-frame", "nx=2", "ny=2", "ns=3", "n=4"))
        still, spinning = kept("still", shaft(20, False)), kept("spinning", shaft(20, True))
        bicycle = kept("bicycle", generated(programs[0], "bicycle"))
        speeds = ["--samples", "100", "--campbell"]
        rows = {
            "n-four-bar 300": lambda n: track(programs, n, bars(300), "k", (20, 28)),
            "n-four-bar 1000": lambda n: track(programs, n, bars(1000), "k", (20, 28)),
            "beam-frame, E": lambda n: track(programs, n, frame, "E", (1.9e11, 2.3e11)),
            "rotor of 20 elements, k": lambda n: track(programs, n, still, "k", (1e7, 3e7)),
            "Campbell diagram, rotor of 20 elements": lambda n: row(
                programs, n, ["track", spinning, "--parameter", "W", "--from", "10", "--to", "1000", "--lowest", "10", *speeds]
            ),
            "Campbell diagram, bicycle": lambda n: row(
                programs, n, ["track", bicycle, "--parameter", "v", "--from", "0.1", "--to", "10", *speeds], runs=10
            ),
            "check, n-four-bar 10000": lambda n: row(programs, n, ["check", bars(10_000)]),
            "check, n-four-bar 100000": lambda n: row(programs, n, ["check", bars(100_000)], runs=1),
        }
        print(f"{'processor seconds':58}" + "".join(f"{Path(p).name:>10}" for p in programs))
        for name, run in rows.items():
            if args.only in name:
                run(name)


if __name__ == "__main__":
    main()
