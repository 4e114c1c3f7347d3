"""What part of a spectrum is wanted."""

from __future__ import annotations

import cmath
import functools
import inspect
import json
import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, SupportsIndex, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _mb
from ._errors import ArgumentError, ArgumentTypeError

_F = TypeVar("_F", bound=Callable[..., Any])

#: Unknowns up to which everything is computed when nothing is asked for.
ALL_UP_TO = 400
#: Modes of larger problems when nothing is asked for.
LOWEST = 20
#: More modes than any problem has whose matrices fit into a machine.
_MOST = 2**31
#: Most samples of a path: each is kept with all its modes.
MOST_SAMPLES = 1_000_000


class Search(TypedDict, total=False):
    """Which part of a spectrum is wanted, and how it is searched for; :func:`mb.eigs` says what each is."""

    lowest: SupportsIndex | None
    near: complex | None
    band: Sequence[float] | NDArray[Any] | None
    largest: int | None
    all: bool
    count: int
    max_damping_ratio: float | None
    left: bool
    prove: bool
    shift: complex | None
    memory: float | None


class SymmetricSearch(Search, total=False):
    """The same of a problem of second order."""

    symmetric: bool | None


class EngineSearch(SymmetricSearch, total=False):
    """The same, by another solver or the distributed engine where that is asked for."""

    solver: str | None
    engine: str | None
    ranks: int
    launcher: str | None
    engine_read: str | os.PathLike[str] | None


#: What holds where nothing is said.
_DEFAULTS: dict[str, Any] = {
    "lowest": None,
    "near": None,
    "band": None,
    "largest": None,
    "all": False,
    "count": 6,
    "max_damping_ratio": None,
    "symmetric": None,
    "left": False,
    "prove": True,
    "shift": None,
    "memory": None,
    "solver": None,
    "engine": None,
    "ranks": 1,
    "launcher": None,
    "engine_read": None,
}


@functools.cache
def keywords_of(kind: type) -> list[str]:
    """The keywords of a kind of search, those of its bases included."""
    return [name for name in _DEFAULTS if name in kind.__annotations__]


def spelled_out(kind: type) -> Callable[[_F], _F]:
    """Gives a function of ``**request`` the signature with every keyword of ``kind``, which help and notebooks show."""

    def decorated(function: _F) -> _F:
        own = inspect.signature(function)
        kept = [p for p in own.parameters.values() if p.kind is not p.VAR_KEYWORD]
        known = keywords_of(kind)
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
            for name, default in _DEFAULTS.items()
            if name in known
        ]
        setattr(function, "__signature__", own.replace(parameters=[*kept, *more]))  # noqa: B010
        return function

    return decorated


def refuse_unknown(function: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuses a keyword that a function has not, with the one that may have been meant."""
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        near = _mb.meant(unknown, list(known))
        help = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
        raise TypeError(f"{function}() got an unexpected keyword argument {unknown!r}; {help}")


#: Types whose values are equal only where they are the same, of one type.
_PLAIN = frozenset({int, float, bool, str, complex, type(None)})


class Searching:
    """The keywords of a function that searches for a part of a spectrum.

    ``kind``: those that there are, besides the function's ``own``; ``all_up_to``: unknowns up to which everything is computed when nothing
    is asked for.
    """

    def __init__(self, function: str, kind: type = EngineSearch, own: Sequence[str] = (), all_up_to: int = ALL_UP_TO) -> None:
        self._function = function
        self._kind = kind
        self._own = own
        self._all_up_to = all_up_to
        # By values and their types: of small problems a request takes a good part of the time.
        self._known: dict[Any, tuple[str, str, str | None]] = {}

    def __call__(self, size: int, given: Mapping[str, Any]) -> tuple[str, str, str | None]:
        """Part of the spectrum and settings as the native module takes them, and a note where the part was chosen here.

        ``size``: unknowns of the problem.
        """
        key = (size, *given, *given.values(), *map(type, given.values()))
        try:
            return self._known[key]
        except (KeyError, TypeError):
            asked = _search(size, given, self._function, self._all_up_to, self._kind, self._own)
        if _PLAIN.issuperset(map(type, given.values())):
            if len(self._known) >= 256:
                self._known.clear()
            self._known[key] = asked
        return asked


def _search(
    size: int,
    given: Mapping[str, Any],
    function: str,
    all_up_to: int,
    kind: type,
    own: Sequence[str],
) -> tuple[str, str, str | None]:
    refuse_unknown(function, given, [*own, *keywords_of(kind)])
    o = {**_DEFAULTS, **given}
    if "count" in given and o["near"] is None:
        raise ArgumentError("count says how many modes near= gives, but near is not given: lowest=N and largest=N have their number.", "count")
    wanted, note = request(
        size, o["lowest"], o["near"], o["band"], o["largest"], o["all"], o["count"], o["max_damping_ratio"], all_up_to
    )
    chosen = settings(o["symmetric"], o["left"], o["prove"], o["shift"], o["memory"])
    chosen["engine"] = _engine(o["engine"], o["ranks"], o["launcher"], o["engine_read"])
    chosen["arpack"] = _is_arpack(o["solver"], wanted["part"], chosen["engine"])
    if chosen["engine"] is not None:
        answered_by_engine(wanted["part"], note)
    return json.dumps(wanted), json.dumps(chosen), note


def _is_arpack(solver: Any, part: str, engine: Any) -> bool:
    """Whether ARPACK-NG does the Krylov iteration."""
    if solver is None:
        return False
    if not isinstance(solver, str):
        raise ArgumentTypeError(f"solver is of type {type(solver).__name__}, but must be 'arpack', or None for the built-in one.", "solver")
    if solver != "arpack":
        raise ArgumentError(f"solver is {solver!r}, but must be 'arpack', or None for the built-in one.", "solver")
    if engine is not None:
        raise ArgumentError("solver and engine exclude each other.", "solver")
    if part == "all":
        raise ArgumentError("solver='arpack' answers for lowest=, near=, band= and largest=; ask for one of them.", "solver")
    return True


def answered_by_engine(part: str, chosen: Any = None) -> None:
    """Refuses a part of a spectrum that the distributed engine does not answer, or that nobody asked for."""
    if chosen is not None or part in ("all", "largest"):
        raise ArgumentError("engine answers for lowest=, near= and band=; ask for one of them.", "engine")


def _engine(engine: Any, ranks: Any, launcher: Any, read: Any) -> dict[str, Any] | None:
    """Where results of the distributed engine come from, as the native module takes it."""
    if engine is not None and not (isinstance(engine, str) and engine == "slepc"):
        kind = ArgumentError if isinstance(engine, str) else ArgumentTypeError
        raise kind(f"engine is {told(engine)}, but must be 'slepc', or None for the built-in one.", "engine")
    if read is not None:
        if engine is not None or launcher is not None:
            other = "launcher" if engine is None else "engine"
            raise ArgumentError(f"engine_read and {other} exclude each other: the folder has the results of a run.", other)
        return {"read": path_of(read, "engine_read")}
    processes = count(ranks, "ranks")
    if engine is None:
        if launcher is not None or processes != 1:
            name = "ranks" if launcher is None else "launcher"
            raise ArgumentError(f"{name} belongs to a run of the distributed engine: give engine='slepc' too.", name)
        return None
    if launcher is not None and (not isinstance(launcher, str) or not launcher.strip()):
        raise ArgumentError(f"launcher is {told(launcher)}, but the words that start a program are needed, as in 'srun -n {{ranks}}'.", "launcher")
    return {"run": {"ranks": processes, "launcher": launcher}}


def told(value: Any) -> str:
    """A value in a message: itself where it is short, otherwise its type."""
    if isinstance(value, int) and value.bit_length() > 128:
        # Python writes no number of thousands of digits.
        return f"a number of {value.bit_length()} bits"
    return repr(value) if isinstance(value, (str, int, float, type(None))) else f"of type {type(value).__name__}"


def flag(value: Any, name: str) -> bool:
    """True or False, or 1 or 0."""
    if not isinstance(value, (bool, int, np.bool_)) or value not in (0, 1):
        raise ArgumentTypeError(f"{name} is {told(value)}, but True or False is needed.", name)
    return bool(value)


def word(value: Any, name: str, known: Iterable[str]) -> str:
    """One of several words."""
    known = list(known)
    if not isinstance(value, str) or value not in known:
        one = "" if len(known) == 1 else f"{', '.join(known[:-1])} or "
        kind = ArgumentError if isinstance(value, str) else ArgumentTypeError
        raise kind(f"{name} is {told(value)}, but must be {one}{known[-1]}.", name)
    return str(value)


def strategy_word(value: Any) -> str:
    """How an equilibrium is found."""
    return word(value, "strategy", ("automatic", "newton", "relaxation"))


def number(value: Any, name: str) -> float:
    """A finite number."""
    return _finite(value, name, float, "a number is needed")


def positive(value: Any, name: str) -> float:
    """A number above zero."""
    x = number(value, name)
    if x <= 0:
        raise ArgumentError(f"{name} is {x}, but must be positive.", name)
    return x


def period_text(value: Any, name: str) -> str:
    """A number of seconds or an expression, as text."""
    return encoded(str(value), name) if isinstance(value, str) else repr(positive(value, name))


def complex_number(value: Any, name: str, needed: str) -> complex:
    """A finite number, real or complex; ``needed`` says of what."""
    return _finite(value, name, complex, f"{needed} is needed")


def _finite(value: Any, name: str, kind: Callable[[Any], Any], needed: str) -> Any:
    if isinstance(value, (bool, np.bool_, str, bytes)):
        raise ArgumentTypeError(f"{name} is {value!r}, but {needed}.", name)
    if isinstance(value, np.ndarray) and value.ndim > 0:
        raise ArgumentTypeError(f"{name} has shape {value.shape}, but {needed}.", name)
    try:
        x = kind(value)
    except OverflowError as error:
        raise ArgumentError(f"{name} is larger than any double.", name) from error
    except Exception as error:
        # Numbers of other packages raise what they like: a tensor of several entries a RuntimeError.
        raise ArgumentTypeError(f"{name} is of type {type(value).__name__}, but {needed}.", name) from error
    if not cmath.isfinite(x):
        raise ArgumentError(f"{name} is {x}, but must be finite.", name)
    return x


def text(value: Any, name: str, needed: str = "a name") -> str:
    """A text, or the name of a part of a model."""
    given = getattr(value, "place", value)
    if not isinstance(given, str):
        raise ArgumentTypeError(f"{name} is of type {type(value).__name__}, but {needed} is needed.", name)
    return encoded(str(given), name)


def encoded(given: str, name: str) -> str:
    """A text that can be written in UTF-8, as files and the native module have it."""
    try:
        given.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"{name} is {json.dumps(given[:40])}, which has half of a character (a surrogate) and is no text.", name) from None
    return given


def words(value: Any, name: str) -> list[str]:
    """One name, or several."""
    if not is_sequence(value):
        return [text(value, name, "a name or a sequence of names")]
    return [text(one, f"{name}[{k}]") for k, one in enumerate(value)]


def listed(value: Any, name: str, needed: str = "a sequence") -> list[Any]:
    """A sequence, as a list."""
    if not is_sequence(value):
        raise ArgumentTypeError(f"{name} is of type {type(value).__name__}, but {needed} is needed.", name)
    return list(value)


def is_sequence(value: Any) -> bool:
    """Whether a value has others one after the other; texts, dictionaries and arrays without dimensions have not."""
    if isinstance(value, (str, bytes, Mapping)):
        return False
    try:
        iter(value)
    except Exception:
        # Most have none; an array without dimensions, or an object of another package, says so in its own way.
        return False
    return True


def pair(value: Any, name: str, needed: str) -> tuple[float, float]:
    """Two numbers; ``needed`` says which."""
    ends = list(value) if is_sequence(value) and not isinstance(value, Set) else []
    if len(ends) != 2:
        kind = ArgumentError if is_sequence(value) else ArgumentTypeError
        raise kind(f"{name} is not {needed}.", name.split("[")[0])
    return number(ends[0], f"{name}[0]"), number(ends[1], f"{name}[1]")


def index_of(value: Any, size: int, name: str) -> int:
    """A place among so many, from 0; a negative one counts from the end, as in lists."""
    n = _whole(value, name)
    if not -size <= n < size:
        raise IndexError(f"{name} is {told(n)}, but there are {size}, counted from 0.")
    return n % size


def start_later(after: Any) -> float:
    """Seconds by which a point of a motion comes later than its start."""
    later = number(after, "after")
    if later < 0:
        raise ArgumentError(f"after is {later}, but must not be negative.", "after")
    return later


def _whole(value: Any, name: str) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise ArgumentTypeError(f"{name} is {value}, but a whole number is needed.", name)
    try:
        n = operator.index(value)
    except Exception as error:
        raise ArgumentTypeError(f"{name} is of type {type(value).__name__}, but a whole number is needed.", name) from error
    return n


def count(value: Any, name: str, least: int = 1, most: int | None = None) -> int:
    """A whole number, up to ``most`` where that is given."""
    n = _whole(value, name)
    if n < least:
        raise ArgumentError(f"{name} is {told(n)}, but must be at least {least}.", name)
    if most is not None and n > most:
        raise ArgumentError(f"{name} is {told(n)}, but must be at most {most}.", name)
    return min(n, _MOST)


def request(
    size: int,
    lowest: Any = None,
    near: Any = None,
    band: Any = None,
    largest: Any = None,
    all: Any = False,
    count_near: Any = 6,
    max_damping_ratio: Any = None,
    all_up_to: int = ALL_UP_TO,
) -> tuple[dict[str, Any], str | None]:
    """The request as the native module takes it, and a note where it was chosen here.

    ``size``: unknowns of the problem.
    """
    given = [name for name, value in (("lowest", lowest), ("near", near), ("band", band), ("largest", largest)) if value is not None]
    given += ["all"] if flag(all, "all") else []
    if len(given) > 1:
        raise ArgumentError(f"{' and '.join(given)} exclude each other: ask for one part of the spectrum.", given[1])
    out: dict[str, Any] = {
        "part": "all",
        "count": 0,
        "point": (0.0, 0.0),
        "band": (0.0, 0.0),
        "max_damping_ratio": None,
    }
    if max_damping_ratio is not None and band is None:
        raise ArgumentError("max_damping_ratio limits a band, but band is not given.", "max_damping_ratio")
    note = None
    if lowest is not None:
        out.update(part="lowest", count=count(lowest, "lowest"))
    elif largest is not None:
        out.update(part="largest", count=count(largest, "largest"))
    elif near is not None:
        out.update(count=count(count_near, "count"))
        s = complex_number(near, "near", "a frequency in Hz or a complex s in rad/s")
        if isinstance(near, complex) or getattr(getattr(near, "dtype", None), "kind", "") == "c":
            out.update(part="near_point", point=(s.real, s.imag))
        else:
            hz = s.real
            if hz < 0:
                raise ArgumentError(f"near is {hz}, but a frequency in Hz is not negative.", "near")
            out.update(part="near_frequency", point=(hz, 0.0))
    elif band is not None:
        low, high = pair(band, "band", "a pair of frequencies in Hz, as in band=(10, 50)")
        if not 0 <= low <= high:
            raise ArgumentError(f"band is ({low}, {high}), but must be 0 <= from <= to, in Hz.", "band")
        limit = None
        if max_damping_ratio is not None:
            limit = number(max_damping_ratio, "max_damping_ratio")
            if not 0 <= limit < 1:
                raise ArgumentError(
                    f"max_damping_ratio is {limit}, but must be at least 0 and below 1: real eigenvalues, of ratio 1, have no frequency; "
                    "lowest=, or near= with a real s as in near=-3+0j, returns them.",
                    "max_damping_ratio",
                )
        out.update(part="band", band=(low, high), max_damping_ratio=limit)
    elif not all and size > all_up_to:
        out.update(part="lowest", count=LOWEST)
        note = (
            f"More than {all_up_to} unknowns, so only the {LOWEST} lowest modes were computed: lowest=, near=, band=, "
            "largest= or all=True ask for others."
        )
    return out, note


def path_of(value: Any, name: str) -> str:
    """A path."""
    try:
        path = os.fspath(value)
    except Exception:
        path = None
    if not isinstance(path, str):
        raise ArgumentTypeError(f"{name} is of type {type(value).__name__}, but a path is needed.", name)
    if not path or "\0" in path:
        raise ArgumentError(f"{name} is {path!r}, which is no path.", name)
    return encoded(path, name)


def settings(symmetric: Any, left: Any, prove: Any, shift: Any, memory: Any) -> dict[str, Any]:
    """Settings of the search as the native module takes them."""
    for name, value in (("symmetric", symmetric), ("left", left), ("prove", prove)):
        if value is None and name == "symmetric":
            continue
        flag(value, name)
    point = None
    if shift is not None:
        s = complex_number(shift, "shift", "a complex s in rad/s")
        point = (s.real, s.imag)
    most = None
    if memory is not None:
        most = int(min(number(memory, "memory"), 2.0**62))
        if most <= 0:
            raise ArgumentError(f"memory is {most} bytes, but must be positive.", "memory")
    return {
        "symmetric": None if symmetric is None else bool(symmetric),
        "left": bool(left),
        "prove": bool(prove),
        "shift": point,
        "memory": most,
    }
