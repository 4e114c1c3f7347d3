"""Results that can be pickled and copied."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar, overload

import numpy as np

from ._errors import ArgumentError

if TYPE_CHECKING:
    from ._model import Model


T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


def frozen(value: T) -> T:
    """The same with arrays, alone or in a dictionary, a list or a tuple, that nothing can be written into."""
    if isinstance(value, np.ndarray):
        value.setflags(write=False)
    elif isinstance(value, dict):
        for entry in value.values():
            frozen(entry)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            frozen(entry)
    return value


class fixed(cached_property[T_co]):
    """A property that is computed once and cannot be written into: what else is computed later would not follow."""

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> fixed[T_co]: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T_co: ...

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        return frozen(super().__get__(instance, owner))


class Kept:
    """A result whose numbers go along when it is pickled or copied.

    What it is computed by stays behind, and is made again by :meth:`_again` where something is asked for that is not among the numbers:
    by the same call, so that the answer has the same bits.
    """

    #: Attributes that are computed before the result is pickled.
    _numbers: ClassVar[tuple[str, ...]] = ()

    _native: Any

    def _again(self) -> Any:
        raise ArgumentError(
            f"This {type(self).__name__} was pickled or copied and has its numbers alone; ask the one that was computed.", "self"
        )

    def __getstate__(self) -> dict[str, Any]:
        for name in self._numbers:
            getattr(self, name)
        return {name: value for name, value in self.__dict__.items() if name not in ("_native", "_built")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name != "_native":
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            native = self._native = self._again()
            return native


class Names(NamedTuple):
    """Names of what a model has."""

    configuration: list[str]
    coordinates: list[str]
    constraints: list[str]
    inputs: list[str]
    outputs: list[str]


class OfModel(Kept):
    """A result of a model, which is computed again from the model."""

    model: Model

    def _of(self, model: Model) -> None:
        self.model = model
        self._changes = model._changes
        self._built = model._build()

    @cached_property
    def _then(self) -> Names:
        """Names of the model as it was when the result was computed: one that is changed afterwards has others, in another order."""
        built = self.__dict__.get("_built")
        return Names(*(self._native_model() if built is None else built).names())

    def _native_model(self) -> Any:
        """The model as it was when the result was computed."""
        if self.model._changes != self._changes:
            what = type(self).__name__
            raise ArgumentError(
                f"The model was changed after this {what} was computed, which was pickled or copied since then: compute it again.", "self"
            )
        return self.model._build()
