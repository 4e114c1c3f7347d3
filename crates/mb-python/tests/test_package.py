"""The package as a whole: examples of the docstrings, types, notebooks."""

import doctest
import importlib
import inspect
import pkgutil
import shutil
import subprocess
import sys
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
            for method, function in vars(thing).items():
                if not method.startswith("_") and inspect.isfunction(function):
                    yield f"{name}.{method}", function


#: Without pyvista among the packages of the tests no example of it runs.
WITHOUT_EXAMPLE = {"ModelModes.to_pyvista"}


def test_what_users_call_has_an_example():
    assert {name for name, thing in public() if ">>>" not in (thing.__doc__ or "")} == WITHOUT_EXAMPLE


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


@pytest.mark.parametrize("checker", [("mypy", "--strict"), ("pyright", "--pythonpath", sys.executable)], ids=lambda c: c[0])
def test_results_have_types_of_their_own(checker, tmp_path):
    pytest.importorskip(checker[0])
    shutil.copytree(Path(mb.__file__).parent, tmp_path / "mb")
    (tmp_path / "script.py").write_text(
        "import mb\n"
        "r = mb.eigs([[4.0]])\n"
        "first: int = r.hz\n"
        "second: int = mb.load('m.toml').equilibrium().q\n"
        "third: str = mb.load('m.toml').simulate(1.0).t\n"
    )
    out = subprocess.run([sys.executable, "-m", *checker, "script.py"], capture_output=True, text=True, cwd=tmp_path)
    found = [line for line in (1, 2, 3, 4, 5) if f"script.py:{line}:" in out.stdout]
    assert found == [3, 4, 5], out.stdout + out.stderr


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebooks_run(notebook):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    nb = nbformat.read(notebook, as_version=4)
    nbformat.validate(nb)
    nbclient.NotebookClient(nb, timeout=300, resources={"metadata": {"path": str(notebook.parent)}}).execute()
