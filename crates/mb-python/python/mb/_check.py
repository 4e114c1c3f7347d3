"""Whether a model is what was meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _html
from ._types import Floats

if TYPE_CHECKING:
    from ._site import OperatingPoint


@dataclass(frozen=True, repr=False)
class FreeMotion(_html.Record):
    """A motion with s = 0, which meets no stiffness.

    Attributes
    ----------
    amplitudes : dict
        Coordinates that move, with the sizes of their motions, the largest one is 1; of the nodes of a beam the one that moves
        most, as ``beam.x``.
    drifting : bool
        True where the motion goes on at constant speed, False where damping brings it to rest.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("one mass")
    >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
    >>> len(m.check().free)                                        # across the spring
    1
    """

    amplitudes: dict[str, float]
    drifting: bool


@dataclass(frozen=True)
class Check:
    """What a model has, how it can move, where it rests.

    Attributes
    ----------
    parts : dict
        Kinds of things and how many there are: ``{"moving body": 2, "joint": 3}``.
    coordinates, rows, rank : int
        Numbers of coordinates and of constraint rows; rank of the rows at the assembled start.
    redundant : dict
        Redundant rows by name, each with the names of those it is a combination of.
    rank_at_equilibrium : int
        Rank of the rows there. Where it differs from ``rank``, one of the two is a singular configuration.
    start : ndarray
        The assembled start, with Phi = 0.
    moved : float
        Length of the way from the given start to it.
    violation : (str, float) or None
        The worst constraint row of the given start and its violation; None without constraints.
    not_kept : list of str
        Start values that the constraints did not let stand.
    equilibrium : OperatingPoint or None
        The equilibrium.
    free : list of FreeMotion
        Motions without stiffness at the equilibrium.
    verdict : str
        What follows, in a sentence.
    undetermined : str or None
        Why the spectrum is not determined, at a singular configuration whose reactions are not unique.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("one mass")
    >>> _ = m.point("P", at=(0, 0), mass=2)
    >>> found = m.check()
    >>> found.coordinates, found.rows, found.degrees_of_freedom, len(found.free)
    (2, 0, 2, 2)
    """

    parts: dict[str, int]
    coordinates: int
    rows: int
    rank: int
    redundant: dict[str, list[str]]
    rank_at_equilibrium: int
    start: Floats
    moved: float
    violation: tuple[str, float] | None
    not_kept: list[str]
    equilibrium: OperatingPoint | None
    free: list[FreeMotion]
    verdict: str
    undetermined: str | None = None

    @property
    def degrees_of_freedom(self) -> int:
        """Instantaneous degrees of freedom at the start, coordinates less rank.

        Examples
        --------
        >>> import mb
        >>> m = mb.generate("rod-pendulum")
        >>> m.check().degrees_of_freedom
        1
        """
        return self.coordinates - self.rank

    @property
    def usable(self) -> bool:
        """Whether the model has an equilibrium whose modes are determined.

        Examples
        --------
        >>> import mb
        >>> m = mb.generate("rod-pendulum")
        >>> m.check().usable
        True
        """
        return self.equilibrium is not None and self.undetermined is None

    def __repr__(self) -> str:
        rows = f"{self.rows} constraint rows of rank {self.rank}"
        return f"<mb.Check: {self.coordinates} coordinates, {rows}, {self.degrees_of_freedom} degrees of freedom; {self.verdict}>"

    def _repr_html_(self) -> str:
        lines = [
            ("parts", ", ".join(f"{n} {kind}" for kind, n in self.parts.items())),
            ("degrees of freedom", f"{self.coordinates} coordinates - rank {self.rank} = {self.degrees_of_freedom}"),
            ("redundant rows", ", ".join(self.redundant) or "none"),
            ("free motions", "; ".join(", ".join(f.amplitudes) for f in self.free) or "none"),
            ("verdict", self.verdict),
        ]
        return _html.table((), lines)


def checked(found: dict[str, Any], sizes: tuple[int, int, int], equilibrium: OperatingPoint | None) -> Check:
    """The result of the native module as a :class:`Check`."""
    _, coordinates, rows = sizes
    rank, redundant = found["rank"], dict(found["redundant"])
    if equilibrium is None:
        verdict = f"nothing to linearize at. {found['failure']}"
    elif found["undetermined"] is not None:
        verdict = f"nothing to linearize at. {found['undetermined']}"
    elif coordinates == rank:
        verdict = "a structure without freedom to move: it has no modes"
    else:
        verdict = "ready for modes"
        if redundant:
            verdict += f", with {len(redundant)} redundant constraint row{'' if len(redundant) == 1 else 's'}"
        if found["other_rank"] is not None:
            verdict += (
                f"; the rank of the constraints is {rank} at the start and {found['other_rank']} at the equilibrium: one of "
                "them is a singular configuration"
            )
        if found["free_failure"] is not None:
            verdict += f"; the free motions could not be found: {found['free_failure']}"
    if found["idle_gravity"] is not None:
        verdict += f"; {found['idle_gravity']}"
    if found["speeds_aside"] is not None:
        verdict += f"; {found['speeds_aside']}"
    return Check(
        parts=dict(found["parts"]),
        coordinates=coordinates,
        rows=rows,
        rank=rank,
        redundant=redundant,
        rank_at_equilibrium=rank if found["other_rank"] is None else found["other_rank"],
        start=found["q"],
        moved=found["moved"],
        violation=found["violation"],
        not_kept=found["not_kept"],
        equilibrium=equilibrium,
        free=[FreeMotion(dict(moving), drifting) for moving, drifting in found["free"] or []],
        verdict=verdict,
        undetermined=found["undetermined"],
    )


__all__ = ["Check", "FreeMotion"]
