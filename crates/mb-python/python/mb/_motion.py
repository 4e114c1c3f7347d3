"""Motion in time."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from time import perf_counter as clock
from typing import TYPE_CHECKING, Any, Literal, TypedDict, overload

import numpy as np

from . import _html, _mb
from ._errors import ArgumentError, ArgumentTypeError, FindingWarning, NumericsError
from ._kept import OfModel, fixed
from ._names import numbers, resolve
from ._optional import axes_of, need
from ._points import At, start_values
from ._requests import count, flag, number, path_of, text, word, words
from ._types import Floats

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._model import Model

_METHODS = (
    "direct-correction",
    "coordinate-partitioning",
    "augmented-lagrangian",
    "baumgarte",
    "penalty",
    "standard",
)


class Run(OfModel):
    """A motion, report by report.

    Attributes
    ----------
    t : ndarray
        Times of the reports, s.
    q, v, a : ndarray, numbers x reports
        Configurations, velocities, accelerations.
    multipliers : ndarray, rows x reports
        Multipliers of the constraints.
    outputs : dict of str to ndarray
        The outputs of the model.
    end : str
        ``finished``, or ``event`` where an output crossed its value.
    reason : str
        The event, or why a run failed.
    seconds : float
        Time that the run took, s.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("falling mass", gravity=(0, -10))
    >>> _ = m.point("P", at=(0, 0), mass=2)
    >>> run = m.simulate(1.0, every=0.5)
    >>> run.t.tolist(), round(float(run["P.y"][-1]), 6)
    ([0.0, 0.5, 1.0], -5.0)
    """

    _numbers = ("t", "q", "v", "a", "multipliers", "outputs", "_records", "statistics", "singular", "reactions")

    def __init__(self, model: Model, native: Any, asked: str):
        self._of(model)
        self._native = native
        self._asked = asked
        self.end, self.reason = native.end()
        self.seconds = np.nan

    def _again(self) -> Any:
        return _mb.simulate(self._native_model(), self._asked, None, None)

    @fixed
    def t(self) -> Floats:
        """Times of the reports, s.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> run = m.simulate(1.0, every=0.5)
        >>> run.t.tolist()
        [0.0, 0.5, 1.0]
        """
        return self._native.times()

    @fixed
    def q(self) -> Floats:
        """Configurations, numbers x reports, SI units and radians; ``model.configuration`` has their names.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> run = m.simulate(1.0, every=0.5)
        >>> run.q[1].round(6).tolist()                                  # -10 t^2 / 2
        [0.0, -1.25, -5.0]
        """
        return self._native.states("q")

    @fixed
    def v(self) -> Floats:
        """Velocities, coordinates x reports, SI units and rad/s; ``model.coordinates`` has their names.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> run = m.simulate(1.0, every=0.5)
        >>> run.v[1].round(6).tolist()
        [0.0, -5.0, -10.0]
        """
        return self._native.states("v")

    @fixed
    def a(self) -> Floats:
        """Accelerations, coordinates x reports, SI units and rad/s^2.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> run = m.simulate(1.0, every=0.5)
        >>> run.a[1].round(6).tolist()
        [-10.0, -10.0, -10.0]
        """
        return self._native.states("a")

    @fixed
    def multipliers(self) -> Floats:
        """Multipliers of the constraints, rows x reports; ``model.constraints`` has the names of the rows.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> run = m.simulate(1.0, every=0.5)
        >>> run.multipliers.shape
        (0, 3)
        """
        return self._native.states("lambda")

    @fixed
    def outputs(self) -> dict[str, Floats]:
        """Histories of the outputs by name, one number for each report.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> run = m.simulate(1.0, every=0.5)
        >>> run.outputs
        {}
        """
        return dict(zip(self._then.outputs, self._native.outputs(), strict=True))

    @fixed
    def _records(self) -> dict[str, Floats]:
        return self._native.records()

    @property
    def violation(self) -> Floats:
        """Phi^T Phi at the reports.

        Examples
        --------
        >>> import mb
        >>> run = mb.generate("rod-pendulum").simulate(0.1)
        >>> bool(run.violation.max() < 1e-15)
        True
        """
        return self._records["violation"]

    @property
    def kinetic(self) -> Floats:
        """Kinetic energy at the reports, J.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> run = m.simulate(1.0, every=0.5)
        >>> run.kinetic.round(6).tolist()
        [0.0, 25.0, 100.0]
        """
        return self._records["kinetic"]

    @property
    def potential(self) -> Floats:
        """Potential energy at the reports, J.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> run = m.simulate(1.0, every=0.5)
        >>> (run.potential - run.potential[0]).round(6).tolist()
        [0.0, -25.0, -100.0]
        """
        return self._records["potential"]

    @property
    def drift(self) -> Floats:
        """Departure of the energy from its balance at the reports, J: zero for exact motion.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> run = m.simulate(1.0, every=0.5)
        >>> bool(abs(run.drift).max() < 1e-9)
        True
        """
        return self._records["drift"]

    @fixed
    def statistics(self) -> dict[str, int]:
        """Counts of steps, evaluations, corrections and factorizations.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> run = m.simulate(1.0, every=0.5)
        >>> run.statistics["steps"] > 0
        True
        """
        return self._native.statistics()

    @fixed
    def singular(self) -> list[tuple[float, str, float]]:
        """Singular configurations passed: time, row that depends on others, share of its length that it kept.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> run = m.simulate(1.0, every=0.5)
        >>> run.singular
        []
        """
        return self._native.singular()

    @fixed
    def reactions(self) -> dict[str, Floats]:
        """Forces (N) and moments (N m) of joints and rods on their place a, 6 x reports each, in the axes of the ground.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("hanging rod", gravity=(0, -10))
        >>> _ = m.body("arm", mass=2, inertia=0.1, at=(0, -1), markers={"top": (0, 1)}); _ = m.revolute("pin", "arm.top", (0, 0))
        >>> m.simulate(0.1).reactions["joint 'pin'"][:, -1].round(6).tolist()
        [0.0, 20.0, 0.0, 0.0, 0.0, 0.0]
        """
        names, array = self._native.reactions()
        return {name: array[6 * i : 6 * i + 6] for i, name in enumerate(names)}

    def __getitem__(self, name: str) -> Floats:
        """The history of an output or of a configuration number by name."""
        if text(name, "name", "the name of an output or a coordinate") in self._then.outputs:
            return self.outputs[name]
        known = self._then.configuration
        if name in known:
            return self.q[known.index(name)]
        resolve(name, [*self._then.outputs, *known], "run", "output or coordinate")
        raise AssertionError("a name that is not there is refused")

    def __len__(self) -> int:
        return len(self.t)

    def to_frame(self) -> Any:
        """Outputs, configuration and energies as a pandas DataFrame indexed by time.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> len(m.simulate(1.0, every=0.5).to_frame())
        3
        """
        pandas = need("pandas", "to_frame()")
        columns = dict(self.outputs)
        columns.update(zip(self._then.configuration, self.q, strict=True))
        columns.update(kinetic=self.kinetic, potential=self.potential, violation=self.violation)
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    def plot(self, *names: str, ax: Any = None) -> Any:
        """Histories by matplotlib: outputs and configuration numbers by name, all outputs without names; below, violation and energy.

        Returns the axes, three from above.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("falling mass", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, 0), mass=2)
        >>> axes = m.simulate(1.0, every=0.5).plot("P.y")
        """
        axes = axes_of(ax, 3)
        for name in names or self._then.outputs:
            axes[0].plot(self.t, self[name], label=name)
        violation = np.where(self.violation > 0, self.violation, np.nan)
        axes[1].plot(self.t, violation, label="violation")
        if np.isfinite(violation).any():
            axes[1].set_yscale("log")
        for name, energy in (("kinetic", self.kinetic), ("potential", self.potential), ("departure from the balance", self.drift)):
            axes[2].plot(self.t, energy, label=name)
        axes[1].set_ylabel("violation Phi'Phi")
        axes[2].set_ylabel("energy, J")
        axes[2].set_xlabel("t, s")
        axes[2].legend()
        if names or self._then.outputs:
            axes[0].legend()
        return axes

    def _repr_html_(self) -> str:
        histories = {**self.outputs, **dict(zip(self._then.configuration, self.q, strict=True))}
        rows = ((name, *(f"{value:.6g}" for value in (x[0], x.min(), x.max(), x[-1]))) for name, x in histories.items())
        end = f"{self.end} at {self.t[-1]:.6g} s, {len(self)} reports, violation at most {self.violation.max():.1e}"
        return _html.table(("", "start", "least", "most", "end"), rows, end, total=len(histories))

    def __repr__(self) -> str:
        return f"<mb.Run of '{self.model.name}': {len(self)} reports to {self.t[-1]:.6g} s, {self.end}>"


class Simulation(TypedDict, total=False):
    """How a motion is computed; :func:`simulate` says what each is."""

    every: float
    time: float
    at: At
    velocity: Mapping[str, float] | None
    inputs: Mapping[str, float] | None
    start: str
    method: str
    integrator: str
    rtol: float
    atol: float
    step: float | None
    restart: bool
    stabilized: bool
    alpha: float | None
    beta: float
    time_constant: float | None
    omega: float
    mu: float
    iterate_to: float
    most_iterations: int
    cutoff: float
    correct_reports: bool
    mass_weighted: bool
    stop: str | list[str] | None
    progress: Callable[[float], Any] | bool | None
    checkpoint: str | os.PathLike[str] | None


class Comparison(Mapping[str, Run]):
    """Runs of a model by all methods that hold its constraints, by name.

    Examples
    --------
    >>> import mb
    >>> m = mb.generate("rod-pendulum")
    >>> runs = m.simulate(0.5, at={"P.x": 0.5}, compare=True)
    >>> len(runs), bool(runs["direct-correction"].violation.max() < 1e-20 < runs["standard"].violation.max())
    (6, True)
    """

    def __init__(self, runs: dict[str, Run]):
        self._runs = runs

    def __getitem__(self, name: str) -> Run:
        return self._runs[list(self._runs)[resolve(name, list(self._runs), "comparison", "method")]]

    def __iter__(self) -> Iterator[str]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)

    def _columns(self) -> dict[str, Any]:
        runs = self._runs.values()
        return {
            "method": list(self._runs),
            "end": [run.end for run in runs],
            "time": [float(run.t[-1]) for run in runs],
            "steps": [run.statistics["steps"] for run in runs],
            "evaluations": [run.statistics["evaluations"] for run in runs],
            "max violation": [float(run.violation.max()) for run in runs],
            "mean violation": [float(run.violation.mean()) for run in runs],
            "energy drift": [float(np.abs(run.drift).max()) for run in runs],
            "seconds": [run.seconds for run in runs],
        }

    def to_frame(self) -> Any:
        """One row for each method as a pandas DataFrame: end, steps, violation Phi'Phi, energy drift (J), seconds.

        Examples
        --------
        >>> import mb
        >>> mb.generate("rod-pendulum").simulate(0.1, compare=True).to_frame().shape
        (6, 8)
        """
        columns = self._columns()
        return need("pandas", "to_frame()").DataFrame(columns).set_index("method")

    def plot(self, *, ax: Any = None) -> Any:
        """Violation and energy drift of every method over time by matplotlib. Returns the axes, two from above.

        Examples
        --------
        >>> import mb
        >>> axes = mb.generate("rod-pendulum").simulate(0.1, compare=True).plot()
        """
        axes = axes_of(ax, 2)
        for name, run in self._runs.items():
            axes[0].plot(run.t, np.where(run.violation > 0, run.violation, np.nan), label=name)
            axes[1].plot(run.t, run.drift, label=name)
        if any((run.violation > 0).any() for run in self._runs.values()):
            axes[0].set_yscale("log")
        axes[0].set_ylabel("violation Phi'Phi")
        axes[1].set_ylabel("energy drift, J")
        axes[1].set_xlabel("t, s")
        axes[1].legend()
        return axes

    def __repr__(self) -> str:
        failed = [name for name, run in self._runs.items() if run.end == "failed"]
        return f"<mb.Comparison of {len(self)} methods{f', failed: {chr(44).join(failed)}' if failed else ''}>"

    def _repr_html_(self) -> str:
        columns = self._columns()
        rows = ([x if isinstance(x, str) else f"{x:.3g}" for x in row] for row in zip(*columns.values(), strict=True))
        return _html.table(list(columns), rows)


@overload
def simulate(model: Model, until: float, *, compare: Literal[True], **options: Unpack[Simulation]) -> Comparison: ...


@overload
def simulate(model: Model, until: float, *, compare: Literal[False] = False, **options: Unpack[Simulation]) -> Run: ...


def simulate(
    model: Model,
    until: float,
    *,
    every: float = 0.02,
    time: float = 0.0,
    at: At = None,
    velocity: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    start: str = "assemble",
    method: str = "direct-correction",
    integrator: str = "dormand-prince",
    rtol: float = 1e-6,
    atol: float = 1e-9,
    step: float | None = None,
    restart: bool = False,
    stabilized: bool = False,
    alpha: float | None = None,
    beta: float = 5.0,
    time_constant: float | None = None,
    omega: float = 10.0,
    mu: float = 1.0,
    iterate_to: float = 1e-7,
    most_iterations: int = 20,
    cutoff: float = 1e-6,
    correct_reports: bool = False,
    mass_weighted: bool = False,
    stop: str | list[str] | None = None,
    progress: Callable[[float], Any] | bool | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    compare: bool = False,
) -> Run | Comparison:
    """The motion of a model in time.

    Parameters
    ----------
    model : Model
        The model.
    until, time, every : float
        End, start and time between reports, s.
    at, velocity : dict
        Start values of configuration numbers and of velocities by name; the others start as the model says.
    inputs : dict
        Constant inputs by name.
    start : str
        What is done with an inconsistent start: ``assemble``, ``refuse``, ``keep``.
    method : str
        How the constraints are held: ``direct-correction``, ``coordinate-partitioning``, ``augmented-lagrangian``,
        ``baumgarte``, ``penalty``, ``standard``.
    integrator : str
        ``dormand-prince`` (explicit, order 5(4)) or ``generalized-alpha`` (implicit, order 2).
    rtol, atol : float
        Tolerances of the explicit integrator.
    step : float
        Step of the implicit integrator, largest step of the explicit one, s.
    restart, stabilized : bool
        A fresh start at every report; velocities held to the constraints as well (implicit).
    alpha, beta, time_constant, omega, mu, iterate_to, most_iterations, cutoff, correct_reports, mass_weighted
        Parameters of the methods, as in the program.
    stop : str or list of str
        Outputs that end the run where they cross a value: ``"sway=0"``, ``"sway<0"``, ``"sway>0"``.
    progress : callable or bool
        Called with the time reached, now and then and at the end; True shows a bar by tqdm, where it is installed.
    checkpoint : path
        Keep the run in this file, and go on from there where it exists: after an end from outside the same call gives the same bits. The
        run is integrated in parts of 100 reports, each with a fresh start of the integrator. The file is removed when the run has ended.
    compare : bool
        Run all methods from the same start. A method that fails on the way has ``end`` ``failed`` and what it computed.

    Returns
    -------
    Run, or Comparison with ``compare=True``

    Raises
    ------
    NumericsError
        The run failed on the way; ``error.run`` has what was computed.

    Examples
    --------
    A mass of 1 kg on a spring of 4 N/m: half a period is pi / 2 s.

    >>> import math, mb
    >>> m = mb.Model("mass on a spring")
    >>> P = m.point("P", at=(1.2, 0), mass=1); _ = m.spring("s", "P", (0, 0), stiffness=4, natural_length=1)
    >>> run = mb.simulate(m, math.pi / 2, every=math.pi / 2)
    >>> float(run["P.x"][-1].round(5))
    0.8
    """
    if not hasattr(model, "_build"):
        raise ArgumentTypeError(f"model is of type {type(model).__name__}, but a model is needed, of mb.load or mb.Model.", "model")
    word(method, "method", _METHODS)
    word(integrator, "integrator", ("dormand-prince", "generalized-alpha"))
    word(start, "start", ("assemble", "refuse", "keep"))
    if flag(compare, "compare"):
        chosen = {"method": method != "direct-correction", "integrator": integrator != "dormand-prince"}
        chosen |= {"alpha": alpha is not None, "checkpoint": checkpoint is not None}
        name = next((name for name, given in chosen.items() if given), None)
        if name is not None:
            raise ArgumentError(f"compare=True runs every method with its own parameters: {name} excludes it.", name)
    native = model._build()
    q_names, v_names, _, u_names, outputs = native.names()
    there = start_values(at, velocity=velocity, inputs=inputs, time=time)
    at, velocity, inputs, time = there.at, there.velocity, there.inputs, number(there.time, "time")
    q = native.initial()
    hold: set[int] = set()
    for i, value in numbers(at, q_names, "at", "coordinate"):
        q[i] = value
        if q_names[i] in v_names:
            hold.add(v_names.index(q_names[i]))
    v = native.own_velocity(q, time)
    for i, value in numbers(velocity, v_names, "velocity", "coordinate"):
        v[i] = value
        hold.add(i)
    u = [0.0] * len(u_names)
    for i, value in numbers(inputs, u_names, "inputs", "input"):
        u[i] = value
    optional = {"step": step, "alpha": alpha, "time_constant": time_constant}
    run = {
        "until": number(until, "until"),
        "every": number(every, "every"),
        "time": number(time, "time"),
        "q": q.tolist(),
        "v": v.tolist(),
        "hold": sorted(hold),
        "inputs": u,
        "start": start,
        "method": method,
        "integrator": integrator,
        "rtol": number(rtol, "rtol"),
        "atol": number(atol, "atol"),
        "restart": flag(restart, "restart"),
        "stabilized": flag(stabilized, "stabilized"),
        "beta": number(beta, "beta"),
        "omega": number(omega, "omega"),
        "mu": number(mu, "mu"),
        "iterate_to": number(iterate_to, "iterate_to"),
        "most_iterations": count(most_iterations, "most_iterations"),
        "cutoff": number(cutoff, "cutoff"),
        "correct_reports": flag(correct_reports, "correct_reports"),
        "mass_weighted": flag(mass_weighted, "mass_weighted"),
        "stop": [_event(text, outputs) for text in ([] if stop is None else words(stop, "stop"))],
        **{name: None if value is None else number(value, name) for name, value in optional.items()},
    }
    bar = None
    if progress is True:
        bar = need("tqdm", "progress=True").tqdm(total=run["until"] - run["time"], unit="s")
        base = run["time"]

        def tell(reached: float) -> None:
            bar.update(reached - base - bar.n)

        call: Any = tell
    else:
        call = None if progress is False else progress
        if call is not None and not callable(call):
            raise ArgumentError("progress is neither True nor a function of the time reached.", "progress")
    try:
        steps = None if checkpoint is None else path_of(checkpoint, "checkpoint")
        if compare:
            return Comparison({name: _timed(model, native, {**run, "method": name}, call, None) for name in _METHODS[::-1]})
        out = _timed(model, native, run, call, steps)
        if out.end == "failed":
            raise NumericsError(f"The run failed at t = {out.t[-1]:.6g} s: {out.reason}", "run_failed", run=out)
    finally:
        if bar is not None:
            bar.close()
    if out._native.doubtful_energy():
        warnings.warn(
            "The energy leaves its balance by more than method and tolerances explain: see run.drift.",
            FindingWarning,
            stacklevel=3,
        )
    return out


def _timed(model: Model, native: Any, run: dict[str, Any], call: Any, steps: str | None) -> Run:
    begun = clock()
    asked = json.dumps(run)
    out = Run(model, _mb.simulate(native, asked, call, steps), asked)
    out.seconds = clock() - begun
    if call is not None:
        # Short runs end before they are looked at.
        call(float(out.t[-1]))
    return out


def _event(text: str, outputs: list[str]) -> tuple[int, str, float, str]:
    for sense in "=<>":
        name, found, value = text.partition(sense)
        if found:
            i = resolve(name.strip(), outputs, "stop", "output")
            try:
                level = float(value)
            except ValueError as error:
                raise ArgumentError(f"stop: {value!r} is not a number.", "stop") from error
            return i, name.strip(), number(level, "stop"), sense
    raise ArgumentError(f"stop is {text!r}; write OUTPUT=VALUE, OUTPUT>VALUE or OUTPUT<VALUE.", "stop")
