"""Modes as polynomials of parameters, coordinates, speeds and inputs."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union, overload

import numpy as np
from numpy.typing import NDArray

from . import _html, _mb
from ._errors import ArgumentError, FindingWarning
from ._frequencies import TAU, Frequencies
from ._kept import OfModel, fixed
from ._matrices import vector
from ._names import frame_name, mapping, resolve, spins
from ._optional import need
from ._points import At, start_values
from ._requests import count, flag, is_sequence, listed, number, pair, path_of, strategy_word, told, word, words
from ._types import Complexes, Flags, Floats, Vectors, Whole

if TYPE_CHECKING:
    from ._model import Model

#: Modes to take together: their numbers, or how close they are, ``"0.5%"``.
Groups = Union[str, Iterable[Union[Iterable[int], str]]]

_QUANTITIES = ("s", "hz", "natural_hz", "zeta")


#: Beyond it coefficients are below or above every double.
_HIGHEST = 1000


def asked(
    variables: str | Iterable[str],
    *,
    at: Mapping[str, float],
    hold: str | Iterable[str],
    frozen: bool,
    instant: bool,
    moving: bool,
    spin: Mapping[str, float] | None,
    frame: str | None,
    solve: bool,
    strategy: str,
    time: float,
    order: int,
    accuracy: float | None,
    region: Mapping[str, Any] | None,
    modes: int | Sequence[int] | str,
    groups: Groups,
) -> tuple[list[str], dict[str, Any]]:
    """Names of the variables, and the request as the native module takes it."""
    names = words(variables, "variables")
    if not names:
        raise ArgumentError("variables is empty: name parameters, coordinates or inputs of the model.", "variables")
    if accuracy is not None:
        accuracy = number(accuracy, "accuracy")
        if not 0 < accuracy < 1:
            raise ArgumentError(f"accuracy is {accuracy}, but is a share of the eigenvalues between 0 and 1.", "accuracy")
        if region is None:
            raise ArgumentError("accuracy is kept in a region: pass region={name: (low, high)} too.", "region")
    picked: dict[str, Any] | str
    if isinstance(modes, str):
        if modes != "all":
            raise ArgumentError(f"modes is {modes!r}, but a number of modes, their numbers or 'all' is needed.", "modes")
        picked = "all"
    elif is_sequence(modes):
        picked = {"numbers": [count(i, f"modes[{k}]", 0) for k, i in enumerate(listed(modes, "modes"))]}
    else:
        picked = {"first": count(modes, "modes", 0)}
    intervals: list[list[float] | None] | None = None
    if region is not None:
        region = mapping(region, "region", "intervals by variable, {name: (low, high)},")
        given = {resolve(name, names, "region", "variable"): _interval(name, ends) for name, ends in region.items()}
        intervals = [given.get(i) for i in range(len(names))]
    return names, {
        "variables": names,
        "at": [(str(name), number(value, f"at[{name!r}]")) for name, value in at.items()],
        "hold": words(hold, "hold"),
        "frozen": flag(frozen, "frozen"),
        "instant": flag(instant, "instant"),
        "moving": flag(moving, "moving"),
        "spins": [] if spin is None else spins(spin),
        "frame": frame_name(frame),
        "solve": flag(solve, "solve"),
        "strategy": strategy_word(strategy),
        "time": number(time, "time"),
        "order": count(order, "order", most=_HIGHEST),
        "accuracy": accuracy,
        "region": intervals,
        "picked": picked,
        "groups": _groups(groups),
    }


def _groups(groups: Groups) -> list[dict[str, Any]]:
    """Groups by number, or by closeness as ``"0.5%"``."""
    out: list[dict[str, Any]] = []
    named: set[int] = set()
    for k, group in enumerate([groups] if isinstance(groups, str) else listed(groups, "groups")):
        name = f"groups[{k}]"
        if isinstance(group, str):
            try:
                share = float(group.removesuffix("%")) / 100
            except ValueError:
                share = np.nan
            if not group.endswith("%") or not 0 < share < 1:
                raise ArgumentError(f"{name} is {group!r}, but mode numbers, or a closeness between '0%' and '100%' is needed.", "groups")
            out.append({"within": share})
            continue
        numbers = [count(i, name, 0) for i in listed(group, name)]
        twice = [i for j, i in enumerate(numbers) if i in named or i in numbers[:j]]
        if twice or len(numbers) < 2:
            why = f"names mode {twice[0]}, which stands in a group already" if twice else "has fewer than two modes"
            raise ArgumentError(f"{name} {why}.", "groups")
        named.update(numbers)
        out.append({"numbers": numbers})
    return out


def _interval(name: str, ends: Any) -> list[float]:
    low, high = pair(ends, f"region[{name!r}]", "a pair of numbers, (low, high)")
    if not low < high:
        raise ArgumentError(f"region[{name!r}] is ({low}, {high}), but the first must be below the second.", "region")
    return [low, high]


class SeriesValue(Frequencies):
    """Modes at a point, by their polynomials.

    Attributes
    ----------
    point : dict of str to float
        Values of the variables.
    s : ndarray of complex, modes
        Eigenvalues, rad/s.
    hz, natural_hz, zeta : ndarray, modes
        \\|Im s| / (2 pi) and \\|s| / (2 pi) in Hz, damping ratio -Re s / \\|s|.
    error : ndarray, modes
        Estimated errors of ``s``, rad/s: estimates, no bounds; infinite where the terms do not fall off.
    trusted : ndarray of bool, modes
        False beyond the reach of the polynomials, where a value means nothing.
    shapes : ndarray of complex, coordinates x modes
        Mode shapes, in the gauge of the series.
    groups : list of dict
        Of every group: ``modes``, ``s``, ``error``, ``mean``, ``trusted``.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
    >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
    >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
    >>> at = m.series("k", order=6, modes=1)(k=17.0)
    >>> at.point, round(float(at.s[0].imag) ** 2, 6)
    ({'k': 17.0}, 17.0)
    """

    def __init__(self, series: Series, x: Floats):
        self.series = series
        self.point = dict(zip(series.variables, x.tolist(), strict=True))
        self._x = x
        self.s, self.error, self._near, self.shapes, groups = series._native.evaluate(x)
        self.groups = [
            {"modes": modes, "s": s, "error": error, "mean": complex(*mean), "trusted": sure}
            for modes, s, error, mean, sure in groups
        ]

    @fixed
    def rank_change(self) -> tuple[str, list[str]] | None:
        """Where the constraints lose rank on the way from the centre, with the rows that depend on others there; None where they keep it.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> m.series("k", order=3, modes=1)(k=17).rank_change is None
        True
        """
        return self.series._native.rank_change(self._x)

    @fixed
    def trusted(self) -> Flags:
        """False beyond the reach of the polynomials, where a value means nothing; one for each mode.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> s = m.series("k", order=6, modes=1)
        >>> s(k=17).trusted.tolist(), s(k=90).trusted.tolist()
        ([True], [False])
        """
        # Polynomials of the one side of a loss of rank say nothing of the other.
        return np.array(self._near, dtype=bool) & (self.rank_change is None)

    def __len__(self) -> int:
        return len(self.s)

    def __repr__(self) -> str:
        at = ", ".join(f"{name} = {value:.6g}" for name, value in self.point.items())
        hz = ", ".join(f"{x:.6g}" for x in self.hz[:4]) + (", ..." if len(self) > 4 else "")
        doubt = "" if self.trusted.all() else "; NOT all trusted"
        return f"<mb.SeriesValue at {at}: {hz} Hz{doubt}>"

    def _repr_html_(self) -> str:
        rows = (
            (number, f"{self.hz[i]:.6g}", f"{self.zeta[i]:.4g}", f"{self.error[i]:.1e}", "yes" if self.trusted[i] else "no")
            for i, number in enumerate(self.series.numbers)
        )
        return _html.table(("mode", "f [Hz]", "zeta", "estimated error [rad/s]", "trusted"), rows, total=len(self))


class Series(OfModel):
    """Modes of a model as polynomials of some variables, about an operating point that follows them.

    Call it with values of the variables by name, or with an array of all of them in order: ``s(k=520)``, ``s([520.0])``.

    Attributes
    ----------
    variables : list of str
        Names of the variables.
    centre : dict of str to float
        Their values at the point of expansion.
    numbers : list of int
        Modes that are expanded one by one, as ``linearize().modes()`` counts them, from 0.
    order : int
        Degree of the polynomials; the largest where there are several pieces.
    pieces : int
        Number of points of expansion; more than one only where an accuracy needs them.
    frame : str or None
        The frame in which the exponents of a steady motion are seen; None at rest.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
    >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
    >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
    >>> s = m.series("k", order=3, modes=1)
    >>> s.numbers, s.order, s.centre
    ([0], 3, {'k': 16.0})
    """

    _numbers = ("reach",)

    def __init__(self, model: Model, native: Any, asked: str):
        self._of(model)
        self._native = native
        self._asked = asked
        self.variables: list[str] = native.names()
        self.centre: dict[str, float] = dict(zip(self.variables, native.centre(), strict=True))
        self.numbers: list[int] = native.numbers()
        self.frame: str | None = native.frame()
        self._pieces: list[Any] = native.pieces()
        aside = native.speeds_aside()
        if aside is not None:
            warnings.warn(f"The series: {aside}.", FindingWarning, stacklevel=4)

    def _again(self) -> Any:
        return _mb.series(self._native_model(), self._asked, None)

    @property
    def pieces(self) -> int:
        """Number of points of expansion; more than one only where an accuracy needs them.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> m.series("k", order=3, modes=1).pieces
        1
        """
        return len(self._pieces)

    @property
    def order(self) -> int:
        """Degree of the polynomials; the largest where there are several pieces.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> m.series("k", order=3, modes=1).order
        3
        """
        return max(order for order, _, _ in self._pieces)

    @fixed
    def reach(self) -> Floats:
        """Estimated distance of convergence along each variable, modes x variables, of the first piece.

        It is the distance to the nearest, possibly complex, value at which a mode meets another one; NaN where there are too
        few degrees to judge by.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> reach = m.series("k", order=6, modes=1).reach
        >>> bool(abs(reach[0, 0] - 16) < 0.5)                          # the mode meets its conjugate at k = 0
        True
        """
        return self._native.reach(0)

    def region_error(self, piece: int = 0) -> Floats:
        """Largest estimated error of each mode in the region, rad/s; NaN without a region.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> bool(m.series("k", order=3, modes=1, region={"k": (15, 17)}).region_error()[0] < 1e-3)
        True
        """
        return self._native.region_error(count(piece, "piece", 0))

    def coefficients(self, piece: int = 0) -> tuple[Whole, Complexes]:
        """Exponents, terms x variables, and coefficients of the eigenvalues, modes x terms.

        ``s[mode] = sum over terms of coefficient * product of (value - centre) ** exponent``, rad/s.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> exponents, c = m.series("k", order=1, modes=1).coefficients()
        >>> exponents.tolist(), c.imag.round(9).tolist()               # 4 + (k - 16) / 8
        ([[0], [1]], [[4.0, 0.125]])
        """
        return self._native.coefficients(count(piece, "piece", 0))

    def shape_coefficients(self, mode: int, piece: int = 0) -> Complexes:
        """Coefficients of the shape of one of :attr:`numbers`, terms x coordinates.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> m.series("k", order=1, modes=1).shape_coefficients(0).shape
        (2, 2)
        """
        if count(mode, "mode", 0) not in self.numbers:
            raise ArgumentError(f"mode is {told(mode)}, but the series has the modes {self.numbers}.", "mode")
        return self._native.shape_coefficients(count(piece, "piece", 0), self.numbers.index(mode))

    def _point(self, values: Any, by_name: Mapping[str, Any]) -> Floats:
        if values is None:
            x = np.array(list(self.centre.values()), dtype=np.float64)
            for name, value in by_name.items():
                x[resolve(name, self.variables, "point", "variable")] = number(value, name)
            return x
        if by_name:
            raise ArgumentError("point: values are given by name or by an array, not both.", "point")
        if isinstance(values, Mapping):
            return self._point(None, values)
        x = np.atleast_1d(vector(values, "point"))
        if x.shape != (len(self.variables),):
            raise ArgumentError(f"point has shape {x.shape}, but {len(self.variables)} values are needed.", "point")
        return x

    def __call__(self, values: Any = None, /, **by_name: float) -> SeriesValue:
        """The modes at a point; variables that are not named stay at the centre."""
        return SeriesValue(self, self._point(values, by_name))

    @overload
    def gradient(self, of: Literal["s"], values: Any = None, /, **by_name: float) -> Complexes: ...

    @overload
    def gradient(self, of: Literal["hz", "natural_hz", "zeta"] = "hz", values: Any = None, /, **by_name: float) -> Floats: ...

    @overload
    def gradient(self, of: str, values: Any = None, /, **by_name: float) -> Vectors: ...

    def gradient(self, of: str = "hz", values: Any = None, /, **by_name: float) -> Vectors:
        """Derivatives with respect to the variables, modes x variables, at a point or at the centre.

        Parameters
        ----------
        of : str
            ``s`` (complex, rad/s), ``hz``, ``natural_hz`` or ``zeta``.
        values, **by_name
            The point, as in a call.

        Examples
        --------
        A mass of 1 kg on a spring of k = 16 N/m: f = sqrt(k) / (2 pi), df/dk = f / (2 k).

        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> s = m.series("k", order=3, modes=1)
        >>> float((s.gradient("hz") / s().hz)[0, 0].round(12))
        0.03125
        """
        word(of, "of", _QUANTITIES)
        x = self._point(values, by_name)
        ds: Complexes = self._native.gradient(x)
        if of == "s":
            return ds
        s = self._native.evaluate(x)[0][:, np.newaxis]
        if of == "hz":
            return np.sign(s.imag) * ds.imag / TAU
        size = np.abs(s)
        size = np.where(size > 0, size, np.nan)
        growth = (s.conj() * ds).real / size
        if of == "natural_hz":
            return growth / TAU
        return -ds.real / size + s.real * growth / size**2

    def tolerance(self, **tolerances: float) -> dict[str, Floats]:
        """What variables that may be off make of the modes at the centre, to first order.

        Parameters
        ----------
        **tolerances : float
            How far a variable may be off, in its unit, ``k=25``.

        Returns
        -------
        dict
            ``natural_hz`` and ``zeta``, each modes x 3: value, largest change (worst case), root of the sum of squares.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> value, worst, _ = m.series("k", order=1, modes=1).tolerance(k=0.32)["natural_hz"][0]
        >>> round(float(worst / value), 9)                             # half of 0.32 / 16
        0.01
        """
        list_ = [0.0] * len(self.variables)
        for name, value in tolerances.items():
            list_[resolve(name, self.variables, "tolerance", "variable")] = abs(number(value, name))
        bars = self._native.tolerance(list_)
        return {"natural_hz": np.array([b[0] for b in bars]), "zeta": np.array([b[1] for b in bars])}

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        at = ", ".join(f"{name} = {value:.6g}" for name, value in self.centre.items())
        pieces = "" if self.pieces == 1 else f", {self.pieces} pieces"
        return f"<mb.Series of '{self.model.name}': {len(self)} modes, order {self.order} about {at}{pieces}>"

    def to_frame(self) -> Any:
        """Frequency, damping, sensitivities and reach at the centre as a pandas DataFrame, one row for each mode.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> m.series("k", order=1, modes=1).to_frame().shape
        (1, 5)
        """
        pandas = need("pandas", "to_frame()")
        at = self()
        columns: dict[str, Any] = {"hz": at.hz, "zeta": at.zeta}
        d_hz, d_zeta = self.gradient("hz"), self.gradient("zeta")
        for k, name in enumerate(self.variables):
            columns.update({f"dhz/d{name}": d_hz[:, k], f"dzeta/d{name}": d_zeta[:, k], f"reach {name}": self.reach[:, k]})
        return pandas.DataFrame(columns, index=pandas.Index(self.numbers, name="mode"))

    def _repr_html_(self) -> str:
        at, d_hz = self(), self.gradient("hz")
        head = [text for name in self.variables for text in (f"df/d{name}", "reach")]
        rows = (
            (mode, f"{at.hz[i]:.6g}", f"{at.zeta[i]:.4g}", *(text for d, r in zip(d_hz[i], self.reach[i], strict=True) for text in (f"{d:.4g}", f"{r:.3g}")))
            for i, mode in enumerate(self.numbers)
        )
        return _html.table(("mode", "f [Hz]", "zeta", *head), rows, total=len(self.numbers))


def series(
    model: Model,
    variables: str | Iterable[str],
    at: At,
    kept: str | os.PathLike[str] | None,
    **options: Any,
) -> Series:
    """As :meth:`mb.Model.series`."""
    model, start = split(model, at)
    _, request = asked(variables, at=start, **options)
    native = model._build()
    text = json.dumps(request)
    found = _mb.series(native, text, None if kept is None else path_of(kept, "checkpoint"))
    return Series(model, found, text)


def by_variable(at: At) -> dict[str, float]:
    """Start values by the names of variables, those of a file with its speeds, accelerations and inputs too."""
    there = start_values(at)
    out = dict(there.at)
    for what, table in (("speed", there.velocity), ("acceleration", there.acceleration), ("input", there.inputs)):
        out.update({f"{what}:{name}": value for name, value in (table or {}).items()})
    return out


def split(model: Model, at: At) -> tuple[Model, dict[str, float]]:
    """The model with the parameters among the start values, and the other values."""
    at = by_variable(at)
    known = model.parameters
    plain = {name.removeprefix("parameter:"): value for name, value in at.items()}
    parameters = {name: number(value, f"at[{name!r}]") for name, value in plain.items() if name in known}
    rest = {name: value for name, value in at.items() if name.removeprefix("parameter:") not in known}
    return (model.with_parameters(**parameters) if parameters else model), rest
