"""Models: loaded from files or built table by table."""

from __future__ import annotations

import copy
import json
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from . import _files, _html, _mb, _toml
from ._campbell import Campbell
from ._check import Check, checked
from ._errors import ArgumentError, ArgumentTypeError, FindingWarning, MbError, ModelError
from ._motion import Comparison, Run, Simulation, simulate
from ._names import frame_name, held, mapping, numbers, resolve, spins, unknowns
from ._exponents import Exponents, exponents
from ._keys import (
    AngleKeys,
    BeamKeys,
    BearingKeys,
    BodyKeys,
    BushingKeys,
    DriveKeys,
    ErlsLinkKeys,
    FlexibleLinkKeys,
    ForceKeys,
    JointKeys,
    KnifeEdgeKeys,
    OutputKeys,
    PointKeys,
    RodKeys,
    RollingKeys,
    SolidKeys,
    SpatialBodyKeys,
    SpringKeys,
    SteadyRotationKeys,
    SurfaceLoadKeys,
    TorqueKeys,
    TorsionSpringKeys,
    keywords,
)
from ._periodic import Floquet, Orbit, of_orbit, orbit
from ._points import At, start_values
from ._requests import MOST_SAMPLES, count, flag, is_sequence, listed, number, path_of, start_later, strategy_word, text, words
from ._series import Groups, Series, series
from ._site import OperatingPoint
from ._sweep import Sweep, sweep
from ._track import Track, track
from ._types import Floats

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Rows and columns of the products of inertia, Ixy, Ixz, Iyz, below the diagonal.
_BELOW = ((1, 0), (2, 0), (2, 1))

_AXES = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1], "-x": [-1, 0, 0], "-y": [0, -1, 0], "-z": [0, 0, -1]}


@dataclass(frozen=True, repr=False)
class Part(_html.Record):
    """A body, point, beam, solid or link of a model: a place that joints, springs and loads attach to.

    Attributes
    ----------
    name : str
        Its name.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("pendulum")
    >>> arm = m.body("arm", mass=1, inertia=0.1, at=(0, -1))
    >>> str(arm), str(arm.marker("top", at=(0, 1)))
    ('arm', 'arm.top')
    """

    name: str
    _entry: dict[str, Any] | None = field(default=None, repr=False, compare=False)
    _changed: Callable[[], Any] | None = field(default=None, repr=False, compare=False)

    @property
    def place(self) -> str:
        """How tables write the place: the name.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pendulum")
        >>> m.body("arm", mass=1, inertia=0.1, at=(0, -1)).place
        'arm'
        """
        return self.name

    def marker(self, name: str, at: Any = None) -> str:
        """The place of a marker, a frame or a node: ``body.marker``.

        Parameters
        ----------
        name : str
            Its name.
        at : sequence of numbers or expressions
            Makes the marker, at this place in the axes of the body, m; of a link the arc length, m.

        >>> import mb
        >>> m = mb.Model("pendulum", gravity=(0, 0, -9.81))
        >>> arm = m.body("arm", mass=4, inertia=[0.4, 0.1, 0.4], at=(0, 0, -0.5))
        >>> _ = m.revolute("hinge", arm.marker("root", at=(0, 0, 0.5)), m.ground, axis="x")
        >>> w = m.equilibrium().linearize().modes().s[0].imag
        >>> bool(abs(w - (4 * 9.81 * 0.5 / (0.4 + 4 * 0.5**2)) ** 0.5) < 1e-12)
        True
        """
        name = text(name, "name")
        if at is not None:
            if self._entry is None or self._changed is None:
                raise ArgumentError(f"{self.name!r} is no body that a marker can be added to.", "at")
            place = _toml.plain(at, f"'{self.name}'.markers.{name}")
            before = self._entry.get("markers", {}).get(name)
            if before is not None and before != place:
                raise ArgumentError(f"{self.name!r} has a marker {name!r} already, at {before}: take another name.", "name")
            self._changed()
            self._entry.setdefault("markers", {})[name] = place
        return f"{self.name}.{name}"

    def __str__(self) -> str:
        return self.name


class Model:
    """A constrained multibody system.

    Every table of the model file has a method of its name; its keys are keyword arguments. Wherever a number stands an
    expression of the parameters may stand as text, ``"L/2"``. Places are names, parts, markers, or coordinates in the
    ground.

    Parameters
    ----------
    name : str
        Name of the model.
    gravity : sequence of 2 or 3 numbers
        Acceleration of gravity, m/s^2; none without it.
    parameters : dict
        Named numbers or expressions.
    description : str
        What the model is.

    Examples
    --------
    A rod of 1.5 m that hangs from a pin: sqrt(3 g / (2 L)).

    >>> import mb
    >>> m = mb.Model("rod pendulum", gravity=(0, -9.81), parameters={"L": 1.5})
    >>> pin = m.point("O", at=(0, 0), fixed=True)
    >>> tip = m.point("P", at=(0, "-L"))
    >>> _ = m.rod("OP", ends=(pin, tip), mass=2)
    >>> eq = m.equilibrium()
    >>> eq.stable
    True
    >>> modes = eq.linearize().modes()
    >>> bool(abs(modes.s[0].imag - 9.81**0.5) <= modes.error[0])
    True
    """

    #: What joints of the ground attach to.
    ground = "ground"

    def __init__(
        self,
        name: str = "model",
        *,
        gravity: Any = None,
        parameters: Mapping[str, Any] | None = None,
        description: str | None = None,
    ):
        self._tables: dict[str, Any] | None = {"units": "SI", "name": _toml.plain(name, "name")}
        if description is not None:
            self._tables["description"] = _toml.plain(description, "description")
        if gravity is not None:
            self._tables["gravity"] = _toml.plain(gravity, "gravity")
        if parameters is not None:
            self._tables["parameters"] = _toml.plain(dict(mapping(parameters, "parameters", "numbers or expressions by name")), "parameters")
        self._text: str | None = None
        self._file: str | None = None
        self._folder: Path | None = None
        self._given: dict[str, Any] = {}
        self._meshes: dict[str, str] = {}
        self._changes = 0
        self._native: Any = None

    # ---------------------------------------------------------------------------------------------- tables

    @classmethod
    def _of_text(
        cls, text: str, file: str | None, folder: Path | None, parameters: dict[str, Any], meshes: dict[str, str] | None = None
    ) -> Model:
        self = cls.__new__(cls)
        self._meshes, self._changes = meshes or {}, 0
        self._tables, self._text, self._file, self._folder, self._native = None, text, file, folder, None
        self._given = {k: _parameter(v, k) for k, v in parameters.items()}
        self._build()
        return self

    @property
    def tables(self) -> dict[str, Any]:
        """The tables of the description, as in the model file: a copy, which changes nothing of the model where it is changed.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("point"); _ = m.point("P", at=(0, 0), mass=2)
        >>> m.tables["point"]
        [{'name': 'P', 'at': [0, 0], 'mass': 2}]
        """
        return copy.deepcopy(self._described())

    def _described(self) -> dict[str, Any]:
        tables = self._tables
        if tables is None:
            tables = self._tables = json.loads(self._build().tables())
        return tables

    @property
    def source(self) -> str | None:
        """The text that the model was read from, comments and all; None of a model that was built or changed here.

        Examples
        --------
        >>> import mb
        >>> text = 'units = "SI"\\nname = "point"\\n# alone\\npoint = [{ name = "P", at = [0, 0], mass = 1 }]\\n'
        >>> mb.loads(text).source == text, mb.Model("built here").source
        (True, None)
        """
        return self._text

    def _changed(self) -> dict[str, Any]:
        """The tables, to be changed: the model is built again when it is next asked for something."""
        tables = self._described()
        # They hold the parameters as they were given.
        self._native, self._text, self._given = None, None, {}
        self._changes += 1
        return tables

    def add(self, table: str, name: str | None = None, /, **keys: Any) -> Part:
        """Adds one entry of a table, ``add("joint", "hinge", type="revolute", a="arm.root", b="ground")``.

        Keys that are words of Python end in an underscore, ``from_``; those whose value is None are left out. Names of tables may have
        underscores, as the methods have them: ``spatial_body``.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pendulum")
        >>> _ = m.body("arm", mass=1, inertia=0.1, at=(0, -1), markers={"top": (0, 1)})
        >>> str(m.add("joint", "pin", type="revolute", a="arm.top", b=[0, 0])), m.check().degrees_of_freedom
        ('pin', 1)
        """
        entry: dict[str, Any] = {}
        if name is not None:
            entry["name"] = _toml.plain(name, "name")
        table = _table(table)
        for key, value in keys.items():
            if value is not None:
                called = key.rstrip("_") if table != "repeat" else _table(key)
                entry[called] = _toml.plain(_axis(table, key, value), f"{table} '{name}'.{key}")
        self._changed().setdefault(table, []).append(entry)
        return Part(str(name), entry, self._changed)

    @keywords(PointKeys)
    def point(self, name: str, **keys: Unpack[PointKeys]) -> Part:
        """A point of the plane: ``at`` (m), ``fixed``, ``mass`` (kg), ``velocity`` (m/s), ``damping`` ``{"alpha": 1/s}``.

        >>> import mb
        >>> m = mb.Model("point")
        >>> str(m.point("P", at=(0, 0), mass=2)), m.coordinates
        ('P', ['P.x', 'P.y'])
        """
        return self.add("point", name, **keys)

    @keywords(RodKeys)
    def rod(self, name: str, ends: Any, mass: Any, **keys: Unpack[RodKeys]) -> Part:
        """A uniform rod of ``mass`` (kg) between two points: ``length`` (m), ``rigid``, ``damping``.

        >>> import mb
        >>> m = mb.Model("rod")
        >>> ends = m.point("O", at=(0, 0), fixed=True), m.point("P", at=(3, 4))
        >>> _ = m.rod("OP", ends=ends, mass=6)
        >>> m.equilibrium().linearize().M[0, 0].item()      # a third of it moves with the end
        2.0
        """
        return self.add("rod", name, ends=words(listed(ends, "ends", "two points, ends=(a, b),"), "ends"), mass=mass, **keys)

    @keywords(BodyKeys)
    def body(self, name: str, **keys: Unpack[BodyKeys]) -> Part:
        """A rigid body: in the plane where ``inertia`` is one number, in space where it is three or nine.

        Keys: ``mass``, ``inertia``, ``center_of_mass``, ``at``, ``angle`` or ``orientation``, ``velocity``,
        ``angular_velocity``, ``fixed``, ``damping``, ``markers``, ``frames``. A 3 x 3 ``inertia`` is split into the moments
        and the products of inertia. Units are kg, kg m^2, m, rad.

        >>> import mb
        >>> m = mb.Model("bodies")
        >>> _ = m.body("flat", mass=1, inertia=0.1); _ = m.body("round", mass=1, inertia=(0.1, 0.1, 0.2), at=(0, 0, 0))
        >>> sorted(set(m.tables) & {"body", "spatial-body"})
        ['body', 'spatial-body']
        """
        at: Any = keys.get("at")
        in_space = {
            "inertia": is_sequence(keys.get("inertia")),
            "orientation": keys.get("orientation") is not None,
            "at": isinstance(at, (list, tuple, np.ndarray)) and is_sequence(at) and len(at) == 3,
        }
        if any(in_space.values()):
            given: dict[str, Any] = dict(keys)
            if given.pop("angle", None) is not None:
                what = next(key for key, is_so in in_space.items() if is_so)
                raise ArgumentError(f"angle is of a body in the plane, but {what} makes body {name!r} one in space: it has an orientation.", "angle")
            return self.spatial_body(name, **given)
        return self.add("body", name, **keys)

    @keywords(SpatialBodyKeys)
    def spatial_body(self, name: str, **keys: Unpack[SpatialBodyKeys]) -> Part:
        """A rigid body in space; keys as those of :meth:`body`.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("free body", gravity=(0, 0, 0))
        >>> _ = m.spatial_body("arm", mass=1, inertia=[1, 2, 3], at=(0, 0, 1))
        >>> m.redundancy().rank
        0
        """
        rows = _toml.plain(keys.get("inertia"), "inertia") if is_sequence(keys.get("inertia")) else None
        if rows and any(isinstance(row, list) for row in rows):
            if len(rows) != 3 or not all(isinstance(row, list) and len(row) == 3 for row in rows):
                raise ArgumentError("inertia is neither 3 x 3 nor three numbers.", "inertia")
            for row, col in _BELOW:
                if rows[row][col] != rows[col][row]:
                    raise ArgumentError(f"inertia is not symmetric: see [{col}, {row}].", "inertia", (col, row))
            keys["inertia"] = [rows[i][i] for i in range(3)]
            products = [rows[col][row] for row, col in _BELOW]
            if any(products):
                keys.setdefault("products_of_inertia", products)
        return self.add("spatial-body", name, **keys)

    @keywords(BeamKeys)
    def beam(self, name: str, **keys: Unpack[BeamKeys]) -> Part:
        """A geometrically exact beam in space.

        Keys: ``from_``, ``to`` (m), ``elements``, ``section`` (``{"radius": 0.05}``, ``{"width": b, "height": h}``, or its numbers),
        ``density`` (kg/m^3), ``youngs_modulus`` (Pa), ``poissons_ratio``, ``y``, ``damping``, ``markers``; its ends are the places
        ``name.start`` and ``name.end``.

        A cantilever of length L bends with 3.516 sqrt(E I / (rho A L^4)):

        >>> import math, mb
        >>> m = mb.Model("cantilever")
        >>> beam = m.beam("b", from_=(0, 0, 0), to=(1, 0, 0), elements=8, section={"radius": 0.01}, density=7800,
        ...               youngs_modulus=2.1e11, poissons_ratio=0.3)
        >>> _ = m.fixed("wall", beam.marker("start"), m.ground)
        >>> first = m.equilibrium().linearize().modes(lowest=1).s[0].imag
        >>> bool(abs(first / (3.516 * math.sqrt(2.1e11 / 7800) * 0.005) - 1) < 0.01)
        True
        """
        return self.add("beam", name, **keys)

    @keywords(SolidKeys)
    def solid(self, name: str, **keys: Unpack[SolidKeys]) -> Part:
        """A solid of hexahedra: a ``block`` or a ``mesh`` file, ``density``, ``youngs_modulus`` (Pa), ``poissons_ratio``, ``damping``.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("block")
        >>> block = {"size": [0.1, 0.1, 0.4], "elements": [1, 1, 3]}
        >>> _ = m.solid("block", block=block, density=1000, youngs_modulus=1e7, poissons_ratio=0.3, at=(0, 0, 0), fixed=["z-"])
        >>> m.equilibrium().linearize().modes(lowest=2).kind
        ['physical', 'physical']
        """
        return self.add("solid", name, **keys)

    @keywords(FlexibleLinkKeys)
    def flexible_link(self, name: str, **keys: Unpack[FlexibleLinkKeys]) -> Part:
        """A flexible link of the plane in a floating frame.

        Keys: ``length`` (m), ``elements``, ``section`` (``{"radius": 0.01}``, ``{"width": b, "height": h}``, or ``area`` and
        ``second_moment``), ``density`` (kg/m^3), ``youngs_modulus`` (Pa), ``at``, ``angle`` (rad), ``markers``, ``reference``,
        ``damping``.

        >>> import mb
        >>> m = mb.Model("link on a pin")
        >>> link = m.flexible_link("a", length=1, elements=2, section={"radius": 0.01}, density=2700, youngs_modulus=7e10, at=(0, 0))
        >>> _ = m.revolute("pin", link, (0, 0))
        >>> m.equilibrium().linearize().modes().kind[0]
        'rigid'
        """
        return self.add("flexible-link", name, **keys)

    @keywords(ErlsLinkKeys)
    def erls_link(self, name: str, **keys: Unpack[ErlsLinkKeys]) -> Part:
        """A link of the plane with displacements relative to an equivalent rigid mechanism.

        Keys: ``base`` (a place of the ground or the link before), ``length`` (m), ``elements``, ``section``, ``density``,
        ``youngs_modulus``, ``angle`` (rad), ``passive``, ``payload`` (kg), ``damping``.

        >>> import mb
        >>> m = mb.Model("arm held by its motor")
        >>> _ = m.erls_link("a", base=(0, 0), length=1, elements=2, section={"area": 1e-4, "second_moment": 1e-9}, density=2700,
        ...                 youngs_modulus=7e10)
        >>> m.equilibrium().at_rest
        True
        """
        return self.add("erls-link", name, **keys)

    @keywords(AngleKeys)
    def angle(self, name: str, from_: Any, to: Any, **keys: Unpack[AngleKeys]) -> Part:
        """An angle coordinate of the line between two places, rad: ``initial``, ``form``.

        >>> import mb
        >>> m = mb.Model("angle")
        >>> _ = m.point("O", at=(0, 0), fixed=True); _ = m.point("P", at=(0, 1), mass=1)
        >>> _ = m.angle("a", "O", "P", initial="pi/2")
        >>> m.coordinates
        ['P.x', 'P.y', 'a.angle']
        """
        return self.add("angle", name, **{"from": from_, "to": to}, **keys)

    @keywords(JointKeys)
    def joint(self, name: str, type: str, a: Any, b: Any, **keys: Unpack[JointKeys]) -> Part:
        """A joint between two places: ``axis``, ``axis_a``, ``locked``, ``free``, ``length``, ``angle``.

        ``type``: revolute, fixed, prismatic, point-on-line, distance; in space also spherical, cylindrical, universal,
        planar, generic. An axis is a vector, or ``"x"``, ``"y"``, ``"z"``.

        >>> import mb
        >>> m = mb.Model("one freedom")
        >>> body = m.spatial_body("b", mass=1, inertia=(1, 1, 1), at=(0, 0, 0))
        >>> _ = m.joint("j", "generic", body, m.ground, free=["z"])
        >>> m.check().degrees_of_freedom
        1
        """
        return self.add("joint", name, type=type, a=a, b=b, **keys)

    @keywords(JointKeys)
    def revolute(self, name: str, a: Any, b: Any, **keys: Unpack[JointKeys]) -> Part:
        """A revolute joint.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pendulum", gravity=(0, -10))
        >>> _ = m.body("arm", mass=1, inertia=0.5, at=(0, -1), markers={"top": (0, 1)}); _ = m.revolute("pin", "arm.top", (0, 0))
        >>> m.check().degrees_of_freedom
        1
        """
        return self.joint(name, "revolute", a, b, **keys)

    @keywords(JointKeys)
    def prismatic(self, name: str, a: Any, b: Any, **keys: Unpack[JointKeys]) -> Part:
        """A prismatic joint.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("slider")
        >>> _ = m.body("block", mass=1, inertia=0.5); _ = m.prismatic("rail", "block", (0, 0), axis="x")
        >>> m.check().degrees_of_freedom
        1
        """
        return self.joint(name, "prismatic", a, b, **keys)

    @keywords(JointKeys)
    def fixed(self, name: str, a: Any, b: Any, **keys: Unpack[JointKeys]) -> Part:
        """A joint that locks all motions.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("clamped")
        >>> _ = m.body("block", mass=1, inertia=0.5); _ = m.fixed("weld", "block", (0, 0))
        >>> m.redundancy().rank
        3
        """
        return self.joint(name, "fixed", a, b, **keys)

    @keywords(JointKeys)
    def spherical(self, name: str, a: Any, b: Any, **keys: Unpack[JointKeys]) -> Part:
        """A spherical joint.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("ball", gravity=(0, 0, -10))
        >>> _ = m.body("arm", mass=1, inertia=[1, 1, 1], at=(0, 0, -1), markers={"top": (0, 0, 1)})
        >>> _ = m.spherical("ball", "arm.top", (0, 0, 0))
        >>> m.redundancy().rank
        3
        """
        return self.joint(name, "spherical", a, b, **keys)

    @keywords(JointKeys)
    def universal(self, name: str, a: Any, b: Any, **keys: Unpack[JointKeys]) -> Part:
        """A universal joint.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("cross", gravity=(0, 0, -10))
        >>> _ = m.body("arm", mass=1, inertia=[1, 1, 1])
        >>> _ = m.universal("cross", "arm", (0, 0, 0), axis="z", axis_a="x")
        >>> m.redundancy().rank
        4
        """
        return self.joint(name, "universal", a, b, **keys)

    @keywords(JointKeys)
    def cylindrical(self, name: str, a: Any, b: Any, **keys: Unpack[JointKeys]) -> Part:
        """A cylindrical joint.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("sleeve", gravity=(0, 0, -10))
        >>> _ = m.body("arm", mass=1, inertia=[1, 1, 1]); _ = m.cylindrical("sleeve", "arm", (0, 0, 0), axis="x")
        >>> m.redundancy().rank
        4
        """
        return self.joint(name, "cylindrical", a, b, **keys)

    @keywords(SpringKeys)
    def spring(self, name: str, a: Any, b: Any, **keys: Unpack[SpringKeys]) -> Part:
        """A spring and damper between two places: ``stiffness`` (N/m), ``natural_length`` (m), ``damping`` (N s/m).

        >>> import mb
        >>> m = mb.Model("stretched")
        >>> _ = m.point("P", at=(3, 0), mass=1); _ = m.spring("s", "P", (0, 0), stiffness=2, natural_length=3)
        >>> m.equilibrium().linearize().K[0, 0].item()
        2.0
        """
        return self.add("spring", name, a=a, b=b, **keys)

    @keywords(BushingKeys)
    def bushing(self, name: str, a: Any, b: Any, **keys: Unpack[BushingKeys]) -> Part:
        """A bushing between frames in space: ``stiffness`` (N/m three times, N m/rad three times) or ``stiffness_matrix`` (6 x 6),
        ``damping``, ``preload`` (N, N m).

        >>> import mb
        >>> m = mb.Model("mount")
        >>> box = m.spatial_body("box", mass=4, inertia=(1, 1, 1), at=(0, 0, 0))
        >>> _ = m.bushing("b", box, m.ground, stiffness=[100, 400, 900, 16, 25, 36])
        >>> m.equilibrium().linearize().modes().s.imag.round(9).tolist()
        [4.0, 5.0, 5.0, 6.0, 10.0, 15.0]
        """
        return self.add("bushing", name, a=a, b=b, **keys)

    @keywords(BearingKeys)
    def bearing(self, name: str, a: Any, b: Any, **keys: Unpack[BearingKeys]) -> Part:
        """A bearing of a rotor: ``stiffness`` and ``damping`` 2 x 2, or ``speed`` with a ``table`` over it; ``axis``, ``x``.

        Units are N/m, N s/m, rad/s. :meth:`campbell` has an example.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("disc on two bearings")
        >>> _ = m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
        >>> for end in "ab":
        ...     _ = m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
        >>> bounce = m.equilibrium().linearize().modes().s
        >>> sorted(set(abs(bounce).round(6).tolist()))                 # sqrt(100 / 1), sqrt(100 * 4 / 1) rad/s; free along and about the axis
        [0.0, 10.0, 20.0]
        """
        return self.add("bearing", name, a=a, b=b, **keys)

    @keywords(SteadyRotationKeys)
    def steady_rotation(self, name: str, **keys: Unpack[SteadyRotationKeys]) -> Part:
        """A rotation of the steady motion: ``joint``, or ``bodies`` with ``axis`` and ``through``; ``speed`` (rad/s).

        A speed of ``"?"`` is unknown, and ``hold`` says which coordinate or output has which value instead; :meth:`motion_point`,
        :meth:`equilibrium` and all that starts from them solve for it. :meth:`campbell` has another example.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("disc on two bearings")
        >>> _ = m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
        >>> for end in "ab":
        ...     _ = m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
        >>> _ = m.steady_rotation("spin", bodies=["disc"], speed=3)
        >>> m.equilibrium().at_rest
        False

        A block of 1 kg that slides along an arm, on a spring of 100 N/m, 1 m long, at a distance of 4/3 m: W^2 = 100 (4/3 - 1) / (4/3)
        = 25 rad^2/s^2.

        >>> m = mb.Model("sling")
        >>> hub = m.spatial_body("hub", mass=1, inertia=[1, 1, 1], at=(0, 0, 0))
        >>> block = m.spatial_body("block", mass=1, inertia=[1, 1, 1], at=(1.3, 0, 0))
        >>> _ = m.revolute("axle", hub, m.ground, axis="z"); _ = m.prismatic("slide", block, hub, axis="x")
        >>> _ = m.spring("s", block, hub, stiffness=100, natural_length=1)
        >>> _ = m.steady_rotation("turn", joint="axle", speed="?", hold=[{"of": "block.x", "value": 4 / 3}])
        >>> [round(w, 6) for w in m.equilibrium().solved.values()]
        [5.0]
        """
        return self.add("steady-rotation", name, **keys)

    @keywords(RollingKeys)
    def rolling(self, name: str, wheel: Any, **keys: Unpack[RollingKeys]) -> Part:
        """A wheel, disc or ball that rolls on a plane without slip: ``radius`` (m), ``axle`` (of a disc), ``tread`` (m), ``plane``,
        ``normal``; on a surface that rises and falls by ``profile`` (m, of ``x``) in the direction ``ahead``.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("ball on a plane", gravity=(0, 0, -10))
        >>> _ = m.spatial_body("ball", mass=1, inertia=[0.1, 0.1, 0.1], at=(0, 0, 0.5))
        >>> _ = m.rolling("contact", "ball", radius=0.5, plane=(0, 0, 0), normal="z")
        >>> m.check().degrees_of_freedom
        3
        """
        return self.add("rolling", name, wheel=wheel, **keys)

    @keywords(KnifeEdgeKeys)
    def knife_edge(self, name: str, edge: Any, **keys: Unpack[KnifeEdgeKeys]) -> Part:
        """A skate, blade or keel, a point of a body that does not move across its ``heading``: ``plane``, ``normal``.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("skate on ice")
        >>> _ = m.body("skate", mass=1, inertia=0.1, at=(0, 0))
        >>> _ = m.knife_edge("edge", "skate", heading="x")
        >>> m.check().rows
        1
        """
        return self.add("knife-edge", name, edge=edge, **keys)

    def coupling(self, name: str, *terms: Mapping[str, Any]) -> Part:
        """A sum of quantities, each with its ``factor``, that keeps the value it has at the start: gears, racks, belts, screws,
        differentials, ropes. A term has ``quantity``, ``of``, ``from`` and ``factor``.

        >>> import mb
        >>> m = mb.Model("gears")
        >>> for name, x in (("a", 0), ("b", 1)):
        ...     _ = m.body(name, mass=1, inertia=1, at=(x, 0)); _ = m.revolute(f"axle-{name}", name, (x, 0))
        >>> _ = m.torsion_spring("k", a="a", b=m.ground, stiffness=5)
        >>> _ = m.coupling("mesh", {"quantity": "angle", "of": "a", "factor": 20}, {"quantity": "angle", "of": "b", "factor": 40})
        >>> m.equilibrium().linearize().modes().s.imag.round(12).tolist()
        [2.0]
        """
        return self.add("coupling", name, terms=list(terms))

    @keywords(TorsionSpringKeys)
    def torsion_spring(self, name: str, **keys: Unpack[TorsionSpringKeys]) -> Part:
        """A torsional spring and damper: ``joint``, or ``a`` and ``b``; ``stiffness`` (N m/rad),
        ``natural_angle`` (rad), ``damping`` (N m s/rad).

        >>> import mb
        >>> m = mb.Model("wheel")
        >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0))
        >>> _ = m.torsion_spring("t", a=m.ground, b=wheel, stiffness=8)
        >>> m.equilibrium().linearize().modes().s.imag.round(12).tolist()
        [4.0]
        """
        return self.add("torsion-spring", name, **keys)

    @keywords(ForceKeys)
    def force(self, name: str, at: Any, **keys: Unpack[ForceKeys]) -> Part:
        """A force at a place: ``vector`` (N), or ``direction`` with ``magnitude`` (N) or ``input``; ``frame``.

        >>> import mb
        >>> m = mb.Model("pulled")
        >>> P = m.point("P", at=(0, 0), mass=1); _ = m.spring("s", P, (1, 0), stiffness=10, natural_length=1)
        >>> _ = m.spring("t", P, (0, 9), stiffness=10, natural_length=9)
        >>> _ = m.force("pull", P, direction=(1, 0), input="u")
        >>> round(m.equilibrium(inputs={"u": 2.0})["P.x"], 3)
        0.2
        """
        return self.add("force", name, at=at, **keys)

    @keywords(TorqueKeys)
    def torque(self, name: str, on: Any, **keys: Unpack[TorqueKeys]) -> Part:
        """A torque on a body or joint: ``from_``, ``direction``, ``magnitude`` (N m) or ``input``, ``frame``.

        >>> import mb
        >>> m = mb.Model("turned")
        >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0))
        >>> _ = m.torsion_spring("t", a=m.ground, b=wheel, stiffness=8); _ = m.torque("motor", wheel, magnitude=4)
        >>> round(m.equilibrium()["wheel.angle"], 12)
        0.5
        """
        return self.add("torque", name, on=str(on), **keys)

    @keywords(SurfaceLoadKeys)
    def surface_load(self, name: str, **keys: Unpack[SurfaceLoadKeys]) -> Part:
        """A load on faces of a solid.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("block")
        >>> cells = {"size": [0.1, 0.1, 0.4], "elements": [1, 1, 3]}
        >>> block = m.solid("block", block=cells, density=1000, youngs_modulus=1e7, poissons_ratio=0.3, at=(0, 0, 0), fixed=["z-"])
        >>> _ = m.surface_load("wind", on=block.marker("z+"), pressure=5)
        >>> m.equilibrium().at_rest
        True
        """
        return self.add("surface-load", name, **keys)

    @keywords(DriveKeys)
    def drive(self, name: str, quantity: str, of: Any, law: Any, **keys: Unpack[DriveKeys]) -> Part:
        """A driving constraint: a quantity follows a law of the time, ``law="0.1*sin(2*t)"`` (m or rad, t in s).

        >>> import mb
        >>> m = mb.Model("crank")
        >>> crank = m.body("crank", mass=1, inertia=0.1); _ = m.revolute("pin", crank, (0, 0))
        >>> _ = m.drive("motor", "angle", crank, "0.3 + t")
        >>> float(m.simulate(0.5, every=0.5)["crank.angle"][-1].round(6))
        0.8
        """
        return self.add("drive", name, quantity=quantity, of=of, law=law, **keys)

    @keywords(OutputKeys)
    def output(self, name: str, quantity: str, of: Any = None, **keys: Unpack[OutputKeys]) -> Part:
        """A named output: ``from_``, ``axis``, ``frame``, ``derivative`` (0, 1, 2); m, rad, N, N m, J and their rates.

        >>> import mb
        >>> m = mb.Model("ruler")
        >>> P = m.point("P", at=(3, 4), mass=1); _ = m.spring("s", P, (0, 0), stiffness=1, natural_length=5)
        >>> _ = m.output("reach", "distance", P, from_=(0, 0))
        >>> m.equilibrium().outputs
        {'reach': 5.0}
        """
        return self.add("output", name, quantity=quantity, of=of, **keys)

    def repeat(self, index: str, from_: Any, to: Any, **tables: Any) -> None:
        """A family of tables: ``repeat("i", 1, "N", point=[{"name": "B{i}", "at": ["i", 0]}])``; ``step`` between values is 1.

        >>> import mb
        >>> m = mb.Model("row", parameters={"N": 3})
        >>> m.repeat("i", 1, "N", point=[{"name": "B{i}", "at": ["i", 0], "mass": 1}])
        >>> m.coordinates
        ['B1.x', 'B1.y', 'B2.x', 'B2.y', 'B3.x', 'B3.y']
        """
        self.add("repeat", None, **{"index": index, "from": from_, "to": to}, **tables)

    # ---------------------------------------------------------------------------------------------- files

    def to_toml(self) -> str:
        """The model file of the model, parameters as they are now.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("one mass")
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> m.to_toml().splitlines()[:2]
        ['units = "SI"', 'name = "one mass"']
        """
        return self._build().to_toml()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file; :func:`mb.load` of it gives the same model, bit by bit.

        Mesh files of the model are written beside it, where they are not there already.

        >>> import mb, pathlib, tempfile
        >>> m = mb.Model("m"); _ = m.point("P", at=(0.1, 0.2), mass=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "m.toml"
        ...     m.save(path)
        ...     mb.load(path).to_toml() == m.to_toml()
        True
        """
        file, text = path_of(path, "path"), self.to_toml()
        for name, mesh in self._read_meshes(text).items():
            beside = Path(file).parent / name
            if not beside.exists():
                beside.parent.mkdir(parents=True, exist_ok=True)
                _files.write_text(beside, mesh)
            elif beside.read_text(encoding="utf-8", errors="replace") != mesh:
                raise ArgumentError(f"path: {beside} is another mesh than that of the model; take another folder.", "path")
        _files.write_text(file, text)

    def with_parameters(self, **parameters: Any) -> Model:
        """The same model with other values of some parameters.

        >>> import mb
        >>> m = mb.Model("m", parameters={"k": 4.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("s", "P", (1, 0), stiffness="k", natural_length=1)
        >>> m.with_parameters(k=9.0).parameters
        {'k': 9.0}
        """
        if self._text is not None:
            return Model._of_text(self._text, self._file, self._folder, {**self._given, **parameters}, self._meshes)
        return Model._of_text(_toml.write(self._described()), None, self._folder, parameters, self._meshes)

    def __getstate__(self) -> dict[str, Any]:
        # Meshes go along: the files need not be there where the model is read.
        try:
            meshes = self._read_meshes(self._description())
        except MbError:
            # A model that is being built need not be whole.
            meshes = self._meshes
        return {**self.__dict__, "_native": None, "_meshes": meshes}

    def __copy__(self) -> Model:
        # Tables that two models share would be changed by both.
        return copy.deepcopy(self)

    def _description(self) -> str:
        """The text of the model file."""
        if self._text is not None:
            return self._text
        assert self._tables is not None
        return _toml.write(self._tables)

    def _read_meshes(self, text: str) -> dict[str, str]:
        """Texts of the mesh files: those that came along with the model, and those in its folder."""
        meshes: dict[str, str] = {}
        if "mesh" in text:
            for mesh in _mb.mesh_files(text, self._file):
                path = (self._folder or Path()) / mesh
                if mesh in self._meshes:
                    meshes[mesh] = self._meshes[mesh]
                elif path.is_file():
                    meshes[mesh] = path.read_text(encoding="utf-8")
        return meshes

    def _build(self) -> Any:
        if self._native is None:
            self._native = _mb.Model(*self._made_of())
        return self._native

    def _made_of(self) -> list[Any]:
        """What the native model is made of: text, file, parameters given, meshes."""
        text = self._description()
        # Like the text, meshes stay what they were when they were read.
        self._meshes = self._read_meshes(text)
        return [text, None if self._text is None else self._file, self._given, self._meshes]

    # ---------------------------------------------------------------------------------------------- names

    @property
    def name(self) -> str:
        """The name of the model.

        Examples
        --------
        >>> import mb
        >>> m = mb.generate("rod-pendulum")
        >>> m.name
        'rod pendulum'
        """
        return self._described()["name"]

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters by name; expressions are evaluated.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("lengths", parameters={"L": 2.0, "half": "L/2"}); _ = m.point("P", at=("half", 0), mass=1)
        >>> m.parameters
        {'L': 2.0, 'half': 1.0}
        """
        return dict(sorted(self._build().parameters().items()))

    @property
    def configuration(self) -> list[str]:
        """Names of the numbers of a configuration, those of ``eq.q``; a body in space has seven.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("point"); _ = m.point("P", at=(0, 0), mass=2)
        >>> m.configuration
        ['P.x', 'P.y']
        """
        return self._build().names()[0]

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates of the linearized equations, rows of M, C and K and of mode shapes; a body in space has six.

        Examples
        --------
        >>> import mb
        >>> m = mb.generate("heavy-top")
        >>> len(m.coordinates), len(m.configuration)
        (6, 7)
        """
        return self._build().names()[1]

    @property
    def constraints(self) -> list[str]:
        """Names of the constraint rows, those of G and of the multipliers.

        Examples
        --------
        >>> import mb
        >>> m = mb.generate("rod-pendulum")
        >>> len(m.constraints)
        1
        """
        return self._build().names()[2]

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs, the columns of F.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed"); _ = m.point("P", at=(0, 0), mass=1); _ = m.force("push", "P", direction=(1, 0), input="u")
        >>> m.inputs
        ['u']
        """
        return self._build().names()[3]

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("seen"); _ = m.point("P", at=(0, 0), mass=1); _ = m.output("sway", "x", "P")
        >>> m.outputs
        ['sway']
        """
        return self._build().names()[4]

    def __repr__(self) -> str:
        try:
            _, nv, nc = self._build().sizes()
        except MbError as error:
            # While it is being built it need not be whole.
            problems = len(getattr(error, "problems", [])) or 1
            return f"<mb.Model '{self.name}', not whole: {problems} problem{'' if problems == 1 else 's'}, {str(error).splitlines()[0]}>"
        rows = "1 constraint row" if nc == 1 else f"{nc} constraint rows"
        return f"<mb.Model '{self.name}': {nv} coordinate{'' if nv == 1 else 's'}, {rows}>"

    def _repr_html_(self) -> str:
        try:
            values = self.parameters
        except MbError:
            values = {}
        head = ("parameter", "value") if values else ()
        return _html.table(head, ((name, f"{x:.6g}") for name, x in values.items()), above=repr(self)[1:-1], total=len(values))

    # ---------------------------------------------------------------------------------------------- analyses

    def _place(
        self,
        at: At,
        solve: bool,
        strategy: str,
        time: float,
        inputs: Mapping[str, float] | None,
        motion: dict[str, Any] | None = None,
    ) -> str:
        native = self._build()
        if isinstance(at, (str, os.PathLike)):
            there = start_values(at, inputs=inputs, time=time)
            at, inputs, time = there.at, there.inputs, there.time
        q, _, _, known, _ = native.names()
        values = [0.0] * len(known)
        for i, value in numbers(inputs, known, "inputs", "input"):
            values[i] = value
        return json.dumps(
            {
                "at": numbers(at, q, "at", "coordinate"),
                "solve": flag(solve, "solve"),
                "strategy": strategy_word(strategy),
                "time": number(time, "time"),
                "inputs": values,
                "motion": motion,
            }
        )

    def equilibrium(
        self,
        at: At = None,
        *,
        solve: bool = True,
        strategy: str = "automatic",
        time: float = 0.0,
        inputs: Mapping[str, float] | None = None,
    ) -> OperatingPoint:
        """The static equilibrium near the start. Speeds of the model are left aside: :meth:`motion_point` takes them.

        Parameters
        ----------
        at : dict or path
            Start values of configuration numbers by name, in m and rad; the others start as the model says. A file of ``save`` or of
            the program gives them with its inputs and time.
        solve : bool
            False to verify the start instead of solving.
        strategy : str
            ``automatic``, ``newton`` or ``relaxation``.
        time : float
            Time, s, for constraints and loads given as functions of it.
        inputs : dict
            Values of inputs by name; the others are zero.

        Returns
        -------
        OperatingPoint

        Raises
        ------
        NumericsError
            None was found; ``kind`` is ``no_equilibrium``.

        Examples
        --------
        A mass of 2 kg that hangs on a spring of 100 N/m:

        >>> import mb
        >>> m = mb.Model("hanging", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, -1), mass=2); _ = m.spring("s", "P", (0, 0), stiffness=100, natural_length=1)
        >>> eq = m.equilibrium()
        >>> eq.stable, round(eq["P.y"], 9)
        (True, -1.2)
        """
        place = self._place(at, solve, strategy, time, inputs)
        return OperatingPoint(self, self._build().site(place), place)

    def equilibria(
        self,
        at: At = None,
        *,
        starts: int = 20,
        strategy: str = "automatic",
        time: float = 0.0,
        inputs: Mapping[str, float] | None = None,
    ) -> list[OperatingPoint]:
        """Equilibria found from scattered starts, stable ones first. The search proves what it lists, not that there are no others.

        Where its time ends before all ``starts`` were tried, the list is what was found till then and an :class:`mb.FindingWarning`
        says how many were tried.

        >>> import mb
        >>> m = mb.Model("rod", gravity=(0, -9.81))
        >>> _ = m.rod("OP", ends=(m.point("O", at=(0, 0), fixed=True), m.point("P", at=(0, -1))), mass=1)
        >>> [(eq.stable, round(eq["P.y"], 9)) for eq in m.equilibria()]
        [(True, -1.0), (False, 1.0)]
        """
        place = self._place(at, True, strategy, time, inputs)
        number_of_starts = count(starts, "starts")
        found, early = self._build().equilibria(place, number_of_starts)
        if early is not None:
            warnings.warn(f"The search ended early: {early}. Fewer starts end sooner.", FindingWarning, stacklevel=2)
        return [OperatingPoint(self, site, place, (number_of_starts, k)) for k, site in enumerate(found)]

    def load_path(self, at: At = None, *, time: float = 0.0, inputs: Mapping[str, float] | None = None) -> LoadPath:
        """Equilibria while gravity and forces grow from nothing to full load; reports where the structure buckles.

        >>> import mb
        >>> m = mb.Model("hanging", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, -1), mass=2); _ = m.spring("s", "P", (0, 0), stiffness=100, natural_length=1)
        >>> path = m.load_path()
        >>> path.end, round(float(path.q[-1, 1]), 9)
        ('full load', -1.2)
        """
        steps, end, factor, between = self._build().load_path(self._place(at, True, "automatic", time, inputs))
        return LoadPath(
            np.array([s[0] for s in steps]), np.array([s[1] for s in steps]), [s[2] for s in steps], end, factor, between
        )

    def motion_point(
        self,
        velocity: Mapping[str, float] | None = None,
        *,
        at: At = None,
        acceleration: Mapping[str, float] | None = None,
        after: float = 0.0,
        spin: Mapping[str, float] | None = None,
        unknown: Sequence[str] = (),
        hold: Mapping[str, float] | None = None,
        frame: str | None = None,
        instant: bool = False,
        solve: bool = True,
        time: float = 0.0,
        inputs: Mapping[str, float] | None = None,
    ) -> OperatingPoint:
        """A steady motion through or near the start, or an instant of any motion.

        Speeds are assembled, accelerations and multipliers solved for. A motion that is not steady is refused
        (``NumericsError`` of kind ``not_steady``), unless ``instant`` asks for the frozen matrices of the instant.

        Parameters
        ----------
        velocity, acceleration : dict
            Speeds, and claimed accelerations, by coordinate; the others follow.
        after : float
            Seconds by which the point comes later than the start; the motion is integrated.
        spin : dict
            Joints that turn, rad/s, with what is behind them; in place of the model's own speeds.
        unknown : sequence of str
            Speeds, ``spin:JOINT``, and inputs that are solved for, from the values given with ``spin`` (without one 1 rad/s) and ``inputs``.
        hold : dict
            Coordinates and outputs that have these values in the steady motion: one for each unknown, or one less where drag makes the
            balance of power an equation.
        frame : str
            The frame to see a steady motion from: ``ground`` or a body; chosen otherwise.
        instant : bool
            The instant, whether the motion is steady or not.
        at, solve, time, inputs
            As in :meth:`equilibrium`.

        Examples
        --------
        A mass of 1 kg on a spring of 100 N/m, 1 m long, that turns about its end with 5 rad/s: 100 (r - 1) = 25 r.

        >>> import mb
        >>> m = mb.Model("sling")
        >>> _ = m.point("P", at=(1, 0), mass=1); _ = m.spring("s", "P", (0, 0), stiffness=100, natural_length=1)
        >>> point = m.motion_point({"P.y": 20 / 3}, at={"P.x": 4 / 3})
        >>> point.lasts, round(point["P.x"], 6)
        (True, 1.333333)

        The speed at which a pendulum of 0.5 m on a turning shaft stands out so that it hangs 0.4 m below its pin: W^2 = g/0.4 m.

        >>> m = mb.Model("governor", gravity=(0, 0, -10))
        >>> shaft = m.spatial_body("shaft", mass=1, inertia=(1, 1, 1), at=(0, 0, 0))
        >>> arm = m.spatial_body("arm", mass=2, inertia=(1e-3, 1e-3, 1e-3), at=(0.3, 0, -0.4), markers={"pin": (-0.3, 0, 0.4)})
        >>> _ = m.revolute("axle", shaft, "ground", axis=(0, 0, 1)); _ = m.revolute("pin", "arm.pin", shaft, axis=(0, 1, 0))
        >>> point = m.motion_point(unknown=["spin:axle"], hold={"arm.z": -0.4})
        >>> {name: round(value, 6) for name, value in point.solved.items()}
        {'spin:axle': 5.0}
        """
        known = self.coordinates
        there = start_values(at, velocity=velocity, inputs=inputs, time=time)
        claimed = there.acceleration if acceleration is None else acceleration
        turning, sought = unknowns(spins(spin), unknown, self.inputs)
        motion = {
            "velocities": numbers(there.velocity, known, "velocity", "coordinate"),
            "accelerations": numbers(claimed, known, "acceleration", "coordinate"),
            "multipliers": numbers(there.multipliers, self.constraints, "at", "constraint row"),
            "after": start_later(after),
            "spins": turning,
            **sought,
            **held(hold, self.configuration, known, self.outputs),
            "frame": frame_name(frame),
            "instant": flag(instant, "instant"),
        }
        place = self._place(there.at, solve, "automatic", there.time, there.inputs, motion)
        return OperatingPoint(self, self._build().site(place), place)

    def campbell(
        self,
        speed: str,
        start: float,
        end: float,
        *,
        samples: int = 101,
        modes: int = 10,
        lines: Sequence[float] = (1, 2, 3),
        frame: str | None = None,
        at: At = None,
        time: float = 0.0,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Campbell:
        """Steady motions and their modes over a speed, with critical speeds and ranges of growth.

        Parameters
        ----------
        speed : str
            A parameter, in whose terms steady rotations or velocities are written; ``spin:JOINT`` for everything behind a
            joint; ``speed:COORDINATE`` for a coordinate.
        start, end : float
            The range, rad/s.
        samples : int
            Number of speeds.
        modes : int
            Modes to follow: those of lowest frequency at either end.
        lines : sequence of float
            Lines of so many per revolution.
        frame : str
            The frame to see modes from: ``ground`` or a body; chosen otherwise.
        at : dict or path
            Configuration near which the motion at ``end`` lies; without it growing speeds lead there from rest.
        time : float
            Time, s, for constraints and loads given as functions of it.
        checkpoint : path
            Keep the modes that are found in this file, and go on from there where it exists: after an end from outside the same
            call gives the same bits. The file is removed when the work has ended.

        Raises
        ------
        ModelError
            No such speed, or a motion that is not steady.

        Examples
        --------
        A disc on springs: unbalance resonates at sqrt(k/m) = 10 rad/s.

        >>> import mb
        >>> m = mb.Model("disc", parameters={"W": 1.0})
        >>> _ = m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
        >>> for end in "ab":
        ...     _ = m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
        >>> _ = m.steady_rotation("spin", bodies=["disc"], speed="W")
        >>> found = m.campbell("W", 1, 30, samples=30)
        >>> [round(c.speed, 9) for c in found.critical if c.per_revolution == 1][0]
        10.0
        """
        known = self.coordinates
        speed = text(speed, "speed", "the name of a parameter, or 'spin:JOINT',")
        asked: dict[str, Any] = {"name": speed, "parameter": None, "joint": None, "velocity": None}
        if speed.startswith("spin:"):
            asked["joint"] = speed.removeprefix("spin:")
        elif speed.startswith("speed:"):
            asked["velocity"] = resolve(speed.removeprefix("speed:"), known, "speed", "coordinate")
        else:
            resolve(speed, list(self.parameters), "speed", "parameter")
            asked["parameter"] = speed
        asked["range"] = [number(start, "start"), number(end, "end")]
        if asked["range"][0] == asked["range"][1]:
            raise ArgumentError(f"end is {end}, where the range starts.", "end")
        asked["samples"], asked["modes"] = count(samples, "samples", 2, MOST_SAMPLES), count(modes, "modes")
        asked["lines"] = [number(x, "lines") for x in listed(lines, "lines")]
        asked["frame"], asked["time"] = frame_name(frame), number(time, "time")
        asked["at"] = numbers(start_values(at).at, self.configuration, "at", "coordinate")
        steps = None if checkpoint is None else path_of(checkpoint, "checkpoint")
        return Campbell(self, speed, _mb.campbell(self._build(), json.dumps(asked), steps))

    def check(
        self,
        at: At = None,
        *,
        solve: bool = True,
        strategy: str = "automatic",
        time: float = 0.0,
        inputs: Mapping[str, float] | None = None,
    ) -> Check:
        """Whether the model is what was meant: degrees of freedom, redundant constraints, equilibrium, free motions.

        Parameters
        ----------
        at, solve, strategy, time, inputs
            As in :meth:`equilibrium`. No equilibrium is a result, not an error.

        Returns
        -------
        Check

        Examples
        --------
        A rod between two pins, one of which would do less:

        >>> import mb
        >>> m = mb.Model("held bar")
        >>> bar = m.body("bar", mass=1, inertia=0.1, markers={"l": (-1, 0), "r": (1, 0)})
        >>> _ = m.revolute("left", bar.marker("l"), (-1, 0)); _ = m.revolute("right", bar.marker("r"), (1, 0))
        >>> found = m.check()
        >>> found.degrees_of_freedom, list(found.redundant)
        (0, ["joint 'right' (x)"])
        >>> found.verdict
        'a structure without freedom to move: it has no modes'
        """
        native = self._build()
        place = self._place(at, solve, strategy, time, inputs)
        found = _mb.check(native, place)
        site = found["site"]
        return checked(found, native.sizes(), None if site is None else OperatingPoint(self, site, place))

    def sweep(
        self,
        parameters: Any,
        *,
        modes: int = 6,
        random: int | None = None,
        latin: int | None = None,
        seed: int = 1,
        boundary: bool = False,
        at: At = None,
        moving: bool = False,
        velocity: Mapping[str, float] | None = None,
        after: float = 0.0,
        spin: Mapping[str, float] | None = None,
        frame: str | None = None,
        floquet: float | str | None = None,
        solve: bool = True,
        strategy: str = "automatic",
        time: float = 0.0,
        inputs: Mapping[str, float] | None = None,
        jobs: int | None = None,
        progress: Callable[[int, int], Any] | bool | None = None,
        shard: tuple[int, int] | str | None = None,
        resume: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
        output: str | os.PathLike[str] | None = None,
        launcher: str | None = None,
    ) -> Sweep:
        """Modes of many cases, each with its own equilibrium or steady motion, solved side by side.

        Parameters
        ----------
        parameters : dict, list of dict, or pandas DataFrame
            Values by parameter: all combinations of them, the last one running fastest. A list or a DataFrame has one entry for each
            case. With ``random`` or ``latin`` a range (from, to) by parameter.
        modes : int
            Modes of every case, those of smallest \\|s|.
        random, latin : int
            So many cases drawn evenly from the ranges, or as a Latin hypercube: every range in so many parts, a case in each.
        seed : int
            The same cases for the same number.
        boundary : bool
            Solve for the places between neighbours of a grid of one or two parameters where a disturbance begins to grow.
        at, solve, strategy, time, inputs
            As in :meth:`equilibrium`.
        moving : bool
            The steady motion with the model's own speeds in every case.
        velocity, after, spin, frame
            A steady motion in every case, as in :meth:`motion_point`.
        floquet : float or str
            The period of a periodic motion in every case, s, a number or an expression of parameters such as ``"2*pi/W"``: its Floquet
            exponents are the modes, |Im s| at most pi / period. It starts at ``at`` and ``velocity``; with ``boundary`` this gives
            stability charts.
        jobs : int
            Cases side by side; as many as there are processors otherwise.
        progress : callable or bool
            Called with the cases done and their number, now and then; True shows a bar by tqdm, where it is installed.
        shard : (int, int)
            ``(3, 8)``: only every 8-th case, beginning with the third: a part of a sweep for one job of a batch queue.
        resume : path or sequence of paths
            Take cases that are done from tables or journals of earlier runs, which the program may have written too.
        output : path
            Write the table as CSV. While the sweep runs its cases stand in ``output + ".journal"``, from which ``resume`` goes on after
            an interrupt or a crash.
        launcher : str
            Solve the cases by so many ``jobs`` of a queue, of which these words start one, such as ``"srun -n 1"`` or
            ``"sbatch --wait --wrap={command}"``: the command of the job is appended, or stands in place of ``{command}``; ``{part}`` and
            ``{parts}`` are its number and how many there are. Their tables stand beside ``output`` until all are done; the same call goes
            on where jobs were killed.

        Returns
        -------
        Sweep
            A case that fails is a row with its message.

        Raises
        ------
        NumericsError
            ``no_case``: every case failed; ``job_failed``: a job left no table.

        Examples
        --------
        A mass of 1 kg on a spring of k N/m: sqrt(k) rad/s.

        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 1.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> m.sweep({"k": [4, 9, 16]}, modes=1).s[:, 0].imag.round(9).tolist()
        [2.0, 3.0, 4.0]

        The same by two jobs; on a cluster the launcher is ``"srun -n 1"``.

        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     table = os.path.join(folder, "cases.csv")
        ...     m.sweep({"k": [4, 9, 16]}, modes=1, jobs=2, launcher="env", output=table).s[:, 0].imag.round(9).tolist()
        [2.0, 3.0, 4.0]

        A pendulum of 3.74 rad/s on a pivot shaken with W: it swings by itself where W is about twice as large.

        >>> m = mb.Model("shaken", gravity=(0, -9.81), parameters={"W": 7.5, "Y": 0.05})
        >>> pivot = m.body("pivot", mass=1, inertia=1, at=(0, "Y"))
        >>> rod = m.body("rod", mass=1, inertia=0.1, center_of_mass=(0, -0.5), at=(0, "Y"))
        >>> _ = m.prismatic("rail", pivot, (0, 0), axis=(0, 1)); _ = m.revolute("pin", rod, pivot)
        >>> _ = m.drive("shake", "y", pivot, "Y*cos(W*t)")
        >>> m.sweep({"W": [6, 7.5, 9]}, floquet="2*pi/W").verdict
        ['marginal', 'unstable', 'marginal']
        """
        return sweep(
            self,
            parameters,
            modes=modes,
            random=random,
            latin=latin,
            seed=seed,
            boundary=boundary,
            at=at,
            moving=moving,
            velocity=velocity,
            after=after,
            spin=spin,
            frame=frame,
            floquet=floquet,
            solve=solve,
            strategy=strategy,
            time=time,
            inputs=inputs,
            jobs=jobs,
            progress=progress,
            shard=shard,
            resume=resume,
            output=output,
            launcher=launcher,
        )

    def redundancy(self, at: At = None, *, time: float = 0.0) -> Redundancy:
        """Rank of the constraints at the start, and the redundant ones by name; :meth:`check` says more.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("wheel held twice")
        >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0)); _ = m.revolute("again", wheel, (0, 0))
        >>> found = m.redundancy()
        >>> found.rank, found.redundant
        (2, {"joint 'again' (x)": ["joint 'axle' (x)"], "joint 'again' (y)": ["joint 'axle' (y)"]})
        """
        native = self._build()
        q = native.initial()
        for i, value in numbers(start_values(at).at, self.configuration, "at", "coordinate"):
            q[i] = value
        rank, pivots, rows = native.rank(q, number(time, "time"))
        _, nv, nc = native.sizes()
        return Redundancy(nv, nc, rank, {name: depends for _, name, depends in rows}, *pivots)

    def series(
        self,
        variables: str | Iterable[str],
        order: int = 4,
        modes: int | Sequence[int] | str = 6,
        *,
        accuracy: float | None = None,
        region: Mapping[str, tuple[float, float]] | None = None,
        groups: Groups = (),
        at: At = None,
        hold: str | Iterable[str] = (),
        frozen: bool = False,
        instant: bool = False,
        moving: bool = False,
        spin: Mapping[str, float] | None = None,
        frame: str | None = None,
        solve: bool = True,
        strategy: str = "automatic",
        time: float = 0.0,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Series:
        """Modes as polynomials of variables, about an operating point that follows them.

        Parameters
        ----------
        variables : str or sequence of str
            Parameters, coordinates or inputs by name; ``speed:`` before a coordinate is its speed.
        order : int
            Degree of the polynomials; an ``accuracy`` chooses it.
        modes : int, sequence of int, or "all"
            So many modes, the first ones that oscillate; modes by number, as ``linearize().modes()`` counts them, from 0; or all
            physical ones.
        accuracy : float
            Relative error of the eigenvalues in the ``region``: chooses orders and as many points of expansion as it takes.
        region : dict
            Lowest and highest value of variables, where the polynomials are to be used; errors are estimated there.
        groups : sequence of sequences of int, or str
            Modes to expand together because they are close, repeated or defective: by number, ``[[1, 2]]``, or those closer to each
            other than a share of their size, ``"0.5%"``.
        at : dict
            Values at the point of expansion by name: parameters, coordinates, inputs; the others are those of the model.
        hold : str or sequence of str
            Inputs that hold the coordinates among the variables, one for each.
        frozen : bool
            Nothing but the variables moves: the operating point does not follow them.
        instant : bool
            Needed with speeds: matrices of an instant, whose eigenvalues are no rates of growth.
        moving : bool
            The steady motion that starts with the model's own speeds, or those of ``at``: eigenvalues are exponents in the frame that
            moves along. A model with a ``steady_rotation`` is expanded in its motion without it.
        spin : dict
            Speeds of everything behind joints, rad/s, by joint: the steady motion with these.
        frame : str
            The frame to see a steady motion from: ``ground`` or a body; chosen otherwise.
        solve, strategy, time
            As in :meth:`equilibrium`.
        checkpoint : path
            Keep the modes or centres that are done in this file, and go on from there where it exists: after an end from outside the
            same call gives the same bits. The file is removed when the work has ended.

        Returns
        -------
        Series
            Call it with values of the variables.

        Raises
        ------
        NumericsError
            No such polynomials: ``not_simple`` where modes meet, ``accuracy_not_reached``.

        Examples
        --------
        A mass of 2 kg on a spring of k = 50 N/m: s = i sqrt(k / m).

        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 50.0})
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> s = m.series("k", order=8, modes=1)
        >>> complex(s(k=60.0).s[0].round(5))
        5.47723j

        A point mass on equal springs of a turntable of great inertia at W: sqrt(k / m) + W and sqrt(k / m) - W in its frame.

        >>> m = mb.Model("turntable", parameters={"W": 3.0})
        >>> table = m.body("table", mass=1, inertia=1e9, at=(0, 0), markers={"e": (1, 0), "n": (0, 1)})
        >>> _ = m.revolute("axle", table, (0, 0)); _ = m.point("P", at=(0, 0), mass=1)
        >>> for end in ("e", "n"): _ = m.spring(end, table.marker(end), "P", stiffness=100, natural_length=1)
        >>> _ = m.steady_rotation("turn", joint="axle", speed="W")
        >>> s = m.series("W", order=3, modes=2, frame="table")
        >>> s(W=4.0).s.imag.round(6).tolist()
        [6.0, 14.0]
        """
        return series(
            self,
            variables,
            at,
            checkpoint,
            order=order,
            modes=modes,
            accuracy=accuracy,
            region=region,
            groups=groups,
            hold=hold,
            frozen=frozen,
            instant=instant,
            moving=moving,
            spin=spin,
            frame=frame,
            solve=solve,
            strategy=strategy,
            time=time,
        )

    def track(
        self,
        variable: str | Mapping[str, Any],
        start: float | None = None,
        end: float | None = None,
        samples: int = 51,
        *,
        modes: int | Sequence[int] | str = 6,
        groups: Groups = (),
        order: int = 4,
        at: At = None,
        hold: str | Iterable[str] = (),
        frozen: bool = False,
        instant: bool = False,
        moving: bool = False,
        spin: Mapping[str, float] | None = None,
        frame: str | None = None,
        solve: bool = True,
        strategy: str = "automatic",
        time: float = 0.0,
        checkpoint: str | os.PathLike[str] | None = None,
    ) -> Track:
        """Modes along a path, each under its own number where they cross, with the crossings and veerings.

        Parameters
        ----------
        variable : str or dict
            A variable with ``start`` and ``end``, or the values of several at every sample: ``{"k": [...], "m": [...]}``.
        start, end : float
            Ends of the path of a single variable.
        samples : int
            Samples of it.
        modes, groups, order, at, hold, frozen, instant, moving, spin, frame, solve, strategy, time
            As in :meth:`series`, about the middle of the path.
        checkpoint : path
            Keep the samples that are done in this file, and go on from there, as in :meth:`series`.

        Returns
        -------
        Track

        Raises
        ------
        NumericsError
            ``lost``: a mode cannot be distinguished from another one, however small the steps.

        Examples
        --------
        A mass of 1 kg between a spring of k along x and one of 25 N/m along y: the modes cross at k = 25.

        >>> import mb
        >>> m = mb.Model("two springs", parameters={"k": 16.0})
        >>> P = m.point("P", at=(0, 0), mass=1)
        >>> _ = m.spring("x", P, (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("y", P, (0, 1), stiffness=25, natural_length=1)
        >>> t = m.track("k", 16, 36, samples=20)
        >>> met = t.encounters[0]
        >>> met.kind, round(met.at["k"], 1)
        ('crossing', 25.0)
        """
        return track(
            self,
            variable,
            start,
            end,
            samples,
            at,
            checkpoint,
            modes=modes,
            groups=groups,
            order=order,
            hold=hold,
            frozen=frozen,
            instant=instant,
            moving=moving,
            spin=spin,
            frame=frame,
            solve=solve,
            strategy=strategy,
            time=time,
        )

    def orbit(
        self,
        period: float | str | None = None,
        *,
        guess: float | None = None,
        file: str | os.PathLike[str] | None = None,
        at: At = None,
        velocity: Mapping[str, float] | None = None,
        hold: str | Iterable[str] = (),
        settle: float | None = None,
        time: float = 0.0,
        inputs: Mapping[str, float] | None = None,
        parts: int = 4,
        steps: int = 32,
        most_steps: int = 8192,
        tolerance: float = 1e-12,
    ) -> Orbit:
        """A periodic motion near the start, by multiple shooting with exact derivatives.

        Parameters
        ----------
        period : float or str
            Period, s: a number or an expression of the parameters, ``"2*pi/W"``. Drives and loads are compared with those one period
            later.
        guess : float
            About the period, s, of a model that does not depend on time, whose period is solved for; without it the motion is followed
            until it comes back near to its start.
        file : path
            A motion of :meth:`Orbit.save` or of ``mb orbit -o``: its period and its start, instead of ``period`` and ``at``.
        at, velocity : dict
            Start values of configuration numbers and velocities by name; constraints are assembled. ``at`` may be a file.
        hold : str or sequence of str
            Coordinates that keep their value of the start: they choose one of a family of periodic motions.
        settle : float
            The motion is followed so many seconds first, so that what is damped comes near to its periodic motion.
        time, inputs
            As in :meth:`equilibrium`.
        parts : int
            Parts of the period that are integrated apart: more for motions that are very unstable.
        steps, most_steps : int
            Steps of the period to begin with, and at most; they are doubled until the monodromy matrix is settled.
        tolerance : float
            Change of that matrix by doubling the steps, relative to its norm, that is small enough.

        Returns
        -------
        Orbit

        Raises
        ------
        ArgumentError
            A ``period`` that is none of the model; ``argument`` is ``period``.
        NumericsError
            ``no_periodic_motion``, ``no_return``, ``step_fails``, ``singular_configuration``.

        Examples
        --------
        A mass of 1 kg on a rail between springs of 4 N/m swings with a period of pi seconds:

        >>> import math, mb
        >>> m = mb.Model("mass between springs")
        >>> P = m.body("P", mass=1, inertia=1, at=(0.1, 0)); _ = m.prismatic("rail", P, (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", P, (-5, 0), stiffness=4, natural_length=5)
        >>> motion = m.orbit(hold="P.x")
        >>> bool(abs(motion.period - math.pi) < 1e-9), round(float(motion["P.x"].min()), 9)
        (True, -0.1)
        """
        return orbit(
            self,
            period,
            guess=guess,
            file=file,
            at=at,
            velocity=velocity,
            hold=hold,
            settle=settle,
            time=time,
            inputs=inputs,
            parts=parts,
            steps=steps,
            most_steps=most_steps,
            tolerance=tolerance,
        )

    def exponents(
        self,
        name: str,
        start: float,
        end: float,
        period: float | str | None = None,
        *,
        samples: int = 51,
        checkpoint: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> Exponents:
        """Floquet exponents of periodic motions over a parameter, with the ranges in which disturbances grow solved for.

        Parameters
        ----------
        name : str
            The parameter.
        start, end : float
            Its first and last value.
        period : float or str
            Period, s: an expression of the parameters such as ``"2*pi/W"``.
        samples : int
            Number of values.
        checkpoint : path
            Keep the motions that are found in this file, and go on from there where it exists: after an end from outside the same
            call gives the same bits. The file is removed when the work has ended.
        **options
            As of :meth:`orbit`.

        Returns
        -------
        Exponents

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> P = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", P, (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", P, (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", P, direction=(1, 0), magnitude="cos(W*t)")
        >>> m.exponents("W", 3, 4, "2*pi/W", samples=3).s.real.round(6).tolist()
        [[-0.2, -0.2, -0.2], [-0.2, -0.2, -0.2]]
        """
        return exponents(self, name, start, end, period, samples, checkpoint, options)

    def floquet(self, period: float | str | None = None, **options: Any) -> Floquet:
        """Floquet multipliers of the periodic motion that :meth:`orbit` finds with the same arguments.

        Examples
        --------
        A mass that is pushed with the period of the push, x'' + 0.4 x' + 4 x = cos 3t: growth -0.2 1/s.

        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> P = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", P, (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", P, (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", P, direction=(1, 0), magnitude="cos(W*t)")
        >>> f = m.floquet("2*pi/W")
        >>> f.stable, f.growth.round(9).tolist()
        (True, [-0.2, -0.2])
        """
        return self.orbit(period, **of_orbit(options, "floquet")).floquet()

    @overload
    def simulate(self, until: float, *, compare: Literal[True], **options: Unpack[Simulation]) -> Comparison: ...

    @overload
    def simulate(self, until: float, *, compare: Literal[False] = False, **options: Unpack[Simulation]) -> Run: ...

    def simulate(self, until: float, *, compare: bool = False, **options: Unpack[Simulation]) -> Run | Comparison:
        """The motion in time; with ``compare=True`` by all methods that hold the constraints. See :func:`mb.simulate`.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> round(float(m.simulate(1.0)["P.y"][-1]), 6)                # -g t^2 / 2
        -5.0
        """
        if flag(compare, "compare"):
            return simulate(self, until, compare=True, **options)
        return simulate(self, until, **options)


def _table(name: Any) -> str:
    """The name of a table as the model file has it, ``spatial-body`` for ``spatial_body``."""
    return text(name, "table", "the name of a table of the model file").rstrip("_").replace("_", "-")


def _parameter(value: Any, name: str) -> float | str:
    """A number, or an expression of other parameters."""
    if isinstance(value, str):
        return str(_toml.plain(value, name))
    return number(value, name)


def _axis(table: str, key: str, value: Any) -> Any:
    """The vector of an axis by name; the axis of an output is the name of a row and stays."""
    if table != "output" and key in ("ahead", "axis", "axis_a", "axle", "direction", "heading", "normal", "x") and isinstance(value, str) and value in _AXES:
        return _AXES[value]
    return value


@dataclass(frozen=True, repr=False)
class Redundancy(_html.Record):
    """Rank of the constraints.

    Attributes
    ----------
    coordinates, rows, rank : int
        Numbers of coordinates and of constraint rows, and the rank of the rows.
    redundant : dict
        Redundant rows by name, each with the names of those it is a combination of.
    smallest_kept, largest_dropped : float or None
        The pivots on both sides of the cut, of rows scaled to length one; None where nothing was kept or dropped, and of more than 1000
        coordinates and rows, whose rank comes from sparse factors.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("wheel held twice")
    >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0)); _ = m.revolute("again", wheel, (0, 0))
    >>> len(m.redundancy().redundant)
    2
    """

    coordinates: int
    rows: int
    rank: int
    redundant: dict[str, list[str]]
    smallest_kept: float | None = None
    largest_dropped: float | None = None

    @property
    def degrees_of_freedom(self) -> int:
        """Instantaneous degrees of freedom, coordinates less rank.

        Examples
        --------
        >>> import mb
        >>> m = mb.generate("rod-pendulum")
        >>> m.redundancy().degrees_of_freedom
        1
        """
        return self.coordinates - self.rank

    def _repr_html_(self) -> str:
        head = f"{self.coordinates} coordinates - rank {self.rank} of {self.rows} rows = {self.degrees_of_freedom}"
        rows = ((name, ", ".join(others)) for name, others in self.redundant.items())
        return _html.table(("redundant", "a combination of"), rows, above=head, total=len(self.redundant))


@dataclass(frozen=True)
class LoadPath:
    """Equilibria along growing loads.

    Attributes
    ----------
    factor : ndarray
        Parts of the loads.
    q : ndarray, steps x configuration numbers
        Configurations.
    stability : list of str
        Stability of each, in words.
    end : str
        ``full load``, ``buckling``, ``limit point`` or ``stopped``.
    end_factor : float
        Part of the loads at which it ends; of buckling the middle of the interval in which it is.
    end_between : tuple of float or None
        The last part of the loads whose equilibrium is known not to have buckled and the first that has, where they are
        further apart than the resolution of 1e-6.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("hanging mass", gravity=(0, -10))
    >>> _ = m.point("P", at=(0, -1), mass=2); _ = m.spring("s", "P", (0, 0), stiffness=50, natural_length=1)
    >>> isinstance(m.load_path(), mb.LoadPath)
    True
    """

    factor: Floats
    q: Floats
    stability: list[str]
    end: str
    end_factor: float
    end_between: tuple[float, float] | None = None

    def _end(self) -> str:
        if self.end_between is None:
            return f"{self.end} at {self.end_factor:.6g} of the loads"
        first, last = self.end_between
        return f"{self.end} between {first:.6g} and {last:.6g} of the loads"

    def __repr__(self) -> str:
        return f"<mb.LoadPath: {len(self.factor)} steps, {self._end()}>"

    def _repr_html_(self) -> str:
        rows = ((f"{f:.6g}", s) for f, s in zip(self.factor, self.stability, strict=True))
        return _html.table(("share of the loads", "stability"), rows, self._end(), total=len(self.factor))


def load(path: str | os.PathLike[str], **parameters: Any) -> Model:
    """The model of a file, with other values of some parameters.

    Parameters
    ----------
    path : path
        The model file.
    **parameters : float or str
        Parameters of the model by name: numbers, or expressions of others.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        Everything that is wrong with the file, with line and column.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import mb, tempfile
    >>> m = mb.Model("mass on a spring", parameters={"k": 9.0})
    >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("s", "P", (1, 0), stiffness="k", natural_length=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     m.save(f"{folder}/spring.toml")
    ...     mb.load(f"{folder}/spring.toml", k=16).parameters
    {'k': 16.0}
    """
    file = path_of(path, "path")
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ModelError(f"{file} is not text in UTF-8: {error}", file=file) from error
    return Model._of_text(text, file, Path(file).parent, parameters)


def loads(text: str, **parameters: Any) -> Model:
    """As :func:`load`, from the text of a model file.

    >>> import mb
    >>> m = mb.loads('''
    ... units = "SI"
    ... name = "mass on a spring"
    ... parameters.k = 9.0
    ... point = [{ name = "P", at = [0, 0], mass = 1 }]
    ... spring = [{ name = "s", a = "P", b = [1, 0], stiffness = "k", natural_length = 1 }]
    ... ''', k=16)
    >>> m.equilibrium().linearize().modes(lowest=2).s.imag.max().round(12)
    np.float64(4.0)
    """
    if not isinstance(text, str):
        raise ArgumentTypeError(f"text is of type {type(text).__name__}, but the text of a model file is needed.", "text")
    return Model._of_text(str(_toml.plain(text, "text")), None, None, parameters)


__all__ = ["LoadPath", "Model", "Part", "Redundancy", "load", "loads"]
