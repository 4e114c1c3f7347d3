"""Campbell diagrams: steady motions and their modes over a speed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _html
from ._errors import FindingWarning
from ._optional import axes_of, need
from ._requests import listed, number
from ._types import Complexes, Floats

if TYPE_CHECKING:
    from ._model import Model


@dataclass(frozen=True, repr=False)
class Critical(_html.Record):
    """A speed at which a mode's frequency is so many per revolution.

    Attributes
    ----------
    mode : int
        Column of the mode.
    per_revolution : float
        So many per revolution.
    speed, error : float
        The speed, and half the width of an interval about it in which it lies.
    hz : float
        Frequency there, Hz.
    growth : float
        Real part of the eigenvalue there, 1/s.
    whirl : float or None
        From -1 (circles against the spin) to 1 (with it), seen from the ground.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("disc", parameters={"W": 1.0})
    >>> _ = m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
    >>> for end in "ab":
    ...     _ = m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
    >>> _ = m.steady_rotation("spin", bodies=["disc"], speed="W")
    >>> first = m.campbell("W", 1, 30, samples=30, lines=[1]).critical[0]
    >>> first.per_revolution, round(first.speed, 6)                # sqrt(100 / 1) rad/s
    (1.0, 10.0)
    """

    mode: int
    per_revolution: float
    speed: float
    error: float
    hz: float
    growth: float
    whirl: float | None


@dataclass(frozen=True, repr=False)
class Unstable(_html.Record):
    """A range of speeds at which disturbances grow.

    Attributes
    ----------
    start, end : (float, float) or None
        The ends with their error bounds; None where the range reaches beyond the speeds of the diagram.
    growth, at : float
        Largest real part at the speeds computed, 1/s, and where.
    mode : int or None
        Column of the mode; None where it is none of those followed.
    divergence : bool
        Whether what grows does not oscillate in the frame of the diagram.

    Examples
    --------
    Bearings whose forces turn ahead of the displacement and nothing that damps: growth at every speed.

    >>> import mb
    >>> m = mb.Model("disc", parameters={"W": 1.0})
    >>> _ = m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
    >>> for end in "ab":
    ...     _ = m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 5], [-5, 50]])
    >>> _ = m.steady_rotation("spin", bodies=["disc"], speed="W")
    >>> found = m.campbell("W", 1, 30, samples=10).unstable[0]
    >>> found.start, found.end, found.growth > 0
    (None, None, True)
    """

    start: tuple[float, float] | None
    end: tuple[float, float] | None
    growth: float
    at: float
    mode: int | None
    divergence: bool


class Campbell:
    """Modes of steady motions over a speed.

    Attributes
    ----------
    speed : ndarray, samples
        The speeds.
    turn : ndarray, samples
        Angular velocity that lines of so many per revolution belong to, rad/s.
    s : ndarray of complex, samples x modes
        Eigenvalues in the frame of the diagram; NaN where a mode was not found.
    error : ndarray, samples x modes
        Error bounds of them, rad/s.
    whirl : ndarray, samples x modes
        From -1 (circles against the spin) to 1 (with it), seen from the ground; NaN elsewhere.
    frame : str or None
        The frame that eigenvalues are seen from.
    critical : list of Critical
        Where modes cut the lines, by rising speed.
    unsolved : list of (int, float, (float, float))
        Where a mode meets a line between two speeds and was lost on the way, so that the critical speed was not solved for: the column of
        the mode, so many per revolution, the two speeds. More ``samples`` may follow it.
    unstable : list of Unstable
        Ranges of speeds at which disturbances grow.
    deviation : float
        The largest change of a linearization along its orbit, relative to its entries.
    complete : bool
        Whether all modes of every speed were computed.
    resolution : float
        Ranges of growth, and ranges without it between two of growth, that are narrower than this may be missed.
    summary : str
        Critical speeds and growth in sentences, with what is not known of it.
    notes : list of str
        What else a reader has to know, in sentences: branches of motions that are passed, what was checked, what is not known. Of
        eigenvalues whose error bounds hide whether they grow, and of critical speeds not solved for, a warning says it too.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("disc", parameters={"W": 1.0})
    >>> _ = m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
    >>> for end in "ab":
    ...     _ = m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
    >>> _ = m.steady_rotation("spin", bodies=["disc"], speed="W")
    >>> found = m.campbell("W", 1, 30, samples=30)
    >>> found.hz.shape[0] == len(found.speed), found.unstable
    (True, [])
    """

    def __init__(self, model: Model, name: str, found: dict[str, Any]):
        self.model, self.name = model, name
        self.speed: Floats = found["speeds"]
        self.turn: Floats = found["turns"]
        self.s: Complexes = found["re"] + 1j * found["im"]
        self.error: Floats = found["error"]
        self.whirl: Floats = found["whirl"]
        self.frame: str | None = found["frame"]
        self.critical = [Critical(*c) for c in found["critical"]]
        self.unsolved: list[tuple[int, float, tuple[float, float]]] = [(k, order, tuple(between)) for k, order, between in found["unsolved"]]
        self.unstable = [Unstable(*u) for u in found["unstable"]]
        self.deviation: float = found["deviation"]
        self.complete: bool = found["complete"]
        self.resolution: float = found["resolution"]
        self.summary: str = found["summary"]
        self.notes: list[str] = [text for text, _ in found["notes"]]
        for text, warns in found["notes"]:
            if warns:
                warnings.warn(text, FindingWarning, stacklevel=3)

    @property
    def hz(self) -> Floats:
        """Frequencies seen in the frame, Hz, speeds x modes; NaN where a mode was not found.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("disc", parameters={"W": 1.0})
        >>> _ = m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
        >>> for end in "ab":
        ...     _ = m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
        >>> _ = m.steady_rotation("spin", bodies=["disc"], speed="W")
        >>> found = m.campbell("W", 1, 30, samples=10)
        >>> found.hz.shape == found.s.shape
        True
        """
        return np.abs(self.s.imag) / (2 * np.pi)

    @property
    def growth(self) -> Floats:
        """Real parts of the eigenvalues, 1/s, speeds x modes; NaN where a mode was not found.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("disc", parameters={"W": 1.0})
        >>> _ = m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
        >>> for end in "ab":
        ...     _ = m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
        >>> _ = m.steady_rotation("spin", bodies=["disc"], speed="W")
        >>> found = m.campbell("W", 1, 30, samples=10)
        >>> bool((abs(found.growth) <= found.error).all())                # nothing damps it, nothing drives it
        True
        """
        return self.s.real

    def to_frame(self) -> Any:
        """One row for each speed as a pandas DataFrame: ``hz i`` and ``growth i`` of every mode.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("disc", parameters={"W": 1.0})
        >>> _ = m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
        >>> for end in "ab":
        ...     _ = m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
        >>> _ = m.steady_rotation("spin", bodies=["disc"], speed="W")
        >>> len(m.campbell("W", 1, 30, samples=10).to_frame()) >= 10
        True
        """
        pandas = need("pandas", "to_frame()")
        columns = {}
        for i in range(self.s.shape[1]):
            columns[f"hz {i}"], columns[f"growth {i}"] = self.hz[:, i], self.growth[:, i]
        return pandas.DataFrame(columns, index=pandas.Index(self.speed, name=self.name))

    def plot(self, *, lines: Any = (1.0,), ax: Any = None) -> Any:
        """Frequencies over the speed by matplotlib, with lines of so many per revolution and the critical speeds. Returns the axes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("disc", parameters={"W": 1.0})
        >>> _ = m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
        >>> for end in "ab":
        ...     _ = m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
        >>> _ = m.steady_rotation("spin", bodies=["disc"], speed="W")
        >>> ax = m.campbell("W", 1, 30, samples=10).plot()
        """
        orders = [number(per, f"lines[{k}]") for k, per in enumerate(listed(lines, "lines", "a sequence of numbers"))]
        ax = axes_of(ax)
        ax.plot(self.speed, self.hz)
        for per in orders:
            line = per * np.abs(self.turn) / (2 * np.pi)
            ax.plot(self.speed, line, color="0.6", linestyle="--")
            ax.annotate(f"{per:g}x", (self.speed[-1], line[-1]), (-3, 4), textcoords="offset points", ha="right", color="0.4")
        for met in self.critical:
            if met.per_revolution in orders:
                ax.plot(met.speed, met.hz, "ko", markersize=4)
        for grows in self.unstable:
            low = grows.start[0] if grows.start else self.speed[0]
            high = grows.end[0] if grows.end else self.speed[-1]
            ax.axvspan(low, high, color="red", alpha=0.1)
        ax.set_xlabel(self.name)
        ax.set_ylabel(f"frequency{f' seen from {self.frame}' if self.frame else ''}, Hz")
        return ax

    def _repr_html_(self) -> str:
        head = ("mode", "per revolution", self.name, "error", "f [Hz]")
        rows = ((c.mode, f"{c.per_revolution:g}", f"{c.speed:.6g}", f"{c.error:.1e}", f"{c.hz:.6g}") for c in self.critical)
        return _html.table(head, rows, self.summary, total=len(self.critical))

    def __repr__(self) -> str:
        samples, modes = self.s.shape
        where = f", seen from {self.frame}" if self.frame else ""
        return f"<mb.Campbell of '{self.model.name}' over {self.name}: {samples} speeds, {modes} modes{where}>"


__all__ = ["Campbell", "Critical", "Unstable"]
