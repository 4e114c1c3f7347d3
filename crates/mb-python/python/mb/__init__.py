"""Vibration, stability and motion of constrained multibody systems.

>>> import mb
>>> mb.eigs([[4.0]]).hz.round(6).tolist()      # a mass of 1 kg on a spring of 4 N/m: 2 rad/s
[0.31831]
"""

from ._campbell import Campbell, Critical, Unstable
from ._check import Check, FreeMotion
from ._eigs import eigs, eigs_descriptor
from ._errors import (
    ArgumentError,
    ArgumentTypeError,
    FindingWarning,
    InternalError,
    MbError,
    ModelError,
    NumericsError,
)
from ._gallery import gallery, generate, schema
from ._mb import __version__
from ._engine import EngineJob, engine_job
from ._model import LoadPath, Model, Part, Redundancy, load, loads
from ._modes import Mode, Modes
from ._motion import Comparison, Run, simulate
from ._exponents import Exponents, GrowthRange
from ._periodic import Bifurcation, Branch, Floquet, Orbit
from ._progress import progress, time_limit
from ._response import MeanSquare, Peak, Response, Zeros, response
from ._series import Series, SeriesValue
from ._site import (
    EnergyShares,
    Linearization,
    ModelModes,
    OperatingPoint,
    Participation,
    Reaction,
    Reactions,
    StateSpace,
    SteadyBranch,
    SteadyCrossing,
)
from ._sweep import Crossing, Sweep
from ._track import Encounter, Track, TrackedGroup

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "Bifurcation",
    "Branch",
    "Campbell",
    "Check",
    "Comparison",
    "Critical",
    "Crossing",
    "Encounter",
    "EnergyShares",
    "EngineJob",
    "FindingWarning",
    "Exponents",
    "Floquet",
    "GrowthRange",
    "FreeMotion",
    "InternalError",
    "Linearization",
    "LoadPath",
    "MbError",
    "MeanSquare",
    "Peak",
    "Mode",
    "Model",
    "ModelError",
    "ModelModes",
    "Modes",
    "NumericsError",
    "OperatingPoint",
    "Orbit",
    "Part",
    "Participation",
    "Reaction",
    "Reactions",
    "Redundancy",
    "Response",
    "Run",
    "Series",
    "SeriesValue",
    "StateSpace",
    "SteadyBranch",
    "SteadyCrossing",
    "Sweep",
    "Track",
    "TrackedGroup",
    "Unstable",
    "Zeros",
    "__version__",
    "eigs",
    "eigs_descriptor",
    "engine_job",
    "gallery",
    "generate",
    "load",
    "loads",
    "progress",
    "response",
    "schema",
    "simulate",
    "time_limit",
]
