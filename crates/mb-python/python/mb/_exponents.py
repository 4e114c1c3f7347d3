"""Floquet exponents of periodic motions over a parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _html, _mb
from ._optional import axes_of, need
from ._periodic import asked_for, of_orbit
from ._requests import MOST_SAMPLES, count, number, path_of, text
from ._types import Complexes, Floats

if TYPE_CHECKING:
    import os

    from ._model import Model


@dataclass(frozen=True, repr=False)
class GrowthRange(_html.Record):
    """A range of values in which disturbances grow.

    Attributes
    ----------
    start, end : float or None
        Its ends; None where it reaches beyond the values.
    start_error, end_error : float or None
        Half the widths of enclosures of them.
    growth, at : float
        Largest real part computed in it, 1/s, and the value of that.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("pushed", parameters={"c": 0.4})
    >>> P = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", P, (0, 0), axis=(1, 0))
    >>> _ = m.spring("s", P, (-5, 0), stiffness=4, natural_length=5, damping="c")
    >>> _ = m.force("push", P, direction=(1, 0), magnitude="cos(3*t)")
    >>> (found,) = m.exponents("c", -0.4, 0.5, "2*pi/3", samples=5).unstable
    >>> found.start, abs(found.end) < 1e-6
    (None, True)
    """

    start: float | None
    start_error: float | None
    end: float | None
    end_error: float | None
    growth: float
    at: float


class Exponents:
    """Floquet exponents of periodic motions over a parameter.

    Attributes
    ----------
    name : str
        The parameter.
    values, periods : ndarray
        Values of the parameter, and periods, s.
    s : ndarray of complex, modes x values
        Exponents, 1/s and rad/s, both of each conjugate two; NaN where a multiplier is zero within its error.
    error : ndarray, modes x values
        Estimates of their errors, 1/s.
    unstable : list of GrowthRange
        Where disturbances grow.
    undecided : list of (float, float)
        Intervals in which growth was neither found nor seen to be absent.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("pushed", parameters={"W": 3.0})
    >>> P = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", P, (0, 0), axis=(1, 0))
    >>> _ = m.spring("s", P, (-5, 0), stiffness=4, natural_length=5, damping=0.4)
    >>> _ = m.force("push", P, direction=(1, 0), magnitude="cos(W*t)")
    >>> found = m.exponents("W", 3, 4, "2*pi/W", samples=3)
    >>> found.values.tolist(), float(found.s.real.max().round(6)), found.unstable
    ([3.0, 3.5, 4.0], -0.2, [])
    """

    def __init__(self, name: str, found: dict[str, Any]):
        self.name = name
        self.values: Floats = found["values"]
        self.periods: Floats = found["periods"]
        self.s: Complexes = found["re"] + 1j * found["im"]
        self.error: Floats = found["error"]
        self.unstable = [GrowthRange(*r) for r in found["unstable"]]
        self.undecided: list[tuple[float, float]] = found["undecided"]

    def to_frame(self) -> Any:
        """One row for each value as a pandas DataFrame: ``period``, ``growth i`` and ``hz i`` of every exponent.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> P = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", P, (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", P, (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", P, direction=(1, 0), magnitude="cos(W*t)")
        >>> m.exponents("W", 3, 4, "2*pi/W", samples=3).to_frame()["growth 0"].round(6).tolist()
        [-0.2, -0.2, -0.2]
        """
        columns = {self.name: self.values, "period": self.periods}
        for k, s in enumerate(self.s):
            columns.update({f"growth {k}": s.real, f"hz {k}": np.abs(s.imag) / (2 * np.pi)})
        return need("pandas", "to_frame()").DataFrame(columns)

    def plot(self, *, ax: Any = None) -> Any:
        """Growth over the parameter by matplotlib, ranges in which disturbances grow shaded. Returns the axes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> P = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", P, (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", P, (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", P, direction=(1, 0), magnitude="cos(W*t)")
        >>> ax = m.exponents("W", 3, 4, "2*pi/W", samples=3).plot()
        """
        ax = axes_of(ax)
        for s in self.s:
            ax.plot(self.values, s.real)
        ax.axhline(0, color="0.6", linestyle="--")
        for r in self.unstable:
            low = self.values.min() if r.start is None else r.start
            high = self.values.max() if r.end is None else r.end
            ax.axvspan(low, high, color="tab:red", alpha=0.15)
        ax.set_xlabel(self.name)
        ax.set_ylabel("growth, 1/s")
        return ax

    def _repr_html_(self) -> str:
        largest = np.nanmax(self.s.real, axis=0) if len(self.s) else np.full(len(self.values), np.nan)
        rows = ((f"{x:.6g}", f"{t:.6g}", f"{g:.6g}") for x, t, g in zip(self.values, self.periods, largest, strict=True))
        return _html.table((self.name, "period [s]", "largest growth [1/s]"), rows, total=len(self.values))

    def __repr__(self) -> str:
        return f"<mb.Exponents over {self.name}: {len(self.values)} values, {len(self.unstable)} ranges of growth>"


def exponents(
    model: Model,
    name: str,
    start: float,
    end: float,
    period: float | str | None,
    samples: int,
    kept: str | os.PathLike[str] | None,
    options: dict[str, Any],
) -> Exponents:
    """See :meth:`mb.Model.exponents`."""
    asked = asked_for(model, period, **of_orbit(options, "exponents"))
    ends = (number(start, "start"), number(end, "end"))
    name, many = text(name, "name", "the name of a parameter"), count(samples, "samples", most=MOST_SAMPLES)
    steps = None if kept is None else path_of(kept, "checkpoint")
    return Exponents(name, _mb.exponents(model._build(), asked, name, ends, many, steps))


__all__ = ["Exponents", "GrowthRange"]
