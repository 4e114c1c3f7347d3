"""Model files as text: tables of plain values, every number with all its digits."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ._errors import ArgumentError, ArgumentTypeError
from ._requests import encoded, number, text

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


#: Deeper tables than any model has.
_DEEPEST = 64


def plain(value: Any, where: str, depth: int = 0) -> Any:
    """A value of a model file from a Python one: arrays become lists, tuples too; None inside tables is left out."""
    if isinstance(value, np.generic) and value.dtype.kind in "biufU":
        value = value.item()
    if isinstance(value, str):
        return encoded(value, where)
    if isinstance(value, (bool, float)):
        return value
    if isinstance(value, int):
        number(value, where)
        return value
    if depth > _DEEPEST:
        raise ArgumentError(f"{where[:40]}... is nested more than {_DEEPEST} times; does a list hold itself?", where.split("[")[0])
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value.tolist()
    if isinstance(value, dict):
        names = [text(name, where, "a text for each key") for name in value]
        return {name: plain(v, f"{where}.{name}", depth + 1) for name, v in zip(names, value.values(), strict=True) if v is not None}
    if isinstance(value, (list, tuple)):
        return [plain(v, f"{where}[{i}]", depth + 1) for i, v in enumerate(value)]
    place = getattr(value, "place", None)
    if isinstance(place, str):
        return place
    raise ArgumentTypeError(
        f"{where} is of type {type(value).__name__}; numbers, expressions in quotes, lists and dictionaries stand in a model.",
        where,
    )


def _string(text: str) -> str:
    out = ['"']
    for c in text:
        if c in '"\\':
            out.append("\\" + c)
        elif c < " " or c == "\x7f":
            out.append(f"\\u{ord(c):04x}")
        else:
            out.append(c)
    return "".join([*out, '"'])


def _key(key: str) -> str:
    return key if _BARE.match(key) else _string(key)


def _inline(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int):
        # Whole numbers of a model file have 64 bits; others are doubles.
        return str(value) if -(2**63) <= value < 2**63 else repr(float(value))
    if isinstance(value, float):
        if value != value:
            return "nan"
        if value in (float("inf"), float("-inf")):
            return "inf" if value > 0 else "-inf"
        text = repr(value)
        return text if any(c in text for c in ".e") else text + ".0"
    if isinstance(value, list):
        return "[" + ", ".join(_inline(v) for v in value) + "]"
    return "{ " + ", ".join(f"{_key(k)} = {_inline(v)}" for k, v in value.items()) + " }" if value else "{}"


def write(tables: dict[str, Any]) -> str:
    """The text of a model file."""
    scalars, sections, lists = [], [], []
    for key, value in tables.items():
        if isinstance(value, dict):
            sections.append((key, value))
        elif isinstance(value, list) and value and all(isinstance(v, dict) for v in value):
            lists.append((key, value))
        elif not (isinstance(value, list) and not value):
            scalars.append(f"{_key(key)} = {_inline(value)}")
    out = ["\n".join(scalars)]
    for key, section in sections:
        if section:
            out.append("\n".join([f"[{_key(key)}]", *(f"{_key(k)} = {_inline(v)}" for k, v in section.items())]))
    for key, entries in lists:
        for entry in entries:
            out.append("\n".join([f"[[{_key(key)}]]", *(f"{_key(k)} = {_inline(v)}" for k, v in entry.items())]))
    return "\n\n".join(out) + "\n"
