"""Frequency responses."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _html, _mb
from ._errors import ArgumentError, FindingWarning
from ._matrices import dense, is_sparse, matrix
from ._kept import fixed
from ._names import mapping, resolve
from ._optional import axes_of, need
from ._requests import count, flag, index_of, is_sequence, number, pair, word, words
from ._types import Complexes, Floats

if TYPE_CHECKING:
    from ._site import OperatingPoint

# Each frequency is solved for and kept with the values of all responses.
_MOST_POINTS = 100_000
_DERIVATIVES = {"outputs": 0, "receptance": 0, "mobility": 1, "accelerance": 2}


@dataclass(frozen=True, repr=False)
class Zeros(_html.Record):
    """Transmission zeros of one response.

    Attributes
    ----------
    zeros, poles : ndarray of complex
        Zeros, and the poles that input and output share, rad/s.
    cancelled : ndarray of complex
        Poles with a zero in the same place.
    gain : float or complex
        Factor before the products, in units of output over input and rad/s. With ``loss`` it is complex, and so are poles and zeros,
        without conjugate pairs: their product is the response at positive frequencies.
    relative_error : float
        Largest relative difference between gain and products and the response, at points off the axis over the range of the
        eigenvalues.
    determined : bool
        Whether that shows poles and zeros to six digits; a warning says where not.

    Examples
    --------
    >>> import mb
    >>> found = mb.response([[4.0]], C=[[0.4]], inputs=[[1.0]], band=(0, 1), zeros=True).zeros
    >>> zeros = next(iter(found.values()))
    >>> len(zeros.zeros), round(zeros.gain, 9)
    (0, 1.0)
    """

    zeros: Complexes
    poles: Complexes
    cancelled: Complexes
    gain: float | complex
    relative_error: float
    determined: bool


@dataclass(frozen=True, repr=False)
class MeanSquare(_html.Record):
    """Mean square of an output for random inputs.

    Attributes
    ----------
    band, band_error : float
        Over the band, by integration; an estimate of the error of the integration, with what the bounds of H add.
    all, all_error : float or None
        Over all frequencies, by the Lyapunov equation, and a bound of its error; None where it is infinite or not computed.
    why : str or None
        The reason where ``all`` is None: white noise that reaches the output directly, an undamped pole that is excited and seen,
        a density that is not constant, structural damping, a large model.

    Examples
    --------
    >>> import mb
    >>> m = mb.Model("wheel")
    >>> wheel = m.body("wheel", mass=1, inertia=0.5); _ = m.revolute("axle", wheel, (0, 0))
    >>> _ = m.torsion_spring("t", a=m.ground, b=wheel, stiffness=8, damping=1)
    >>> _ = m.torque("motor", wheel, input="u"); _ = m.output("angle", "angle", wheel)
    >>> found = m.equilibrium().linearize().response((0, 5), psd={"u": 0.2}).mean_square["angle"]
    >>> bool(0 < found.band < found.all + found.band_error + found.all_error)
    True
    """

    band: float
    band_error: float
    all: float | None
    all_error: float | None
    why: str | None = None


@dataclass(frozen=True, repr=False)
class Peak(_html.Record):
    """A local maximum of abs(H) over the frequency, solved for.

    Attributes
    ----------
    hz : float
        Its frequency, Hz.
    within : tuple of float
        Ends of the interval in which one is shown to lie, Hz.
    value : complex or None
        H at ``hz``; None at an undamped pole, where it is infinite.
    bound : float or None
        Bound of the error of ``value``.

    Examples
    --------
    >>> import mb
    >>> found = mb.response([[4.0]], C=[[0.4]], inputs=[[1.0]], band=(0, 1)).peaks
    >>> (peak,) = next(iter(found.values()))
    >>> round((2 * 3.141592653589793 * peak.hz) ** 2, 6)           # 4 - 0.4^2 / 2
    3.92
    """

    hz: float
    within: tuple[float, float]
    value: complex | None
    bound: float | None


class Response:
    """H = outputs over inputs at frequencies of a band, denser at resonances.

    Attributes
    ----------
    hz : ndarray, n
        Frequencies, Hz.
    H : ndarray of complex, n x outputs x inputs
        The response at s = 2 pi i hz.
    bound : ndarray, n x outputs x inputs
        Bounds of the error of H for the matrices as they are.
    phase : ndarray, n x outputs x inputs
        Phases without jumps, degrees. Beyond an undamped pole they are lower by 180 degrees, beyond a zero on the axis higher.
    inputs, outputs : list of str
        Names of the columns and rows; with ``quantity`` the outputs' end with ``'`` or ``''`` for derivatives.
    input_units, output_units : list of str
        SI units of the columns and rows; empty where there is none, as of given matrices.
    poles : ndarray of complex
        Eigenvalues in and near the band, rad/s; all there are where ``all_poles`` is True. Those of M, C and K, without ``loss``.
    lossy_poles : ndarray of complex or None
        With ``loss``: eigenvalues of M, C and K (1 + i loss) at positive frequencies, rad/s; None where not all are known.
    infinite_at : ndarray
        Frequencies asked for, ends of the band included, at which an undamped pole makes a response infinite, Hz; they are left
        out of ``hz``. A pole that no response has, as its motion is not excited or not seen, is named in ``notes``.
    growing : float or None
        Largest real part of the poles known that is surely positive, 1/s: the response is not what the system settles to.
    peaks : dict
        Lists of :class:`Peak` by (output, input), in increasing frequency; empty with ``at``.
    method : str
        How H was found, in one sentence.
    notes : list of str
        What else a reader has to know: stability, frequencies without a value, damping.
    zeros : dict
        :class:`Zeros` by (output, input), with ``zeros=True``; None where a response is zero for every s.
    density, density_bound : dict
        One-sided spectral density per Hz of each output at ``hz``, with ``psd``, and the bound of its error.
    mean_square : dict
        :class:`MeanSquare` by output, with ``psd``.

    Examples
    --------
    >>> import mb
    >>> r = mb.response([[4.0]], inputs=[[1.0]], at=[0.0])
    >>> r.H.shape, round(float(abs(r.H[0, 0, 0])), 12)
    ((1, 1, 1), 0.25)
    """

    def __init__(self, found: dict[str, Any], inputs: list[str], outputs: list[str], loss: float):
        self.inputs, self.outputs = inputs, outputs
        self.input_units: list[str] = found.get("input_units", [""] * len(inputs))
        self.output_units: list[str] = found.get("output_units", [""] * len(outputs))
        self._units: list[str] = found.get("units", [""] * (len(inputs) * len(outputs)))
        self.hz: Floats = found["hz"]
        self.H: Complexes = found["value"]
        self.bound: Floats = found["bound"]
        self.poles: Complexes = found["poles"]
        self.all_poles: bool = found["all_poles"]
        self.lossy_poles: Complexes | None = found["lossy_poles"]
        self.phase: Floats = found["phase"]
        self.infinite_at: Floats = found["infinite_at"]
        self.growing: float | None = found["growing"]
        self.factorizations: int = found["factorizations"]
        self.method: str = found["method"]
        self.notes: list[str] = found["notes"]
        entries = [(o, i) for o in outputs for i in inputs]
        self.peaks: dict[tuple[str, str], list[Peak]] = {entry: [] for entry in entries}
        for (o, i), hz, within, value in found["peaks"]:
            h, bound = (None, None) if value is None else (complex(*value[:2]), value[2])
            self.peaks[outputs[o], inputs[i]].append(Peak(hz, tuple(within), h, bound))
        gain = complex if loss > 0 else lambda re, im: re
        zeros = [None if z is None else Zeros(**{**z, "gain": gain(*z["gain"])}) for z in found["zeros"]]
        self.zeros: dict[tuple[str, str], Zeros | None] = dict(zip(entries, zeros, strict=False))
        self.mean_square: dict[str, MeanSquare] = {
            name: MeanSquare(value, error, whole[0] if whole else None, whole[1] if whole else None, why)
            for name, (value, error, whole, why) in zip(outputs, found.get("random", []), strict=False)
        }
        self.density: dict[str, Floats] = dict(zip(outputs, found.get("density", []), strict=False))
        self.density_bound: dict[str, Floats] = dict(zip(outputs, found.get("density_bound", []), strict=False))
        for (output, input), found_zeros in self.zeros.items():
            if found_zeros is not None and not found_zeros.determined:
                warnings.warn(
                    f"Zeros from {input} to {output} are not determined: the product of poles and zeros differs from the response by "
                    f"{found_zeros.relative_error:.1e} of it.",
                    FindingWarning,
                    stacklevel=4,
                )
        if self.growing is not None:
            warnings.warn(
                f"A motion of the system grows (real part {self.growing:.3g} 1/s): the response is not what it settles to.",
                FindingWarning,
                stacklevel=4,
            )

    def _index(self, key: Any) -> tuple[int, int]:
        pair = key if isinstance(key, tuple) else (key,)
        if len(pair) == 1 and len(self.inputs) == 1:
            pair = (pair[0], self.inputs[0])
        if len(pair) != 2:
            raise ArgumentError(f"a response has an output and an input, response[{self.outputs[0]!r}, {self.inputs[0]!r}].", "key")

        def at(name: Any, known: list[str], what: str) -> int:
            return index_of(name, len(known), what) if isinstance(name, (int, np.integer)) else resolve(name, known, "response", what)

        return at(pair[0], self.outputs, "output"), at(pair[1], self.inputs, "input")

    def __getitem__(self, key: Any) -> Complexes:
        """H of an output over an input, by names or numbers: ``r["tip-x", "u"]``; without the input where there is one alone."""
        o, i = self._index(key)
        return self.H[:, o, i]

    @fixed
    def magnitude(self) -> Floats:
        """abs(H), n x outputs x inputs.

        Examples
        --------
        >>> import mb
        >>> r = mb.response([[4.0]], inputs=[[1.0]], at=[0.0])
        >>> r.magnitude.round(12).tolist()
        [[[0.25]]]
        """
        return np.abs(self.H)

    @property
    def decibel(self) -> Floats:
        """20 log10 abs(H), n x outputs x inputs.

        Examples
        --------
        >>> import mb
        >>> r = mb.response([[4.0]], inputs=[[1.0]], at=[0.0])
        >>> r.decibel.round(6).tolist()
        [[[-12.0412]]]
        """
        with np.errstate(divide="ignore"):
            return 20 * np.log10(self.magnitude)

    def unit(self, output: int, input: int) -> str:
        """The unit of an output over an input, by their numbers; empty where one of them has none of its own.

        Examples
        --------
        >>> import mb
        >>> mb.response([[4.0]], inputs=[[1.0]], at=[0.0]).unit(0, 0)
        ''
        """
        row, column = index_of(output, len(self.outputs), "output"), index_of(input, len(self.inputs), "input")
        return self._units[row * len(self.inputs) + column]

    def __len__(self) -> int:
        return len(self.hz)

    def to_frame(self) -> Any:
        """Columns ``output / input`` of complex numbers as a pandas DataFrame indexed by frequency in Hz.

        Examples
        --------
        >>> import mb
        >>> len(mb.response([[4.0]], inputs=[[1.0]], at=[0.0, 0.1]).to_frame())
        2
        """
        pandas = need("pandas", "to_frame()")
        columns = {f"{o} / {i}": self[o, i] for o in self.outputs for i in self.inputs}
        return pandas.DataFrame(columns, index=pandas.Index(self.hz, name="hz"))

    def to_control(self) -> Any:
        """The samples as a ``control.FrequencyResponseData`` of python-control.

        Examples
        --------
        >>> import mb
        >>> type(mb.response([[4.0]], inputs=[[1.0]], at=[0.0, 0.1]).to_control()).__name__
        'FrequencyResponseData'
        """
        control = need("control", "to_control()")
        return control.frd(np.moveaxis(self.H, 0, -1), 2 * np.pi * self.hz, inputs=self.inputs, outputs=self.outputs)

    def plot(self, key: Any = None, *, figure: str = "bode", ax: Any = None) -> Any:
        """One response, or all, by matplotlib. Returns the two axes, of a Nyquist plot the one.

        ``figure``: ``bode``, magnitude in dB and phase over the frequency; ``linear``, the magnitude as it is; ``nyquist``, imaginary over
        real part.

        Examples
        --------
        >>> import mb
        >>> axes = mb.response([[4.0]], C=[[0.1]], inputs=[[1.0]], band=(0, 1)).plot()
        """
        word(figure, "figure", ("bode", "linear", "nyquist"))
        entries = [(o, i) for o in range(len(self.outputs)) for i in range(len(self.inputs))] if key is None else [self._index(key)]
        if figure == "nyquist":
            ax = axes_of(ax)
            for o, i in entries:
                h: Complexes = self.H[:, o, i]
                ax.plot(h.real, h.imag, label=f"{self.outputs[o]} / {self.inputs[i]}")
            ax.set_xlabel("Re H")
            ax.set_ylabel("Im H")
            ax.set_aspect("equal", adjustable="datalim")
            ax.legend()
            return ax
        axes = axes_of(ax, 2)
        size = self.decibel if figure == "bode" else self.magnitude
        units = {self.unit(o, i) for o, i in entries}
        unit = units.pop() if len(units) == 1 else "SI units of each"
        for o, i in entries:
            name = f"{self.outputs[o]} / {self.inputs[i]}"
            axes[0].plot(self.hz, size[:, o, i], label=name)
            axes[1].plot(self.hz, self.phase[:, o, i], label=name)
        label, joined = ("magnitude, dB", " of ") if figure == "bode" else ("magnitude", ", ")
        axes[0].set_ylabel(f"{label}{joined}{unit}" if unit else label)
        axes[1].set_ylabel("phase, degrees")
        axes[1].set_xlabel("frequency, Hz")
        if figure == "linear":
            axes[0].set_ylim(bottom=0)
        axes[0].legend()
        return axes

    def __repr__(self) -> str:
        span = f"{self.hz[0]:.6g} to {self.hz[-1]:.6g} Hz" if len(self) else "no frequency"
        return f"<mb.Response: {len(self.outputs)} outputs x {len(self.inputs)} inputs, {len(self)} frequencies, {span}>"

    def _repr_html_(self) -> str:
        rows = []
        for o, output in enumerate(self.outputs if len(self) else []):
            for i, input in enumerate(self.inputs):
                k = int(np.argmax(self.magnitude[:, o, i]))
                rows.append((f"{output} / {input}", f"{self.magnitude[k, o, i]:.6g}", self.unit(o, i), f"{self.hz[k]:.6g}"))
        return _html.table(("response", "largest", "unit", "at [Hz]"), rows, total=len(rows))


def _grid(band: Any, at: Any, points: int, log: bool, change: float, most: int | None) -> dict[str, Any]:
    only = None
    if at is not None:
        given = at if is_sequence(at) else [at]
        only = sorted({number(f, f"at[{k}]") for k, f in enumerate(given)})
        if not only:
            raise ArgumentError("at is empty: there is no frequency.", "at")
        if only[0] < 0:
            raise ArgumentError(f"at has {only[0]}, but a frequency in Hz is not negative.", "at")
    if band is None:
        if only is None:
            raise ArgumentError("band or at is needed: frequencies in Hz.", "band")
        # Poles are computed near the frequencies.
        band = (only[0], only[-1] if only[-1] > only[0] else 1.1 * only[0] + 1.0)
    low, high = pair(band, "band", "a pair of frequencies in Hz, as in band=(0, 50)")
    if not 0 <= low < high:
        raise ArgumentError(f"band is ({low}, {high}), but must be 0 <= from < to, in Hz.", "band")
    logarithmic = flag(log, "log")
    if logarithmic and low == 0.0 and only is None:
        raise ArgumentError("band begins at zero, where log=True has no logarithm.", "band")
    step = number(change, "change")
    if step <= 0:
        raise ArgumentError(f"change is {step}, but must be positive.", "change")
    return {
        "band": (low, high),
        "points": count(points, "points", 2, _MOST_POINTS),
        "logarithmic": logarithmic,
        "only": only,
        "change": step,
        "most": None if most is None else count(most, "most", 2),
    }


def _loss(value: Any) -> float:
    loss = number(value, "loss")
    if loss < 0:
        raise ArgumentError(f"loss is {loss}, but must not be negative.", "loss")
    return loss


def _chosen(given: str | Iterable[str] | None, known: list[str], argument: str, what: str) -> list[int]:
    if given is None:
        chosen = list(range(len(known)))
    else:
        chosen = [resolve(name, known, argument, what) for name in words(given, argument)]
    twice = next((i for k, i in enumerate(chosen) if i in chosen[:k]), None)
    if twice is not None:
        raise ArgumentError(f"{argument} has {known[twice]!r} twice; name each once.", argument)
    if not chosen:
        raise ArgumentError(f"{argument} is empty: a response needs an {what}; the model has {', '.join(known) or 'none'}.", argument)
    return chosen


def _densities(psd: Mapping[str, Any] | None, columns: list[str], known: list[str]) -> list[tuple[int, list[tuple[float, float]]]]:
    out = []
    for name, value in mapping(psd, "psd", "densities by input").items():
        if name in known and name not in columns:
            raise ArgumentError(f"psd has {name!r}, which is not among the inputs of this response ({', '.join(columns)}); add it there.", "psd")
        i = resolve(name, columns, "psd", "input")
        if is_sequence(value):
            needed = "a number, or pairs (Hz, density), two at least"
            points = [pair(one, f"psd[{name!r}]", needed) for one in value]
            if len(points) < 2:
                raise ArgumentError(f"psd[{name!r}] is not {needed}.", "psd")
            if any(b[0] <= a[0] for a, b in zip(points, points[1:], strict=False)):
                raise ArgumentError(f"psd[{name!r}]: frequencies must increase.", "psd")
        else:
            points = [(0.0, number(value, f"psd[{name!r}]"))]
        if any(x < 0 for _, x in points):
            raise ArgumentError(f"psd[{name!r}] is negative somewhere; a density is not.", "psd")
        out.append((i, points))
    return out


def of_point(
    point: OperatingPoint,
    band: Any,
    *,
    inputs: str | Iterable[str] | None,
    outputs: str | Iterable[str] | None,
    base: str | None,
    unbalance: float | None,
    quantity: str,
    loss: float,
    at: Any,
    points: int,
    log: bool,
    change: float,
    most: int | None,
    psd: Mapping[str, Any] | None,
    zeros: bool,
) -> Response:
    """See :meth:`mb.Linearization.response`."""
    model = point.model
    word(quantity, "quantity", _DERIVATIVES)
    zeros = flag(zeros, "zeros")
    if base is not None and (inputs is not None or unbalance is not None):
        raise ArgumentError("base excludes inputs and unbalance: the ground moves instead.", "base")
    axis = None
    if base is not None:
        word(base, "base", "xyz")
        axis = "xyz".index(base)
        if axis == 2 and model._build().is_planar():
            raise ArgumentError("base is 'z', but nothing of the model moves along z.", "base")
    chosen = [] if axis is not None else _chosen(inputs, model.inputs, "inputs", "input")
    amount = None
    if unbalance is not None:
        amount = number(unbalance, "unbalance")
        if amount <= 0:
            raise ArgumentError(f"unbalance is {amount} kg m, but must be positive.", "unbalance")
        if inputs is None or len(chosen) > 2:
            raise ArgumentError("unbalance needs one or two inputs: forces along x, and a quarter of a turn later along y.", "inputs")
        if psd is not None or zeros:
            raise ArgumentError("unbalance excludes psd and zeros.", "unbalance")
    eta = _loss(loss)
    columns = ["base"] if axis is not None else [model.inputs[i] for i in chosen]
    asked = {
        "inputs": chosen,
        "outputs": _chosen(outputs, model.outputs, "outputs", "output"),
        "base": axis,
        "unbalance": amount,
        "loss": eta,
        "derivatives": _DERIVATIVES[quantity],
        "densities": _densities(psd, columns, model.inputs),
        "zeros": zeros,
        "grid": _grid(band, at, points, log, change, most),
    }
    found = _mb.response(point._native, json.dumps(asked))
    names = ["base"] if axis is not None else found["inputs"]
    return Response(found, names, found["outputs"], eta)


def _columns(value: Any, name: str, as_rows: bool) -> Floats:
    """A dense matrix of inputs or outputs; a vector is one column of inputs, one row of outputs."""
    if is_sparse(value):
        value = dense(value, name)
    if isinstance(value, (np.ndarray, list, tuple)):
        # What cannot be made an array is told by matrix().
        with suppress(Exception):
            vector = np.asarray(value)
            if vector.ndim == 1:
                value = vector[None, :] if as_rows else vector[:, None]
    array = matrix(value, name)
    if 0 in array.shape:
        raise ArgumentError(f"{name} has shape {array.shape}: there is nothing to respond.", name)
    return array


def response(
    K: Any,
    M: Any = None,
    C: Any = None,
    *,
    inputs: Any,
    outputs: Any = None,
    gyroscopic: Any = None,
    constraints: Any = None,
    velocity_outputs: Any = None,
    acceleration_outputs: Any = None,
    loss: float = 0.0,
    band: Sequence[float] | NDArray[Any] | None = None,
    at: float | Sequence[float] | NDArray[Any] | None = None,
    points: int = 400,
    log: bool = False,
    change: float = 0.05,
    most: int | None = None,
    zeros: bool = False,
) -> Response:
    """Frequency response of ``(s^2 M + s (C + G) + (1 + i loss) K) x + Phi^T l = F u, Phi x = 0, y = (Y + s Y_v + s^2 Y_a) x``.

    Every frequency is solved for by a factorization of its own, or by a projection where that is less work, with a bound of its error.

    Parameters
    ----------
    K, M, C, gyroscopic, constraints : array or scipy.sparse matrix
        As in :func:`mb.eigs`.
    inputs : array, n x inputs
        F; a vector is one input.
    outputs, velocity_outputs, acceleration_outputs : array, outputs x n
        Y, Y_v and Y_a; a vector is one output. Without ``outputs`` they are the transpose of ``inputs``: the displacement where each
        force acts.
    loss : float
        Loss factor of structural damping, K (1 + i loss).
    band : (float, float)
        Lowest and highest frequency, Hz.
    at : float or sequence of float
        These frequencies alone, Hz.
    points : int
        Evenly spaced frequencies; more are added at resonances and where H changes by more than the share ``change``, up to ``most``: ten
        times ``points`` where it is None, at least 4000, and more for many poles and responses, at most 100,000.
    log : bool
        Evenly spaced in the logarithm.
    zeros : bool
        Transmission zeros of each response (small systems).

    Returns
    -------
    Response

    Raises
    ------
    ArgumentError
        A matrix or a number that cannot be used; names argument and position.

    Examples
    --------
    A mass of 1 kg on a spring of 4 N/m with a damper of 0.4 N s/m: at resonance H = 1 / (i w c).

    >>> import math, mb
    >>> r = mb.response([[4.0]], C=[[0.4]], inputs=[1.0], at=2 / (2 * math.pi))
    >>> complex(r[0, 0][0].round(12))
    -1.25j
    >>> bool(r.bound[0, 0, 0] < 1e-13)
    True
    """
    f = _columns(inputs, "inputs", False)
    given = {
        "k": matrix(K, "K"),
        "m": None if M is None else matrix(M, "M"),
        "c": None if C is None else matrix(C, "C"),
        "gyroscopic": None if gyroscopic is None else matrix(gyroscopic, "gyroscopic"),
        "constraints": None if constraints is None else matrix(constraints, "constraints"),
        "inputs": f,
        "outputs": np.ascontiguousarray(f.T) if outputs is None else _columns(outputs, "outputs", True),
        "velocity": None if velocity_outputs is None else _columns(velocity_outputs, "velocity_outputs", True),
        "acceleration": None if acceleration_outputs is None else _columns(acceleration_outputs, "acceleration_outputs", True),
        "loss": _loss(loss),
    }
    zeros = flag(zeros, "zeros")
    grid = json.dumps(_grid(band, at, points, log, change, most))
    found = _mb.matrix_response(given, grid, zeros)
    return Response(found, [f"u{i}" for i in range(f.shape[1])], [f"y{o}" for o in range(found["value"].shape[1])], given["loss"])


__all__ = ["MeanSquare", "Peak", "Response", "Zeros", "response"]
