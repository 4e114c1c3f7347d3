"""What long work is at."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from . import _mb
from ._errors import ArgumentError, ArgumentTypeError, NumericsError
from ._optional import need


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Ends long work of this thread after a time, as ``--time-limit`` of the program does.

    The work ends with a :class:`mb.NumericsError` of kind ``time_limit``; steps of it that ``checkpoint="file"`` keeps stay
    there. All calls in the block share the time. Work that is asked to end does so at its next look.

    Parameters
    ----------
    seconds : float
        Time from the beginning of the block, s, positive.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("mass on a spring")
    >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
    >>> try:
    ...     with mb.time_limit(0.2):
    ...         run = m.simulate(1e6, every=1e3, at={"P.x": 0.1})
    ... except mb.NumericsError as error:
    ...     print(error.kind)
    time_limit
    """
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise ArgumentTypeError(f"seconds is of type {type(seconds).__name__}, but a number is needed.", "seconds")
    # Beyond that no clock counts; whole numbers may be larger than any double.
    if not 0 < seconds <= 1e12:
        raise ArgumentError("seconds must be positive, and at most 1e12.", "seconds")
    end = time.monotonic() + seconds
    before = _mb.watch_progress(None)

    def look(steps: int) -> None:
        if before is not None:
            before(steps)
        if time.monotonic() > end:
            words = f"The work ended before its end: its time limit of {seconds:g} s was reached."
            raise NumericsError(words, "time_limit", "give mb.time_limit more seconds, or make the request smaller")

    _mb.watch_progress(look)
    try:
        yield
    finally:
        _mb.watch_progress(before)


@contextmanager
def progress(call: Callable[[int], Any] | None = None) -> Iterator[None]:
    """Shows what long work of this thread is at, some twenty times a second.

    Parameters
    ----------
    call : callable
        Called with the steps that the analysis under way has done: fronts factored, systems solved, steps of integration. Their
        number is not known beforehand; it grows, but not within one call of a dense routine. An exception of it ends the work.
        Without one tqdm, where it is installed, shows a counter.

    Examples
    --------
    >>> import mb
    >>> with mb.progress(print):          # too short to print anything
    ...     modes = mb.eigs([[4.0]])
    """
    if call is not None and not callable(call):
        raise ArgumentTypeError("call is no function of the steps done.", "call")
    bar = None
    if call is None:
        bar = need("tqdm", "progress()").tqdm(unit=" steps", desc=threading.current_thread().name)

        def count(steps: int) -> None:
            # Every analysis counts from zero.
            bar.update(steps - bar.n if steps > bar.n else 0)

        call = count
    before = _mb.watch_progress(call)
    try:
        yield
    finally:
        _mb.watch_progress(before)
        if bar is not None:
            bar.close()
