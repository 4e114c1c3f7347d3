"""Names of a model: which index they have, and what may have been meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _mb
from ._errors import ArgumentTypeError, ModelError
from ._requests import number, text, told


def resolve(name: Any, known: Sequence[str], argument: str, what: str) -> int:
    """Index of a name among those known."""
    name = text(name, argument)
    if name in known:
        return known.index(name)
    near = _mb.meant(name, list(known))
    most = 24
    have = ", ".join(known[:most]) + (f", ... ({len(known)} in all)" if len(known) > most else "")
    help = f"did you mean {near!r}?" if near else (f"there are: {have}" if known else "there is none")
    raise ModelError(f"{argument}: the model has no {what} {name!r}; {help}", help=help)


def mapping(given: Any, argument: str, what: str) -> Mapping[str, Any]:
    """Values by name that a caller gives, as a dictionary or a series of pandas; an empty dictionary for None."""
    if given is None:
        return {}
    # A series of pandas has names and values too, but is no Mapping.
    if not isinstance(given, Mapping) and not (callable(getattr(given, "keys", None)) and callable(getattr(given, "items", None))):
        raise ArgumentTypeError(f"{argument} is of type {type(given).__name__}, but a dictionary of {what} is needed.", argument)
    values = dict(given.items())
    for name in values:
        if not isinstance(getattr(name, "place", name), str):
            raise ArgumentTypeError(f"{argument} has the key {told(name)}, but names are needed.", argument)
    return {text(name, argument): value for name, value in values.items()}


def spins(given: Any) -> list[tuple[str, float]]:
    """Speeds by joint, rad/s."""
    return [(joint, number(speed, f"spin[{joint!r}]")) for joint, speed in mapping(given, "spin", "speeds by joint").items()]


def unknowns(turning: list[tuple[str, float]], given: Any, inputs: Sequence[str]) -> tuple[list[tuple[str, float]], dict[str, list[int]]]:
    """Speeds by joint with those that are unknown among them, and the indices of the unknown speeds and inputs."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ArgumentTypeError(f"unknown is of type {type(given).__name__}, but a list of names is needed.", "unknown")
    turning = list(turning)
    speeds: list[int] = []
    forces: list[int] = []
    for one in given:
        name = text(one, "unknown")
        if not name.startswith("spin:"):
            forces.append(resolve(name, inputs, "unknown", "input"))
            continue
        joint = name.removeprefix("spin:")
        joints = [known for known, _ in turning]
        if joint not in joints:
            turning.append((joint, 1.0))
            joints.append(joint)
        speeds.append(joints.index(joint))
    return turning, {"unknown_spins": speeds, "unknown_inputs": forces}


def held(
    given: Any, configuration: Sequence[str], velocities: Sequence[str], outputs: Sequence[str]
) -> dict[str, Any]:
    """What is to have which value: coordinates by their indices in the configuration and among the velocities, and outputs."""
    places: list[tuple[int, int, float]] = []
    readings: list[tuple[int, float]] = []
    for name, value in mapping(given, "hold", "values by coordinate or output").items():
        value = number(value, f"hold[{name!r}]")
        if name in configuration and name in velocities:
            places.append((configuration.index(name), velocities.index(name), value))
        elif name in outputs:
            readings.append((outputs.index(name), value))
        else:
            both = [q for q in configuration if q in velocities] + list(outputs)
            resolve(name, both, "hold", "coordinate or output")
    return {"held_coordinates": places, "held_outputs": readings}


def frame_name(value: Any) -> str | None:
    """The frame of a steady motion by its name: ``ground`` or a body."""
    return None if value is None else text(value, "frame", "'ground' or the name of a body")


def numbers(
    given: Mapping[str, Any] | None, known: Sequence[str], argument: str, what: str
) -> list[tuple[int, float]]:
    """Values by name as values by index."""
    given = mapping(given, argument, f"values by {what}")
    return [(resolve(name, known, argument, what), number(value, f"{argument}[{name!r}]")) for name, value in given.items()]
