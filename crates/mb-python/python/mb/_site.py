"""Equilibria, points of motions, and what linearization about them gives."""

from __future__ import annotations

import functools
import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _files, _html, _mb
from ._engine import EngineJob, job_of
from ._errors import ArgumentError, ArgumentTypeError, NumericsError
from ._kept import OfModel, fixed, frozen
from ._matrices import matrix
from ._modes import Modes
from ._names import resolve
from ._optional import need
from ._points import write
from ._requests import EngineSearch, Searching, SymmetricSearch, count, number, path_of, spelled_out, text, word
from ._response import Response, of_point
from ._types import Complexes, Floats, Vectors

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._model import Model
    from ._motion import Run

#: Coordinates and constraint rows up to which everything is computed when nothing is asked for.
_DENSE_UP_TO = 1000
_of_modes = Searching("modes", all_up_to=_DENSE_UP_TO)


@dataclass(frozen=True, repr=False)
class Reaction(_html.Record):
    """The reaction of a joint or rod on the body of its place a, in the axes of the ground.

    Attributes
    ----------
    at : ndarray
        The place, m.
    force : ndarray
        Force, N.
    moment : ndarray
        Moment about the place, N m.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("hanging rod", gravity=(0, -10))
    >>> _ = m.body("arm", mass=2, inertia=0.1, at=(0, -1), markers={"top": (0, 1)}); _ = m.revolute("pin", "arm.top", (0, 0))
    >>> m.equilibrium().reactions["pin"].force.round(9).tolist()
    [0.0, 20.0, 0.0]
    """

    at: Floats
    force: Floats
    moment: Floats


class Reactions(Mapping[str, Reaction]):
    """Reactions by joint or rod: by the name alone, or with the kind, ``joint 'elbow'``.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("hanging rod", gravity=(0, -10))
    >>> _ = m.body("arm", mass=2, inertia=0.1, at=(0, -1), markers={"top": (0, 1)}); _ = m.revolute("pin", "arm.top", (0, 0))
    >>> reactions = m.equilibrium().reactions
    >>> list(reactions), reactions["pin"] is reactions["joint 'pin'"]
    (["joint 'pin'"], True)
    """

    def __init__(self, found: list[tuple[str, Any, Any, Any]]):
        self._all = {
            owner: Reaction(np.array(at), np.array(force), np.array(moment)) for owner, at, force, moment in found
        }

    def __getitem__(self, name: str) -> Reaction:
        name = text(name, "reactions")
        if name in self._all:
            return self._all[name]
        found = [r for owner, r in self._all.items() if owner.endswith(f"'{name}'")]
        if len(found) == 1:
            return found[0]
        names = [owner.split("'")[1] if "'" in owner else owner for owner in self._all]
        resolve(name, [n for n in names if n != name], "reactions", "joint or rod")
        raise AssertionError("a name that is not there is refused")

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    def __repr__(self) -> str:
        return f"<mb.Reactions: {', '.join(self._all) or 'none'}>"

    def _repr_html_(self) -> str:
        def cell(numbers: Floats) -> str:
            return ", ".join(f"{x:.6g}" for x in np.atleast_1d(numbers))

        rows = ((owner, cell(r.at), cell(r.force), cell(r.moment)) for owner, r in self._all.items())
        return _html.table(("", "at [m]", "force [N]", "moment [N m]"), rows, total=len(self))


@dataclass(frozen=True, repr=False)
class SteadyCrossing(_html.Record):
    """Where a real eigenvalue passes through zero on the way from rest.

    Attributes
    ----------
    share : float
        Share of the speeds.
    error : float
        Error bound of it.
    negative_below, negative_above : int
        Directions of negative stiffness below and above.
    left : bool
        Whether the branch that splits off there is followed.

    Examples
    --------
    A pendulum whose pin is turned about the vertical is thrown out from speeds of sqrt(g / L) on:

    >>> import mb
    >>> m = mb.Model("governor", gravity=(0, 0, -9.81))
    >>> _ = m.spatial_body("shaft", mass=1, inertia=[1, 1, 1], at=(0, 0, 0))
    >>> _ = m.spatial_body("arm", mass=2, inertia=[0, 0, 0], at=(0, 0, -0.5), markers={"pin": [0, 0, 0.5]})
    >>> _ = m.revolute("axle", "shaft", "ground", axis="z"); _ = m.revolute("pin", "arm.pin", "shaft", axis="y")
    >>> branch = m.motion_point(spin={"axle": 10}).branch
    >>> round(10 * branch.crossings[0].share, 6)
    4.429447
    """

    share: float
    error: float
    negative_below: int
    negative_above: int
    left: bool


@dataclass(frozen=True, repr=False)
class SteadyBranch(_html.Record):
    """The branch of steady motions that a motion is on.

    Attributes
    ----------
    name : str
        In words: ``"from rest"`` and others.
    crossings : list of SteadyCrossing
        What was passed on the way from rest.
    notes : list of str
        What is to be known, in sentences.

    Examples
    --------
    A pendulum whose pin is turned about the vertical stays as built on the branch that it leaves at sqrt(g / L):

    >>> import mb
    >>> m = mb.Model("governor", gravity=(0, 0, -9.81))
    >>> _ = m.spatial_body("shaft", mass=1, inertia=[1, 1, 1], at=(0, 0, 0))
    >>> _ = m.spatial_body("arm", mass=2, inertia=[0, 0, 0], at=(0, 0, -0.5), markers={"pin": [0, 0, 0.5]})
    >>> _ = m.revolute("axle", "shaft", "ground", axis="z"); _ = m.revolute("pin", "arm.pin", "shaft", axis="y")
    >>> branch = m.motion_point(spin={"axle": 10}).branch
    >>> len(branch.crossings), branch.name
    (1, 'as built, not the one that growing speeds lead to from rest')
    """

    name: str
    crossings: list[SteadyCrossing]
    notes: list[str]


class OperatingPoint(OfModel):
    """A verified equilibrium, or a verified point of a motion.

    Attributes
    ----------
    model : Model
        The model.
    q, v, a : ndarray
        Configuration, velocities, accelerations; SI units and radians. ``model.configuration`` and
        ``model.coordinates`` have their names.
    multipliers : ndarray
        Multipliers of the constraint rows; the shortest ones where rows are redundant.
    stable : bool or None
        Whether an equilibrium is stable; None where it is neutral or undecided, and for motions.
    stability : str
        The same in words.
    residual : float
        Largest residual, relative to the forces at work for an equilibrium.
    reactions : mapping of str to Reaction
        Forces and moments of joints and rods, ``eq.reactions["hinge"].force``.
    outputs : dict
        Values of the outputs by name.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("mass on a hanging spring", gravity=(0, -10))
    >>> _ = m.point("P", at=(0, -1), mass=2); _ = m.spring("s", "P", (0, 0), stiffness=50, natural_length=1)
    >>> eq = m.equilibrium()
    >>> eq.stable, round(eq["P.y"], 9)                             # 1 m and 2 * 10 / 50 m
    (True, -1.4)
    """

    _numbers = ("at_rest", "lasts", "_stability", "branch", "not_kept", "reactions", "outputs", "_when")

    def __init__(self, model: Model, native: _mb.Site, place: str, search: tuple[int, int] | None = None):
        self._of(model)
        self._native = native
        # How it was found, where it has to be found again: the place, and the starts of a search with the number in its list.
        self._place, self._search = place, search
        self.q, self.v, self.a, self.multipliers = frozen(native.state())
        self.residual, self.iterations, self.found_by = native.how()

    def _again(self) -> Any:
        native = self._native_model()
        if self._search is None:
            return native.site(self._place)
        starts, index = self._search
        return native.equilibria(self._place, starts)[0][index]

    @fixed
    def _stability(self) -> tuple[str, bool | None] | None:
        return self._native.stability()

    @fixed
    def _when(self) -> tuple[float, list[float]]:
        """Time, s, and inputs."""
        return self._native.when()

    @fixed
    def at_rest(self) -> bool:
        """Whether it is an equilibrium.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> m.equilibrium().at_rest
        True
        """
        return self._native.at_rest()

    @fixed
    def lasts(self) -> bool:
        """Whether it lasts: rest or a steady motion, not an instant of another one, whose modes are no rates of growth.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> m.equilibrium().lasts
        True
        """
        return self._native.lasts()

    @property
    def stable(self) -> bool | None:
        """Whether an equilibrium is stable; None where it is neutral or undecided, and for motions.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a hanging spring", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, -1), mass=2); _ = m.spring("s", "P", (0, 0), stiffness=50, natural_length=1)
        >>> m.equilibrium().stable
        True
        """
        found = self._stability
        return None if found is None else found[1]

    @property
    def stability(self) -> str:
        """Whether it is stable, in words; of a motion what it is.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a hanging spring", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, -1), mass=2); _ = m.spring("s", "P", (0, 0), stiffness=50, natural_length=1)
        >>> m.equilibrium().stability
        'stable'
        """
        found = self._stability
        if found is not None:
            return found[0]
        return "steady motion" if self.lasts else "instant of a motion"

    @fixed
    def branch(self) -> SteadyBranch | None:
        """The branch of a steady motion whose speeds were given with `spin` or in the model; None of other points.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("disc", parameters={"W": 1.0})
        >>> _ = m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
        >>> for end in "ab":
        ...     _ = m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
        >>> _ = m.steady_rotation("spin", bodies=["disc"], speed="W")
        >>> m.motion_point().branch.name
        'from rest'
        """
        found = self._native.branch()
        if found is None:
            return None
        return SteadyBranch(found[0], [SteadyCrossing(*c) for c in found[1]], found[2])

    @fixed
    def solved(self) -> dict[str, float]:
        """Speeds, rad/s, and inputs of a steady motion that were ``unknown``, by name as ``spin:JOINT`` or the input's; empty otherwise.

        Examples
        --------
        A motor of 1.8 N m turns a wheel against a drag of 0.3 N m s at 6 rad/s.

        >>> import mb
        >>> m = mb.Model("wheel")
        >>> _ = m.spatial_body("wheel", mass=1, inertia=(1, 1, 1), at=(0, 0, 0))
        >>> _ = m.revolute("axle", "wheel", "ground", axis=(0, 0, 1))
        >>> _ = m.torsion_spring("drag", joint="axle", stiffness=0, damping=0.3)
        >>> _ = m.torque("motor", on="axle", magnitude=0, input="motor")
        >>> point = m.motion_point(spin={"axle": 5.0}, unknown=["spin:axle"], inputs={"motor": 1.8})
        >>> round(point.solved["spin:axle"], 9)
        6.0
        """
        return dict(self._native.solved())

    @fixed
    def not_kept(self) -> list[str]:
        """Start values that the constraints did not let stand.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> m.equilibrium().not_kept
        []
        """
        return self._native.not_kept()

    @fixed
    def reactions(self) -> Reactions:
        """Forces and moments of joints and rods by name.

        Examples
        --------
        >>> import mb
        >>> eq = mb.generate("rod-pendulum").equilibrium()
        >>> len(eq.reactions)
        1
        """
        return Reactions(self._native.reactions())

    @fixed
    def outputs(self) -> dict[str, float]:
        """Values of the outputs by name, in their SI units.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a hanging spring", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, -1), mass=2); _ = m.spring("s", "P", (0, 0), stiffness=50, natural_length=1)
        >>> _ = m.output("height", "y", "P")
        >>> round(m.equilibrium().outputs["height"], 9)
        -1.4
        """
        return dict(zip(self._then.outputs, self._native.outputs().tolist(), strict=True))

    def __getitem__(self, name: str) -> float:
        """The value of a configuration number by name, ``eq["crank.angle"]``."""
        return float(self.q[resolve(name, self._then.configuration, "equilibrium", "coordinate")])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the point as JSON, which ``at=`` of every analysis and ``--at`` of the program read.

        Of an equilibrium they take the configuration; of a point of a motion also speeds, accelerations, multipliers, inputs and time.

        Examples
        --------
        >>> import mb, tempfile
        >>> m = mb.Model("mass on a hanging spring", gravity=(0, -10))
        >>> _ = m.point("P", at=(0, -1), mass=2); _ = m.spring("s", "P", (0, 0), stiffness=50, natural_length=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     m.equilibrium().save(f"{folder}/rest.json")
        ...     round(m.equilibrium(at=f"{folder}/rest.json", solve=False)["P.y"], 9)
        -1.4
        """
        model = self.model
        time, inputs = self._when
        point: dict[str, Any] = {
            "configuration": dict(zip(self._then.configuration, self.q.tolist(), strict=True)),
            "multipliers": dict(zip(self._then.constraints, self.multipliers.tolist(), strict=True)),
            "inputs": dict(zip(self._then.inputs, inputs, strict=True)),
            "time": time,
        }
        if not self.at_rest:
            point["velocities"] = dict(zip(self._then.coordinates, self.v.tolist(), strict=True))
            point["accelerations"] = dict(zip(self._then.coordinates, self.a.tolist(), strict=True))
        head = {"program": f"mb-modes {_mb.__version__}", "model": {"name": model.name}}
        write(path, {**head, "operating_point": point, "stability": self.stability, "residual": self.residual})

    def linearize(self) -> Linearization:
        """The linearized equations of motion about the point.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> m.equilibrium().linearize().M.shape
        (2, 2)
        """
        return Linearization(self)

    def plot(self, *, ax: Any = None, view: str | tuple[float, float] | None = None) -> Any:
        """The model at the point by matplotlib, seen from ``view`` as in :meth:`ModelModes.plot`. Returns the axes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> ax = m.equilibrium().plot()
        """
        from ._plot import plot_point

        return plot_point(self, ax, view)

    def __repr__(self) -> str:
        return f"<mb.OperatingPoint of '{self.model.name}': {self.stability}, residual {self.residual:.1e}>"

    def _repr_html_(self) -> str:
        rows = ((name, f"{value:.6g}") for name, value in zip(self._then.configuration, self.q, strict=True))
        return _html.table(("coordinate", "value"), rows, self.stability, total=len(self.q))


class Linearization:
    """``M x'' + C x' + K x + G^T l = F u, G x = 0`` about a point.

    Attributes
    ----------
    point : OperatingPoint
        The point.
    M, C, K : ndarray, n x n
        Mass, damping with gyroscopic terms, stiffness with that of the reactions.
    G : ndarray, m x n
        Jacobian of the constraints.
    F : ndarray, n x inputs
        Input matrix.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("mass on a spring")
    >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
    >>> lin = m.equilibrium().linearize()
    >>> lin.M.tolist(), lin.K.tolist()
    ([[2.0, 0.0], [0.0, 2.0]], [[50.0, 0.0], [0.0, 0.0]])
    """

    def __init__(self, point: OperatingPoint):
        self.point = point
        self.model = point.model

    @property
    def _native(self) -> Any:
        return self.point._native

    @fixed
    def _dense(self) -> dict[str, Any]:
        return self._native.blocks(False)

    @property
    def M(self) -> Floats:
        """Mass matrix, n x n.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> lin = m.equilibrium().linearize()
        >>> lin.M.tolist()
        [[2.0, 0.0], [0.0, 2.0]]
        """
        return self._dense["M"]

    @property
    def C(self) -> Floats:
        """Damping with gyroscopic terms, n x n.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> lin = m.equilibrium().linearize()
        >>> lin.C.tolist()
        [[0.0, 0.0], [0.0, 0.0]]
        """
        return self._dense["C"]

    @property
    def K(self) -> Floats:
        """Stiffness with that of the reactions, n x n.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> lin = m.equilibrium().linearize()
        >>> lin.K.tolist()
        [[50.0, 0.0], [0.0, 0.0]]
        """
        return self._dense["K"]

    @property
    def G(self) -> Floats:
        """Jacobian of the constraints, rows x n.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> lin = m.equilibrium().linearize()
        >>> lin.G.shape
        (0, 2)
        """
        return self._dense["G"]

    @property
    def F(self) -> Floats:
        """Input matrix, n x inputs.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> lin = m.equilibrium().linearize()
        >>> lin.F.shape
        (2, 0)
        """
        return self._dense["F"]

    @property
    def gyroscopic(self) -> Floats:
        """The skew-symmetric part of C, n x n.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> lin = m.equilibrium().linearize()
        >>> lin.gyroscopic.tolist()
        [[0.0, 0.0], [0.0, 0.0]]
        """
        return (self.C - self.C.T) / 2

    def sparse(self) -> dict[str, Any]:
        """The blocks M, C, K, G, F as ``scipy.sparse.csc_array``.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> m.equilibrium().linearize().sparse()["M"].shape
        (2, 2)
        """
        scipy = need("scipy.sparse", "sparse()")
        return {
            name: scipy.csc_array((values, indices, starts), shape=(rows, cols))
            for name, (rows, cols, starts, indices, values) in self._native.blocks(True).items()
        }

    def export(self, folder: str | os.PathLike[str], *, format: str = "mtx") -> list[str]:
        """Writes M, C, K, the constraints Phi_q, the inputs B and the outputs C_out and D as sparse matrices, named as by ``mb export``.

        Outputs are ``y = C_out [x; x'; x''; l] + D u`` with the multipliers l.

        Parameters
        ----------
        folder : path
            Made when it is not there; files of the same names are replaced.
        format : str
            ``mtx`` (MatrixMarket), ``npz`` (``scipy.sparse.load_npz``) or ``petsc`` (PETSc binary, ``MatLoad``), a file for
            each matrix; ``mat``, one file for all, matrices.mat. Needs scipy.

        Returns
        -------
        list of str
            The files. A matrix without rows or columns, that of a model without constraints or inputs, is left out.

        Examples
        --------
        >>> import mb, os, tempfile
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> lin = m.equilibrium().linearize()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [os.path.basename(file) for file in lin.export(folder)]
        ['M.mtx', 'C.mtx', 'K.mtx']
        """
        word(format, "format", ("mtx", "npz", "mat", "petsc"))
        folder = path_of(folder, "folder")
        names = {"G": "Phi_q", "F": "B"}
        blocks = {names.get(name, name): block for name, block in self.sparse().items()}
        if self.model.outputs:
            csc = need("scipy.sparse", "export()").csc_array
            rows, cols, starts, indices, values = self._native.outputs_by_state()
            blocks["C_out"] = csc((values, indices, starts), shape=(rows, cols))
            blocks["D"] = csc((rows, len(self.model.inputs)))
        blocks = {name: block for name, block in blocks.items() if 0 not in block.shape}
        os.makedirs(folder, exist_ok=True)
        if format == "mat":
            file = os.path.join(folder, "matrices.mat")
            with _files.draft(file) as beside:
                need("scipy.io", "export()").savemat(beside, {name: block.astype(float) for name, block in blocks.items()})
            return [file]
        files = [os.path.join(folder, f"{name}.{format}") for name in blocks]
        for file, block in zip(files, blocks.values(), strict=True):
            with _files.draft(file) as beside:
                if format == "npz":
                    need("scipy.sparse", "export()").save_npz(beside, block)
                elif format == "petsc":
                    Path(beside).write_bytes(_mb.petsc(matrix(block, file)))
                else:
                    # All digits, and every entry: symmetric storage would keep one triangle.
                    need("scipy.io", "export()").mmwrite(beside, block, precision=17, symmetry="general")
        return files

    @spelled_out(SymmetricSearch)
    def engine_job(
        self, folder: str | os.PathLike[str] | None = None, *, ranks: int = 1, **request: Unpack[SymmetricSearch]
    ) -> EngineJob:
        """A folder for a run of the distributed engine by a batch queue, or, without one, what the run needs.

        Parameters
        ----------
        folder : path
            Where matrices, options and scripts are written, column by column where the model allows it; without it there is an
            estimate alone.
        ranks : int
            Processes of the engine.
        **request
            As of :meth:`modes`, which reads the folder with the same ones and ``engine_read=folder``.

        Examples
        --------
        >>> import mb
        >>> lin = mb.generate("solid-cantilever", N=12).equilibrium().linearize()
        >>> lin.engine_job(ranks=64, lowest=6).ranks
        64
        """
        ask = functools.partial(_mb.model_engine_job, self._native)
        return job_of(ask, len(self.point.v), folder, ranks, request)

    @spelled_out(EngineSearch)
    def modes(
        self,
        *,
        formulation: str = "minimal",
        basis: str = "qr",
        transferred: str = "none",
        alpha: float | None = None,
        xi: float = 1.0,
        omega: float = 10.0,
        **request: Unpack[EngineSearch],
    ) -> ModelModes:
        """Modes of the linearized system.

        Without a request everything is computed, of large models the 20 lowest modes.

        Parameters
        ----------
        lowest, near, band, largest, all, count, max_damping_ratio, symmetric, left, prove, shift, memory
            As in :func:`mb.eigs`.
        solver, engine, ranks, launcher, engine_read
            As in :func:`mb.eigs`; the folder is that of :meth:`engine_job`.
        formulation : str
            ``minimal`` (projection), ``redundant`` (multipliers) or ``unconstrained`` (penalty).
        basis : str
            Of the minimal formulation: ``qr``, ``svd``, ``gram-schmidt``, ``zero-eigenvalue``, ``coordinate-selection``.
        transferred : str
            Of the redundant formulation: ``none``, ``jacobian``, ``transpose``, ``both``.
        alpha, xi, omega : float
            Of the penalty: factor (chosen where it is None), damping ratio and frequency of the violation, rad/s.

        Returns
        -------
        ModelModes

        Examples
        --------
        The three formulations of a rod that hangs from a pin:

        >>> import mb
        >>> m = mb.Model("rod", gravity=(0, -9.81))
        >>> _ = m.rod("OP", ends=(m.point("O", at=(0, 0), fixed=True), m.point("P", at=(0, -1.5))), mass=2)
        >>> lin = m.equilibrium().linearize()
        >>> [round(float(lin.modes(formulation=f).s[0].imag), 3) for f in ("minimal", "redundant", "unconstrained")]
        [3.132, 3.132, 3.132]
        """
        size = len(self.point.v) + len(self.point.multipliers)
        form = _form(formulation, basis, transferred, alpha, xi, omega)
        if formulation != "minimal" or basis != "qr":
            size = 0
        wanted, settings, note = _of_modes(size, request)
        if formulation != "minimal" and json.loads(settings)["engine"] is not None:
            raise ArgumentError(
                f"engine answers for the constrained matrices themselves, not for the {formulation} formulation.", "formulation"
            )
        native = self._native.modes(form, wanted, settings)
        return ModelModes(native, linearization=self, asked=(form, wanted, settings), note=note)

    def state_space(self, form: str = "reduced") -> StateSpace:
        """The linear system with the inputs and outputs of the model.

        Parameters
        ----------
        form : str
            ``descriptor`` (E x' = A x + B u with multipliers among the states), ``reduced`` (x' = A x + B u), or
            ``minimal`` (every state is reached by an input and seen by an output).

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("wheel")
        >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0))
        >>> _ = m.torsion_spring("t", a=m.ground, b=wheel, stiffness=8)
        >>> _ = m.torque("motor", wheel, input="u"); _ = m.output("angle", "angle", wheel)
        >>> ss = m.equilibrium().linearize().state_space(form="minimal")
        >>> ss.A.shape, ss.inputs, ss.outputs
        ((2, 2), ['u'], ['angle'])
        """
        word(form, "form", ("descriptor", "reduced", "minimal"))
        blocks = self._native.state_space(form)
        return StateSpace(**{"E": None, **blocks})

    def response(
        self,
        band: Sequence[float] | NDArray[Any] | None = None,
        *,
        inputs: str | Iterable[str] | None = None,
        outputs: str | Iterable[str] | None = None,
        base: str | None = None,
        unbalance: float | None = None,
        quantity: str = "outputs",
        loss: float = 0.0,
        at: float | Sequence[float] | NDArray[Any] | None = None,
        points: int = 400,
        log: bool = False,
        change: float = 0.05,
        most: int | None = None,
        psd: Mapping[str, Any] | None = None,
        zeros: bool = False,
    ) -> Response:
        """Frequency response of the outputs, with a bound of its error at every frequency.

        Parameters
        ----------
        band : (float, float)
            Lowest and highest frequency, Hz.
        inputs, outputs : str or sequence of str
            Inputs and outputs of the model by name; all of them without.
        base : str
            ``x``, ``y`` or ``z``: the ground moves along this axis instead, H per m/s^2 of its acceleration, outputs relative to it.
        unbalance : float
            Mass times eccentricity, kg m, of an unbalance that turns with the frequency: a force along x by the first of ``inputs``,
            a quarter of a turn later along y by the second.
        quantity : str
            ``outputs`` or ``receptance``: as they are; ``mobility``: their rates, named ``x'``; ``accelerance``: their accelerations,
            named ``x''``.
        loss : float
            Loss factor of structural damping, K (1 + i loss).
        at : float or sequence of float
            These frequencies alone, Hz.
        points : int
            Evenly spaced frequencies; more are added at resonances and where H changes by more than the share ``change``, up to
            ``most``: ten times ``points`` where it is None, at least 4000 and at most 100,000.
        log : bool
            Evenly spaced in the logarithm.
        psd : dict
            One-sided spectral densities per Hz of inputs by name (of ``base``): a number, or pairs (Hz, density). The mean squares of
            the outputs follow.
        zeros : bool
            Transmission zeros and gain of each response (small models).

        Returns
        -------
        Response

        Raises
        ------
        ArgumentError, ModelError
            A request that does not fit the model.

        Examples
        --------
        A mass of 2 kg on a spring of 8 N/m with a damper of 1 N s/m: H(w) = 1 / (8 - 2 w^2 + i w).

        >>> import math, mb
        >>> m = mb.Model("mass on a spring")
        >>> P = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", P, (1, 0), stiffness=8, natural_length=1, damping=1)
        >>> _ = m.spring("across", P, (0, 9), stiffness=1e4, natural_length=9)
        >>> _ = m.force("push", P, direction=(1, 0), input="u"); _ = m.output("sway", "x", P)
        >>> r = m.equilibrium().linearize().response(at=2 / (2 * math.pi))
        >>> complex(r["sway", "u"][0].round(12))
        -0.5j
        """
        return of_point(
            self.point,
            band,
            inputs=inputs,
            outputs=outputs,
            base=base,
            unbalance=unbalance,
            quantity=quantity,
            loss=loss,
            at=at,
            points=points,
            log=log,
            change=change,
            most=most,
            psd=psd,
            zeros=zeros,
        )

    def _repr_html_(self) -> str:
        n = len(self.point.v)
        rows = (
            ("M, C, K", "mass, damping, stiffness", f"{n} x {n}"),
            ("G", "constraints", f"{len(self.point.multipliers)} x {n}"),
            ("F", "inputs", f"{n} x {len(self.model.inputs)}"),
        )
        return _html.table((), rows, self.point.stability)

    def __repr__(self) -> str:
        return f"<mb.Linearization of '{self.model.name}': {len(self.point.v)} coordinates, {len(self.point.multipliers)} constraint rows>"


def _form(formulation: str, basis: str, transferred: str, alpha: Any, xi: Any, omega: Any) -> str:
    choices = {
        "formulation": (formulation, ("minimal", "redundant", "unconstrained")),
        "basis": (basis, ("qr", "svd", "gram-schmidt", "zero-eigenvalue", "coordinate-selection")),
        "transferred": (transferred, ("none", "jacobian", "transpose", "both")),
    }
    for name, (value, known) in choices.items():
        word(value, name, known)
    factor = None if alpha is None else number(alpha, "alpha")
    ratio, frequency = number(xi, "xi"), number(omega, "omega")
    if factor is not None and factor <= 0:
        raise ArgumentError(f"alpha is {factor}, but must be positive.", "alpha")
    if ratio < 0:
        raise ArgumentError(f"xi is {ratio}, but must not be negative.", "xi")
    if frequency <= 0:
        raise ArgumentError(f"omega is {frequency}, but must be positive.", "omega")
    return json.dumps(
        {
            "formulation": formulation,
            "basis": basis,
            "transferred": (transferred in ("jacobian", "both"), transferred in ("transpose", "both")),
            "alpha": factor,
            "xi": ratio,
            "omega": frequency,
        }
    )


class ModelModes(Modes):
    """Modes of a model, with what they are in its bodies.

    Attributes
    ----------
    linearization : Linearization
        Where they come from.
    penalty_factor, penalty_violation : float or None
        Of the unconstrained formulation: the largest factor of a row, and the largest violation at its own equilibrium.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("wheel on a torsion spring")
    >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0))
    >>> _ = m.torsion_spring("t", a=m.ground, b=wheel, stiffness=8)
    >>> m.equilibrium().linearize().modes().s.round(9).tolist()
    [4j]
    """

    def __init__(
        self,
        native: Any,
        *,
        linearization: Linearization,
        asked: tuple[str, str, str],
        note: str | None = None,
        everything: bool = False,
        report: bool = True,
    ):
        super().__init__(native, names=linearization.model.coordinates, note=note, everything=everything, report=report)
        self.linearization = linearization
        self._asked = asked
        self.formulation, self.penalty_factor, self.penalty_violation = native.formulation()

    def everything(self) -> ModelModes:
        """With the eigenvalues that are no motion: infinite, indeterminate, spurious.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("wheel on a torsion spring")
        >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0))
        >>> _ = m.torsion_spring("t", a=m.ground, b=wheel, stiffness=8)
        >>> set(m.equilibrium().linearize().modes(formulation="redundant").everything().kind) > {"physical"}
        True
        """
        return self._everything

    @fixed
    def _everything(self) -> ModelModes:
        if self._all:
            return self
        return ModelModes(self._native, linearization=self.linearization, asked=self._asked, everything=True, report=False)

    def _again(self) -> Any:
        return self.linearization._native.modes(*self._asked)

    def energy(self) -> EnergyShares:
        """Shares of kinetic energy, strain energy and dissipation by body.

        >>> import mb
        >>> m = mb.Model("two masses")
        >>> for name, at in (("A", 0), ("B", 5)):
        ...     _ = m.point(name, at=(at, 0), mass=1)
        ...     _ = m.spring(f"{name}x", name, (at + 1, 0), stiffness=at + 4, natural_length=1)
        ...     _ = m.spring(f"{name}y", name, (at, 9), stiffness=1e4, natural_length=9)
        >>> m.equilibrium().linearize().modes().energy().kinetic[:, :2].round(9).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        self._at_rest("energy")
        bodies, shares = self.linearization._native.energy(self._native)
        return EnergyShares(bodies, shares["kinetic"], shares["strain"], shares["dissipation"])

    def participation(self) -> Participation:
        """Effective masses by direction; of damped or unsymmetric problems the modes need ``left=True``.

        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=3); _ = m.spring("x", "P", (1, 0), stiffness=4, natural_length=1)
        >>> _ = m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
        >>> m.equilibrium().linearize().modes().participation().effective_mass.round(9).tolist()
        [[3.0, 0.0], [0.0, 3.0]]
        """
        self._at_rest("participation")
        names, total, constrained, sums, masses = self.linearization._native.participation(self._native)
        return Participation(names, np.array(total), np.array(constrained), np.array(sums), masses)

    def _at_rest(self, what: str) -> None:
        if not self.linearization.point.at_rest:
            raise ArgumentError(f"{what} belongs to vibrations about an equilibrium, but this is a point of a motion.", what)

    def amplitude(self, coordinate: str) -> Vectors:
        """The entries of the mode shapes at a coordinate by name, one for each mode.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("wheel on a torsion spring")
        >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0))
        >>> _ = m.torsion_spring("t", a=m.ground, b=wheel, stiffness=8)
        >>> modes = m.equilibrium().linearize().modes()
        >>> bool(abs(modes.amplitude("wheel.x")).max() < 1e-9 < abs(modes.amplitude("wheel.angle")).max())
        True
        """
        return self.shapes[resolve(coordinate, self.names or [], "amplitude", "coordinate")]

    def save(
        self, path: str | os.PathLike[str], *, most: int = 20, curves: Any = (), run: Run | None = None, frames: int = 300
    ) -> None:
        """Writes one HTML page that plays the modes; a browser opens it, nothing else is needed.

        It has the tables of ``mb report``: modes, energy by body, effective masses, constraints and reactions by joint, outputs,
        configuration.

        Parameters
        ----------
        path : path
            The file, ``modes.html``.
        most : int
            Modes that are played, the first ones; the table has all.
        curves : result or sequence of results
            What is drawn below: responses, tracks, Campbell diagrams, Floquet exponents, branches of periodic motions.
        run : Run
            A motion that is played, with its outputs, violation and energy over time.
        frames : int
            Most pictures of it.

        Examples
        --------
        >>> import mb, pathlib, tempfile
        >>> m = mb.Model("wheel on a torsion spring")
        >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0))
        >>> _ = m.torsion_spring("t", a=m.ground, b=wheel, stiffness=8)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     page = pathlib.Path(folder, "modes.html")
        ...     m.equilibrium().linearize().modes().save(page)
        ...     page.is_file()
        True
        """
        path = path_of(path, "path")
        if Path(path).suffix.lower() != ".html":
            raise ArgumentError(f"path is {path!r}, but the page is written as .html.", "path")
        point, model = self.linearization.point, self.linearization.model
        facts = [
            ("coordinates", str(len(point.v))),
            ("constraint rows", str(len(point.multipliers))),
            ("state", point.stability),
            ("residual", f"{point.residual:.1e}"),
            *((name, f"{value:.6g}") for name, value in point.outputs.items()),
        ]
        from ._curves import charts
        from ._motion import Run

        drawn = json.dumps(charts(curves))
        if run is not None and not isinstance(run, Run):
            raise ArgumentTypeError(f"run is of type {type(run).__name__}, but a motion, what simulate() gives, is needed.", "run")
        if run is not None and run.model._build().sizes() != model._build().sizes():
            raise ArgumentError("run is a motion of another model.", "run")
        native = None if run is None else run._native
        page = _mb.page(
            point._native,
            self._native,
            model.name,
            facts,
            self._verdict(),
            self.notes,
            count(most, "most"),
            drawn,
            native,
            count(frames, "frames", 2),
        )
        _files.write_text(path, page)

    def plot(
        self, mode: int = 0, *, scale: float | None = None, ax: Any = None, view: str | tuple[float, float] | None = None
    ) -> Any:
        """A picture of a mode by matplotlib: the model at rest in grey, moved along the mode in colour.

        ``scale``: how far the largest motion is drawn, as a share of the size of the model; 0.15 without it. ``view``, of models in
        space: ``front``, ``side``, ``top``, ``iso``, or azimuth and elevation in degrees. Returns the axes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("two masses")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> ax = m.equilibrium().linearize().modes(lowest=1).plot(0)
        """
        from ._plot import plot

        return plot(self, mode, scale, ax, view)

    def animate(self, mode: int = 0, *, scale: float | None = None, frames: int = 40, seconds: float = 2.0) -> Any:
        """An animation of a mode: a ``matplotlib.animation.FuncAnimation`` that notebooks show as a player.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> player = m.equilibrium().linearize().modes().animate(0)    # shown by a notebook
        """
        from ._plot import animate

        return animate(self, mode, scale, frames, seconds)

    def to_pyvista(self, mode: int = 0, *, scale: float | None = None) -> Any:
        """The model moved along a mode as a ``pyvista.MultiBlock`` of lines and faces.

        ``scale``: as of :meth:`plot`. Without pyvista there is an ImportError.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> modes = m.equilibrium().linearize().modes()
        >>> try:
        ...     found = modes.to_pyvista(0).n_blocks > 0
        ... except ImportError as error:
        ...     found = error.name == "pyvista"
        >>> found
        True
        """
        from ._plot import to_pyvista

        return to_pyvista(self, mode, scale)


@dataclass(frozen=True)
class EnergyShares:
    """Shares of energy by body; every column sums to one, NaN where the whole is rounding.

    Attributes
    ----------
    bodies : list of str
        Names of the bodies.
    kinetic, strain, dissipation : ndarray, bodies x modes
        The shares.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("mass on a spring")
    >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
    >>> energy = m.equilibrium().linearize().modes().energy()
    >>> energy.bodies, energy.kinetic[:, 0].round(9).tolist()
    (['P'], [1.0])
    """

    bodies: list[str]
    kinetic: Floats
    strain: Floats
    dissipation: Floats

    def __repr__(self) -> str:
        return f"<mb.EnergyShares: {len(self.bodies)} bodies, {self.kinetic.shape[1]} modes>"

    def _repr_html_(self) -> str:
        head = [f"mode {i}" for i in range(min(self.kinetic.shape[1], 12))]
        rows = ((body, *(f"{x:.3g}" for x in row[:12])) for body, row in zip(self.bodies, self.kinetic, strict=True))
        return _html.table(("kinetic energy", *head), rows, total=len(self.bodies))

    def to_frame(self, which: str = "kinetic") -> Any:
        """One of the three as a pandas DataFrame, bodies x modes.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> m.equilibrium().linearize().modes().energy().to_frame().shape
        (1, 2)
        """
        word(which, "which", ("kinetic", "strain", "dissipation"))
        return need("pandas", "to_frame()").DataFrame(getattr(self, which), index=self.bodies)


@dataclass(frozen=True)
class Participation:
    """Effective masses by direction.

    Attributes
    ----------
    directions : list of str
        ``x``, ``y``, ``z`` as far as the model has them.
    total : ndarray
        Mass in each direction, kg.
    constrained : ndarray
        What of it the constraints let move, kg.
    sums : ndarray
        Sums of the effective masses of all eigenvalues found, kg.
    effective_mass : ndarray, directions x modes
        Effective mass of each mode, kg: of both eigenvalues of a conjugate pair together.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("mass on a spring")
    >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
    >>> found = m.equilibrium().linearize().modes().participation()
    >>> isinstance(found, mb.Participation)
    True
    """

    directions: list[str]
    total: Floats
    constrained: Floats
    sums: Floats
    effective_mass: Floats

    def __repr__(self) -> str:
        return f"<mb.Participation: {', '.join(self.directions)}, {self.effective_mass.shape[1]} modes>"

    def _repr_html_(self) -> str:
        def cells(numbers: Floats) -> list[str]:
            return [f"{x:.6g}" for x in numbers]

        # The sums first: they stand whatever the number of modes.
        modes = ((i, *cells(row)) for i, row in enumerate(self.effective_mass.T))
        rows = itertools.chain([("all", *cells(self.sums))], modes)
        return _html.table(("mode", *(f"m_{d} [kg]" for d in self.directions)), rows, total=1 + self.effective_mass.shape[1])

    def to_frame(self) -> Any:
        """Effective masses as a pandas DataFrame, modes x directions.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("mass on a spring")
        >>> _ = m.point("P", at=(0, 0), mass=2); _ = m.spring("x", "P", (1, 0), stiffness=50, natural_length=1)
        >>> m.equilibrium().linearize().modes().participation().to_frame().shape
        (2, 2)
        """
        return need("pandas", "to_frame()").DataFrame(self.effective_mass.T, columns=self.directions)


@dataclass(frozen=True)
class StateSpace:
    """``x' = A x + B u, y = C x + D u``; with E before x' in the descriptor form.

    Attributes
    ----------
    A, B, C, D : ndarray
        k x k, k x inputs, outputs x k, outputs x inputs.
    E : ndarray or None
        k x k, singular; None where it is the identity.
    states, inputs, outputs : list of str
        Names.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("wheel")
    >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0))
    >>> _ = m.torque("motor", wheel, input="u"); _ = m.output("angle", "angle", wheel)
    >>> ss = m.equilibrium().linearize().state_space()
    >>> ss.inputs, ss.outputs, ss.B.shape
    (['u'], ['angle'], (2, 1))
    """

    A: Floats
    B: Floats
    C: Floats
    D: Floats
    E: Floats | None
    states: list[str]
    inputs: list[str]
    outputs: list[str]

    def __repr__(self) -> str:
        form = "" if self.E is None else ", descriptor form"
        return f"<mb.StateSpace: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs{form}>"

    def _repr_html_(self) -> str:
        lines = (("states", self.states), ("inputs", self.inputs), ("outputs", self.outputs))
        rows = ((f"{len(names)} {what}", ", ".join([*names[:20], "..."] if len(names) > 20 else names)) for what, names in lines)
        return _html.table((), rows)

    def to_control(self) -> Any:
        """The system as a ``control.StateSpace`` of python-control, with its names.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("wheel")
        >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0))
        >>> _ = m.torque("motor", wheel, input="u"); _ = m.output("angle", "angle", wheel)
        >>> m.equilibrium().linearize().state_space().to_control().nstates
        2
        """
        control = need("control", "to_control()")
        if self.E is not None:
            raise ArgumentError("python-control has no descriptor systems: use form='reduced' or 'minimal'.", "form")
        for what, names, table in (("inputs", self.inputs, "a force or torque with input="), ("outputs", self.outputs, "an output")):
            if not names:
                raise ArgumentError(f"python-control needs inputs and outputs, but the model has no {what}: give it {table}.", what)
        return control.ss(
            self.A, self.B, self.C, self.D, states=self.states, inputs=self.inputs, outputs=self.outputs
        )

    def poles(self) -> Complexes:
        """Eigenvalues of A, 1/s.

        Examples
        --------
        >>> import mb
        >>> m = mb.Model("wheel")
        >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0))
        >>> _ = m.torsion_spring("t", a=m.ground, b=wheel, stiffness=8)
        >>> _ = m.torque("motor", wheel, input="u"); _ = m.output("angle", "angle", wheel)
        >>> sorted(abs(m.equilibrium().linearize().state_space().poles()).round(9).tolist())
        [4.0, 4.0]
        """
        if self.E is not None:
            raise NumericsError("A descriptor system has infinite eigenvalues too: use modes() or form='reduced'.", "descriptor")
        return np.linalg.eigvals(self.A).astype(np.complex128)
