"""Start values: by name, or from a file that has a point of a model."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from . import _files
from ._errors import ArgumentError, ArgumentTypeError
from ._names import mapping
from ._requests import number, path_of

#: Start values of configuration numbers by name, or a file of :meth:`mb.OperatingPoint.save`, :meth:`mb.Orbit.save` or the program.
At: TypeAlias = Mapping[str, float] | str | os.PathLike[str] | None

#: Where documents have a point.
_PLACES = (("operating_point",), ("equilibrium",), ("equilibria", 0))


@dataclass(frozen=True)
class Start:
    """Start values by name; None or empty where nothing is said."""

    at: Mapping[str, float]
    velocity: Mapping[str, float]
    acceleration: Mapping[str, float] | None
    multipliers: Mapping[str, float] | None
    inputs: Mapping[str, float]
    time: float = 0.0
    moves: bool = False


def start_values(at: Any, argument: str = "at", *, velocity: Any = None, inputs: Any = None, time: Any = 0.0) -> Start:
    """The start of an analysis: what a file says where ``at`` is one, and over it what was given by name."""
    velocity, inputs = mapping(velocity, "velocity", "values by coordinate"), mapping(inputs, "inputs", "values by input")
    if not isinstance(at, (str, os.PathLike)):
        at = mapping(at, argument, "values by coordinate, or a file with a point,")
        return Start(at, velocity, None, None, inputs, time)
    point = read(at, argument)
    seconds = point.get("time")
    if seconds is None or time != 0.0:
        seconds = time
    return Start(
        point.get("configuration") or {},
        {**(point.get("velocities") or {}), **velocity},
        point.get("accelerations"),
        point.get("multipliers"),
        {**(point.get("inputs") or {}), **inputs},
        seconds,
        point.get("velocities") is not None,
    )


def document(path: Any, argument: str) -> dict[str, Any]:
    """The object that a JSON or TOML file has."""
    file = path_of(path, argument)
    try:
        text = Path(file).read_text(encoding="utf-8-sig")
        if Path(file).suffix.lower() == ".toml":
            try:
                import tomllib
            except ImportError as error:
                raise ArgumentError(f"{argument}: {file}: points in TOML need Python 3.11; write JSON.", argument) from error
            found = tomllib.loads(text)
        else:
            found = json.loads(text)
    except (OSError, ValueError) as error:
        if isinstance(error, ArgumentError):
            raise
        why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        raise ArgumentError(f"{argument}: {file} cannot be read as a point: {why}.", argument) from error
    if not isinstance(found, dict):
        raise ArgumentError(f"{argument}: {file} is not an object of numbers by name.", argument)
    return found


def read(path: Any, argument: str) -> dict[str, Any]:
    """The point of a file: ``configuration`` and, of a motion, ``velocities``, ``accelerations``, ``multipliers``, ``inputs``, ``time``.

    The multipliers of an equilibrium are left out: they are solved for.
    """
    whole: Any = document(path, argument)
    found: Any = whole
    for place in _PLACES:
        inner: Any = whole
        for key in place:
            if isinstance(key, int):
                inner = inner[key] if isinstance(inner, list) and len(inner) > key else None
            else:
                inner = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            found = inner
            break
    where = f"{argument}: {os.fspath(path)}"
    tables = ("configuration", "velocities", "accelerations", "multipliers", "inputs")
    if not any(isinstance(found.get(name), dict) for name in tables[:2]):
        return {"configuration": _numbers(found, where, argument)}
    out: dict[str, Any] = {name: _numbers(found[name], where, argument) for name in tables if found.get(name) is not None}
    if out.get("velocities") is None:
        return {"configuration": out["configuration"]}
    if found.get("time") is not None:
        out["time"] = number(found["time"], f"{where}: time")
    return out


def _numbers(table: Any, where: str, argument: str) -> dict[str, float]:
    if not isinstance(table, dict):
        raise ArgumentError(f"{where}: a table of numbers by name is needed.", argument)
    bad = next((name for name, value in table.items() if isinstance(value, bool) or not isinstance(value, (int, float))), None)
    if bad is not None:
        raise ArgumentError(f"{where}: {bad} is not a number.", argument)
    return {name: float(value) for name, value in table.items()}


def write(path: Any, head: dict[str, Any]) -> None:
    """Writes a document; numbers read back exactly."""
    path = path_of(path, "path")
    if Path(path).suffix.lower() != ".json":
        raise ArgumentError(f"path is {path!r}, but the file is written as .json.", "path")
    _files.write_text(path, json.dumps(head, indent=2) + "\n")
