"""Values that cannot be used, at every argument of every call: a result, or an exception that says what is wrong."""

import inspect
import itertools
import warnings
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import mb
from made import pushed, rotor, spring


class Fails:
    """What packages have whose numbers, paths and texts may be none: every conversion raises an error of its own."""

    def fails(self, *_):
        raise RuntimeError("nothing here")

    __array__ = __bool__ = __eq__ = __float__ = __fspath__ = __index__ = __iter__ = __repr__ = fails
    __hash__ = object.__hash__


ODD = [
    None, True, np.True_, -1, 0, 3, 10**400, -(10**5000), 1.5, float("nan"), float("inf"), 1e300, 5e-324, 2 + 3j, "", "x", "k", "a\0b", "\ud800", "1/0", b"x",
    [], [1, 2], [[1, 2], [3]], ["k", "k"], [None], (), (float("nan"), 1), {}, {1: 2}, {"k": float("nan")}, {"k": (3, 4)}, {"k": "x"}, {1, 2},
    np.arange(3), np.eye(2), np.array(1.0), np.array("x"), np.array([None]), np.zeros((2, 0)), np.float32(2), np.uint8(3), np.datetime64("2020"),
    object(), len, mb, ..., slice(1), sp.eye_array(2).tocsc(), Fraction(3, 2), range(3), Path("no/such/file.json"), Fails(), [Fails()], {"k": Fails()}, {Fails(): 1},
]  # fmt: skip


@cache
def objects():
    """A model of each kind, and its results."""
    o = SimpleNamespace(m=spring(), rotor=rotor(), pushed=pushed())
    o.eq = o.m.equilibrium()
    o.lin = o.eq.linearize()
    o.modes, o.run, o.response = o.lin.modes(), o.m.simulate(0.05), o.lin.response((0, 2), points=5)
    o.series, o.track = o.m.series("k", order=2, modes=1), o.m.track("k", 16, 20, samples=3)
    o.sweep, o.campbell = o.m.sweep({"k": [4.0, 9.0]}, modes=1), o.rotor.campbell("W", 1, 9, samples=3)
    o.orbit = o.pushed.orbit("2*pi/W")
    o.floquet = o.orbit.floquet()
    return o


K = np.diag([1.0, 4.0])
TEXT = 'units = "SI"\nname = "p"\nparameters = {k = 1}\npoint = [{ name = "P", at = [0, 0], mass = "k" }]\n'

#: Calls with what they are given where it is sound.
CALLS = {
    "eigs": lambda o: (mb.eigs, {"K": K, "lowest": 1}),
    "eigs_descriptor": lambda o: (mb.eigs_descriptor, {"A": K}),
    "response of matrices": lambda o: (mb.response, {"K": K, "inputs": np.eye(2), "band": (0, 1), "points": 5, "most": 20}),
    "engine_job": lambda o: (mb.engine_job, {"K": K, "lowest": 1}),
    "load": lambda o: (mb.load, {"path": "k.toml"}),
    "loads": lambda o: (mb.loads, {"text": TEXT, "k": 2}),
    "Model": lambda o: (mb.Model, {}),
    "marker": lambda o: (mb.Model().body("b", mass=1, inertia=1).marker, {"name": "a"}),
    "save": lambda o: (o.m.save, {"path": "m.toml"}),
    "with_parameters": lambda o: (o.m.with_parameters, {"k": 2}),
    "equilibrium": lambda o: (o.m.equilibrium, {}),
    "load_path": lambda o: (o.m.load_path, {}),
    "redundancy": lambda o: (o.m.redundancy, {}),
    "check": lambda o: (o.m.check, {}),
    "motion_point": lambda o: (o.rotor.motion_point, {}),
    "campbell": lambda o: (o.rotor.campbell, {"speed": "W", "start": 1, "end": 9, "samples": 3}),
    "simulate": lambda o: (mb.simulate, {"model": o.m, "until": 0.05}),
    "series": lambda o: (o.m.series, {"variables": "k", "order": 2, "modes": 1}),
    "track": lambda o: (o.m.track, {"variable": "k", "start": 16, "end": 20, "samples": 3, "modes": 1}),
    "sweep": lambda o: (o.m.sweep, {"parameters": {"k": [4.0, 9.0]}, "modes": 1}),
    "orbit": lambda o: (o.pushed.orbit, {"period": "2*pi/W"}),
    "exponents": lambda o: (o.pushed.exponents, {"name": "W", "start": 3, "end": 4, "period": "2*pi/W", "samples": 3}),
    "follow": lambda o: (o.orbit.follow, {"parameter": "W", "end": 3.1, "points": 2}),
    "save of an orbit": lambda o: (o.orbit.save, {"path": "o.json"}),
    "shape": lambda o: (o.floquet.shape, {"index": 0}),
    "save of a point": lambda o: (o.eq.save, {"path": "p.json"}),
    "plot of a point": lambda o: (o.eq.plot, {}),
    "reactions": lambda o: (lambda name: o.eq.reactions[name], {"name": "x"}),
    "modes": lambda o: (o.lin.modes, {"lowest": 1}),
    "state_space": lambda o: (o.lin.state_space, {}),
    "export": lambda o: (o.lin.export, {"folder": "ex"}),
    "response": lambda o: (o.lin.response, {"band": (0, 2), "points": 5, "most": 20}),
    "mode": lambda o: (lambda number: o.modes[number], {"number": 0}),
    "amplitude": lambda o: (o.modes.amplitude, {"coordinate": "P.x"}),
    "page": lambda o: (o.modes.save, {"path": "m.html"}),
    "plot of a mode": lambda o: (o.modes.plot, {}),
    "animate": lambda o: (o.modes.animate, {"frames": 2}),
    "plot of a run": lambda o: (o.run.plot, {}),
    "unit": lambda o: (o.response.unit, {"output": 0, "input": 0}),
    "plot of a response": lambda o: (o.response.plot, {}),
    "value of a series": lambda o: (lambda point: o.series(point), {"point": [17.0]}),
    "gradient": lambda o: (o.series.gradient, {"of": "hz"}),
    "tolerance": lambda o: (o.series.tolerance, {"k": 1}),
    "shapes": lambda o: (o.track.shapes, {"sample": 0}),
    "plot of a track": lambda o: (o.track.plot, {}),
    "on_grid": lambda o: (o.sweep.on_grid, {"numbers": o.sweep.hz}),
    "save of a sweep": lambda o: (o.sweep.save, {"path": "c.csv"}),
    "plot of a diagram": lambda o: (o.campbell.plot, {}),
}  # fmt: skip

#: Tables of a model with what they need.
TABLES = {
    "point": {"name": "A", "at": (0, 0)},
    "rod": {"name": "A", "ends": ("P", "Q"), "mass": 1},
    "body": {"name": "A", "mass": 1, "inertia": 1},
    "spatial_body": {"name": "A", "mass": 1, "inertia": [1, 1, 1], "at": (0, 0, 0)},
    "revolute": {"name": "A", "a": "b", "b": "P"},
    "spring": {"name": "A", "a": "P", "b": "Q", "stiffness": 1},
    "torsion_spring": {"name": "A", "a": "b", "b": "ground", "stiffness": 1},
    "force": {"name": "A", "at": "P", "direction": (1, 0), "magnitude": 1},
    "drive": {"name": "A", "quantity": "x", "of": "b", "law": "sin(t)"},
    "output": {"name": "A", "quantity": "x", "of": "b"},
    "repeat": {"index": "i", "from_": 1, "to": 2, "body": [{"name": "B{i}", "mass": 1, "inertia": 1, "at": ["i", 0]}]},
}


def arguments(call, given):
    known = inspect.signature(call).parameters.values()
    return dict.fromkeys([p.name for p in known if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)] + list(given))


def outcome(call, given, paths):
    """None where there is a result or a sound exception; otherwise what came."""
    try:
        with mb.time_limit(0.5):
            out = call(**given)
        repr(out)
    except mb.InternalError as error:
        return error
    except mb.ArgumentError as error:
        return None if error.argument and str(error) else error
    except mb.MbError as error:
        return None if str(error) else error
    except IndexError:
        return None
    except OSError as error:
        return None if paths else error
    except Exception as error:
        return error
    return None


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("k.toml").write_text(TEXT)
    pyplot = pytest.importorskip("matplotlib.pyplot")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    pyplot.close("all")


#: Arguments of which a file may be written or read.
FILES = {"path", "folder", "file", "checkpoint", "resume", "output", "at", "engine_read"}


@pytest.mark.parametrize("name", CALLS)
def test_whatever_stands_at_an_argument_of_a_call(name, elsewhere):
    call, given = CALLS[name](objects())
    assert outcome(call, given, False) is None
    wrong = {
        (argument, type(value).__name__): found
        for argument, value in itertools.product(arguments(call, given), ODD)
        # A function that is called with the progress may raise what it likes.
        if not (argument == "progress" and callable(value)) and (found := outcome(call, {**given, argument: value}, argument in FILES)) is not None
    }
    assert wrong == {}


@pytest.mark.parametrize("table", TABLES)
def test_whatever_stands_in_a_table(table):
    def call(**given):
        m = mb.Model("f", gravity=(0, -9.81), parameters={"k": 4.0})
        for name in "PQ":
            m.point(name, at=(ord(name), 0), mass=1)
        m.body("b", mass=1, inertia=1, at=(1, 0))
        getattr(m, table)(**given)
        return m.to_toml()

    known = arguments(getattr(mb.Model, table), TABLES[table])
    wrong = {
        (argument, type(value).__name__): found
        for argument, value in itertools.product([a for a in known if a != "self"], ODD)
        if (found := outcome(call, {**TABLES[table], argument: value}, False)) is not None
    }
    assert wrong == {}


def test_a_table_larger_than_the_memory_is_refused():
    with pytest.raises(mb.ArgumentError, match="a table with so many of 2 cases takes at least") as caught:
        objects().m.sweep({"k": [4.0, 9.0]}, modes=10**9)
    assert caught.value.argument == "modes"


def test_inertia_is_three_numbers_or_nine_and_may_have_expressions():
    m = mb.Model("body", parameters={"I": 2.0})
    m.body("b", mass=1, inertia=[["I", 0.1, 0], [0.1, "I", "I/9"], [0, "I/9", "1.5*I"]], at=(0, 0, 0))
    same = mb.Model("body")
    same.body("b", mass=1, inertia=np.array([[2, 0.1, 0], [0.1, 2, 2 / 9], [0, 2 / 9, 3]]), at=(0, 0, 0))
    (M, N) = (one.equilibrium(solve=False).linearize().M for one in (m, same))
    np.testing.assert_array_equal(M, N)
    for rows, words in (([[1, 2], [3]], "3 x 3"), ([[1, 2, 0], [0, 1, 0], [0, 0, 1]], r"see \[0, 1\]")):
        with pytest.raises(mb.ArgumentError, match=words) as caught:
            m.body("c", mass=1, inertia=rows, at=(0, 0, 0))
        assert caught.value.argument == "inertia"
    with pytest.raises(mb.ArgumentError, match="inertia makes body 'c' one in space") as caught:
        m.body("c", mass=1, inertia=[1, 1, 1], angle=0.1)
    assert caught.value.argument == "angle"


def test_folders_that_are_not_there_are_told(tmp_path):
    o, nowhere = objects(), tmp_path / "none"
    for write in (o.m.save, o.sweep.save):
        with pytest.raises(FileNotFoundError, match="No such folder") as caught:
            write(nowhere / "file")
        assert caught.value.filename == str(nowhere)
    with pytest.raises(FileNotFoundError) as caught:
        o.m.simulate(0.1, checkpoint=nowhere / "kept")
    assert caught.value.filename == str(nowhere / "kept")
