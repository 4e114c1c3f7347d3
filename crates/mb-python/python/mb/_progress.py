"""What long work is at."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from . import _mb
from ._errors import ArgumentTypeError
from ._optional import need


@contextmanager
def progress(call: Callable[[int], Any] | None = None) -> Iterator[None]:
    """Shows what long work of this thread is at, some twenty times a second.

    Parameters
    ----------
    call : callable
        Called with the steps that the analysis under way has done: fronts factored, systems solved, steps of integration. Their
        number is not known beforehand; it grows as long as the work goes on. An exception of it ends the work. Without one
        tqdm, where it is installed, shows a counter.

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
