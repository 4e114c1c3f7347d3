"""The package as a whole: examples of the docstrings, types, notebooks."""

import doctest
import importlib
import inspect
import pkgutil
import shutil
import subprocess
import sys
from functools import cached_property
from pathlib import Path

import pytest

import mb

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
MODULES = [m.name for m in pkgutil.iter_modules(mb.__path__) if m.name != "_mb"]


@pytest.mark.parametrize("module", ["", *MODULES])
def test_examples_of_the_docstrings(module):
    found = doctest.testmod(importlib.import_module(f"mb.{module}" if module else "mb"), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


def public():
    """What users call: functions and classes of the package, and the methods of these."""
    for name in mb.__all__:
        thing = getattr(mb, name)
        if callable(thing):
            yield name, thing
        if inspect.isclass(thing):
            # What a class has from a private base is its own to users.
            for base in thing.__mro__:
                for method, function in vars(base).items() if base.__module__.startswith("mb.") else ():
                    if not method.startswith("_") and (inspect.isfunction(function) or isinstance(function, (property, cached_property))):
                        yield f"{name}.{method}", function


@pytest.mark.parametrize("module", MODULES)
def test_examples_of_properties_that_are_computed_once(module):
    """doctest looks into functions, classes and properties alone."""
    loaded = importlib.import_module(f"mb.{module}")
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for owner in vars(loaded).values():
        if inspect.isclass(owner) and owner.__module__ == loaded.__name__:
            for name, thing in vars(owner).items():
                if isinstance(thing, cached_property):
                    runner.run(doctest.DocTestParser().get_doctest(thing.__doc__ or "", {}, f"{owner.__name__}.{name}", module, None))
    assert runner.failures == 0


def test_what_users_call_has_an_example():
    assert {name for name, thing in public() if ">>>" not in (thing.__doc__ or "")} == set()


def test_importing_loads_neither_scipy_nor_matplotlib_nor_pandas():
    code = "import sys, mb; print([m for m in ('scipy', 'pandas', 'matplotlib', 'control', 'tqdm') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize("checker", [("mypy",), ("pyright", "--pythonpath", sys.executable)], ids=lambda c: c[0])
def test_types(checker, tmp_path):
    pytest.importorskip(checker[0])
    # The package as it is installed, with the native module next to its stub; copied, since mypy takes all packages next to one
    # that it checks for parts of it.
    shutil.copytree(Path(mb.__file__).parent, tmp_path / "mb")
    out = subprocess.run([sys.executable, "-m", *checker, "mb"], capture_output=True, text=True, cwd=tmp_path)
    assert out.returncode == 0 and "warning:" not in out.stdout, out.stdout + out.stderr


#: A program of a user who has all types checked: what is clean in it, and three lines that are not.
PROGRAM = """
import numpy as np
from numpy.typing import NDArray

import mb

r = mb.eigs([[4.0]], M=[[1.0]], lowest=1)
growth: NDArray[np.float64] = r.s.real
first: float = float(r.hz[0])
twice: NDArray[np.float64] = 2 * r.error + r.zeta
chains: NDArray[np.int64] = r.chain
sure: NDArray[np.bool_] = r.determined
parts: NDArray[np.float64] = r.shapes.real
for mode in r:
    size: NDArray[np.float64] = np.abs(mode.shape.real)

m = mb.load("gate.toml", c=5)
arm = m.body("arm", mass=4, inertia=[0.1, 0.2, 0.3])
m.revolute("hinge", arm.marker("root"), m.ground, axis="x")
eq = m.equilibrium()
force: NDArray[np.float64] = eq.reactions["hinge"].force
stable: bool | None = eq.stable
lin = eq.linearize()
skew: NDArray[np.float64] = (lin.C - lin.C.T) / 2
modes = lin.modes(lowest=10)
masses: NDArray[np.float64] = modes.participation().effective_mass
gain: NDArray[np.float64] = lin.response((0, 10))["tip", "u"].real
poles: NDArray[np.complex128] = lin.state_space(form="minimal").poles()
run = m.simulate(5.0, method="direct-correction")
last: float = float(run["tip"][-1])
runs: dict[str, NDArray[np.float64]] = {name: one.violation for name, one in m.simulate(1.0, compare=True).items()}
s = m.series(["k", "c"], order=3, modes=6)
slope: NDArray[np.float64] = s.gradient("hz")
rates: NDArray[np.complex128] = s.gradient("s", k=520)
there: NDArray[np.float64] = s(k=520).hz
sweep = m.sweep({"k": [1.0, 2.0]})
grid: NDArray[np.float64] = sweep.on_grid(sweep.hz)
speeds: list[float] = [c.speed for c in m.campbell("W", 1, 30).critical]
over: NDArray[np.complex128] = m.track("k", 1, 2).s
growing: NDArray[np.float64] = m.floquet("2*pi/W").multipliers.real
"""
WRONG = """
wrong_1: int = r.hz
wrong_2: int = mb.load("m.toml").equilibrium().q
wrong_3: str = mb.load("m.toml").simulate(1.0).t
"""


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_a_program_of_a_user_is_clean_where_all_types_are_checked(checker, tmp_path):
    pytest.importorskip(checker)
    shutil.copytree(Path(mb.__file__).parent, tmp_path / "mb")
    (tmp_path / "script.py").write_text(PROGRAM + WRONG)
    if checker == "mypy":
        command = ["mypy", "--strict", "script.py"]
    else:
        (tmp_path / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "include": ["script.py"]}')
        command = ["pyright", "--pythonpath", sys.executable]
    out = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=tmp_path)
    lines = (PROGRAM + WRONG).splitlines()
    found = [lines[line] for line in range(len(lines)) if f"script.py:{line + 1}:" in out.stdout]
    assert [line.split(":")[0] for line in found] == ["wrong_1", "wrong_2", "wrong_3"], out.stdout + out.stderr


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebooks_run(notebook):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    nb = nbformat.read(notebook, as_version=4)
    nbformat.validate(nb)
    nbclient.NotebookClient(nb, timeout=300, resources={"metadata": {"path": str(notebook.parent)}}).execute()
