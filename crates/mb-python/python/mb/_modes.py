"""The result of an eigenanalysis."""

from __future__ import annotations

import json
import operator
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _html
from ._errors import ArgumentError, ArgumentTypeError, FindingWarning
from ._kept import Kept, fixed
from ._optional import need
from ._requests import told
from ._types import Complexes, Flags, Floats, Vectors, Whole

_TAU = 2 * np.pi


@dataclass(frozen=True, repr=False)
class Mode(_html.Record):
    """One mode: a conjugate pair, the double zero of a body that drifts, or another real eigenvalue.

    Attributes
    ----------
    number : int
        Index of the mode, from 0.
    s : complex
        Eigenvalue, rad/s, with Im s >= 0 of a pair.
    hz : float
        |Im s| / (2 pi), the frequency of the damped motion.
    zeta : float
        Damping ratio -Re s / |s|; NaN at zero.
    error : float
        Bound on the distance of the exact eigenvalue of the given matrices, rad/s.
    kind : str
        ``physical``, ``rigid``, ``spurious``, ``infinite`` or ``indeterminate``.
    shape : ndarray
        Displacements, n; real where they are.
    multipliers : ndarray
        Multipliers of the constraints, m.

    Examples
    --------
    >>> import mb
    >>> mode = mb.eigs([[4.0]])[0]
    >>> mode.kind, complex(mode.s)
    ('physical', 2j)
    """

    number: int
    s: complex
    hz: float
    zeta: float
    error: float
    kind: str
    shape: Vectors
    multipliers: Vectors

    def __repr__(self) -> str:
        return f"<mb.Mode {self.number}: {self.hz:.6g} Hz, zeta {self.zeta:.4g}, {self.kind}, error {self.error:.1e} rad/s>"


class Modes(Kept):
    """Modes with class, error bound and a verdict on completeness.

    One entry stands for a conjugate pair, for the double zero of a body that drifts, or for one real eigenvalue
    otherwise. The order is: rigid modes, then by |s|.

    Attributes
    ----------
    s : ndarray of complex
        Eigenvalues, rad/s, with Im s >= 0 of conjugate pairs.
    hz : ndarray
        |Im s| / (2 pi): frequencies of the damped motions, Hz.
    natural_hz : ndarray
        |s| / (2 pi), Hz.
    zeta : ndarray
        Damping ratios -Re s / |s|; NaN where s = 0.
    error : ndarray
        Bounds on the distance of the exact eigenvalues of the given matrices, rad/s.
    kind : list of str
        ``physical``, ``rigid``; with :meth:`everything` also ``spurious``, ``infinite``, ``indeterminate``.
    shapes : ndarray, coordinates x modes
        Mode shapes of length one, the largest entry real and positive; real where all of them are.
    left : ndarray, coordinates x modes
        Left eigenvectors, where ``left=True`` asked for them.
    multipliers, left_multipliers : ndarray, constraint rows x modes
        Multipliers of the constraints, of the modes and of the left eigenvectors.
    penalty_share : ndarray
        With a penalty form the share of a mode's energy that is the penalty's; NaN elsewhere.
    complete : bool or None
        Whether every eigenvalue asked for is there: True, False, or None where nothing shows it.
    method : str or None
        What computed the eigenvalues: ``"dense"``, ``"lanczos"``, ``"condensed-lanczos"``, ``"davidson"``,
        ``"krylov-schur"``, ``"toar"``, ``"inverse-iteration"`` or ``"slepc"``; None where no coordinate is free.
    notes : list of str
        What was found on the way, in words: proofs, redundant constraints, shifts.
    findings : list of dict
        The same as data.
    counts : dict
        Sizes, and eigenvalues by class: demanded by theory and found.

    Examples
    --------
    >>> import mb
    >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
    >>> len(r), r.s.tolist(), r.complete
    (2, [2j, 3j], True)
    >>> r.method
    'dense'
    """

    _numbers = (
        "s", "hz", "natural_hz", "zeta", "error", "backward_error", "condition", "chain", "determined", "constraint_violation", "multiplicity", "kind", "shapes",
        "_count", "_left", "_left_multipliers", "multipliers", "penalty_share", "eigenvalues", "complete", "method", "_native_notes", "_data", "_everything",
    )  # fmt: skip

    def __init__(self, native: Any, *, names: list[str] | None = None, note: str | None = None, everything: bool = False, report: bool = True):
        self._native = native
        self._all = everything
        self.names = names
        self._note = note
        if report:
            for text in native.warnings():
                warnings.warn(text, FindingWarning, stacklevel=4)

    def everything(self) -> Modes:
        """With the eigenvalues that are no motion: infinite, indeterminate, spurious.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]], M=[[1.0, 0], [0, 0]], all=True)
        >>> r.kind, r.everything().kind
        (['physical'], ['physical', 'infinite', 'infinite'])
        """
        return self._everything

    @fixed
    def _everything(self) -> Modes:
        if self._all:
            return self
        return type(self)(self._native, names=self.names, everything=True, report=False)

    @fixed
    def _count(self) -> int:
        return int(self._native.modes(self._all))

    def __len__(self) -> int:
        return self._count

    @fixed
    def s(self) -> Complexes:
        """Eigenvalues, rad/s, one for each mode, with Im s >= 0 of conjugate pairs; NaN where one is not finite.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
        >>> r.s.tolist()
        [2j, 3j]
        """
        return self._native.s(self._all)

    @fixed
    def hz(self) -> Floats:
        """\\|Im s| / (2 pi), Hz, one for each mode: frequencies of the damped motions.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
        >>> r.hz.round(6).tolist()
        [0.31831, 0.477465]
        """
        return np.abs(self.s.imag) / _TAU

    @fixed
    def natural_hz(self) -> Floats:
        """\\|s| / (2 pi), Hz, one for each mode.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[25.0]], C=[[6.0]])                            # s = -3 + 4i
        >>> r.natural_hz.round(6).tolist(), r.hz.round(6).tolist()
        ([0.795775], [0.63662])
        """
        return np.abs(self.s) / _TAU

    @fixed
    def zeta(self) -> Floats:
        """Damping ratios -Re s / \\|s|, one for each mode; NaN where s = 0.

        Examples
        --------
        >>> import mb
        >>> mb.eigs([[25.0]], C=[[6.0]]).zeta.round(12).tolist()
        [0.6]
        """
        return self._native.zeta(self._all)

    @fixed
    def error(self) -> Floats:
        """Bounds on the distance of the exact eigenvalues of the given matrices, rad/s, one for each mode.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
        >>> bool((abs(r.s - [2j, 3j]) <= r.error).all())
        True
        """
        return self._native.error(self._all)

    @fixed
    def backward_error(self) -> Floats:
        """Residuals relative to the norms of the matrices, one for each mode.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
        >>> bool((r.backward_error < 1e-14).all())
        True
        """
        return self._native.backward_error(self._all)

    @fixed
    def chain(self) -> Whole:
        """Length of the Jordan chain of each eigenvalue as far as it is known: 1 where it is semisimple.

        Examples
        --------
        >>> import mb
        >>> mb.eigs([[0.0]]).chain.tolist()                             # a body that drifts: 1 and t
        [2]
        """
        return self._native.chain(self._all)

    @fixed
    def determined(self) -> Flags:
        """Whether the error bound leaves digits of each eigenvalue.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
        >>> r.determined.tolist()
        [True, True]
        """
        return self._native.determined(self._all)

    @fixed
    def condition(self) -> Floats:
        """Condition numbers with respect to relative changes of the matrices, one for each mode; infinite where s is defective.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
        >>> bool((r.condition >= 0).all())
        True
        """
        return self._native.condition(self._all)

    @fixed
    def constraint_violation(self) -> Floats:
        """Lengths of Phi_q x relative to those of Phi_q and x, one for each mode.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]], constraints=[[1.0, -1.0]])
        >>> r.constraint_violation.round(12).tolist()
        [0.0]
        """
        return self._native.constraint_violation(self._all)

    @fixed
    def multiplicity(self) -> Whole:
        """Eigenvalues that each mode stands for, 1 or 2.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
        >>> r.multiplicity.tolist()
        [2, 2]
        """
        return self._native.multiplicity(self._all)

    @fixed
    def kind(self) -> list[str]:
        """``physical`` or ``rigid``, one for each mode; of :meth:`everything` also ``spurious``, ``infinite``, ``indeterminate``.

        Examples
        --------
        >>> import mb
        >>> mb.eigs([[0.0, 0], [0, 9.0]]).kind
        ['rigid', 'physical']
        """
        return self._native.kind(self._all)

    @fixed
    def shapes(self) -> Vectors:
        """Mode shapes of length one, the largest entry real and positive, coordinates x modes; real where all of them are.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
        >>> abs(r.shapes).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        return self._native.shapes(self._all)

    @fixed
    def _left(self) -> Vectors:
        return self._native.left(self._all)

    @property
    def left(self) -> Vectors:
        """Left eigenvectors, coordinates x modes, where ``left=True`` asked for them; real where all of them are.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 1.0], [0, 9.0]], left=True)
        >>> r.left.shape
        (2, 2)
        """
        self._asked_left("left")
        return self._left

    def _asked_left(self, name: str) -> None:
        if len(self) and self._left.shape[0] == 0:
            raise ArgumentError("Left vectors were not asked for: pass left=True to the analysis.", name)

    @fixed
    def _left_multipliers(self) -> Vectors:
        return self._native.left_multipliers(self._all)

    @property
    def left_multipliers(self) -> Vectors:
        """Multipliers of the left eigenvectors, constraint rows x modes, where ``left=True`` asked for them.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 1.0], [0, 9.0]], constraints=[[1.0, -1.0]], left=True)
        >>> r.left_multipliers.shape
        (1, 1)
        """
        self._asked_left("left_multipliers")
        return self._left_multipliers

    @fixed
    def penalty_share(self) -> Floats:
        """With a penalty form the share of each mode's energy that is the penalty's; NaN elsewhere.

        Examples
        --------
        >>> import mb
        >>> lin = mb.generate("rod-pendulum").equilibrium().linearize()
        >>> share = lin.modes(formulation="unconstrained").penalty_share
        >>> bool(share[0] < 1e-6)
        True
        """
        return self._native.penalty_share(self._all)

    @fixed
    def multipliers(self) -> Vectors:
        """Multipliers of the constraints, rows x modes; real where all of them are.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]], constraints=[[1.0, -1.0]])
        >>> r.s.imag.round(12).tolist(), r.multipliers.shape            # sqrt((4 + 9) / 2)
        ([2.549509756796], (1, 1))
        """
        return self._native.multipliers(self._all)

    @fixed
    def eigenvalues(self) -> Complexes:
        """Every finite eigenvalue of the motion, conjugates included, rad/s.

        Examples
        --------
        >>> import mb
        >>> mb.eigs([[4.0]]).eigenvalues.tolist()
        [2j, -2j]
        """
        return self._native.eigenvalues()

    @fixed
    def complete(self) -> bool | None:
        """Whether every eigenvalue asked for is there: True, False, or None where nothing shows it.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
        >>> r.complete
        True
        """
        return self._native.complete()

    @fixed
    def method(self) -> str | None:
        """What computed the eigenvalues, in a word; None where no coordinate is free.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
        >>> r.method
        'dense'
        """
        return self._native.method()

    @fixed
    def notes(self) -> list[str]:
        """What was found on the way, in words: proofs, redundant constraints, shifts.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]], constraints=[[1.0, -1.0], [2.0, -2.0]])
        >>> any("independent" in note for note in r.notes)
        True
        """
        return ([self._note] if self._note else []) + self._native_notes

    @fixed
    def _native_notes(self) -> list[str]:
        return self._native.notes()

    @fixed
    def _data(self) -> Any:
        return json.loads(self._native.data())

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The notes as data, each a dictionary with its ``finding``.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]], constraints=[[1.0, -1.0], [2.0, -2.0]])
        >>> all("finding" in found for found in r.findings)
        True
        """
        return self._data[0]

    @property
    def counts(self) -> dict[str, Any]:
        """Sizes, and eigenvalues by class: demanded by theory and found.

        Examples
        --------
        >>> import mb
        >>> r = mb.eigs([[4.0, 0], [0, 9.0]])
        >>> isinstance(r.counts, dict)
        True
        """
        return self._data[1]

    def _at(self, number: Any, name: str) -> int:
        """The index of a mode."""
        try:
            return range(len(self))[operator.index(number)]
        except IndexError:
            raise IndexError(f"There is no mode {told(number)}: {len(self)} were found, and the first is mode 0.") from None
        except Exception as error:
            raise ArgumentTypeError(
                f"A mode has a whole number, r[0], and not {type(number).__name__}; several stand in the arrays, r.hz[0:3].", name
            ) from error

    def __getitem__(self, number: int) -> Mode:
        i = self._at(number, "number")
        return Mode(
            i,
            complex(self.s[i]),
            float(self.hz[i]),
            float(self.zeta[i]),
            float(self.error[i]),
            self.kind[i],
            self.shapes[:, i],
            self.multipliers[:, i],
        )

    def __iter__(self) -> Iterator[Mode]:
        return (self[i] for i in range(len(self)))

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame, one row for each mode.

        Examples
        --------
        >>> import mb
        >>> mb.eigs([[4.0]]).to_frame()["kind"].tolist()
        ['physical']
        """
        pandas = need("pandas", "to_frame()")
        return pandas.DataFrame(self._columns())

    def _columns(self) -> dict[str, Any]:
        return {
            "hz": self.hz,
            "natural_hz": self.natural_hz,
            "zeta": self.zeta,
            "re": self.s.real,
            "im": self.s.imag,
            "error": self.error,
            "backward_error": self.backward_error,
            "kind": self.kind,
        }

    def _verdict(self) -> str:
        return {True: "complete", False: "NOT complete", None: "completeness not proved"}[self.complete]

    def __repr__(self) -> str:
        if not len(self):
            return f"<mb.Modes: no modes, {self._verdict()}>"
        modes = "1 mode" if len(self) == 1 else f"{len(self)} modes"
        low, high = float(np.nanmin(self.hz)), float(np.nanmax(self.hz))
        span = f"{low:.6g} Hz" if low == high else f"{low:.6g} to {high:.6g} Hz"
        return f"<mb.Modes: {modes}, {span}, {self._verdict()}>"

    def _repr_html_(self) -> str:
        head = ("mode", "f [Hz]", "zeta", "s [rad/s]", "error [rad/s]", "kind")
        rows = (
            (i, f"{self.hz[i]:.6g}", f"{self.zeta[i]:.4g}", _html.short(self.s[i]), f"{self.error[i]:.1e}", self.kind[i])
            for i in range(len(self))
        )
        return _html.table(head, rows, self._verdict(), total=len(self))
