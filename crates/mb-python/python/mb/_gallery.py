"""Models to start from, and the schema of the model file."""

from __future__ import annotations

import json
from typing import Any

from . import _mb, _toml
from ._errors import ArgumentTypeError
from ._model import Model
from ._requests import number


def gallery() -> dict[str, str]:
    """Names of the models that :func:`generate` has, and what each shows: the list of ``mb generate --list``.

    Examples
    --------
    >>> import mb
    >>> mb.gallery()["rod-pendulum"]
    'a rod hanging from a pin: s = +-i sqrt(3 g / (2 L))'
    """
    return dict(_mb.gallery())


def generate(name: str, /, **parameters: float | str) -> Model:
    """A model to start from, as ``mb generate`` prints it.

    Parameters
    ----------
    name : str
        One of :func:`gallery`.
    **parameters : float or str
        Parameters of the model by name: numbers, or expressions of others.

    Returns
    -------
    Model
        ``model.source`` is its text with comments, ``model.save("file.toml")`` writes its tables.

    Raises
    ------
    ModelError
        A model or a parameter that does not exist, or a value that the model cannot have.

    Examples
    --------
    Two four-bar linkages in a row have one degree of freedom:

    >>> import mb
    >>> m = mb.generate("n-four-bar", N=2)
    >>> m.parameters["N"], m.check().degrees_of_freedom
    (2.0, 1)
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"name is of type {type(name).__name__}, but the name of a model is needed.", "name")
    given = [(k, _toml.plain(v, k) if isinstance(v, str) else _written(v, k)) for k, v in parameters.items()]
    return Model._of_text(_mb.generate(name, given), None, None, {})


def _written(value: Any, name: str) -> str:
    x = number(value, name)
    return str(int(x)) if x.is_integer() and abs(x) < 2**53 else repr(x)


def schema() -> dict[str, Any]:
    """The JSON Schema of the model file, with which editors complete it; ``mb schema`` prints it.

    Examples
    --------
    >>> import mb
    >>> "body" in mb.schema()["properties"]
    True
    """
    return json.loads(_mb.schema())


__all__ = ["gallery", "generate", "schema"]
