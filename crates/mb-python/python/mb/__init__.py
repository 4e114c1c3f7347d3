"""Vibration, stability and motion of constrained multibody systems.

>>> import mb
>>> mb.eigs([[4.0]]).hz.round(6).tolist()      # a mass of 1 kg on a spring of 4 N/m: 2 rad/s
[0.31831]
"""

from ._eigs import eigs, eigs_descriptor
from ._errors import (
    ArgumentError,
    ArgumentTypeError,
    FindingWarning,
    InternalError,
    MbError,
    NumericsError,
)
from ._mb import __version__
from ._modes import Mode, Modes

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "FindingWarning",
    "InternalError",
    "MbError",
    "Mode",
    "Modes",
    "NumericsError",
    "__version__",
    "eigs",
    "eigs_descriptor",
]
