"""The Python blocks of the README, of the page of the package and of the page on JSON, run as they stand."""

import ast
import inspect
import re
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

import mb
import test_loaders

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "docs" / "book" / "src" / "python.md"

# The blocks of the page of the package speak of models that are not shown: a chain of six hanging arms with the names that they
# use, and an arm whose pivot is shaken.
CHAIN = """
units = "SI"
name = "chain of arms"
gravity = [0, -9.81]
parameters = { k = 500, c = 2 }
output = [{ name = "tip-x", quantity = "x", of = "arm" }]
"""
ARM = """
[[body]]
name = "{name}"
mass = {mass}
inertia = 0.1
at = [0, {y}]
markers = {{ top = [0, 0.5], low = [0, -0.5] }}
[[joint]]
name = "{joint}"
type = "revolute"
a = "{name}.top"
b = "{other}"
[[torsion-spring]]
name = "spring-{name}"
a = "{name}"
b = "{before}"
stiffness = "{factor}*k"
damping = "c"
"""
LOADS = {
    "fx": '[[force]]\nname = "fx"\nat = "second.low"\ndirection = [1, 0]\ninput = "fx"\n',
    "fy": '[[force]]\nname = "fy"\nat = "second.low"\ndirection = [0, 1]\ninput = "fy"\n',
}
TORQUE = '[[torque]]\nname = "torque-{name}"\non = "{name}"\ninput = "{input}"\n'


def chain():
    """Six arms, the lowest of which is `arm`."""
    text, other, before = CHAIN, "ground", "ground"
    inputs = ["motor", "fx", "fy", "u4", "u5", "u6"]
    for i, name in enumerate(["first", "second", "third", "fourth", "fifth", "arm"]):
        joint = "hinge" if i == 0 else f"hinge-{name}"
        text += ARM.format(
            name=name, mass=1 + 0.1 * i, y=-0.5 - i, joint=joint, other=other, before=before, factor=6 - i
        )
        text += LOADS.get(inputs[i]) or TORQUE.format(name=name, input=inputs[i])
        other, before = f"{name}.low", name
    return text


SHAKEN = """
units = "SI"
name = "arm on a shaken pivot"
gravity = [0, -9.81]
parameters = { W = 40 }
body = [
    { name = "pivot", mass = 1, inertia = 1, at = [0, 0.01], angle = 0 },
    { name = "arm", mass = 1, inertia = 0.1, center_of_mass = [0, -0.5], at = [0, 0.01], angle = 0 },
]
joint = [
    { name = "rail", type = "prismatic", a = "pivot", b = [0, 0], axis = [0, 1] },
    { name = "hinge", type = "revolute", a = "arm", b = "pivot" },
]
torsion-spring = [{ name = "soft", a = "arm", b = "pivot", stiffness = 1, damping = 1 }]
drive = [{ name = "shake", quantity = "y", of = "pivot", law = "0.01*cos(W*t)" }]
"""

PENDULUM = re.search(r"^```toml\n(# pendulum\.toml\n.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)[1]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture
def names(tmp_path, monkeypatch):
    """A folder with the files that the blocks read, and the names that they use."""
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate.toml").write_text(chain())
    (tmp_path / "shaken.toml").write_text(SHAKEN)
    (tmp_path / "pendulum.toml").write_text(PENDULUM)
    n = 30
    line = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    skew = np.eye(n, k=1) - np.eye(n, k=-1)
    phi = np.zeros((1, n))
    phi[0, :2] = 1, -1
    force = np.zeros((n, 1))
    force[3] = 1
    return dict(mb=mb, K=100 * line, M=np.eye(n), C=0.1 * line, G=0.01 * skew, Phi=phi, F=force, Y=force.T)


def run(block, names):
    with warnings.catch_warnings():
        # Findings are warnings; a block that is shown must run without one.
        warnings.simplefilter("error", mb.FindingWarning)
        exec(compile(block, "block", "exec"), names)


def test_readme(names):
    (block,) = blocks(ROOT / "README.md")
    run(block, names)
    assert len(names["r"]) == 20 and names["r"].complete
    assert Path("modes.html").is_file()


def test_page_of_the_package(names):
    matrices, build, analyse, response, series, periodic = blocks(PACKAGE)
    run(matrices, names)
    assert len(names["r"]) == 20
    run(build, names)
    assert Path("arm.toml").read_text() == mb.load("arm.toml").to_toml()
    names["m"] = mb.load("gate.toml")
    run(analyse, names)
    assert names["run"]["tip-x"].shape == names["run"].t.shape
    run(response, names)
    assert names["s"].on_grid(names["s"].hz).shape[:2] == (3, 2)
    run(series, names)
    assert names["t"].hz.shape[1] >= 1
    names["m"] = mb.load("shaken.toml")
    run(periodic, names)
    assert names["b"].value[-1] == pytest.approx(45)


#: What the letters of the page from the program to Python stand for.
LETTERS = {
    "mb": mb, "m": mb.Model, "eq": mb.OperatingPoint, "lin": mb.Linearization, "modes": mb.ModelModes, "r": mb.Response, "run": mb.Run,
    "o": mb.Orbit, "s": mb.Series, "t": mb.Track, "c": mb.Campbell, "w": mb.Sweep, "ss": mb.StateSpace,
}  # fmt: skip
#: Methods that hand their keywords on.
HANDED_ON = {mb.Model.simulate: mb.simulate, mb.Model.floquet: mb.Model.orbit, mb.Model.exponents: mb.Model.orbit}


def counterparts():
    """Spans of code in the right columns of the page."""
    for line in (PACKAGE.parent / "python-program.md").read_text().splitlines():
        if line.startswith("| `"):
            yield from re.findall(r"`([^`]+)`", line.split("` | ", 1)[1])
        elif not line.startswith(("|", "#", "linear", "diagram")):
            yield from (span for span in re.findall(r"`([^`]+)`", line) if "(" in span)


def meant(node):
    """What an expression of the page names; None where it is of another package, or a value."""
    if isinstance(node, ast.Name):
        return LETTERS.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    owner = meant(node.value)
    if owner is None:
        return None
    found = getattr(owner, node.attr, None)
    if found is None:
        assert re.search(rf"\b{node.attr}\b.*:", owner.__doc__ or ""), f"{ast.unparse(node)} does not exist"
    return found


def test_page_from_the_program_to_python():
    """Every function, attribute and keyword of the page is there."""
    calls = 0
    for span in counterparts():
        try:
            tree = ast.parse(span, mode="eval")
        except SyntaxError:
            tree = ast.parse(span + " pass")
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                meant(node)
            if isinstance(node, ast.Call) and (function := meant(node.func)) is not None:
                calls += 1
                function = function.__call__ if isinstance(node.func, ast.Name) else function
                given = {k.arg: None for k in node.keywords}
                for place in dict.fromkeys([function, HANDED_ON.get(function, function)]):
                    known = inspect.signature(place).parameters
                    given = {k: v for k, v in given.items() if k not in known or known[k].kind is inspect.Parameter.VAR_KEYWORD}
                taken_along = function in (mb.Series.__call__, mb.Series.tolerance, mb.load, mb.generate, mb.Model.with_parameters)
                assert taken_along or not given, f"{span}: {list(given)} is not known"
    assert calls > 150


def test_page_on_json(names):
    """Polynomials read from their file give the eigenvalues of the series that wrote it."""
    program = test_loaders.program()
    if program is None:
        pytest.skip("the program mb is not built: cargo build -p mb-cli")
    order = ["--parameters", "k,c", "--order", "3", "--modes", "1,2"]
    command = [program, "parametric", "gate.toml", *order, "--output", "modes.npz"]
    subprocess.run(command, check=True, capture_output=True)
    (block,) = blocks(ROOT / "docs" / "json-output.md")
    run(block.replace("[950.0, 0.72]", "[505.0, 2.1]"), names)
    series = mb.load("gate.toml").series(["k", "c"], order=3, modes=2)
    np.testing.assert_allclose(np.abs(names["s"]), np.abs(series(k=505.0, c=2.1).s), rtol=1e-9)
