"""Parts of a sweep as jobs that a launcher starts, each this module as a program: ``python -m mb._jobs FILE PART``.

Part I of N of ``cases.csv`` is ``cases.csv.I-of-N.csv``, as the program ``mb sweep --launcher`` has them; beside it stand its journal, while
it runs, and what it says, ``cases.csv.I-of-N.log``. A call that is repeated starts the parts that are missing, each behind its journal.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from typing import Any

from . import _files, _mb, _table
from ._errors import NumericsError

#: What stands for the command of a job, as one word for a shell, where it is not to be appended.
COMMAND = "{command}"
#: Time between two looks at the jobs, and time in which a job that is told to end may do so, s.
LOOK, PATIENCE = 0.05, 5.0
#: Lines of a log that are shown of a job that failed.
SHOWN = 4


def _beside(output: str, part: int, parts: int, end: str) -> str:
    return f"{output}.{part}-of-{parts}.{end}"


def _asked(output: str) -> str:
    return output + ".jobs.json"


def launched(launcher: str, part: int, parts: int, command: list[str]) -> list[str]:
    """The command line of one job: that of the launcher with the command behind it, or in the place that it names."""
    words = [word.replace("{part}", str(part)).replace("{parts}", str(parts)) for word in launcher.split()]
    if COMMAND in launcher:
        return [word.replace(COMMAND, shlex.join(command)) for word in words]
    return words + command


def run(launcher: str, parts: int, output: str, model: list[Any], asked: dict[str, Any], earlier: list[Any]) -> list[Any]:
    """Runs the parts that are missing to their ends; the tables of all."""
    _files.write_text(_asked(output), json.dumps({"model": model, "asked": {**asked, "jobs": None, "boundary": False}, "parts": parts, "output": output, "earlier": earlier}))
    tables = [_beside(output, part, parts, "csv") for part in range(1, parts + 1)]
    running: dict[int, subprocess.Popen[bytes]] = {}
    failed: list[tuple[int, str]] = []
    try:
        for part, table in enumerate(tables, 1):
            if os.path.isfile(table):
                continue
            words = launched(launcher, part, parts, [sys.executable, "-m", "mb._jobs", _asked(output), str(part)])
            with open(_beside(output, part, parts, "log"), "wb") as log:
                try:
                    running[part] = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
                except (OSError, IndexError) as error:
                    failed.append((part, f"it cannot be started: {error}"))
        while running:
            time.sleep(LOOK)
            for part, job in list(running.items()):
                code = job.poll()
                if code is not None:
                    del running[part]
                    if not os.path.isfile(tables[part - 1]):
                        failed.append((part, f"it ended without a table (exit code {code})"))
    finally:
        # Launchers hand this on to what they have started.
        for job in running.values():
            job.terminate()
        for job in running.values():
            try:
                job.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                job.kill()
                job.wait()
    if failed:
        part, why = min(failed)
        with open(_beside(output, part, parts, "log"), encoding="utf-8", errors="replace") as log_file:
            lines = [line.strip() for line in log_file if line.strip()][-SHOWN:]
        said = f" Its last lines: {' | '.join(lines)}" if lines else ""
        raise NumericsError(
            f"Part {part} of {parts} of the sweep, started by `{launcher}`, failed: {why}.{said}",
            "job_failed",
            "The cases that are solved are kept: the same call starts the parts that are missing.",
        )
    return _table.read(tables)


def remove(parts: int, output: str) -> None:
    """Removes what the parts have left of a table that is written."""
    names = [_beside(output, part, parts, end) for part in range(1, parts + 1) for end in ("csv", "csv.journal", "log")]
    for name in [_asked(output), *names]:
        if os.path.isfile(name):
            os.remove(name)


def main(file: str, number: str) -> None:
    """One part."""
    with open(file, encoding="utf-8") as text:
        whole = json.load(text)
    part, parts = int(number), whole["parts"]
    table = _beside(whole["output"], part, parts, "csv")
    journal = _table.Journal(table)
    earlier = [(path, [(line, fields) for line, fields in lines]) for path, lines in whole["earlier"]]
    if os.path.isfile(journal.path):
        earlier += _table.read([journal.path])
    finished = False
    try:
        asked = json.dumps({**whole["asked"], "shard": [part, parts]})
        solved = _mb.sweep(_mb.Model(*whole["model"]), asked, None, earlier, journal.keep)
        _table.write(table, solved["lines"])
        finished = True
    finally:
        journal.close(finished)


if __name__ == "__main__":
    main(*sys.argv[1:])
