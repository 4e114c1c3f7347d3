"""Pictures of mode shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import ArgumentError
from ._optional import axes_of, need
from ._requests import count, number
from ._types import Floats

if TYPE_CHECKING:
    from ._site import ModelModes, OperatingPoint

_STYLES: dict[str, dict[str, Any]] = {
    "bar": {"linewidth": 2.5},
    "body": {"linewidth": 3.0},
    "curve": {"linewidth": 2.0},
    "faces": {"linewidth": 0.6},
    "wheel": {"linewidth": 1.5},
    "spring": {"linewidth": 1.0, "linestyle": ":"},
    "damper": {"linewidth": 1.0, "linestyle": "-."},
    "bushing": {"linewidth": 1.0, "linestyle": ":", "marker": "o", "markersize": 9, "markerfacecolor": "none"},
    "link": {"linewidth": 1.5},
    "slider": {"linewidth": 1.0, "linestyle": "--"},
    "pin": {"linewidth": 0, "marker": "o", "markersize": 4},
    "clamp": {"linewidth": 0, "marker": "s", "markersize": 7},
    "torsion-spring": {"linewidth": 0, "marker": r"$\circlearrowleft$", "markersize": 12},
    "torsion-damper": {"linewidth": 0, "marker": r"$\circ$", "markersize": 12},
    "mass": {"linewidth": 0, "marker": "s", "markersize": 6},
    "load": {"linewidth": 0, "marker": "v", "markersize": 5},
}

#: Points of a circle of a wheel.
_CIRCLE = 24


class _Drawn:
    """A model that is drawn at configurations."""

    def __init__(self, point: OperatingPoint):
        self.native = point.model._build()
        self.q = point.q
        self.planar = self.native.is_planar()

    def lines(self, q: Floats) -> list[tuple[str, Floats]]:
        """Strokes with their points, n x 3."""
        out = []
        for _, stroke, places in self.native.outline(np.ascontiguousarray(q)):
            points = np.array(places, dtype=float).reshape(-1, 3)
            if stroke == "faces":
                for i in range(0, len(points) - 3, 4):
                    out.append((stroke, points[[i, i + 1, i + 2, i + 3, i]]))
            elif stroke == "body" and len(points) > 1:
                for point in points[1:]:
                    out.append((stroke, np.array([points[0], point])))
            elif stroke == "wheel":
                # The centre, then circles of points.
                for i in range(1, len(points) - _CIRCLE + 1, _CIRCLE):
                    rim = points[i : i + _CIRCLE]
                    out.append((stroke, np.concatenate([rim, rim[:1]])))
                    out += [(stroke, np.array([points[0], rim[k * _CIRCLE // 3]])) for k in range(3)]
            elif stroke == "clamp":
                # The third place only gives a direction.
                out.append((stroke, points[:2]))
            else:
                out.append((stroke, points))
        return out


class _Shape(_Drawn):
    """A mode as configurations."""

    def __init__(self, modes: ModelModes, mode: int, scale: float | None):
        super().__init__(modes.linearization.point)
        self.chosen = modes[modes._at(mode, "mode")]
        rest = self.lines(self.q)
        points = np.concatenate([p for _, p in rest]) if rest else np.zeros((1, 3))
        self.size = float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
        share = 0.15 if scale is None else number(scale, "scale")
        # The largest way of any place that is drawn, to first order.
        small = 1e-6
        ways = [0.0]
        for phase in (1.0, 1j):
            moved = self.lines(self._configuration(small, phase))
            ways += [float(np.abs(b - a).max()) / small for (_, a), (_, b) in zip(rest, moved, strict=True) if len(a)]
        self.factor = share * self.size / max(ways) if max(ways) > 0 else 0.0

    def _configuration(self, factor: float, phase: complex) -> Floats:
        step = np.ascontiguousarray(np.real(np.asarray(self.chosen.shape) * phase) * factor)
        return self.native.moved(self.q, step)

    def at(self, phase: complex) -> list[tuple[str, Floats]]:
        """Strokes at a phase of the vibration."""
        return self.lines(self._configuration(self.factor, phase))

    def title(self, number: int) -> str:
        m = self.chosen
        damping = "" if np.isnan(m.zeta) else f", zeta {m.zeta:.3g}"
        return f"mode {number}: {m.hz:.4g} Hz{damping}"


#: Pictures of a player, each of which is in the notebook.
_MOST_FRAMES = 1000

#: Azimuth and elevation of the views by name, degrees, as matplotlib counts them; those of `--view`.
_VIEWS = {"front": (-90.0, 0.0), "side": (0.0, 0.0), "top": (-90.0, 90.0), "iso": (-45.0, 30.0)}


def _axes(shape: _Drawn, ax: Any, view: Any = None) -> Any:
    ax = axes_of(ax, projection=None if shape.planar else "3d")
    if not shape.planar and not hasattr(ax, "get_zlim"):
        raise ArgumentError("ax is in the plane, but the model moves in space: make it with projection='3d'.", "ax")
    if view is not None:
        if shape.planar:
            raise ArgumentError("view is of models in space, but this one is planar.", "view")
        if isinstance(view, str):
            if view not in _VIEWS:
                raise ArgumentError(f"view is {view!r}, but must be {', '.join(_VIEWS)}, or azimuth and elevation in degrees.", "view")
            view = _VIEWS[view]
        try:
            azimuth, elevation = view
        except (TypeError, ValueError) as error:
            raise ArgumentError("view is not a pair of azimuth and elevation in degrees.", "view") from error
        ax.view_init(elev=number(elevation, "view[1]"), azim=number(azimuth, "view[0]"))
    return ax


def _draw(ax: Any, lines: list[tuple[str, Floats]], color: str, alpha: float) -> list[Any]:
    out = []
    for stroke, points in lines:
        columns = points.T if hasattr(ax, "get_zlim") else points.T[:2]
        out += ax.plot(*columns, color=color, alpha=alpha, **_STYLES.get(stroke, {}))
    return out


def _labels(ax: Any) -> None:
    ax.set_xlabel("x [m]")
    ax.set_ylabel("y [m]")
    if hasattr(ax, "get_zlim"):
        ax.set_zlabel("z [m]")
    ax.set_aspect("equal")


def plot_point(point: OperatingPoint, ax: Any, view: Any) -> Any:
    drawn = _Drawn(point)
    ax = _axes(drawn, ax, view)
    _draw(ax, drawn.lines(drawn.q), "tab:blue", 1.0)
    ax.set_title(point.stability)
    _labels(ax)
    return ax


def plot(modes: ModelModes, mode: int, scale: float | None, ax: Any, view: Any = None) -> Any:
    shape = _Shape(modes, mode, scale)
    ax = _axes(shape, ax, view)
    _draw(ax, shape.lines(shape.q), "0.6", 0.7)
    _draw(ax, shape.at(1.0), "tab:blue", 1.0)
    ax.set_title(shape.title(shape.chosen.number))
    _labels(ax)
    return ax


def animate(modes: ModelModes, mode: int, scale: float | None, frames: int, seconds: float) -> Any:
    animation: Any = need("matplotlib.animation", "animate()")
    frames = count(frames, "frames", most=_MOST_FRAMES)
    seconds = number(seconds, "seconds")
    if seconds <= 0:
        raise ArgumentError(f"seconds is {seconds}, but must be positive.", "seconds")
    shape = _Shape(modes, mode, scale)
    ax = _axes(shape, None)
    _draw(ax, shape.lines(shape.q), "0.6", 0.7)
    drawn = _draw(ax, shape.at(1.0), "tab:blue", 1.0)
    # Limits that hold the whole vibration.
    extremes = np.concatenate([p for phase in (1, 1j, -1, -1j) for _, p in shape.at(phase)] or [np.zeros((1, 3))])
    margin = 0.05 * shape.size
    low, high = extremes.min(axis=0) - margin, extremes.max(axis=0) + margin
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    if not shape.planar:
        ax.set_zlim(low[2], high[2])
    ax.set_aspect("equal", adjustable="datalim" if shape.planar else "box")
    ax.set_title(shape.title(shape.chosen.number))

    def update(frame: int) -> list[Any]:
        phase = np.exp(2j * np.pi * frame / frames)
        for line, (_, points) in zip(drawn, shape.at(phase), strict=True):
            line.set_data(points[:, 0], points[:, 1])
            if not shape.planar:
                line.set_3d_properties(points[:, 2])
        return drawn

    class Player(animation.FuncAnimation):
        """An animation that notebooks show as a player, whatever matplotlib's own settings say."""

        def _repr_html_(self) -> str:
            html = self.to_jshtml()
            # The picture alone is not shown below the player.
            need("matplotlib.pyplot", "animate()").close(ax.figure)
            return html

    return Player(ax.figure, update, frames=frames, interval=1000 * seconds / frames, blit=False)


def to_pyvista(modes: ModelModes, mode: int, scale: float | None) -> Any:
    pyvista = need("pyvista", "to_pyvista()")
    shape = _Shape(modes, mode, scale)
    blocks = pyvista.MultiBlock()
    for i, (stroke, points) in enumerate(shape.at(1.0)):
        if stroke == "faces":
            block = pyvista.PolyData(points[:4], faces=[4, 0, 1, 2, 3])
        elif len(points) > 1:
            block = pyvista.lines_from_points(points)
        else:
            block = pyvista.PolyData(points)
        blocks.append(block, f"{stroke} {i}")
    return blocks
