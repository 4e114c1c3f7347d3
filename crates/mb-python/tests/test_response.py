"""Frequency responses against closed forms, scipy and the state space of the same model."""

import math
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import scipy.sparse as sp

import mb

MODELS = Path(__file__).resolve().parents[3] / "crates" / "mb-gallery" / "models"
TAU = 2 * math.pi


def matrices(n=8, seed=4):
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((n, n))
    k, m = a @ a.T + n * np.eye(n), np.diag(rng.uniform(1, 2, n))
    return k, m, 0.02 * k + 0.1 * m


def exact(k, m, c, f, y, hz, loss=0.0):
    s = 2j * np.pi * np.asarray(hz)
    return np.array([y @ np.linalg.solve(z**2 * m + z * c + (1 + 1j * loss) * k, f) for z in s])


@pytest.mark.parametrize("storage", [np.asarray, sp.csc_array, sp.csr_array])
@pytest.mark.parametrize("loss", [0.0, 0.05])
def test_own_matrices_against_numpy(storage, loss):
    k, m, c = matrices()
    f, y = np.eye(8)[:, :2], np.eye(8)[5:]
    r = mb.response(storage(k), M=storage(m), C=storage(c), inputs=f, outputs=y, band=(0, 2), loss=loss)
    reference = exact(k, m, c, f, y, r.hz, loss)
    assert r.H.shape == reference.shape == (len(r), 3, 2) and len(r) >= 400
    # The bound holds for the reference too, whose own rounding is of the same size.
    assert np.all(np.abs(r.H - reference) <= 2 * r.bound + 1e-14 * np.abs(reference).max())
    assert np.all(r.bound < 1e-9 * np.abs(reference).max())
    np.testing.assert_array_equal(r["y1", "u0"], r.H[:, 1, 0])
    np.testing.assert_array_equal(r[1, 0], r.H[:, 1, 0])


def test_derivatives_of_outputs_and_drive_points():
    k, m, c = matrices()
    f = np.eye(8)[:, 0]
    hz = [0.1, 0.4, 0.9]
    r = mb.response(k, M=m, C=c, inputs=f, at=hz)
    assert r.outputs == ["y0"] and np.allclose(r.hz, hz, rtol=1e-15)
    none = np.zeros((1, 8))
    rate = mb.response(k, M=m, C=c, inputs=f, outputs=none, velocity_outputs=f, at=hz)
    np.testing.assert_allclose(rate[0], 2j * np.pi * np.array(hz) * r[0], rtol=1e-12)


def test_constraints_hold_the_last_mass():
    k, m, c = matrices()
    row = np.eye(8)[-1:]
    r = mb.response(k, M=m, C=c, constraints=row, inputs=np.eye(8)[:, 0], at=[0.3, 0.7])
    held = slice(0, 7)
    reference = exact(k[held, held], m[held, held], c[held, held], np.eye(7)[:, :1], np.eye(7)[:1], r.hz)
    np.testing.assert_allclose(r.H, reference, rtol=1e-11)


def test_zeros_and_poles_against_scipy():
    k, m, c = matrices(3)
    r = mb.response(k, M=m, C=c, inputs=[1.0, 0, 0], outputs=[0, 1.0, 0], band=(0, 1), zeros=True)
    found = r.zeros["y0", "u0"]
    inv = np.linalg.inv(m)
    a = np.block([[np.zeros((3, 3)), np.eye(3)], [-inv @ k, -inv @ c]])
    b = np.vstack([np.zeros((3, 1)), inv[:, :1]])
    z, p, _ = scipy.signal.ss2zpk(a, b, np.eye(6)[1:2], np.zeros((1, 1)))
    np.testing.assert_allclose(np.sort_complex(found.poles), np.sort_complex(p), rtol=1e-9)
    # Those of scipy that stand for the missing degree are as far away as rounding puts them.
    near = z[np.abs(z) < 1e4]
    np.testing.assert_allclose(np.sort_complex(found.zeros), np.sort_complex(near), rtol=1e-6)
    s = 0.7j
    product = found.gain * np.prod(s - found.zeros) / np.prod(s - found.poles)
    np.testing.assert_allclose(product, exact(k, m, c, np.eye(3)[:, :1], np.eye(3)[1:2], [0.7 / TAU])[0, 0, 0], rtol=1e-9)


def test_zeros_with_structural_damping_give_the_response():
    k, m, c = matrices(5)
    r = mb.response(k, M=m, C=c, inputs=np.eye(5)[0], outputs=np.eye(5)[2], band=(0, 1), zeros=True, loss=0.2)
    found = r.zeros["y0", "u0"]
    assert isinstance(found.gain, complex) and found.determined and len(found.poles) == 10
    s = TAU * 1j * r.hz
    over = [found.gain * np.prod(z - found.zeros) / np.prod(z - found.poles) for z in s]
    np.testing.assert_allclose(over, r.H[:, 0, 0], rtol=1e-9)
    assert not any(np.any(np.isclose(found.poles, p.conjugate())) for p in found.poles)
    plain = mb.response(k, M=m, C=c, inputs=np.eye(5)[0], outputs=np.eye(5)[2], band=(0, 1), zeros=True)
    assert isinstance(plain.zeros["y0", "u0"].gain, float)


def test_zeros_of_large_matrices_are_refused():
    for loss, n in ((0.0, 801), (0.1, 401)):
        with pytest.raises(mb.ArgumentError, match="dense matrices") as error:
            mb.response(sp.eye_array(n).tocsc(), inputs=np.eye(n)[:, 0], at=[0.3], zeros=True, loss=loss)
        assert error.value.argument == "zeros"


def test_zeros_of_rolling_against_scipy():
    text = (MODELS / "bicycle.toml").read_text() + """
[[torque]]
name = "steer"
on = "fork"
from = "frame"
direction = ["-sin(tilt)", 0, "cos(tilt)"]
input = "T"

[[output]]
name = "aside"
quantity = "y"
of = "frame"
"""
    lin = mb.loads(text).motion_point().linearize()
    found = lin.response((0, 1), zeros=True).zeros["aside", "T"]
    ss = lin.state_space()
    n = len(ss.A)
    pencil = np.block([[ss.A, ss.B], [ss.C, ss.D]])
    values = scipy.linalg.eigvals(pencil, np.diag([1.0] * n + [0.0]))
    # Those that stand for the missing degree are infinite or as far away as rounding puts them; free motions are near zero.
    finite = values[np.isfinite(values) & (np.abs(values) < 1e3) & (np.abs(values) > 1e-2)]
    assert found.determined and len(found.poles) == 6
    np.testing.assert_allclose(np.sort_complex(found.zeros), np.sort_complex(finite), rtol=1e-6)


def test_a_model_against_its_state_space():
    lin = mb.load(MODELS / "double-pendulum-rigid.toml", c=0.3).equilibrium().linearize()
    r = lin.response((0, 3))
    ss = lin.state_space()
    assert r.inputs == ss.inputs and r.outputs == ss.outputs
    s = TAU * 1j * r.hz
    reference = np.array([ss.C @ np.linalg.solve(z * np.eye(len(ss.A)) - ss.A, ss.B) + ss.D for z in s])
    np.testing.assert_allclose(r.H, reference, rtol=1e-8, atol=1e-12)
    # Denser at the resonances: the largest sample is the peak.
    peak = r.hz[np.argmax(r.magnitude[:, 0, 0])]
    assert np.min(np.abs(lin.modes().hz - peak)) < 0.05
    one = lin.response(at=[0.5, 1.5], outputs="tip-x", quantity="mobility")
    two = lin.response(at=[0.5, 1.5], outputs=["tip-x"])
    assert one.outputs == ["tip-x'"] and one.output_units == ["m/s"] and one.input_units == r.input_units
    np.testing.assert_allclose(one["tip-x'"], TAU * 1j * two.hz * two["tip-x"], rtol=1e-12)
    control = pytest.importorskip("control")
    system = r.to_control()
    assert isinstance(system, control.FrequencyResponseData) and system.ninputs == len(r.inputs)
    frame = r.to_frame()
    assert frame.index.name == "hz" and "tip-x / motor-torque" in frame
    assert "frequencies" in repr(r) and "tip-x / motor-torque" in r._repr_html_()
    np.testing.assert_allclose(r.decibel, 20 * np.log10(np.abs(r.H)))


def mass_on_a_spring():
    m = mb.Model("mass on a spring", parameters={"c": 0.4})
    p = m.point("P", at=(0, 0), mass=2)
    m.spring("x", p, (1, 0), stiffness=8, natural_length=1, damping="c")
    m.spring("across", p, (0, 9), stiffness=1e4, natural_length=9, damping=5)
    m.force("push", p, direction=(1, 0), input="u")
    m.force("lift", p, direction=(0, 1), input="v")
    m.output("sway", "x", p)
    return m


def test_bases_and_unbalances_against_closed_forms():
    lin = mass_on_a_spring().equilibrium().linearize()
    hz = np.array([0.1, 0.31, 0.6])
    w = TAU * hz
    plain = 1 / (8 - 2 * w**2 + 0.4j * w)
    np.testing.assert_allclose(lin.response(at=hz)["sway", "u"], plain, rtol=1e-12)
    base = lin.response(at=hz, base="x")
    assert base.inputs == ["base"]
    np.testing.assert_allclose(base["sway"], -2 * plain, rtol=1e-12)
    turning = lin.response(at=hz, inputs=["u", "v"], unbalance=0.03)
    np.testing.assert_allclose(turning["sway"], 0.03 * w**2 * plain, rtol=1e-11)


def test_mean_squares_of_random_inputs():
    lin = mass_on_a_spring().equilibrium().linearize()
    r = lin.response((0, 20), psd={"u": 0.3})
    # E x^2 = pi S / (2 k c w-units): with the one-sided density S per Hz, S / (4 k c).
    found = r.mean_square["sway"]
    exact_value = 0.3 / (4 * 8 * 0.4)
    assert abs(found.all - exact_value) <= found.all_error + 1e-15 and found.all_error < 1e-9 * exact_value
    assert found.band == pytest.approx(exact_value, rel=1e-3)
    table = lin.response((0, 20), psd={"u": [(0, 0.3), (20, 0.3)]}).mean_square["sway"]
    assert table.all is None and "not constant" in table.why and table.band == pytest.approx(found.band, rel=1e-6)


def test_undamped_poles_and_growing_motions_are_told():
    m = mass_on_a_spring().with_parameters(c=0.0)
    r = m.equilibrium().linearize().response(at=[2 / TAU, 1 / TAU])
    assert r.infinite_at == pytest.approx([2 / TAU], rel=1e-15) and r.hz == pytest.approx([1 / TAU], rel=1e-15)
    grows = mass_on_a_spring().with_parameters(c=-0.1).equilibrium().linearize()
    with pytest.warns(mb.FindingWarning, match="grows"):
        assert grows.response(at=0.1).growing == pytest.approx(0.1 / 4, rel=1e-9)


def crossed(damping=0.0):
    """A mass of 2 kg: 2 rad/s along x under F, 5 rad/s along y under G."""
    m = mb.Model("crossed")
    p = m.point("m", at=(1, 0), mass=2)
    m.spring("s", (0, 0), p, stiffness=8, damping=damping, natural_length=1)
    m.spring("across", (1, 9), p, stiffness=50, natural_length=9)
    m.force("push", p, direction=(1, 0), input="F")
    m.force("lift", p, direction=(0, 1), input="G")
    m.output("x", "x", p)
    return m.equilibrium().linearize()


def test_poles_that_a_response_does_not_have():
    # At the pole of y: H = 1 / (8 - 2 w^2), and the phase falls at the own pole.
    r = crossed().response((0.1, 5 / TAU), inputs="F")
    assert r.hz[-1] == 5 / TAU and abs(r["x"][-1] - 1 / (8 - 50)) <= r.bound[-1, 0, 0] and len(r.infinite_at) == 0
    assert any("not excited by F" in note and "not seen in x" in note for note in r.notes)
    np.testing.assert_array_equal(r.phase[:, 0, 0], np.where(r.hz < 2 / TAU, 0.0, -180.0))
    found = crossed(0.4).response((0, 1), inputs="F", psd={"F": 2.0}, quantity="mobility").mean_square["x'"]
    assert abs(found.all - 2 / (4 * 0.4 * 2)) <= found.all_error < 1e-5 and found.why is None
    direct = crossed(0.4).response((0, 1), inputs="F", psd={"F": 2.0}, quantity="accelerance").mean_square["x''"]
    assert direct.all is None and "directly" in direct.why
    with pytest.raises(mb.ArgumentError, match="not among the inputs of this response"):
        crossed(0.4).response((0, 1), inputs="F", psd={"G": 1.0})
    with pytest.raises(mb.MbError, match="infinite"):
        crossed().response((0, 1), inputs="F", psd={"F": 1.0})


def test_loss_moves_poles_and_stability():
    # 2 s^2 + 0.4 s + 8 (1 + 0.1 i) = 0 in the upper half-plane.
    r = mb.response([[8.0]], M=[[2.0]], C=[[0.4]], inputs=[1.0], band=(0, 1), loss=0.1)
    (pole,) = r.lossy_poles
    assert abs(2 * pole**2 + 0.4 * pole + 8 * (1 + 0.1j)) < 1e-12 and pole.imag > 0 and r.growing is None


def test_pictures_of_responses():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = mass_on_a_spring().equilibrium().linearize().response((0.1, 1), log=True).plot(("sway", "u"))
    assert axes[0].get_ylabel() == "magnitude, dB of m/N" and len(axes[1].lines) == 1


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, mb.ArgumentError, "band or at"),
        ({"band": (3, 1)}, mb.ArgumentError, "from < to"),
        ({"band": 3}, mb.ArgumentError, "pair"),
        ({"band": (0, 1), "log": True}, mb.ArgumentError, "logarithm"),
        ({"at": [-1.0]}, mb.ArgumentError, "negative"),
        ({"at": []}, mb.ArgumentError, "empty"),
        ({"at": [float("nan")]}, mb.ArgumentError, r"at\[0\]"),
        ({"at": 1.0, "inputs": "U"}, mb.ModelError, "did you mean 'u'"),
        ({"at": 1.0, "outputs": []}, mb.ArgumentError, "outputs"),
        ({"at": 1.0, "inputs": ["u", "v", "u"]}, mb.ArgumentError, "'u' twice"),
        ({"band": (0, 1), "points": 10**8}, mb.ArgumentError, "at most 100000"),
        ({"at": 1.0, "base": "z"}, mb.ArgumentError, "along z"),
        ({"at": 1.0, "base": "x", "inputs": "u"}, mb.ArgumentError, "excludes"),
        ({"at": 1.0, "unbalance": 1.0}, mb.ArgumentError, "one or two"),
        ({"at": 1.0, "loss": -1.0}, mb.ArgumentError, "loss"),
        ({"at": 1.0, "quantity": "speed"}, mb.ArgumentError, "mobility"),
        ({"band": (0, 1), "psd": {"u": -1.0}}, mb.ArgumentError, "negative"),
        ({"band": (0, 1), "psd": {"u": [(1, 1), (0, 1)]}}, mb.ArgumentError, "increase"),
    ],
)
def test_what_is_wrong_with_a_request_is_named(arguments, error, words):
    with pytest.raises(error, match=words):
        mass_on_a_spring().equilibrium().linearize().response(**arguments)


@pytest.mark.parametrize(
    ("arguments", "argument", "words"),
    [
        ({"inputs": [1.0, 0.0]}, "inputs", r"\(2, 1\)"),
        ({"inputs": np.zeros((3, 0))}, "inputs", "nothing"),
        ({"inputs": [1.0, np.nan, 0.0]}, "inputs", "finite"),
        ({"inputs": [1.0, 0, 0], "outputs": [1.0, 2.0]}, "outputs", "column"),
        ({"inputs": [1.0, 0, 0], "C": np.eye(2)}, "C", "agree"),
        ({"inputs": [1.0, 0, 0], "gyroscopic": np.eye(3)}, "gyroscopic", "skew"),
    ],
)
def test_what_is_wrong_with_matrices_is_named(arguments, argument, words):
    with pytest.raises(mb.ArgumentError, match=words) as caught:
        mb.response(np.diag([1.0, 2.0, 3.0]), at=0.1, **arguments)
    assert caught.value.argument == argument


def test_peaks_are_solved_for_and_said_in_words():
    # m x'' + c x' + k x = f: the largest |H| at w^2 = k / m - c^2 / (2 m^2).
    m, c, k = 2.0, 0.4, 8.0
    r = mb.response([[k]], M=[[m]], C=[[c]], inputs=[1.0], band=(0, 1), points=9)
    (peak,) = r.peaks["y0", "u0"]
    exact = math.sqrt(k / m - c**2 / (2 * m**2)) / TAU
    assert peak.within[0] < exact < peak.within[1] and peak.within[1] - peak.within[0] < 1e-6
    height = 1 / (c * math.sqrt(k / m - c**2 / (4 * m**2)))
    assert abs(abs(peak.value) - height) <= 2 * peak.bound + 1e-15
    assert "each solved for itself" in r.method and r.notes == []
    lin = mass_on_a_spring().with_parameters(c=0.0).equilibrium().linearize()
    undamped = lin.response((0, 1), base="x")
    (peak,) = undamped.peaks["sway", "base"]
    assert peak.hz == pytest.approx(2 / TAU, rel=1e-12) and peak.value is None and peak.bound is None
    assert undamped.notes[-1] == "Outputs are relative to the moving base."
    assert lin.response(at=0.1).peaks["sway", "u"] == []


def test_a_spinning_disc_answers_as_written_by_hand():
    """A disc that spins with W on two bearings, pushed at one end, seen from the ground: centre and tilts a, b by hand,

    m x'' + d x' + k x = u, J a'' + Jp W b' + 4 (d a' + k a) = 0, J b'' - Jp W a' + 4 (d b' + k b) = 2 u.
    """
    W, k, d = 3.0, 100.0, 2.0
    m = mb.Model("disc", parameters={"W": W})
    m.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
    for end in "ab":
        m.bearing(end, f"disc.{end}", "ground", stiffness=np.eye(2) * k / 2, damping=np.eye(2) * d / 2)
    m.steady_rotation("spin", bodies=["disc"], speed="W")
    m.force("push", "disc.b", direction=(1, 0, 0), input="u")
    m.output("x", "x", "disc.b")
    m.output("y", "y", "disc.b")
    hz = [0.5, 1.0, 3.0]
    r = m.equilibrium().linearize().response(at=hz)
    for i, s in enumerate(2j * np.pi * np.array(hz)):
        tilt = s * s + 4 * (d * s + k)
        a, b = np.linalg.solve([[tilt, 2 * W * s], [-2 * W * s, tilt]], [0, 2])
        exact = np.array([1 / (s * s + d * s + k) + 2 * b, -2 * a])
        assert np.all(np.abs(r.H[i, :, 0] - exact) <= r.bound[i, :, 0] + 1e-15 * np.abs(exact))


def test_a_page_has_mean_squares_and_zeros_of_a_response(tmp_path):
    lin = mb.generate("cart-pendulum").equilibrium().linearize()
    found = lin.response((0.1, 3), psd={"F": 0.1}, zeros=True)
    lin.modes().save(tmp_path / "page.html", curves=[found])
    page = (tmp_path / "page.html").read_text()
    for title in ("Root mean squares", "Poles and zeros of angle / F", "Poles and zeros of position / F"):
        assert page.count(f'"{title}"') == 1, title
    for o, output in enumerate(found.outputs):
        size = np.abs(found.H[:, o, 0])
        assert np.allclose(found.density[output], 0.1 * size**2, rtol=1e-14)
        assert np.allclose(found.density_bound[output], 0.1 * (2 * size + found.bound[:, o, 0]) * found.bound[:, o, 0])
    (output, rms) = next(iter(found.mean_square.items()))
    assert output == "position" and f"{float(np.sqrt(rms.all)):.12g}"[:10] in page


def test_exported_outputs_give_the_response(tmp_path):
    lin = mb.generate("cart-pendulum").equilibrium().linearize()
    lin.export(tmp_path, format="npz")
    M, C, K, G, B, C_out, D = (
        sp.load_npz(tmp_path / f"{name}.npz").toarray() for name in ("M", "C", "K", "Phi_q", "B", "C_out", "D")
    )
    found = lin.response(at=[0.3, 1.1])
    for hz, h in zip(found.hz, found.H, strict=True):
        s = 2j * np.pi * hz
        rows = len(G)
        saddle = np.block([[s**2 * M + s * C + K, G.T], [G, np.zeros((rows, rows))]])
        x = np.linalg.lstsq(saddle, np.vstack([B, np.zeros((rows, B.shape[1]))]), rcond=None)[0]
        q, multipliers = x[: len(M)], x[len(M) :]
        assert np.allclose(C_out @ np.vstack([q, s * q, s**2 * q, multipliers]) + D, h, rtol=1e-9)
