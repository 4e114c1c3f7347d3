"""Keys of the tables of the model file, as keyword arguments of the methods of :class:`mb.Model`.

Every key of ``crates/mb-cli/model.schema.json`` stands here; a test compares both. Units are SI and radians.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Union, cast

from ._requests import refuse_unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._model import Part

_F = TypeVar("_F", bound=Callable[..., Any])

#: A number, or an expression of the parameters.
Value = Union[float, str]
#: Components, or an axis by name.
Vector = Union[Sequence[Value], "NDArray[Any]", str]
#: A body, point, beam, link or marker, or a place of the ground.
Place = Union[str, "Part", Sequence[Value], "NDArray[Any]"]
#: Rows of numbers.
Rows = Union[Sequence[Sequence[Value]], Sequence[Value], "NDArray[Any]"]
#: A table inside a table.
Inner = Mapping[str, Any]


class PointKeys(TypedDict, total=False):
    at: Vector
    fixed: bool
    mass: Value
    velocity: Vector
    damping: Inner


class RodKeys(TypedDict, total=False):
    length: Value
    rigid: bool
    damping: Inner


class _RigidKeys(TypedDict, total=False):
    mass: Value
    inertia: Value | Rows
    products_of_inertia: Vector
    center_of_mass: Vector
    at: Vector
    orientation: Inner
    velocity: Vector
    fixed: bool
    damping: Inner
    markers: Mapping[str, Vector]
    frames: Mapping[str, Inner]


class SpatialBodyKeys(_RigidKeys, total=False):
    angular_velocity: Vector


class BodyKeys(_RigidKeys, total=False):
    angular_velocity: Value | Vector
    angle: Value


class BeamKeys(TypedDict, total=False):
    from_: Place
    to: Place
    through: Vector
    elements: Value
    section: Inner
    density: Value
    youngs_modulus: Value
    shear_modulus: Value
    poissons_ratio: Value
    y: Vector
    twist: Value
    element: str
    shear: str
    axial_strain: str
    damping: Inner
    markers: Mapping[str, Value]


class SolidKeys(TypedDict, total=False):
    block: Inner
    mesh: str
    scale: Value
    density: Value
    youngs_modulus: Value
    poissons_ratio: Value
    at: Vector
    orientation: Inner
    element: str
    mass: str
    fixed: Sequence[str]
    held: Mapping[str, Sequence[str]]
    rigid: Sequence[str]
    averaged: Sequence[str]
    damping: Inner


class FlexibleLinkKeys(TypedDict, total=False):
    length: Value
    elements: Value
    section: Inner
    density: Value
    youngs_modulus: Value
    at: Vector
    angle: Value
    markers: Mapping[str, Value]
    reference: str | Sequence[str]
    geometric_stiffness: bool
    damping: Inner


class ErlsLinkKeys(TypedDict, total=False):
    base: Place
    length: Value
    elements: Value
    section: Inner
    density: Value
    youngs_modulus: Value
    angle: Value
    passive: bool
    payload: Value
    damping: Inner


class AngleKeys(TypedDict, total=False):
    initial: Value
    form: str
    length: Value


class JointKeys(TypedDict, total=False):
    axis: Vector
    axis_a: Vector
    locked: Sequence[str]
    free: Sequence[str]
    length: Value
    angle: Value


class SpringKeys(TypedDict, total=False):
    stiffness: Value
    natural_length: Value
    damping: Value


class BushingKeys(TypedDict, total=False):
    stiffness: Vector
    stiffness_matrix: Rows
    damping: Vector
    damping_matrix: Rows
    preload: Vector
    axis: Vector


class BearingKeys(TypedDict, total=False):
    stiffness: Rows
    damping: Rows
    speed: Value
    table: Sequence[Inner]
    axis: Vector
    x: Vector


class SteadyRotationKeys(TypedDict, total=False):
    joint: str | Part
    bodies: Sequence[str | Part]
    axis: Vector
    through: Place
    speed: Value
    hold: Sequence[Inner]


class RollingKeys(TypedDict, total=False):
    radius: Value
    axle: Vector
    tread: Value
    plane: Place
    normal: Vector
    profile: Value
    ahead: Vector


class KnifeEdgeKeys(TypedDict, total=False):
    heading: Vector
    plane: Place
    normal: Vector


class TorsionSpringKeys(TypedDict, total=False):
    joint: str | Part
    a: Place
    b: Place
    stiffness: Value
    natural_angle: Value
    damping: Value


class ForceKeys(TypedDict, total=False):
    vector: Vector
    direction: Vector
    magnitude: Value
    input: str
    frame: str


class TorqueKeys(TypedDict, total=False):
    from_: Place
    direction: Vector
    magnitude: Value
    input: str
    frame: str


class SurfaceLoadKeys(TypedDict, total=False):
    on: str
    force: Vector
    traction: Vector
    pressure: Value
    factor: Value
    input: str


class DriveKeys(TypedDict, total=False):
    from_: Place


class OutputKeys(TypedDict, total=False):
    from_: Place
    axis: str
    frame: str
    derivative: int


def keywords(kind: type) -> Callable[[_F], _F]:
    """Gives a method of ``**keys`` the signature with every key of ``kind``, which help and notebooks show; others are refused."""

    def decorated(method: _F) -> _F:
        own = inspect.signature(method)
        kept = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        known = [name for name in kind.__annotations__ if name not in own.parameters]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in known]
        names = [p.name for p in kept[1:]] + known

        @functools.wraps(method)
        def checked(self: Any, *values: Any, **keys: Any) -> Any:
            refuse_unknown(f"Model.{method.__name__}", keys, names)
            return method(self, *values, **keys)

        setattr(checked, "__signature__", own.replace(parameters=[*kept, *more]))  # noqa: B010
        return cast(_F, checked)

    return decorated
