"""Packages that are used only when they are installed."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from ._errors import ArgumentError, ArgumentTypeError

_PACKAGES = {"scipy.sparse": "scipy", "matplotlib.pyplot": "matplotlib"}


def need(module: str, what: str) -> ModuleType:
    """The module, or an ImportError that says what needs it and how to get it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = _PACKAGES.get(module, module.split(".")[0])
        raise ImportError(
            f"{what} needs the package {package}, which is not installed: pip install {package}", name=package
        ) from error


def axes_of(ax: Any, many: int = 1, projection: str | None = None) -> Any:
    """The axes of matplotlib that are given, or new ones, ``many`` below each other."""
    pyplot = need("matplotlib.pyplot", "plot()")
    if ax is None:
        return pyplot.subplots(many, 1, sharex=many > 1, subplot_kw={"projection": projection})[1]
    try:
        given = [ax] if many == 1 else list(ax)
    except Exception:
        given = []
    if not all(callable(getattr(one, "set_xlabel", None)) for one in given or [None]):
        what = "axes of matplotlib are" if many == 1 else f"{many} axes of matplotlib, one below the other, are"
        raise ArgumentTypeError(f"ax is of type {type(ax).__name__}, but {what} needed.", "ax")
    if len(given) < many:
        raise ArgumentError(f"ax has {len(given)} axes, but {many} are needed, one below the other.", "ax")
    return ax
