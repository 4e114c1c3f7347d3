"""Curves of results as the page of a model draws them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._campbell import Campbell
from ._errors import ArgumentTypeError
from ._requests import is_sequence
from ._exponents import Exponents
from ._periodic import Branch
from ._response import Response
from ._track import Track
from ._types import Complexes


def _finite(values: Any) -> list[float | None]:
    return [x if math.isfinite(x) else None for x in np.asarray(values, dtype=float).tolist()]


def _curve(name: str, colour: int, x: Any, y: Any, mark: str = "line", band: Any = ()) -> dict[str, Any]:
    half = np.asarray(band, dtype=float)
    return {
        "name": name,
        "colour": colour,
        "mark": mark,
        "x": _finite(x),
        "y": _finite(y),
        "band": _finite(half) if half.size and bool((half != 0).any()) else [],
    }


def _peaks(r: Response, i: int) -> dict[str, Any] | None:
    """The table of the peaks of one input."""
    heads = [("output", ""), ("f", "Hz"), ("±", "Hz"), ("magnitude", ""), ("unit", ""), ("level", "dB"), ("relative error", "")]
    rows: list[list[Any]] = []
    for o, output in enumerate(r.outputs):
        for peak in r.peaks[output, r.inputs[i]]:
            half = (peak.within[1] - peak.within[0]) / 2
            size = None if peak.value is None else abs(peak.value)
            level = 20 * math.log10(size) if size else None
            share = peak.bound / size if size and peak.bound is not None and math.isfinite(peak.bound) else None
            rows.append([output, peak.hz, half, "infinite" if size is None else size, r.unit(o, i), level, share])
    return {"title": "Peaks", "columns": heads, "rows": rows} if rows else None


def _zeros(r: Response, i: int) -> list[dict[str, Any]]:
    """Poles and zeros of the outputs to one input, each conjugate pair once."""
    tables = []
    for output in r.outputs:
        found = r.zeros.get((output, r.inputs[i]))
        if found is None:
            continue
        kinds = [("pole", found.poles), ("zero", found.zeros), ("cancelled", found.cancelled)]
        rows = [
            [kind, s.real, s.imag, s.imag / (2 * math.pi)]
            for kind, values in kinds
            for s in sorted((complex(s) for s in values if s.imag >= 0 or s.conjugate() not in values), key=abs)
        ]
        note = f"Gain {found.gain:.6g}; the product of poles and zeros is within {found.relative_error:.1e} of the response."
        title = f"Poles and zeros of {output} / {r.inputs[i]}"
        tables.append({"title": title, "note": note, "columns": [("", ""), ("re", "1/s"), ("im", "rad/s"), ("f", "Hz")], "rows": rows})
    return tables


def _mean_squares(r: Response, i: int) -> dict[str, Any] | None:
    """Root mean squares of the outputs under all random inputs, once."""
    if i > 0 or not r.mean_square:
        return None
    heads = [("output", ""), ("in the band", ""), ("at all frequencies", "")]
    root = lambda x: None if x is None or not math.isfinite(x) else math.sqrt(max(x, 0.0))  # noqa: E731
    rows = [[output, root(m.band), root(m.all)] for output, m in r.mean_square.items()]
    return {"title": "Root mean squares", "columns": heads, "rows": rows}


def _response(r: Response) -> list[dict[str, Any]]:
    charts: list[dict[str, Any]] = []
    for i, input in enumerate(r.inputs):
        magnitude, phase, plane = [], [], []
        units = {r.unit(o, i) for o in range(len(r.outputs))}
        unit = units.pop() if len(units) == 1 else "SI units of each"
        for o, output in enumerate(r.outputs):
            size, error = r.magnitude[:, o, i], r.bound[:, o, i]
            with np.errstate(divide="ignore", invalid="ignore"):
                half = 20 * np.log10((size + error) / size)
                angle = np.where(error < size, np.degrees(np.arcsin(np.minimum(error / size, 1))), 180.0)
            name = output if len(r.outputs) > 1 else ""
            magnitude.append(_curve(name, o, r.hz, r.decibel[:, o, i], band=half))
            phase.append(_curve(name, o, r.hz, r.phase[:, o, i], band=angle))
            h: Complexes = r.H[:, o, i]
            plane.append({**_curve(name, o, h.real, h.imag), "frequencies_hz": _finite(r.hz)})
        title = f"Response of {', '.join(r.outputs)} to {input}"
        charts.append(
            {
                "title": title,
                "note": " ".join(f"{sentence.rstrip('.')}." for sentence in [r.method, *r.notes]),
                "abscissa": "frequency, Hz",
                "panels": [
                    {"ordinate": f"magnitude, dB of {unit}" if unit else "magnitude, dB", "curves": magnitude},
                    {"ordinate": "phase, degrees", "curves": phase},
                ],
                "tables": [table for table in [_peaks(r, i), *_zeros(r, i), _mean_squares(r, i)] if table],
            }
        )
        of_unit = f", {unit}" if unit else ""
        charts.append(
            {
                "title": f"{title}, complex plane",
                "note": "",
                "abscissa": f"real part{of_unit}",
                "equal": True,
                "panels": [{"ordinate": f"imaginary part{of_unit}", "curves": plane}],
            }
        )
    return charts


def _track(t: Track) -> list[dict[str, Any]]:
    one = len(t.variables) == 1
    x = t.path[:, 0] if one else np.arange(len(t.path))
    predicted, error, trusted = t.predicted
    hz, zeta = [], []
    for k, mode in enumerate(t.numbers):
        s: Complexes = np.where(trusted[:, k], predicted[:, k], np.nan)
        size = np.abs(s)
        with np.errstate(divide="ignore", invalid="ignore"):
            hz.append(_curve(f"mode {mode}", k, x, size / (2 * np.pi), band=np.where(trusted[:, k], error[:, k], 0) / (2 * np.pi)))
            share = np.where(trusted[:, k], error[:, k], 0) / np.abs(predicted[:, k])
            zeta.append(_curve(f"mode {mode}", k, x, -s.real / size, band=share))
        hz.append(_curve("", k, x, t.natural_hz[:, k], "points"))
        zeta.append(_curve("", k, x, t.zeta[:, k], "points"))
    for colour, group in enumerate(t.groups, start=len(t.numbers)):
        for j in range(len(group.modes)):
            name = f"modes {', '.join(map(str, group.modes))}" if j == 0 else ""
            hz.append(_curve(name, colour, x, group.natural_hz[:, j], "points"))
            zeta.append(_curve(name, colour, x, group.zeta[:, j], "points"))
    over = t.variables[0] if one else "the path"
    panels = [{"ordinate": "natural frequency, Hz", "curves": hz}, {"ordinate": "damping ratio", "curves": zeta}]
    note = "Lines: polynomials with their error; circles: exact samples."
    return [{"title": f"Modes over {over}", "note": note, "abscissa": over if one else "sample", "panels": panels}]


def _campbell(c: Campbell) -> list[dict[str, Any]]:
    hz = [_curve(str(k), k, c.speed, c.hz[:, k]) for k in range(c.s.shape[1])]
    growth = [_curve("", k, c.speed, c.growth[:, k]) for k in range(c.s.shape[1])]
    highest = float(np.nanmax(c.hz, initial=0.0))
    for order in sorted({met.per_revolution for met in c.critical} | {1.0}):
        line = order * c.turn / (2 * np.pi)
        hz.append({**_curve(f"{order:g}x", 0, c.speed, np.where(line <= highest, line, np.nan), "dashes"), "named_at_end": True})
    hz.append(_curve("times per revolution", 0, [], [], "dashes"))
    hz.append(_curve("critical speeds", 4, [met.speed for met in c.critical], [met.hz for met in c.critical], "points"))
    ends = [end[0] for u in c.unstable for end in (u.start, u.end) if end is not None]
    growth.append(_curve("ends of growth", 4, ends, [0.0] * len(ends), "points"))
    return [
        {
            "title": f"Campbell diagram over {c.name}",
            "note": c.summary,
            "abscissa": f"{c.name}, rad/s",
            "panels": [{"ordinate": "frequency, Hz", "curves": hz}, {"ordinate": "real part, 1/s", "curves": growth}],
        }
    ]


def _exponents(e: Exponents) -> list[dict[str, Any]]:
    growth = [_curve(str(k), k, e.values, e.s[k].real, band=e.error[k]) for k in range(len(e.s))]
    hz = [_curve(str(k), k, e.values, np.abs(e.s[k].imag) / (2 * np.pi)) for k in range(len(e.s))]
    panels = [{"ordinate": "real part, 1/s", "curves": growth}, {"ordinate": "frequency, Hz", "curves": hz}]
    return [{"title": f"Floquet exponents over {e.name}", "note": "", "abscissa": e.name, "panels": panels}]


def _branch(b: Branch) -> list[dict[str, Any]]:
    curves = [_curve("", 0, b.value, b.largest)]
    if b.bifurcations:
        at = [float(np.abs(x.multipliers).max()) for x in b.bifurcations]
        curves.append(_curve("bifurcations", 4, [x.value for x in b.bifurcations], at, "points"))
    panels = [{"ordinate": "largest multiplier", "curves": curves}]
    note = "; ".join(f"{x.kind} at {x.value:.6g}" for x in b.bifurcations)
    return [{"title": f"Periodic motions over {b.name}", "note": note, "abscissa": b.name, "panels": panels}]


_CHARTS: dict[type, Any] = {Response: _response, Track: _track, Campbell: _campbell, Exponents: _exponents, Branch: _branch}


def charts(curves: Any) -> list[dict[str, Any]]:
    """The charts of one result or of several."""
    if isinstance(curves, tuple(_CHARTS)):
        curves = [curves]
    if not is_sequence(curves):
        curves = [curves]
    out = []
    for k, one in enumerate(curves):
        draw = _CHARTS.get(type(one))
        if draw is None:
            raise ArgumentTypeError(
                f"curves[{k}] is of type {type(one).__name__}, but a response, a track, a Campbell diagram, Floquet exponents or a branch "
                "of periodic motions is needed.",
                "curves",
            )
        out += [{"logarithmic": False, **chart} for chart in draw(one)]
    return out
