"""Long runs that go on after an end from outside, with the same bits.

Each step of the work, once it is done, is a line of its numbers in a file. The same call takes these steps from there and computes
those that are missing. The first line says which run it is: package, analysis, model and request; another run is refused. Every line
has a checksum, so that a crash loses what was not written and no more.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np

from . import _mb
from ._errors import ArgumentError, ArgumentTypeError

#: Changes whenever the meaning of a line does.
_FORMAT = 1
_KIND = "mb checkpoint of Python"


class Checkpoint:
    """The steps of a run in a file: those of an earlier run, and those that are done now."""

    def __init__(self, path: str | os.PathLike[str], analysis: str, native: Any, request: Any):
        if not isinstance(path, (str, os.PathLike)):
            raise ArgumentTypeError(f"checkpoint is of type {type(path).__name__}, but a path is needed.", "checkpoint")
        digest = [hashlib.sha256(text.encode()).hexdigest()[:16] for text in (native.fingerprint(), json.dumps(request))]
        head = f"{_KIND} {_FORMAT} {_mb.__version__} {analysis} {' '.join(digest)}\n"
        self.path = os.fspath(path)
        self.earlier: list[list[float]] = []
        self._file: IO[bytes] = open(self.path, "a+b")  # noqa: SIM115
        try:
            if not _lock(self._file):
                raise ArgumentError(f"checkpoint: another run writes to {self.path}.", "checkpoint")
            self._begin(head)
        except BaseException:
            self._file.close()
            raise

    def _begin(self, head: str) -> None:
        self._file.seek(0)
        whole = self._file.read()
        # Begun just now, or by a run that was killed before its first line was there.
        if head.encode().startswith(whole) and len(whole) < len(head):
            self._file.truncate(0)
            self._file.write(head.encode())
            self._file.flush()
            return
        first, _, rest = whole.partition(b"\n")
        why = _other(first.decode("utf-8", "replace"), head.strip())
        if why is not None:
            raise ArgumentError(f"checkpoint: {self.path} {why}; it is left as it is.", "checkpoint")
        kept = len(first) + 1
        for line in rest.split(b"\n")[:-1]:
            numbers = _read(line)
            if numbers is None:
                break
            self.earlier.append(numbers)
            kept += len(line) + 1
        # What follows the last whole step is done again.
        self._file.truncate(kept)
        self._file.seek(0, os.SEEK_END)

    def keep(self, numbers: np.ndarray) -> None:
        """Writes a step."""
        words = " ".join(map(repr, numbers.tolist())).encode()
        self._file.write(b"%08x %s\n" % (zlib.crc32(words), words))
        self._file.flush()

    def close(self, finished: bool) -> None:
        """Ends the work with the file; a run that has finished needs it no more."""
        self._file.close()
        if finished:
            os.remove(self.path)


def _other(line: str, head: str) -> str | None:
    """Why a file that begins with ``line`` belongs to another run; None where it does not."""
    if line == head:
        return None
    mine, theirs = (text.removeprefix(_KIND).split() for text in (head, line))
    if not line.startswith(_KIND) or len(theirs) != len(mine):
        return "is no checkpoint of this package"
    whats = ("with another format", "with another version of the package", "of another analysis", "of another model", "with other arguments")
    return "belongs to another run, " + next(what for what, a, b in zip(whats, mine, theirs, strict=True) if a != b)


def _read(line: bytes) -> list[float] | None:
    """A step from its line; None where the line is torn."""
    checksum, _, words = line.partition(b" ")
    try:
        return [float(word) for word in words.split()] if int(checksum, 16) == zlib.crc32(words) else None
    except ValueError:
        return None


def _lock(file: IO[bytes]) -> bool:
    """Whether no other process writes to the file; true on file systems without locks."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        pass
    return True


@contextmanager
def checkpoint(path: str | os.PathLike[str] | None, analysis: str, native: Any, request: Any) -> Iterator[Checkpoint | None]:
    """The steps of a run, where it has a file; an exception leaves the file for the next call."""
    if path is None:
        yield None
        return
    steps = Checkpoint(path, analysis, native, request)
    try:
        yield steps
    except BaseException:
        steps.close(finished=False)
        raise
    steps.close(finished=True)
