"""Modes along a path of parameters, coordinates, speeds and inputs."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _html, _mb
from ._errors import ArgumentError, FindingWarning
from ._frequencies import Frequencies, damping_ratio, frequency_hz
from ._kept import OfModel, fixed
from ._optional import axes_of, need
from ._points import At
from ._matrices import vector
from ._names import mapping
from ._requests import MOST_SAMPLES, count, index_of, number, path_of, text
from ._series import asked, by_variable, split
from ._types import Complexes, Flags, Floats

if TYPE_CHECKING:
    from ._model import Model


@dataclass(frozen=True, repr=False)
class Encounter(_html.Record):
    """Two modes that cross or veer.

    Attributes
    ----------
    kind : str
        ``crossing``: the frequencies change order, the shapes stay; ``veering``: the frequencies come close and part again, the
        shapes change places.
    modes : tuple of int
        Their numbers; those of a group are counted by rising frequency where they are apart nearest to the middle of the path.
    at : dict of str to float
        Values of the variables there, between two samples as interpolated.
    gap_hz : float
        \\|s_a - s_b| / (2 pi) there, Hz.
    exchange : float
        Share of the one's shape before in the other's after.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("two springs", parameters={"k": 16.0})
    >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
    >>> _ = m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
    >>> met = m.track("k", 16, 36, samples=20).encounters[0]
    >>> met.kind, met.modes
    ('crossing', (0, 1))
    """

    kind: str
    modes: tuple[int, int]
    at: dict[str, float]
    gap_hz: float
    exchange: float


@dataclass(frozen=True, repr=False)
class TrackedGroup(Frequencies, _html.Record):
    """Modes that are followed together, because they are close, repeated or defective.

    Attributes
    ----------
    modes : list of int
        Their numbers in the middle of the path.
    s : ndarray of complex, samples x modes of the group
        Their eigenvalues by rising imaginary part, rad/s; NaN where another mode coincides with one of them, so that the group is
        not separate.
    predicted : ndarray of complex, samples x modes of the group
        The same by polynomials about the middle.
    error : ndarray, samples x modes of the group
        Estimated errors of ``predicted``, rad/s.
    trusted : ndarray of bool, samples
        False beyond the reach of the polynomials.
    together, lost : list of (int, int)
        First and last samples of the stretches where modes of the group coincide, and where the group is not separate.
    distinguished : bool
        Whether modes of groups can be told from one another somewhere, so that :attr:`Track.encounters` has theirs.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("two springs", parameters={"k": 16.0})
    >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
    >>> _ = m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
    >>> group = m.track("k", 16, 36, samples=5, groups=[[0, 1]]).groups[0]
    >>> group.modes, group.s[0].imag.round(9).tolist(), group.mean[0].imag.round(9)
    ([0, 1], [4.0, 5.0], np.float64(4.5))
    """

    modes: list[int]
    s: Complexes
    predicted: Complexes
    error: Floats
    trusted: Flags
    together: list[tuple[int, int]]
    lost: list[tuple[int, int]]
    distinguished: bool

    @property
    def mean(self) -> Complexes:
        """Mean of the eigenvalues at every sample, rad/s: smooth where the eigenvalues themselves are not.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("two springs", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
        >>> group = m.track("k", 16, 36, samples=5, groups=[[0, 1]]).groups[0]
        >>> group.mean[0].imag.round(9).item()
        4.5
        """
        return self.s.mean(axis=1)


class Track(OfModel, Frequencies):
    """Modes along a path: exactly at every sample, and by polynomials about its middle.

    Attributes
    ----------
    variables : list of str
        Names of the variables.
    path : ndarray, samples x variables
        Their values.
    numbers : list of int
        The modes that are followed one by one, as ``linearize().modes()`` counts them in the middle of the path.
    groups : list of TrackedGroup
        The modes that are followed together.
    s : ndarray of complex, samples x modes
        Eigenvalues, rad/s; a column is one mode all the way.
    encounters : list of Encounter
        Where modes cross and veer.
    doubtful : list of (int, int, float)
        Modes that keep less than half of themselves in a step: number, sample after the step, share.
    frame : str or None
        The frame in which the exponents of a steady motion are seen, in words with its angular velocity in the middle; None at rest.
    coincidences : list of int
        Samples at which modes coincide; what stands there was found a thousandth of a step away.
    mac : ndarray, (samples - 1) x modes x modes
        Left-right MAC of all modes at each sample with those at the next.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("two springs", parameters={"k": 16.0})
    >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
    >>> _ = m.spring("y", "P", (0, 1), stiffness=100, natural_length=1)
    >>> t = m.track("k", 16, 36, samples=3)
    >>> t.s[:, 0].imag.round(6).tolist()
    [4.0, 5.09902, 6.0]
    """

    _numbers = ("mac", "predicted", "_events", "groups")

    def __init__(self, model: Model, path: Floats, native: Any, asked: str):
        self._of(model)
        self._native = native
        self._asked = asked
        self.path = path
        self.variables: list[str] = native.names()
        self.numbers: list[int] = native.numbers()
        self.coincidences: list[int] = native.coincidences()
        self.frame: str | None = native.frame()
        self.s: Complexes = native.s()
        aside = native.speeds_aside()
        if aside is not None:
            warnings.warn(f"The track: {aside}.", FindingWarning, stacklevel=4)

    def _again(self) -> Any:
        return _mb.track(self._native_model(), self._asked, self.path, len(self.path) // 2, None)

    @fixed
    def mac(self) -> Floats:
        """Left-right MAC of all modes at each sample with those at the next, (samples - 1) x modes x modes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("two springs", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
        >>> m.track("k", 16, 36, samples=5).mac.shape
        (4, 2, 2)
        """
        return self._native.mac()

    @fixed
    def share(self) -> Floats:
        """What each mode keeps of itself from the sample before, samples x modes, at most 1; 1 at the first.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("two springs", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
        >>> bool(m.track("k", 16, 24, samples=5).share.min() > 0.9)
        True
        """
        # Without symmetry the likeness of two shapes may exceed one.
        kept = np.minimum(np.einsum("kii->ki", self.mac), 1.0)
        return np.vstack([np.ones((1, len(self.numbers))), kept])

    @fixed
    def predicted(self) -> tuple[Complexes, Floats, Flags]:
        """By polynomials about the middle: eigenvalues, estimated errors (rad/s), whether each can be trusted; samples x modes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("two springs", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
        >>> t = m.track("k", 16, 24, samples=5)
        >>> s, error, trusted = t.predicted
        >>> s.shape == error.shape == trusted.shape == t.s.shape
        True
        """
        return self._native.predicted()

    def shapes(self, sample: int) -> Complexes:
        """Mode shapes at a sample, coordinates x modes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("two springs", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("y", "P", (0, 1), stiffness=100, natural_length=1)
        >>> m.track("k", 16, 36, samples=3).shapes(0).shape
        (2, 2)
        """
        return self._native.shapes(index_of(sample, len(self), "sample"))

    @fixed
    def _events(self) -> list[tuple[str, list[int], float, float, float, float]]:
        return self._native.events()

    @fixed
    def encounters(self) -> list[Encounter]:
        """Where modes cross and veer.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("two springs", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
        >>> [met.kind for met in m.track("k", 16, 36, samples=20).encounters]
        ['crossing']
        """
        out = []
        for kind, modes, sample, _, gap_hz, exchange in self._events:
            if kind in ("crossing", "veering"):
                at = {
                    name: float(np.interp(sample, np.arange(len(self.path)), self.path[:, k]))
                    for k, name in enumerate(self.variables)
                }
                out.append(Encounter(kind, (modes[0], modes[1]), at, gap_hz, exchange))
        return out

    @fixed
    def doubtful(self) -> list[tuple[int, int, float]]:
        """Modes that keep less than half of themselves in a step: number, sample after the step, share.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("two springs", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
        >>> m.track("k", 16, 36, samples=20).doubtful
        []
        """
        return [(modes[0], round(sample), share) for kind, modes, sample, _, _, share in self._events if kind == "doubtful"]

    @fixed
    def groups(self) -> list[TrackedGroup]:
        """The modes that are followed together.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("two springs", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
        >>> m.track("k", 16, 36, samples=5, groups=[[0, 1]]).groups[0].modes
        [0, 1]
        """
        def stretches(what: str, group: list[int]) -> list[tuple[int, int]]:
            return [(round(a), round(b)) for kind, modes, a, b, _, _ in self._events if kind == what and modes == group]

        return [
            TrackedGroup(
                modes,
                s,
                predicted,
                error,
                np.array(trusted),
                stretches("together", modes),
                stretches("lost", modes),
                not stretches("unknown", modes),
            )
            for modes, s, predicted, error, trusted in self._native.groups()
        ]

    def __getitem__(self, name: str) -> Floats:
        """Values of a variable along the path."""
        if text(name, "name", "the name of a variable") not in self.variables:
            raise ArgumentError(f"{name!r} is no variable of the path; these are {', '.join(self.variables)}.", "name")
        return self.path[:, self.variables.index(name)]

    def __len__(self) -> int:
        return len(self.path)

    def plot(self, *, ax: Any = None) -> Any:
        """Natural frequencies along the path by matplotlib: lines are modes, crosses and circles crossings and veerings.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("two springs", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
        >>> ax = m.track("k", 16, 36, samples=20).plot()
        """
        ax = axes_of(ax)
        x = self.path[:, 0] if len(self.variables) == 1 else np.arange(len(self.path))
        for k, mode in enumerate(self.numbers):
            ax.plot(x, self.natural_hz[:, k], label=f"mode {mode}")
        for group in self.groups:
            name = f"modes {', '.join(map(str, group.modes))}"
            ax.plot(x, group.natural_hz, ".", color=f"C{(len(self.numbers) + self.groups.index(group)) % 10}", label=name)
        for met in self.encounters:
            where = met.at[self.variables[0]] if len(self.variables) == 1 else None
            if where is not None and met.modes[0] in self.numbers:
                column = self.natural_hz[:, self.numbers.index(met.modes[0])]
                order = np.argsort(x)
                y = float(np.interp(where, x[order], column[order]))
                ax.plot(where, y, "kx" if met.kind == "crossing" else "ko", fillstyle="none")
        ax.set_xlabel(self.variables[0] if len(self.variables) == 1 else "sample")
        ax.set_ylabel("natural frequency [Hz]")
        ax.legend()
        return ax

    def to_frame(self) -> Any:
        """Frequencies and damping along the path as a pandas DataFrame.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("two springs", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("y", "P", (0, 1), stiffness=100, natural_length=1)
        >>> m.track("k", 16, 36, samples=3).to_frame()["k"].tolist()
        [16.0, 26.0, 36.0]
        """
        pandas = need("pandas", "to_frame()")
        columns: dict[str, Any] = {name: self[name] for name in self.variables}
        for k, mode in enumerate(self.numbers):
            columns.update({f"hz {mode}": self.hz[:, k], f"zeta {mode}": self.zeta[:, k]})
        for group in self.groups:
            name = "+".join(map(str, group.modes))
            for j, s in enumerate(group.s.T):
                columns.update({f"hz {name} [{j}]": frequency_hz(s), f"zeta {name} [{j}]": damping_ratio(s)})
        return pandas.DataFrame(columns)

    def __repr__(self) -> str:
        met = f", {len(self.groups)} group{'' if len(self.groups) == 1 else 's'}" if self.groups else ""
        met += f", {len(self.encounters)} encounters" if self.encounters else ""
        return f"<mb.Track of '{self.model.name}': {len(self.numbers)} modes at {len(self)} samples of {', '.join(self.variables)}{met}>"

    def _repr_html_(self) -> str:
        shown = np.unique(np.linspace(0, len(self) - 1, min(len(self), 12)).round().astype(int))
        rows = ((*(f"{x:.6g}" for x in self.path[i]), *(f"{f:.6g}" for f in self.hz[i])) for i in shown)
        met = (
            f"modes {m.modes[0]} and {m.modes[1]}: {m.kind} at {', '.join(f'{n} = {x:.6g}' for n, x in m.at.items())}"
            for m in self.encounters
        )
        return _html.table((*self.variables, *(f"f {n} [Hz]" for n in self.numbers)), rows, *met)


def track(
    model: Model,
    variable: str | Mapping[str, Any],
    start: float | None,
    end: float | None,
    samples: int,
    at: At,
    kept: str | os.PathLike[str] | None,
    **options: Any,
) -> Track:
    """As :meth:`mb.Model.track`."""
    if isinstance(variable, Mapping):
        if start is not None or end is not None:
            raise ArgumentError("start and end belong to a single variable; a dictionary has the values of all samples.", "start")
        variable = mapping(variable, "variable", "values by variable")
        path = _columns(variable)
        names = list(variable)
    else:
        if start is None or end is None:
            raise ArgumentError("start and end of the path are needed: track('k', 500, 1500).", "start")
        names = [text(variable, "variable", "the name of a variable, or a dictionary of values by variable,")]
        many = max(count(samples, "samples", most=MOST_SAMPLES), 2)
        path = np.linspace(number(start, "start"), number(end, "end"), many)[:, np.newaxis]
    middle = len(path) // 2
    # The point of expansion is the middle of the path.
    model, begin = split(model, {**by_variable(at), **dict(zip(names, path[middle].tolist(), strict=True))})
    names, request = asked(names, at=begin, accuracy=None, region=None, **options)
    native = model._build()
    steps = None if kept is None else path_of(kept, "checkpoint")
    asked_for = json.dumps(request)
    found = _mb.track(native, asked_for, path, middle, steps)
    return Track(model, path, found, asked_for)


def _columns(path: Mapping[str, Any]) -> Floats:
    columns: list[Floats] = []
    for name, values in path.items():
        column = vector(values, f"variable[{name!r}]")
        if column.ndim != 1 or len(column) < 2 or (columns and len(column) != len(columns[0])):
            raise ArgumentError(
                f"variable[{name!r}] has shape {column.shape}, but every variable needs the same number of samples, at least 2.",
                "variable",
            )
        columns.append(column)
    if not columns:
        raise ArgumentError("variable is empty: name the variables of the path.", "variable")
    return np.ascontiguousarray(np.column_stack(columns))
