"""Eigenvalues of matrices of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _mb
from ._matrices import matrix
from ._modes import Modes
from ._requests import EngineSearch, Search, Searching, spelled_out

if TYPE_CHECKING:
    from typing_extensions import Unpack


_of_eigs = Searching("eigs", own=("K", "M", "C", "gyroscopic", "constraints"))
_of_descriptor = Searching("eigs_descriptor", kind=Search, own=("A", "E"))


def _size(value: Any) -> int:
    return int(value[0] if type(value) is tuple else len(value))


@spelled_out(EngineSearch)
def eigs(
    K: Any,
    M: Any = None,
    C: Any = None,
    *,
    gyroscopic: Any = None,
    constraints: Any = None,
    **request: Unpack[EngineSearch],
) -> Modes:
    """Modes of ``(s^2 M + s (C + G) + K) x + Phi^T l = 0, Phi x = 0``.

    Every eigenvalue comes with its class and an error bound, and the result says whether one is missing.

    Parameters
    ----------
    K, M, C : array or scipy.sparse matrix, n x n
        Stiffness, mass and damping. Without ``M`` the mass is the identity, without ``C`` there is no damping.
    gyroscopic : array or scipy.sparse matrix, n x n
        Gyroscopic matrix G, skew-symmetric.
    constraints : array or scipy.sparse matrix, m x n
        Rows of Phi; they may depend on each other.
    lowest, largest : int
        So many modes of smallest or largest \\|s|.
    near : float or complex
        ``count`` modes nearest to a frequency in Hz, or eigenvalues nearest to a complex s in rad/s, of which each of a
        conjugate pair counts for itself.
    band : (float, float)
        All modes between two frequencies in Hz; of a damped problem those with a damping ratio of at most
        ``max_damping_ratio``, 0.3 where nothing is said and the matrices are large (a note says so). It is at least 0 and below 1:
        a ratio of 1 belongs to real eigenvalues, which have no frequency, and ``lowest``, or ``near=-3+0j``, returns those.
    all : bool
        Everything, by dense matrices. This, or the 20 lowest of more than 400 unknowns, is done when nothing is asked for.
    symmetric : bool
        True: the matrices are symmetric, an entry that is not is an error. False: symmetry is not used. None: detected.
    left : bool
        Whether left vectors are kept.
    prove : bool
        Whether completeness is proved where that costs one more factorization.
    shift : complex
        Where the matrices are factored, s in rad/s; chosen otherwise.
    memory : float
        Bytes that factors and bases may take; what the system has otherwise.
    solver : str
        ``"arpack"``: ARPACK-NG does the Krylov iteration where the machine has it (package libarpack2 of Debian and Ubuntu, or the
        library that the environment variable ``MB_ARPACK`` names); operators, classes, bounds and counts are the same. Small problems
        are solved by dense matrices.
    engine : str
        ``"slepc"``: SLEPc and MUMPS find the modes over MPI, on ``ranks`` processes; classes, bounds and proofs are computed here as
        always.
    ranks : int
        Processes of the engine.
    launcher : str
        What starts them, ``"mpiexec -n {ranks}"`` where it is None.
    engine_read : path
        The folder of :func:`engine_job`, in which the engine has worked, instead of a run now.

    Returns
    -------
    Modes

    Raises
    ------
    ArgumentError
        A matrix or a number that cannot be used; names argument and position.
    NumericsError
        No answer: a singular pencil, memory.

    Examples
    --------
    Two masses of 1 kg between three springs of 100 N/m:

    >>> import mb
    >>> r = mb.eigs([[200.0, -100.0], [-100.0, 200.0]], M=[[1.0, 0.0], [0.0, 1.0]])
    >>> r.s.imag.round(12).tolist() == [10.0, round(300**0.5, 12)]
    True
    >>> r.kind, r.complete
    (['physical', 'physical'], True)
    >>> bool((r.error < 1e-13).all())
    True

    The first mass held by a constraint:

    >>> mb.eigs([[200.0, -100.0], [-100.0, 200.0]], constraints=[[1.0, 0.0]]).s.imag.round(10).tolist()
    [14.1421356237]
    """
    k = matrix(K, "K")
    wanted, settings, note = _of_eigs(_size(k), request)
    native = _mb.eigs(
        k,
        None if M is None else matrix(M, "M"),
        None if C is None else matrix(C, "C"),
        None if gyroscopic is None else matrix(gyroscopic, "gyroscopic"),
        None if constraints is None else matrix(constraints, "constraints"),
        wanted,
        settings,
    )
    return Modes(native, note=note)


@spelled_out(Search)
def eigs_descriptor(A: Any, E: Any = None, **request: Unpack[Search]) -> Modes:
    """Modes of ``E y' = A y``, E possibly singular.

    Parameters
    ----------
    A, E : array or scipy.sparse matrix, n x n
        Without ``E`` it is the identity.
    lowest, near, band, largest, all, count, max_damping_ratio, left, prove, shift, memory
        As in :func:`eigs`.

    Returns
    -------
    Modes

    Examples
    --------
    >>> import mb
    >>> mb.eigs_descriptor([[0.0, 1.0], [-25.0, 0.0]]).s.imag.round(12).tolist()
    [5.0]
    """
    a = matrix(A, "A")
    wanted, settings, note = _of_descriptor(_size(a), request)
    return Modes(_mb.eigs_descriptor(a, None if E is None else matrix(E, "E"), wanted, settings), note=note)
