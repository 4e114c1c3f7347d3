"""Periodic motions, their Floquet multipliers, and branches of them over a parameter."""

from __future__ import annotations

import inspect
import json
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _html, _mb
from ._errors import ArgumentError, ArgumentTypeError, FindingWarning, NumericsError
from ._kept import OfModel, fixed
from ._names import numbers, resolve
from ._optional import axes_of, need
from ._points import At, document, start_values, write
from ._requests import count, index_of, number, path_of, period_text, positive, refuse_unknown, words
from ._types import Complexes, Floats

if TYPE_CHECKING:
    from ._model import Model

#: Change of the monodromy matrix by the last doubling of the steps, relative, above which multipliers are not settled.
_SETTLED = 1e-9
#: Distance of a shape from itself one period later, relative to its largest entry, above which rounding has taken it.
_CLOSES = 1e-6


class Orbit(OfModel):
    """A periodic motion.

    Attributes
    ----------
    model : Model
        The model.
    period : float
        Period, s.
    autonomous : bool
        Whether the model does not depend on time along the motion, so that the period was solved for.
    t : ndarray
        Times of the states, s; the last one a period after the first.
    q : ndarray, configuration numbers x times
        Configurations; SI units and radians, names in ``model.configuration``.
    v : ndarray, velocities x times
        Velocities, names in ``model.coordinates``.
    turns : dict of str to int
        Whole turns that angles make in a period.
    returns : int
        How often the least period goes into the period that was given or into that of the motion found first, of models that do not
        depend on time; 1 where the motion returns no earlier.
    shift, turn : ndarray
        What rolls comes back elsewhere: the displacement of the ground's origin, m, and the rotation vector, rad, that take the
        start to the end. Zero for models without velocity rows.
    steps, iterations : int
        Steps of the period, and of Newton's method in all.
    defect : float
        The largest gap that is left where the motion closes, in the coordinates of states.
    moved : float
        What doubling the steps changed in the motion last.
    violation : (float, float)
        Largest \\|Phi| and \\|Phi'| at the states.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("pushed", parameters={"W": 3.0})
    >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
    >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
    >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
    >>> motion = m.orbit("2*pi/W")
    >>> round(float(motion["P.x"].max()), 2), motion.autonomous
    (0.19, False)
    """

    _numbers = ("t", "q", "v", "_floquet")

    def __init__(self, model: Model, native: _mb.Orbit, asked: str):
        self._of(model)
        self._native = native
        self._asked = asked
        self.period, self.autonomous, turns, self.returns = native.motion()
        self.steps, self.iterations, self.defect, self.moved, *violation = native.quality()
        self.violation: tuple[float, float] = (violation[0], violation[1])
        self.shift, self.turn = (np.asarray(x) for x in native.displacement())
        self.turns = {name: n for name, n in zip(self._then.coordinates, turns, strict=True) if n}

    def _again(self) -> Any:
        return _mb.orbit(self._native_model(), self._asked)

    @fixed
    def t(self) -> Floats:
        """Times of the states, s; the last one a period after the first.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> motion = m.orbit("2*pi/W")
        >>> round(float(motion.t[-1] - motion.t[0]), 9) == round(motion.period, 9)
        True
        """
        return self._native.times()

    @fixed
    def q(self) -> Floats:
        """Configurations, numbers x times, SI units and radians; ``model.configuration`` has their names.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> motion = m.orbit("2*pi/W")
        >>> motion.q.shape == (3, len(motion))
        True
        """
        return self._native.configurations()

    @fixed
    def v(self) -> Floats:
        """Velocities, coordinates x times, SI units and rad/s; ``model.coordinates`` has their names.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> motion = m.orbit("2*pi/W")
        >>> motion.v.shape == (3, len(motion))
        True
        """
        return self._native.velocities()

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, name: str) -> Floats:
        """The history of a configuration number over the period, ``orbit["crank.angle"]``."""
        return self.q[resolve(name, self._then.configuration, "orbit", "coordinate")]

    @fixed
    def _floquet(self) -> Floquet:
        return Floquet(self)

    def floquet(self) -> Floquet:
        """The multipliers of the motion: what a period makes of a small disturbance.

        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> P = m.point("P", at=(1, 0), mass=1); _ = m.spring("s", P, (0, 0), stiffness=4, natural_length=1, damping=0.5)
        >>> rest = m.orbit(1.0, at={"P.x": 1.0}).floquet()       # at rest every time is a period
        >>> growth = sorted({float(s.real.round(6)) for s in rest.exponents if s.imag})
        >>> growth                                               # -c / (2 m)
        [-0.25]
        """
        return self._floquet

    def follow(self, parameter: str, end: float, points: int = 20) -> Branch:
        """The motion over a parameter, from its value in the model to ``end``, through folds.

        Parameters
        ----------
        parameter : str
            Name of the parameter.
        end : float
            Where the branch ends.
        points : int
            About so many motions. Between two of them an even number of bifurcations is not seen.

        Motions that keep their energy are families at every value of the parameter, of which none is followed: the branch ends, and
        ``ended`` says so.

        Returns
        -------
        Branch

        Examples
        --------
        A mass that is pushed, x'' + 0.4 x' + 4 x = cos W t, has its largest way where W^2 = 4 - 0.08:

        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 1.0})
        >>> P = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", P, (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", P, (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", P, direction=(1, 0), magnitude="cos(W*t)")
        >>> branch = m.orbit("2*pi/W").follow("W", 3.0, points=8)
        >>> x = abs(1 / (4 - branch.value**2 + 0.4j * branch.value))
        >>> found = (branch.q[0]**2 + (branch.v[0] / branch.value)**2)**0.5
        >>> bool(abs(found - x).max() < 1e-9), branch.bifurcations
        (True, [])
        """
        known = self.model.parameters
        name = list(known)[resolve(parameter, list(known), "parameter", "parameter")]
        start, stop = float(known[name]), number(end, "end")
        if abs(stop - start) <= np.finfo(float).eps * abs(start):
            raise ArgumentError(f"end is {stop}, where the branch begins.", "end")
        return Branch(self.model, name, self._native.branch(name, (start, stop), count(points, "points", 2)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the motion as JSON: ``m.orbit(file=...)``, ``m.floquet(file=...)``, ``at=`` and ``mb floquet --orbit`` read it.

        Examples
        --------
        >>> import mb, tempfile
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     m.orbit("2*pi/W").save(f"{folder}/orbit.json")
        ...     m.floquet(file=f"{folder}/orbit.json").stable
        True
        """
        model = self.model
        a, multipliers = self._native.start()
        floquet = self._floquet
        write(
            path,
            {
                "program": f"mb-modes {_mb.__version__}",
                "model": {"name": model.name},
                "orbit": {
                    "period": self.period,
                    "period_given": not self.autonomous,
                    "turns": self.turns,
                    "steps": self.steps,
                    "defect": self.defect,
                },
                "operating_point": {
                    "configuration": dict(zip(self._then.configuration, self.q[:, 0].tolist(), strict=True)),
                    "velocities": dict(zip(self._then.coordinates, self.v[:, 0].tolist(), strict=True)),
                    "accelerations": dict(zip(self._then.coordinates, a.tolist(), strict=True)),
                    "multipliers": dict(zip(self._then.constraints, multipliers.tolist(), strict=True)),
                    "inputs": dict(zip(self._then.inputs, self._native.inputs(), strict=True)),
                    "time": float(self.t[0]),
                },
                "states": [
                    {"time": t, "configuration": q, "velocities": v}
                    for t, q, v in zip(self.t.tolist(), self.q.T.tolist(), self.v.T.tolist(), strict=True)
                ],
                "stability": floquet.stability,
                "multipliers": [{"value": [mu.real, mu.imag], "class": kind} for mu, kind in zip(floquet.multipliers.tolist(), floquet.kind, strict=True)],
            },
        )

    def to_frame(self) -> Any:
        """Configurations as a pandas DataFrame indexed by time.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> "P.x" in m.orbit("2*pi/W").to_frame().columns
        True
        """
        pandas = need("pandas", "to_frame()")
        return pandas.DataFrame(
            dict(zip(self._then.configuration, self.q, strict=True)), index=pandas.Index(self.t, name="t")
        )

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Configuration numbers over the period by matplotlib, all of them without names. Returns the axes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> ax = m.orbit("2*pi/W").plot()
        """
        ax = axes_of(ax)
        for name in names or self._then.configuration:
            ax.plot(self.t, self[name], label=name)
        ax.set_xlabel("t, s")
        ax.legend()
        return ax

    def __repr__(self) -> str:
        kind = "" if self.autonomous else ", given"
        return f"<mb.Orbit of '{self.model.name}': period {self.period:.6g} s{kind}, {self.steps} steps, closes within {self.defect:.1e}>"

    def _repr_html_(self) -> str:
        names = self._then.configuration
        rows = ((name, f"{x[0]:.6g}", f"{x.min():.6g}", f"{x.max():.6g}") for name, x in zip(names, self.q, strict=True))
        return _html.table(("coordinate", "start", "least", "most"), rows, f"period {self.period:.9g} s", total=len(names))


class Floquet:
    """Floquet multipliers of a periodic motion, the largest magnitude first.

    Attributes
    ----------
    orbit : Orbit
        The motion.
    multipliers : ndarray of complex
        The multipliers of disturbances over a period; conjugate pairs are neighbours, Im > 0 first.
    error : ndarray
        Estimates of their errors, from doubling the steps and their condition; no bounds.
    condition : ndarray
        Condition of each.
    exponents : ndarray of complex
        s = ln(mu) / T on the principal branch, 1/s and rad/s; NaN where mu is zero within its error.
    growth, hz : ndarray
        Re s, 1/s, and \\|Im s| / (2 pi), Hz; a frequency f stands for \\|f + k / T| with any whole number k.
    kind : list of str
        ``growing``, ``neutral``, ``decaying``: outside, on or inside the unit circle, decided with the error; ``trivial``: the 1 of a
        model that does not depend on time, a start earlier or later on the same motion; ``ignorable``: of magnitude one, because
        what rolls does not know its place, its heading or how far its wheels have turned; ``unresolved``: of a vibration so fast that
        ``most_steps`` do not resolve it, which says nothing and has an infinite error.
    stable : bool or None
        True: all but the trivial and ignorable ones decay. False: one grows. None: first order does not decide, or some are unresolved.
    stability : str
        The same in words.
    trivial_residual : float or None
        How well the trivial multiplier is met, where there is one.
    change : float
        What doubling the steps changed last in the monodromy matrix, relative.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("pushed", parameters={"W": 3.0})
    >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
    >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
    >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
    >>> f = m.floquet("2*pi/W")
    >>> f.stable, f.kind
    (True, ['decaying', 'decaying'])
    """

    def __init__(self, orbit: Orbit):
        self.orbit = orbit
        native = orbit._native
        self.multipliers: Complexes = native.multipliers()
        self.exponents: Complexes = native.exponents()
        self.error: Floats = native.error()
        self.condition: Floats = native.condition()
        self.kind: list[str] = native.kind()
        self.stability, self.stable, self.trivial_residual, self.change = native.stability()
        fast = self.kind.count("unresolved")
        if fast:
            warnings.warn(
                f"{fast} multipliers are of vibrations so fast that the steps do not resolve them; most_steps= allows more.",
                FindingWarning,
                stacklevel=4,
            )
        if self.change > _SETTLED:
            warnings.warn(
                f"The monodromy matrix is not settled: the last doubling changed it by {self.change:.1e} of its norm; "
                "most_steps= allows more.",
                FindingWarning,
                stacklevel=4,
            )

    @property
    def growth(self) -> Floats:
        """Re s of the exponents, 1/s; NaN where a multiplier is zero within its error.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> m.floquet("2*pi/W").growth.round(9).tolist()                # -c / (2 m)
        [-0.2, -0.2]
        """
        return self.exponents.real

    @property
    def hz(self) -> Floats:
        """\\|Im s| / (2 pi) of the exponents, Hz; a frequency f stands for \\|f + k / T| with any whole number k.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> f = m.floquet("2*pi/W")
        >>> bool((f.hz <= 0.5 / f.orbit.period + 1e-12).all())
        True
        """
        return np.abs(self.exponents.imag) / (2 * np.pi)

    def __len__(self) -> int:
        return len(self.multipliers)

    def shape(self, index: int) -> Complexes:
        """The shape of a multiplier over the period, velocities x times of the motion.

        A disturbance along it is Re(exp(s (t - t0)) shape), s the exponent: displacements along the coordinates, in m and rad
        (small rotations of bodies in space, in their own axes). The shape has the period of the motion; its largest entry is 1.

        Raises
        ------
        NumericsError
            ``no_exponent``: the multiplier is zero within its error. ``shape_lost``: rounding of faster growing disturbances has
            taken it over.

        Examples
        --------
        Of the trivial multiplier it is the velocity of the motion itself:

        >>> import mb
        >>> m = mb.Model("mass between springs")
        >>> P = m.body("P", mass=1, inertia=1, at=(0.1, 0)); _ = m.prismatic("rail", P, (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", P, (-5, 0), stiffness=4, natural_length=5)
        >>> f = m.floquet(hold="P.x")
        >>> x, v = f.shape(f.kind.index("trivial"))[0], f.orbit.v[0]
        >>> bool(abs(x / abs(x).max() - v / v[abs(v).argmax()]).max() < 1e-8)
        True
        """
        i = index_of(index, len(self), "index")
        s = self.exponents[i]
        if np.isnan(s):
            raise NumericsError(f"Multiplier {i} is zero within its error: it has no exponent and no shape.", "no_exponent")
        t = self.orbit.t
        x = self.orbit._native.disturbance(i) * np.exp(-s * (t - t[0]))
        largest = np.abs(x).max() if x.size else 0.0
        gap = np.abs(x[:, -1] - x[:, 0]).max() if x.size else 0.0
        if not gap <= _CLOSES * largest:
            raise NumericsError(
                f"The shape of multiplier {i} does not close: {gap / largest:.1e} of its largest entry is left after a period.",
                "shape_lost",
            )
        return x / x.flat[int(np.argmax(np.abs(x)))] if largest else x

    def to_frame(self) -> Any:
        """One row for each multiplier as a pandas DataFrame.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> len(m.floquet("2*pi/W").to_frame())
        2
        """
        pandas = need("pandas", "to_frame()")
        return pandas.DataFrame(
            {
                "multiplier": self.multipliers,
                "magnitude": np.abs(self.multipliers),
                "growth": self.growth,
                "hz": self.hz,
                "error": self.error,
                "kind": self.kind,
            }
        )

    def plot(self, ax: Any = None) -> Any:
        """The multipliers and the unit circle by matplotlib. Returns the axes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> ax = m.floquet("2*pi/W").plot()
        """
        ax = axes_of(ax)
        angle = np.linspace(0, 2 * np.pi, 361)
        ax.plot(np.cos(angle), np.sin(angle), color="0.6")
        ax.plot(self.multipliers.real, self.multipliers.imag, "x")
        ax.set_aspect("equal")
        ax.set_xlabel("Re")
        ax.set_ylabel("Im")
        return ax

    def __repr__(self) -> str:
        return f"<mb.Floquet of '{self.orbit.model.name}': {len(self)} multipliers, {self.stability}>"

    def _repr_html_(self) -> str:
        columns = (self.multipliers, self.growth, self.hz, self.error, self.kind)
        rows = (
            (_html.short(mu), f"{abs(mu):.6g}", f"{growth:.6g}", f"{hz:.6g}", f"{error:.1e}", kind)
            for mu, growth, hz, error, kind in zip(*columns, strict=True)
        )
        head = ("multiplier", "magnitude", "growth [1/s]", "f [Hz]", "error", "class")
        return _html.table(head, rows, self.stability, total=len(self))


@dataclass(frozen=True, repr=False)
class Bifurcation(_html.Record):
    """Where periodic motions change their kind or their number.

    Attributes
    ----------
    kind : str
        ``fold``, ``branching``, ``period doubling`` or ``Neimark-Sacker``.
    value : float
        The parameter.
    period : float
        Period, s.
    q, v : ndarray
        The start of the motion there.
    multipliers : ndarray of complex
        Its multipliers, without the trivial one.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("bob on a shaken pivot", gravity=(0, "-d"), parameters={"d": 0.15})
    >>> _ = m.body("pivot", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "pivot", (0, 0), axis=(0, 1))
    >>> _ = m.body("bob", mass=1, inertia=1e-12, center_of_mass=(0, -1), at=(0, -0.1)); _ = m.revolute("pin", "bob", "pivot")
    >>> _ = m.drive("shake", "y", "pivot", "-0.1*cos(t)")          # y'' + (d + 0.1 cos t) y = 0
    >>> found = m.orbit("2*pi").follow("d", 0.35, points=15).bifurcations[0]
    >>> found.kind, round(found.value, 2)                          # about 1/4 - 0.1/2
    ('period doubling', 0.2)
    """

    kind: str
    value: float
    period: float
    q: Floats
    v: Floats
    multipliers: Complexes


class Branch:
    """Periodic motions over a parameter, in their order on the branch.

    Attributes
    ----------
    name : str
        The parameter.
    value, period : ndarray
        Values of the parameter, and periods, s.
    q, v : ndarray, numbers x motions
        Starts of the motions.
    multipliers : ndarray of complex, multipliers x motions
        The largest magnitude first, without the trivial one; NaN where there are fewer.
    bifurcations : list of Bifurcation
        Folds, branchings, period doublings and Neimark-Sacker bifurcations, solved for.
    not_located : list of (str, (float, float))
        Bifurcations that were not solved for: the kind, and the values of the parameter between which they are.
    ended : str or None
        Why the branch ended before the end of the range, where it did.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("pushed", parameters={"W": 3.0})
    >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
    >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
    >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
    >>> branch = m.orbit("2*pi/W").follow("W", 4.0, points=3)
    >>> float(branch.value[-1]), branch.bifurcations
    (4.0, [])
    """

    def __init__(self, model: Model, name: str, found: dict[str, Any]):
        self.model, self.name = model, name
        points = found["points"]
        self.value: Floats = points["value"]
        self.period: Floats = points["period"]
        self.q: Floats = points["q"]
        self.v: Floats = points["v"]
        self.multipliers: Complexes = points["multipliers"]
        at = found["bifurcations"]
        self.bifurcations = [
            Bifurcation(kind, float(at["value"][i]), float(at["period"][i]), at["q"][:, i], at["v"][:, i], at["multipliers"][:, i])
            for i, kind in enumerate(found["kinds"])
        ]
        self.not_located: list[tuple[str, tuple[float, float]]] = [(kind, (low, high)) for kind, (low, high) in found["not_located"]]
        for kind, (low, high) in self.not_located:
            words = f"A bifurcation ({kind}) is not located between {name} = {low:.6g} and {name} = {high:.6g}."
            warnings.warn(words, FindingWarning, stacklevel=3)
        self.ended: str | None = found["ended"]
        if self.ended is not None:
            warnings.warn(f"The branch ends before the end of the range: {self.ended}", FindingWarning, stacklevel=3)

    def __len__(self) -> int:
        return len(self.value)

    @property
    def largest(self) -> Floats:
        """Largest magnitude of a multiplier, one for each motion; NaN where there is none.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> branch = m.orbit("2*pi/W").follow("W", 4.0, points=3)
        >>> bool((branch.largest < 1).all())
        True
        """
        if not self.multipliers.shape[0]:
            return np.full(len(self), np.nan)
        return np.abs(self.multipliers[0])

    def to_frame(self) -> Any:
        """One row for each motion as a pandas DataFrame: parameter, period, largest multiplier, start.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> len(m.orbit("2*pi/W").follow("W", 4.0, points=3).to_frame()) >= 2
        True
        """
        pandas = need("pandas", "to_frame()")
        columns = {self.name: self.value, "period": self.period, "largest": self.largest}
        columns.update(zip(self.model.configuration, self.q, strict=True))
        return pandas.DataFrame(columns)

    def plot(self, ax: Any = None) -> Any:
        """The largest multiplier over the parameter by matplotlib, with the bifurcations. Returns the axes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("pushed", parameters={"W": 3.0})
        >>> _ = m.body("P", mass=1, inertia=1, at=(0, 0)); _ = m.prismatic("rail", "P", (0, 0), axis=(1, 0))
        >>> _ = m.spring("s", "P", (-5, 0), stiffness=4, natural_length=5, damping=0.4)
        >>> _ = m.force("push", "P", direction=(1, 0), magnitude="cos(W*t)")
        >>> ax = m.orbit("2*pi/W").follow("W", 4.0, points=3).plot()
        """
        ax = axes_of(ax)
        ax.plot(self.value, self.largest)
        ax.axhline(1, color="0.6", linestyle="--")
        for found in self.bifurcations:
            ax.plot(found.value, np.abs(found.multipliers).max(), "ko", markersize=4)
        ax.set_xlabel(self.name)
        ax.set_ylabel("largest multiplier")
        return ax

    def __repr__(self) -> str:
        kinds = ", ".join(f"{b.kind} at {b.value:.6g}" for b in self.bifurcations) or "no bifurcation met"
        return f"<mb.Branch of '{self.model.name}' over {self.name}: {len(self)} motions, {kinds}>"

    def _repr_html_(self) -> str:
        columns = (self.value, self.period, self.largest)
        rows = ([f"{x:.6g}" for x in row] for row in zip(*columns, strict=True))
        special = (f"{b.kind} at {self.name} = {b.value:.9g}" for b in self.bifurcations)
        return _html.table((self.name, "period [s]", "largest multiplier"), rows, *special, total=len(self))


def asked_for(
    model: Model,
    period: float | str | None,
    *,
    guess: float | None = None,
    file: Any = None,
    at: At = None,
    velocity: Mapping[str, float] | None = None,
    hold: str | Iterable[str] = (),
    settle: float | None = None,
    time: float = 0.0,
    inputs: Mapping[str, float] | None = None,
    parts: int = 4,
    steps: int = 32,
    most_steps: int = 8192,
    tolerance: float = 1e-12,
) -> str:
    """Which motion is meant, for the native module."""
    native = model._build()
    q, v, _, u, _ = native.names()
    known = None
    if file is not None:
        if at is not None:
            raise ArgumentError("file and at exclude each other: the file has the start.", "at")
        at = path_of(file, "file")
        found = document(at, "file").get("orbit")
        known = found.get("period") if isinstance(found, dict) else None
        if known is None and period is None:
            raise ArgumentError(f"file: {at} has no motion with a period, as Orbit.save writes it.", "file")
        known = None if known is None else positive(known, "file: period")
    there = start_values(at, "at" if file is None else "file", velocity=velocity, inputs=inputs, time=time)
    at, velocity, inputs, time = there.at, there.velocity, there.inputs, there.time
    if period is not None and guess is not None:
        raise ArgumentError("period and guess exclude each other: period is exact, guess about how long it is.", "guess")
    values = [0.0] * len(u)
    for i, value in numbers(inputs, u, "inputs", "input"):
        values[i] = value
    asked = {
        "period": None if period is None else period_text(period, "period"),
        "known": known if period is None else None,
        "guess": None if guess is None else positive(guess, "guess"),
        "at": numbers(at, q, "at", "coordinate"),
        "velocity": numbers(velocity, v, "velocity", "coordinate"),
        "hold": [resolve(name, v, "hold", "coordinate") for name in words(hold, "hold")],
        "settle": None if settle is None else positive(settle, "settle"),
        "time": number(time, "time"),
        "inputs": values,
        "parts": count(parts, "parts"),
        "steps": count(steps, "steps"),
        "most_steps": count(most_steps, "most_steps"),
        "tolerance": positive(tolerance, "tolerance"),
    }
    return json.dumps(asked)


def of_orbit(options: dict[str, Any], function: str) -> dict[str, Any]:
    """Options that the method ``function`` hands on to :meth:`mb.Model.orbit`, if that knows their names."""
    known = [p.name for p in inspect.signature(asked_for).parameters.values() if p.kind is p.KEYWORD_ONLY]
    refuse_unknown(f"Model.{function}", options, known)
    return options


def orbit(model: Model, period: float | str | None, **options: Any) -> Orbit:
    """See :meth:`mb.Model.orbit`."""
    asked = asked_for(model, period, **options)
    return Orbit(model, _mb.orbit(model._build(), asked), asked)


__all__ = ["Bifurcation", "Branch", "Floquet", "Orbit"]
