"""Modes at many values of parameters."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from . import _html, _jobs, _mb, _table
from ._errors import ArgumentError, ArgumentTypeError, FindingWarning, NumericsError
from ._frequencies import Frequencies
from ._names import frame_name, mapping, numbers, resolve, spins
from ._optional import axes_of, need
from ._points import At, start_values
from ._requests import count, flag, is_sequence, listed, number, pair, path_of, period_text, start_later, strategy_word, text
from ._types import Complexes, Flags, Floats

if TYPE_CHECKING:
    from ._model import Model

#: Most cases of one sweep.
MOST = 10_000_000
#: Memory that a mode takes at least in a table: in the arrays of a case with six places of texts, and in six names of columns.
_BYTES_OF_CASE, _BYTES_OF_NAMES = 73, 700


_T = TypeVar("_T", bound=np.generic)


@dataclass(frozen=True, repr=False)
class Crossing(_html.Record):
    """A place between two neighbouring cases of a grid where a disturbance begins to grow.

    Attributes
    ----------
    at : dict
        Values of the parameters there.
    within : float
        It lies within this distance of ``at`` in every parameter, as a share of the distance of the two cases.
    hz : float
        Frequency at which the disturbance grows, Hz; zero where it does not oscillate (divergence).
    between : (int, int)
        The case in which nothing grows, and the one in which something does.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("damper", parameters={"c": 1.0})
    >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness=4, natural_length=1, damping="c")
    >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9, damping=1)
    >>> met = m.sweep({"c": [-0.1, 0.3]}, modes=1, boundary=True).crossings[0]
    >>> abs(met.at["c"]) < 1e-6, round(met.hz, 6)                  # sqrt(4) / (2 pi)
    (True, 0.31831)
    """

    at: dict[str, float]
    within: float
    hz: float
    between: tuple[int, int]


class Sweep(Frequencies):
    """Modes of many cases.

    Attributes
    ----------
    names : list of str
        The parameters.
    values : ndarray, cases x parameters
        Their values.
    shape : tuple of int
        Of a grid the number of values of each parameter, the last running fastest; empty otherwise.
    s : ndarray of complex, cases x modes
        Eigenvalues of the lowest modes by |s|, Im s >= 0, rad/s; NaN where there are fewer.
    error : ndarray, cases x modes
        Error bounds of them, rad/s.
    rigid : ndarray of bool, cases x modes
        Whether each is the exact zero of a free motion.
    verdict : list of str
        ``stable``: every eigenvalue is left of the imaginary axis by more than its error bound; ``unstable``: one is right of it
        by more; ``marginal``: neither; ``failed``; ``open``: a case of another shard.
    rightmost : ndarray of complex, cases
        The eigenvalue with the largest real part of all that were computed, free motions apart; NaN without one.
    complete : list of bool or None
        Whether no eigenvalue is missing that theory, a count or the request demands; None where a case was not solved.
    message : list of str or None
        Why a case failed.
    crossings : list of Crossing
        Where stability changes between neighbours of a grid, with ``boundary=True``.
    state : str
        What every case takes: ``rest``, ``own speeds`` (the steady motion with the model's own, where a parameter changes them),
        ``motion asked for``, or ``periodic motion``.
    note : str or None
        What has to be said of the state: speeds left aside, or which parameters change them.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("mass on a spring", parameters={"k": 1.0})
    >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1, damping=1)
    >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9, damping=1)
    >>> s = m.sweep({"k": [4, 9]}, modes=1)
    >>> s.names, s.verdict
    (['k'], ['stable', 'stable'])
    """

    def __init__(self, model: Model, found: dict[str, Any]):
        self.model = model
        self.names: list[str] = found["names"]
        self.values: Floats = found["values"]
        self.shape: tuple[int, ...] = tuple(found["shape"])
        self.s: Complexes = found["s"]
        self.error: Floats = found["error"]
        self.rigid: Flags = found["rigid"]
        self.verdict: list[str] = found["verdict"]
        self.rightmost: Complexes = found["rightmost"]
        self.complete: list[bool | None] = found["complete"]
        self.message: list[str | None] = found["message"]
        self.crossings = [
            Crossing(dict(zip(self.names, at, strict=True)), within, hz, tuple(between))
            for between, at, within, hz, _ in found["crossings"]
        ]
        self._lines: list[list[str]] = found["lines"]
        self.state: str = found["state"]
        self.note: str | None = found["note"]
        if self.state == "rest" and self.note is not None:
            warnings.warn(self.note, FindingWarning, stacklevel=4)
        self.segments: list[tuple[int, int]] = [tuple(pair) for pair in found["segments"]]

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, name: str) -> Floats:
        """The values of a parameter, one for each case."""
        return self.values[:, resolve(name, self.names, "sweep", "parameter")]

    @overload
    def on_grid(self, numbers: NDArray[_T]) -> NDArray[_T]: ...

    @overload
    def on_grid(self, numbers: Sequence[Any]) -> NDArray[Any]: ...

    def on_grid(self, numbers: Any) -> NDArray[Any]:
        """Numbers of each case with the axes of the grid, ``sweep.on_grid(sweep.hz)``: values of parameters x ... x modes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 1.0, "c": 0.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1, damping="c")
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> s = m.sweep({"k": [4, 9, 16], "c": [0, 1]}, modes=1)
        >>> s.on_grid(s.hz).shape
        (3, 2, 1)
        """
        if not self.shape:
            raise ArgumentError("these cases are no grid.", "numbers")
        try:
            array = np.asarray(numbers)
        except Exception as error:
            # Rows of different lengths, or whatever the __array__ of another package raises.
            raise ArgumentTypeError(f"numbers is no array: {error}", "numbers") from error
        if array.shape[:1] != (len(self),):
            raise ArgumentError(f"numbers has shape {array.shape}, but needs one entry for each of the {len(self)} cases.", "numbers")
        return array.reshape(*self.shape, *array.shape[1:])

    def to_frame(self) -> Any:
        """One row for each case as a pandas DataFrame: parameters, verdict, rightmost real part, ``hz i`` and ``zeta i``.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 1.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> m.sweep({"k": [4, 9]}, modes=1).to_frame()["k"].tolist()
        [4.0, 9.0]
        """
        pandas = need("pandas", "to_frame()")
        columns: dict[str, Any] = {name: self.values[:, j] for j, name in enumerate(self.names)}
        columns.update(verdict=self.verdict, rightmost=self.rightmost.real, message=self.message)
        for j in range(self.s.shape[1]):
            columns[f"hz {j}"], columns[f"zeta {j}"] = self.hz[:, j], self.zeta[:, j]
        return pandas.DataFrame(columns)

    def plot(self, *, ax: Any = None) -> Any:
        """Stability over a grid of one or two parameters by matplotlib, with the boundaries where they were solved for.

        Returns the axes: the rightmost real part over one parameter, the verdicts as colours over two.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 1.0, "c": 0.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1, damping="c")
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> ax = m.sweep({"k": [4, 9, 16], "c": [0, 1]}, modes=1).plot()
        """
        if len(self.shape) not in (1, 2):
            raise ArgumentError("a picture is of a grid of one or two parameters; to_frame() has the cases.", "self")
        ax = axes_of(ax)
        x = np.unique(self.values[:, 0])
        if len(self.shape) == 1:
            order = np.argsort(self.values[:, 0])
            ax.plot(self.values[order, 0], self.rightmost.real[order])
            ax.axhline(0, color="0.6", linestyle="--")
            ax.plot([c.at[self.names[0]] for c in self.crossings], [0.0] * len(self.crossings), "ko", markersize=4)
            ax.set_ylabel("rightmost real part, 1/s")
        else:
            codes = np.array([("stable", "marginal", "unstable").index(v) if v in ("stable", "marginal", "unstable") else np.nan for v in self.verdict])
            y = self.on_grid(self.values)[0, :, 1]
            rows = self.on_grid(self.values)[:, 0, 0]
            ax.pcolormesh(rows, y, self.on_grid(codes).T, shading="nearest", cmap="RdYlGn_r", vmin=0, vmax=2, alpha=0.5)
            for a, b in self.segments:
                ends = [[self.crossings[k].at[name] for name in self.names] for k in (a, b)]
                ax.plot([e[0] for e in ends], [e[1] for e in ends], "k-", linewidth=1.5)
            ax.set_ylabel(self.names[1])
        ax.set_xlim(x.min(), x.max()) if len(x) > 1 else None
        ax.set_xlabel(self.names[0])
        return ax

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the table of the cases as CSV, which ``resume=`` and the program's ``mb sweep --resume`` read; numbers keep all digits.

        Examples
        --------
        >>> import mb, tempfile
        >>> m = mb.Model("mass on a spring", parameters={"k": 1.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     parts = [f"{folder}/part{i}.csv" for i in (1, 2)]
        ...     for i, part in enumerate(parts, 1):
        ...         m.sweep({"k": [4, 9, 16]}, modes=1, shard=(i, 2)).save(part)
        ...     m.sweep({"k": [4, 9, 16]}, modes=1, resume=parts).s[:, 0].imag.round(9).tolist()
        [2.0, 3.0, 4.0]
        """
        _table.write(path_of(path, "path"), self._lines)

    def _count(self) -> str:
        words = ("stable", "marginal", "unstable", "failed", "open")
        return ", ".join(f"{n} {word}" for word in words if (n := self.verdict.count(word)))

    def __repr__(self) -> str:
        return f"<mb.Sweep of '{self.model.name}' over {', '.join(self.names)}: {len(self)} cases, {self._count()}>"

    def _repr_html_(self) -> str:
        head = (*self.names, "verdict", *(f"f{j} [Hz]" for j in range(self.s.shape[1])))
        rows = (
            (*(f"{x:.6g}" for x in self.values[k]), self.verdict[k], *(f"{f:.6g}" for f in self.hz[k])) for k in range(len(self))
        )
        return _html.table(head, rows, self._count(), total=len(self))


def _interval(value: Any, name: str) -> tuple[float, float]:
    return pair(value, f"parameters[{name!r}]", "a pair (from, to), which random= and latin= draw from")


def _listed(values: Any, name: str) -> list[float]:
    values = values if is_sequence(values) else [values]
    out = [number(x, f"parameters[{name!r}][{i}]") for i, x in enumerate(values)]
    if not out:
        raise ArgumentError(f"parameters[{name!r}] has no values.", "parameters")
    return out


def _design(parameters: Any, known: list[str], random: int | None, latin: int | None, seed: int) -> dict[str, Any]:
    """Which values, as the native module takes them."""
    if random is not None and latin is not None:
        raise ArgumentError("random and latin exclude each other.", "latin")
    draws = latin if random is None else random
    if isinstance(parameters, Mapping):
        parameters = mapping(parameters, "parameters", "values by parameter")
        for name in parameters:
            resolve(name, known, "parameters", "parameter")
        if draws is not None:
            ranges = [(str(name), *_interval(value, str(name))) for name, value in parameters.items()]
            word = "latin" if random is None else "random"
            return {word: {"ranges": ranges, "cases": count(draws, word, most=MOST), "seed": count(seed, "seed", 0)}}
        axes = [_listed(values, str(name)) for name, values in parameters.items()]
        cases = int(np.prod([float(len(axis)) for axis in axes])) if axes else 0
        if cases > MOST:
            raise ArgumentError(f"the sweep has {cases} cases; at most {MOST} are worked on.", "parameters")
        return {"grid": {"names": list(map(str, parameters)), "axes": axes}}
    if draws is not None:
        raise ArgumentError("random= and latin= draw from ranges: {'k': (500, 1500)}.", "parameters")
    if hasattr(parameters, "columns") and hasattr(parameters, "to_numpy"):
        names = [str(name) for name in parameters.columns]
        rows = [dict(zip(names, row, strict=True)) for row in parameters.to_numpy().tolist()]
    else:
        rows = listed(
            parameters, "parameters", "a dictionary of values by parameter, a list of such dictionaries, or a pandas DataFrame"
        )
        if not all(isinstance(row, Mapping) for row in rows):
            raise ArgumentTypeError("parameters is no list of dictionaries, each the values of one case.", "parameters")
        names = [str(name) for name in rows[0]] if rows else []
    for name in names:
        resolve(name, known, "parameters", "parameter")
    for k, row in enumerate(rows):
        if set(row) != set(names):
            raise ArgumentError(f"parameters[{k}] names {', '.join(map(str, row))}, but the first case names {', '.join(names)}.", "parameters")
    points = [[number(row[name], f"parameters[{k}][{name!r}]") for name in names] for k, row in enumerate(rows)]
    return {"points": {"names": names, "points": points}}


def _room(design: dict[str, Any], modes: int) -> int:
    """The number of modes, where a table with so many of every case has room in the memory that is left."""
    (kind, values), *_ = design.items()
    cases = len(values["points"]) if kind == "points" else math.prod(len(axis) for axis in values["axes"]) if kind == "grid" else values["cases"]
    needed = modes * (_BYTES_OF_CASE * cases + _BYTES_OF_NAMES)
    left = _mb.memory_for(min(needed, 2**62))
    if left is not None and needed > left:
        raise ArgumentError(
            f"modes is {modes}, but a table with so many of {cases} cases takes at least {needed / 1e9:.3g} GB, and {left / 1e9:.3g} GB of memory are left.",
            "modes",
        )
    return modes


def sweep(
    model: Model,
    parameters: Any,
    *,
    modes: int,
    random: int | None,
    latin: int | None,
    seed: int,
    boundary: bool,
    at: At,
    moving: bool,
    velocity: Mapping[str, float] | None,
    after: float,
    spin: Mapping[str, float] | None,
    frame: str | None,
    floquet: float | str | None,
    solve: bool,
    strategy: str,
    time: float,
    inputs: Mapping[str, float] | None,
    jobs: int | None,
    progress: Callable[[int, int], Any] | bool | None,
    shard: tuple[int, int] | str | None,
    resume: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str] | None,
    launcher: str | None,
) -> Sweep:
    """See :meth:`mb.Model.sweep`."""
    native = model._build()
    q, v, _, u, _ = native.names()

    def by_name(given: Mapping[str, float] | None, known: Sequence[str], argument: str, what: str) -> list[tuple[str, float]]:
        return [(known[i], value) for i, value in numbers(given, known, argument, what)]

    there = start_values(at, velocity=velocity, inputs=inputs, time=time)
    at, velocity, inputs, time = there.at, there.velocity, there.inputs, there.time
    motion = None
    later = start_later(after)
    moving = flag(moving, "moving")
    turning = spins(spin)
    if moving or there.moves or velocity or later or turning or frame is not None:
        motion = {
            "velocities": by_name(velocity, v, "velocity", "coordinate"),
            "after": later,
            "spins": turning,
            "frame": frame_name(frame),
        }
    if floquet is not None:
        if moving or later or turning or frame is not None:
            raise ArgumentError("floquet takes a periodic motion, and moving, after, spin and frame a steady one: leave one of them out.", "floquet")
        motion = {"velocities": by_name(velocity, v, "velocity", "coordinate"), "after": 0.0, "spins": [], "frame": None}
    design = _design(parameters, list(model.parameters), random, latin, seed)
    if not design.get("grid", {"names": True})["names"] or not design.get("points", {"points": True})["points"]:
        raise ArgumentError("parameters is empty: a sweep needs a parameter that varies.", "parameters")
    if flag(boundary, "boundary") and not 1 <= len(design.get("grid", {"names": []})["names"]) <= 2:
        raise ArgumentError("boundary=True needs a grid of one or two parameters.", "boundary")
    asked = {
        "design": design,
        "at": by_name(at, q, "at", "coordinate"),
        "inputs": by_name(inputs, u, "inputs", "input"),
        "time": number(time, "time"),
        "solve": flag(solve, "solve"),
        "strategy": strategy_word(strategy),
        "motion": motion,
        "floquet": None if floquet is None else period_text(floquet, "floquet"),
        "modes": _room(design, count(modes, "modes")),
        "jobs": None if jobs is None else count(jobs, "jobs"),
        "boundary": flag(boundary, "boundary"),
        "shard": _table.shard_of(shard),
    }
    earlier = _table.read(resume)
    table = None if output is None else path_of(output, "output")
    parts = 0
    if launcher is not None:
        if table is None or jobs is None or shard is not None:
            raise ArgumentError("launcher needs the number of jobs=, a table output= beside which these keep theirs, and no shard=.", "launcher")
        parts = count(jobs, "jobs")
        earlier += _jobs.run(text(launcher, "launcher", "words that start a job"), parts, table, model._made_of(), asked, earlier)
    journal = None if table is None or launcher is not None else _table.Journal(table)
    bar: Any = None
    call: Any = None if progress is False else progress
    if progress is True:
        bar = need("tqdm", "progress=True").tqdm(unit=" cases")

        def tell(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        call = tell
    elif call is not None and not callable(call):
        raise ArgumentError("progress is neither True nor a function of the cases done and their number.", "progress")
    finished = False
    try:
        solved = _mb.sweep(native, json.dumps(asked), call, earlier, None if journal is None else journal.keep)
        if table is not None:
            _table.write(table, solved["lines"])
            if launcher is not None:
                _jobs.remove(parts, table)
        finished = True
    finally:
        if journal is not None:
            journal.close(finished)
        if bar is not None:
            bar.close()
    found = Sweep(model, solved)
    failed = next((message for message in found.message if message is not None), None)
    if failed is not None and set(found.verdict) <= {"failed", "open"}:
        raise NumericsError(f"No case of the sweep could be solved. The first one: {failed}", "no_case")
    return found


__all__ = ["Crossing", "Sweep"]
