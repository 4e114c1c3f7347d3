"""Packages that are used only when they are installed."""

from __future__ import annotations

import importlib
from types import ModuleType

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
