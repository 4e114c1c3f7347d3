"""Frequencies and damping ratios of what has eigenvalues."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ._types import Complexes, Floats

TAU = 2 * np.pi


def frequency_hz(s: Complexes) -> Floats:
    """|Im s| / (2 pi), Hz."""
    return np.abs(s.imag) / TAU


def damping_ratio(s: Complexes) -> Floats:
    """-Re s / |s|; NaN at s = 0."""
    size = np.abs(s)
    return np.where(size > 0, -s.real / np.where(size > 0, size, 1.0), np.nan)


class _HasEigenvalues(Protocol):
    @property
    def s(self) -> Complexes: ...


class Frequencies:
    """Frequencies and damping ratios in the shape of the eigenvalues ``s``."""

    @property
    def hz(self: _HasEigenvalues) -> Floats:
        """\\|Im s| / (2 pi), Hz, in the shape of ``s``.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> abs(float(m.series("k", order=3, modes=1)().hz[0].round(6)))
        0.63662
        """
        return frequency_hz(self.s)

    @property
    def natural_hz(self: _HasEigenvalues) -> Floats:
        """\\|s| / (2 pi), Hz, in the shape of ``s``.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> abs(float(m.series("k", order=3, modes=1)().natural_hz[0].round(6)))
        0.63662
        """
        return np.abs(self.s) / TAU

    @property
    def zeta(self: _HasEigenvalues) -> Floats:
        """Damping ratios -Re s / \\|s|, in the shape of ``s``; NaN at s = 0.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring", parameters={"k": 16.0})
        >>> _ = m.point("P", at=(0, 0), mass=1); _ = m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> abs(float(m.series("k", order=3, modes=1)().zeta[0].round(6)))
        0.0
        """
        return damping_ratio(self.s)
