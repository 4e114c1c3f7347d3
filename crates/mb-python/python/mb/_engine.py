"""Problems for the distributed engine, SLEPc and MUMPS over MPI, that a batch queue runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _html, _mb
from ._matrices import matrix
from ._requests import Searching, SymmetricSearch, answered_by_engine, count, path_of, spelled_out

if TYPE_CHECKING:
    import os

    from typing_extensions import Unpack


@dataclass(frozen=True, repr=False)
class EngineJob(_html.Record):
    """A folder for a run of the engine, or what a run needs by the order of elimination of this package.

    Attributes
    ----------
    folder : str or None
        The folder: ``sh run.sh`` in it runs the engine, ``sbatch slurm.sh`` queues it.
    ranks : int
        Processes.
    unknowns : int
        Coordinates and constraint rows.
    entries, operations : float or None
        Entries of a factor, and operations of a factorization; none with a folder, which a model leaves for without its matrices ever
        being whole in memory.
    memory : float or None
        Bytes, of all processes.
    seconds : float or None
        Time of the run, s.

    Examples
    --------
    >>> import mb
    >>> job = mb.engine_job([[2.0, -1.0], [-1.0, 2.0]], ranks=2, lowest=1)
    >>> job.folder, job.ranks, job.unknowns
    (None, 2, 2)
    """

    folder: str | None
    ranks: int
    unknowns: int
    entries: float | None = None
    operations: float | None = None
    memory: float | None = None
    seconds: float | None = None

    def __repr__(self) -> str:
        place = "estimate" if self.folder is None else repr(self.folder)
        needs = ""
        if self.memory is not None and self.seconds is not None:
            needs = f", {self.memory / 2**30:.2f} GiB in all, about {max(self.seconds, 1.0):.0f} s"
        return f"<mb.EngineJob {place}: {self.unknowns} unknowns on {self.ranks} rank{'' if self.ranks == 1 else 's'}{needs}>"


_asked = Searching("engine_job", kind=SymmetricSearch)


def job_of(ask: Callable[..., Any], size: int, folder: Any, ranks: Any, request: Mapping[str, Any]) -> EngineJob:
    """Asks the native module for a folder or an estimate."""
    processes = count(ranks, "ranks")
    place = None if folder is None else path_of(folder, "folder")
    wanted, settings, note = _asked(size, request)
    answered_by_engine(_part(wanted), note)
    unknowns, needs = ask(wanted, settings, processes, place)
    return EngineJob(place, processes, unknowns, *(needs or ()))


@spelled_out(SymmetricSearch)
def engine_job(
    K: Any,
    M: Any = None,
    C: Any = None,
    *,
    folder: str | os.PathLike[str] | None = None,
    ranks: int = 1,
    gyroscopic: Any = None,
    constraints: Any = None,
    **request: Unpack[SymmetricSearch],
) -> EngineJob:
    """A folder for a run of the distributed engine by a batch queue, or, without one, what the run needs.

    ``mb.eigs`` with the same matrices and request and ``engine_read=folder`` reads the results.

    Parameters
    ----------
    K, M, C, gyroscopic, constraints
        As in :func:`eigs`.
    folder : path
        Where matrices, options and scripts are written, whole or not at all; without it there is an estimate alone.
    ranks : int
        Processes of the engine.
    lowest, near, band, count, max_damping_ratio, symmetric, left, prove, shift, memory
        As in :func:`eigs`.

    Returns
    -------
    EngineJob

    Examples
    --------
    >>> import mb, os, tempfile
    >>> K = [[2.0, -1.0], [-1.0, 2.0]]
    >>> with tempfile.TemporaryDirectory() as place:
    ...     job = mb.engine_job(K, folder=os.path.join(place, "job"), ranks=2, lowest=1)
    ...     sorted(os.listdir(job.folder))
    ['K.petsc', 'M.petsc', 'manifest.json', 'options.txt', 'run.sh', 'slurm.sh']
    """
    k = matrix(K, "K")
    others = (("M", M), ("C", C), ("gyroscopic", gyroscopic), ("constraints", constraints))
    matrices = [k, *(None if value is None else matrix(value, name) for name, value in others)]
    size = int(k[0] if isinstance(k, tuple) else k.shape[0])
    return job_of(lambda *asked: _mb.engine_job(matrices, *asked), size, folder, ranks, request)


def _part(wanted: str) -> str:
    return str(json.loads(wanted)["part"])


__all__ = ["EngineJob", "engine_job"]
