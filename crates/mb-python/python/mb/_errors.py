"""Exceptions and warnings of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._motion import Run


class MbError(Exception):
    """Base of all exceptions of the package.

    Examples
    --------
    >>> import mb
    >>> try:
    ...     mb.Model("empty").equilibrium()
    ... except mb.MbError as error:
    ...     print(type(error).__name__)
    ModelError
    """


class ArgumentError(MbError, ValueError):
    """An argument that cannot be used.

    Attributes
    ----------
    argument : str
        Name of the argument.
    position : tuple of int or None
        Row and column of the entry it is about, from 0, where there is one.

    >>> import mb
    >>> try:
    ...     mb.eigs([[1.0, 0.0], [0.0, float("nan")]])
    ... except mb.ArgumentError as error:
    ...     print(error.argument, error.position, error)
    K (1, 1) K[1, 1] is NaN; all entries must be finite.
    """

    def __init__(self, message: str, argument: str = "", position: tuple[int, int] | None = None):
        super().__init__(message)
        self.argument = argument
        self.position = position


class ArgumentTypeError(ArgumentError, TypeError):
    """An argument of a type that cannot be used.

    Examples
    --------
    >>> import mb
    >>> try:
    ...     mb.eigs([[4.0]], lowest="two")
    ... except mb.ArgumentTypeError as error:
    ...     print(error.argument)
    lowest
    """


class ModelError(MbError, ValueError):
    """A model that is wrong, or a request that does not fit it.

    Attributes
    ----------
    problems : list of dict
        Every problem: ``subject``, ``message``, ``path``, ``line``, ``column``, ``help``.
    file : str or None
        The model file.
    line, column : int or None
        Place of the first problem in the file, from 1.
    help : str or None
        What to do about the first problem.

    >>> import mb
    >>> m = mb.Model("m"); _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("s", "P", "Q", stiffness=1)
    >>> try:
    ...     m.equilibrium()
    ... except mb.ModelError as error:
    ...     print(len(error.problems))
    1
    """

    def __init__(
        self,
        message: str,
        problems: list[dict[str, Any]] | None = None,
        file: str | None = None,
        help: str | None = None,
    ):
        super().__init__(message)
        self.problems = problems or []
        self.file = file
        first = self.problems[0] if self.problems else {}
        self.line: int | None = first.get("line")
        self.column: int | None = first.get("column")
        self.help: str | None = help or first.get("help")


class NumericsError(MbError, ArithmeticError):
    """No answer, although model and request may be right.

    Attributes
    ----------
    kind : str
        A stable word: ``no_equilibrium``, ``not_converged``, ``out_of_memory``, ...
    help : str or None
        What to do about it.
    run : mb.Run or None
        What was computed of a motion that failed on the way.

    >>> import mb
    >>> m = mb.Model("falling", gravity=(0, -1)); _ = m.point("P", at=(0, 0), mass=1)
    >>> try:
    ...     m.equilibrium()
    ... except mb.NumericsError as error:
    ...     print(error.kind)
    no_equilibrium
    """

    def __init__(self, message: str, kind: str = "", help: str | None = None, run: Run | None = None):
        super().__init__(message)
        self.kind = kind
        self.help = help
        self.run = run


class InternalError(MbError, RuntimeError):
    """A fault of the package itself.

    Examples
    --------
    >>> import mb
    >>> issubclass(mb.InternalError, mb.MbError)
    True
    """


class FindingWarning(UserWarning):
    """A finding that the reader of a result should know: eigenvalues missing, poor accuracy, an uncertain rank.

    Examples
    --------
    >>> import mb, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", mb.FindingWarning)      # findings end the work
    ...     r = mb.eigs([[4.0]])
    >>> len(r)
    1
    """
