"""Motion in time."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _mb
from ._errors import ArgumentError, FindingWarning, NumericsError
from ._names import numbers, resolve
from ._optional import need
from ._requests import count, number, path_of

if TYPE_CHECKING:
    from ._model import Model

_METHODS = (
    "direct-correction",
    "coordinate-partitioning",
    "augmented-lagrangian",
    "baumgarte",
    "penalty",
    "standard",
)


class Run:
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

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("falling mass", gravity=(0, -10))
    >>> _ = m.point("P", at=(0, 0), mass=2)
    >>> run = m.simulate(1.0, every=0.5)
    >>> run.t.tolist(), round(float(run["P.y"][-1]), 6)
    ([0.0, 0.5, 1.0], -5.0)
    """

    def __init__(self, model: Model, native: Any):
        self.model = model
        self._native = native
        self.end, self.reason = native.end()

    @cached_property
    def t(self) -> np.ndarray:
        return self._native.times()

    @cached_property
    def q(self) -> np.ndarray:
        return self._native.states("q")

    @cached_property
    def v(self) -> np.ndarray:
        return self._native.states("v")

    @cached_property
    def a(self) -> np.ndarray:
        return self._native.states("a")

    @cached_property
    def multipliers(self) -> np.ndarray:
        return self._native.states("lambda")

    @cached_property
    def outputs(self) -> dict[str, np.ndarray]:
        return dict(zip(self.model.outputs, self._native.outputs(), strict=True))

    @cached_property
    def _records(self) -> dict[str, np.ndarray]:
        return self._native.records()

    @property
    def violation(self) -> np.ndarray:
        """Phi^T Phi at the reports."""
        return self._records["violation"]

    @property
    def kinetic(self) -> np.ndarray:
        """Kinetic energy, J."""
        return self._records["kinetic"]

    @property
    def potential(self) -> np.ndarray:
        """Potential energy, J."""
        return self._records["potential"]

    @property
    def drift(self) -> np.ndarray:
        """Departure of the energy from its balance, J: zero for exact motion."""
        return self._records["drift"]

    @property
    def statistics(self) -> dict[str, int]:
        """Counts of steps, evaluations, corrections and factorizations."""
        return self._native.statistics()

    @property
    def singular(self) -> list[tuple[float, str, float]]:
        """Singular configurations passed: time, row that depends on others, share of its length that it kept."""
        return self._native.singular()

    @cached_property
    def reactions(self) -> dict[str, np.ndarray]:
        """Forces and moments of joints and rods on their place a, 6 x reports each."""
        names, array = self._native.reactions()
        return {name: array[6 * i : 6 * i + 6] for i, name in enumerate(names)}

    def __getitem__(self, name: str) -> np.ndarray:
        """The history of an output or of a configuration number by name."""
        if name in self.model.outputs:
            return self.outputs[name]
        known = self.model.configuration
        if name in known:
            return self.q[known.index(name)]
        resolve(name, [*self.model.outputs, *known], "run", "output or coordinate")
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
        columns.update(zip(self.model.configuration, self.q, strict=True))
        columns.update(kinetic=self.kinetic, potential=self.potential, violation=self.violation)
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    def __repr__(self) -> str:
        return f"<mb.Run of '{self.model.name}': {len(self)} reports to {self.t[-1]:.6g} s, {self.end}>"


def simulate(
    model: Model,
    until: float,
    *,
    every: float = 0.02,
    time: float = 0.0,
    at: Mapping[str, float] | None = None,
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
) -> Run:
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
        Called with the time reached, now and then; True shows a bar by tqdm, where it is installed.
    checkpoint : path
        Keep the run in this file, and go on from there where it exists: after an end from outside the same call gives the same bits. The
        run is integrated in parts of 100 reports, each with a fresh start of the integrator. The file is removed when the run has ended.

    Returns
    -------
    Run

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
    native = model._build()
    q_names, v_names, _, u_names, outputs = native.names()
    for name, word, words in (
        ("method", method, _METHODS),
        ("integrator", integrator, ("dormand-prince", "generalized-alpha")),
        ("start", start, ("assemble", "refuse", "keep")),
    ):
        if word not in words:
            raise ArgumentError(f"{name} is {word!r}, but must be one of {', '.join(words)}.", name)
    q, v = native.initial(), native.initial_velocity()
    hold: set[int] = set()
    for i, value in numbers(at, q_names, "at", "coordinate"):
        q[i] = value
        if q_names[i] in v_names:
            hold.add(v_names.index(q_names[i]))
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
        "restart": bool(restart),
        "stabilized": bool(stabilized),
        "beta": number(beta, "beta"),
        "omega": number(omega, "omega"),
        "mu": number(mu, "mu"),
        "iterate_to": number(iterate_to, "iterate_to"),
        "most_iterations": count(most_iterations, "most_iterations"),
        "cutoff": number(cutoff, "cutoff"),
        "correct_reports": bool(correct_reports),
        "mass_weighted": bool(mass_weighted),
        "stop": [_event(text, outputs) for text in ([stop] if isinstance(stop, str) else stop or [])],
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
        call = progress or None
        if call is not None and not callable(call):
            raise ArgumentError("progress is neither True nor a function of the time reached.", "progress")
    try:
        steps = None if checkpoint is None else path_of(checkpoint, "checkpoint")
        out = Run(model, _mb.simulate(native, json.dumps(run), call, steps))
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
