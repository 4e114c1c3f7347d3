"""The table of a sweep in files, which the program reads and writes too."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from typing import IO, Any

from . import _files
from ._errors import ArgumentError
from ._requests import count, listed, path_of, told

Lines = list[tuple[int, list[str]]]


def shard_of(value: Any) -> list[int] | None:
    """A part of a sweep, ``(3, 8)`` or ``"3/8"``: every 8-th case, beginning with the third."""
    if value is None:
        return None
    ends = value.split("/") if isinstance(value, str) else value
    try:
        part, of = (int(x) for x in ends) if isinstance(value, str) else ends
    except Exception as error:
        raise ArgumentError(f"shard is {told(value)}, but a pair such as (3, 8) is needed: the third of eight parts.", "shard") from error
    part, of = count(part, "shard[0]"), count(of, "shard[1]")
    if part > of:
        raise ArgumentError(f"shard is {part} of {of}, but parts are counted from 1 to {of}.", "shard")
    return [part, of]


def read(paths: Any) -> list[tuple[str, Lines]]:
    """The lines of tables, each with its number."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    out = []
    for one in listed(paths, "resume", "a path or a sequence of paths"):
        path = path_of(one, "resume")
        # A crash may have torn a letter.
        with open(path, newline="", encoding="utf-8", errors="replace") as file:
            reader = csv.reader(file)
            try:
                out.append((path, [(reader.line_num, fields) for fields in reader]))
            except csv.Error as error:
                raise ArgumentError(f"resume: {path}, line {reader.line_num}: {error}.", "resume") from error
    return out


def write(path: str, lines: Iterable[list[str]]) -> None:
    """Writes a table, whole or not at all."""
    with _files.draft(path) as beside, open(beside, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


class Journal:
    """The file in which a sweep that runs keeps its cases: ``cases.csv.journal``."""

    def __init__(self, output: str):
        self.path = output + ".journal"
        self._known: list[list[str]] = []
        self._file: IO[str] | None = None

    def keep(self, line: list[str]) -> None:
        """Takes a line: names and the cases that are done, an empty one, and then each case as it ends."""
        if self._file is not None:
            csv.writer(self._file, lineterminator="\n").writerow(line)
            self._file.flush()
        elif line:
            self._known.append(line)
        else:
            # The journal that is resumed may be this file.
            write(self.path, self._known)
            self._file = open(self.path, "a", newline="", encoding="utf-8")  # noqa: SIM115

    def close(self, finished: bool) -> None:
        """Ends the work with the file; a table that is written needs it no more."""
        if self._file is not None:
            self._file.close()
            if finished:
                os.remove(self.path)
