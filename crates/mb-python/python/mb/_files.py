"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def draft(path: str | os.PathLike[str]) -> Iterator[str]:
    """Gives a path beside ``path`` with the same ending, which takes its place at the end; an error or an interrupt leaves what was there."""
    goal = os.path.realpath(path)
    if os.path.exists(goal) and not os.path.isfile(goal):
        # A pipe or a device is written to as it is; a folder says so.
        yield goal
        return
    folder, name = os.path.split(goal)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "No such folder", folder)
    stem, ending = os.path.splitext(name)
    beside = os.path.join(folder, f".{stem}.{os.getpid()}{ending}")
    try:
        yield beside
        if os.path.exists(goal):
            shutil.copymode(goal, beside)
        os.replace(beside, goal)
    finally:
        with suppress(FileNotFoundError):
            os.remove(beside)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a text in UTF-8."""
    with draft(path) as beside, open(beside, "w", newline="\n", encoding="utf-8") as file:
        file.write(text)
