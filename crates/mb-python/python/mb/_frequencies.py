"""Frequencies and damping ratios of what has eigenvalues."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

TAU = 2 * np.pi


def frequency_hz(s: NDArray[np.complex128]) -> NDArray[np.float64]:
    """|Im s| / (2 pi), Hz."""
    return np.abs(s.imag) / TAU


def damping_ratio(s: NDArray[np.complex128]) -> NDArray[np.float64]:
    """-Re s / |s|; NaN at s = 0."""
    size = np.abs(s)
    return np.where(size > 0, -s.real / np.where(size > 0, size, 1.0), np.nan)


class _HasEigenvalues(Protocol):
    @property
    def s(self) -> NDArray[np.complex128]: ...


class Frequencies:
    """Frequencies and damping ratios in the shape of the eigenvalues ``s``."""

    @property
    def hz(self: _HasEigenvalues) -> NDArray[np.float64]:
        """\\|Im s| / (2 pi), Hz, in the shape of ``s``."""
        return frequency_hz(self.s)

    @property
    def natural_hz(self: _HasEigenvalues) -> NDArray[np.float64]:
        """\\|s| / (2 pi), Hz, in the shape of ``s``."""
        return np.abs(self.s) / TAU

    @property
    def zeta(self: _HasEigenvalues) -> NDArray[np.float64]:
        """Damping ratios -Re s / \\|s|, in the shape of ``s``; NaN at s = 0."""
        return damping_ratio(self.s)
