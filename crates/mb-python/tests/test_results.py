"""Results have the types that their annotations say, and show themselves in notebooks."""

import ast
import builtins
import dataclasses
import importlib
import inspect
import types
import typing
from functools import cache, cached_property

import numpy as np

import mb
from made import rotor, spring
from mb import _html


def governor():
    m = mb.Model("governor", gravity=(0, 0, -9.81))
    m.spatial_body("shaft", mass=1, inertia=[1, 1, 1], at=(0, 0, 0))
    m.spatial_body("arm", mass=2, inertia=[0, 0, 0], at=(0, 0, -0.5), markers={"pin": [0, 0, 0.5]})
    m.revolute("axle", "shaft", "ground", axis="z")
    m.revolute("pin", "arm.pin", "shaft", axis="y")
    return m


def shaken():
    """y'' + (d + 0.1 cos t) y = 0, which grows about d = 1/4."""
    m = mb.Model("bob on a shaken pivot", gravity=(0, "-d"), parameters={"d": 0.15})
    m.body("pivot", mass=1, inertia=1, at=(0, 0))
    m.prismatic("rail", "pivot", (0, 0), axis=(0, 1))
    m.body("bob", mass=1, inertia=1e-12, center_of_mass=(0, -1), at=(0, -0.1))
    m.revolute("pin", "bob", "pivot")
    m.drive("shake", "y", "pivot", "-0.1*cos(t)")
    return m


@cache
def results():
    """One of every result, and of those whose arrays are real or complex both."""
    m = spring()
    eq = m.equilibrium()
    lin = eq.linearize()
    modes = lin.modes(left=True)
    damped = mb.eigs([[4.0, 1.0], [1.0, 9.0]], C=[[0.1, 0.0], [0.0, 0.3]], left=True)
    response = lin.response((0, 2), psd={"u": 0.1}, zeros=True, points=20)
    track = m.track("k", 16, 36, samples=20)
    together = m.track("k", 16, 36, samples=5, groups=[[0, 1]])
    series = m.series("k", order=4, modes=1)
    sweep = m.sweep({"k": [-4.0, 9.0]}, modes=2, boundary=True)
    campbell = rotor().campbell("W", 1, 30, samples=10)
    steady = governor().motion_point(spin={"axle": 10})
    pendulum = mb.generate("rod-pendulum")
    run = pendulum.simulate(0.1)
    orbit = shaken().orbit("2*pi")
    branch = orbit.follow("d", 0.35, points=15)
    exponents = shaken().exponents("d", 0.15, 0.35, "2*pi", samples=9)
    check = mb.generate("parallelogram").check()
    free = mb.generate("free-body").check()
    return [
        m, m.body("arm", mass=1, inertia=1, at=(0, 0)), pendulum, eq, lin, modes, modes[0], modes.energy(), modes.participation(), damped, damped[0],
        lin.state_space(), lin.state_space("descriptor"), response, *response.peaks["sway", "u"][:1], response.zeros["sway", "u"],
        response.mean_square["sway"], lin.response((0, 2), loss=0.1, points=5), track, track.encounters[0], together, together.groups[0], series,
        series(k=17), sweep, sweep.crossings[0], campbell, campbell.critical[0], campbell.unstable[0], steady, steady.branch,
        steady.branch.crossings[0], pendulum.equilibrium(), pendulum.equilibrium().reactions, next(iter(pendulum.equilibrium().reactions.values())),
        pendulum.load_path(), pendulum.redundancy(), run, pendulum.simulate(0.1, compare=True), orbit, orbit.floquet(), branch, branch.bifurcations[0],
        exponents, exponents.unstable[0], check, free, free.free[0], mb.engine_job([[2.0]], ranks=2, lowest=1),
    ]  # fmt: skip


#: What is no result: errors, and the base classes of some.
NO_RESULTS = {"Modes", "Part"} | {name for name in mb.__all__ if inspect.isclass(getattr(mb, name)) and issubclass(getattr(mb, name), Exception)}


def test_every_class_of_the_package_is_among_the_results():
    classes = {name for name in mb.__all__ if inspect.isclass(getattr(mb, name))}
    assert classes - {type(one).__name__ for one in results()} - NO_RESULTS == set()


def test_every_result_is_a_table_in_notebooks_and_short_as_text():
    for one in results():
        assert "<table>" in one._repr_html_(), type(one)
        text = repr(one)
        assert text.startswith("<mb.") and len(text) < 400 and "\n" not in text, text


def test_texts_with_markup_stay_text():
    page = _html.table(["<b>"], [["<i>"]], "<u>", above="<em>", total=2)
    assert not [tag for tag in ("<b>", "<i>", "<u>", "<em>") if tag in page] and "&lt;i&gt;" in page and "1 more" in page
    m = mb.Model("<b>")
    m.point("P", at=(0, 0), mass=1)
    assert "<b>" not in m._repr_html_() and "&lt;b&gt;" in m._repr_html_()


def annotations(cls):
    """What the sources say of every public attribute: of fields, of properties, and of attributes that are set by ``__init__``."""
    for base in cls.__mro__:
        if not base.__module__.startswith("mb."):
            continue
        module = importlib.import_module(base.__module__)
        names = {**vars(builtins), **vars(typing), **vars(mb), **vars(module)}
        if dataclasses.is_dataclass(base):
            for field in dataclasses.fields(base):
                yield field.name, eval(field.type, names)
        for name, thing in vars(base).items():
            function = thing.fget if isinstance(thing, property) else thing.func if isinstance(thing, cached_property) else None
            if function is not None and "return" in function.__annotations__:
                yield name, eval(function.__annotations__["return"], names)
        for node in ast.walk(ast.parse(inspect.getsource(base).strip())):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute):
                yield node.target.attr, eval(ast.unparse(node.annotation), names)


def fits(value, hint):
    """Whether a value is of the type of an annotation, arrays down to the kind of their numbers."""
    origin, of = typing.get_origin(hint), typing.get_args(hint)
    if hint is typing.Any:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(fits(value, one) for one in of)
    if origin is np.ndarray:
        (number,) = typing.get_args(of[1])
        return type(value) is np.ndarray and (number is typing.Any or value.dtype == np.dtype(number))
    if origin is list:
        return type(value) is list and all(fits(x, of[0]) for x in value)
    if origin is dict:
        return isinstance(value, dict) and all(fits(k, of[0]) and fits(x, of[1]) for k, x in value.items())
    if origin is tuple and of[-1:] == (...,):
        return isinstance(value, tuple) and all(fits(x, of[0]) for x in value)
    if origin is tuple:
        return isinstance(value, tuple) and len(value) == len(of) and all(map(fits, value, of))
    return value is None if hint in (None, types.NoneType) else isinstance(value, hint) and (hint is not int or type(value) is int)


def test_attributes_are_of_the_types_of_their_annotations():
    for one in results():
        for name, hint in annotations(type(one)):
            if not name.startswith("_"):
                value = getattr(one, name)
                assert fits(value, hint), (type(one).__name__, name, type(value), getattr(value, "dtype", ""), hint)


def arrays(hint):
    """The kinds of numbers of all arrays in an annotation."""
    of = typing.get_args(hint)
    if typing.get_origin(hint) is np.ndarray:
        yield from typing.get_args(of[1])
    else:
        for one in of:
            yield from arrays(one)


def test_every_array_of_a_result_is_annotated_with_its_kind_of_numbers():
    found = [(type(one).__name__, name, kind) for one in results() for name, hint in annotations(type(one)) for kind in arrays(hint)]
    assert len(found) > 150 and not [place for place in found if place[2] is typing.Any]
