"""Modes as polynomials and along paths, against closed forms and against exact modes."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

import mb

MODELS = Path(__file__).resolve().parents[3] / "crates" / "mb-gallery" / "models"
TAU = 2 * math.pi


def coupled(k=16.0, other=25.0, coupling=0.0):
    """Two masses of 1 kg on springs k and `other` along x, coupled by a third one."""
    m = mb.Model("coupled masses", parameters={"k": k, "kc": coupling})
    m.point("A", at=(1, 0), mass=1)
    m.point("B", at=(2, 0), mass=1)
    m.spring("a", "A", (0, 0), stiffness="k", natural_length=1)
    m.spring("b", "B", (3, 0), stiffness=other, natural_length=1)
    m.spring("ab", "A", "B", stiffness="kc", natural_length=1)
    # Across they are held apart from these modes: sqrt(1e4) = 100 rad/s.
    m.spring("across-A", "A", (1, 9), stiffness=1e4, natural_length=9)
    m.spring("across-B", "B", (2, 9), stiffness=1e4, natural_length=9)
    return m


def exact(k, kc, other=25.0):
    w2 = np.linalg.eigvalsh([[k + kc, -kc], [-kc, other + kc]])
    return np.sqrt(w2)


def test_values_and_gradients_against_a_closed_form():
    s = coupled(coupling=2.0).series(["k", "kc"], order=6, modes=2)
    assert s.variables == ["k", "kc"] and s.centre == {"k": 16.0, "kc": 2.0} and len(s) == 2 and s.pieces == 1
    at = s(k=17.0, kc=2.2)
    omega = exact(17.0, 2.2)
    assert at.trusted.all() and np.all(np.abs(at.s - 1j * omega) <= 3 * at.error + 1e-12) and np.all(at.error < 1e-4)
    np.testing.assert_allclose(at.hz, omega / TAU, rtol=1e-5)
    np.testing.assert_array_equal(s([17.0, 2.2]).s, at.s)
    np.testing.assert_array_equal(s({"k": 17.0, "kc": 2.2}).s, at.s)
    # dw/dk = x_A^2 / (2 w), dw/dkc = (x_A - x_B)^2 / (2 w) with vectors of length one.
    w2, x = np.linalg.eigh([[18.0, -2.0], [-2.0, 27.0]])
    expected = np.column_stack([x[0] ** 2, (x[0] - x[1]) ** 2]) / (2 * np.sqrt(w2)[:, None]) / TAU
    np.testing.assert_allclose(s.gradient("hz"), expected, rtol=1e-10)
    np.testing.assert_allclose(s.gradient("natural_hz"), expected, rtol=1e-10)
    step = 1e-4
    by_steps = (s(k=17.0 + step).hz - s(k=17.0 - step).hz) / (2 * step)
    np.testing.assert_allclose(s.gradient("hz", k=17.0)[:, 0], by_steps, rtol=1e-6)
    terms, coefficients = s.coefficients()
    d = np.array([1.0, 0.2])
    np.testing.assert_allclose(coefficients @ np.prod(d**terms, axis=1), at.s, rtol=1e-13)
    bars = s.tolerance(k=0.5, kc=0.1)["natural_hz"]
    np.testing.assert_allclose(bars[:, 1], np.abs(expected) @ [0.5, 0.1], rtol=1e-10)
    assert repr(s) == "<mb.Series of 'coupled masses': 2 modes, order 6 about k = 16, kc = 2>" and "<table>" in s._repr_html_()
    assert list(s.to_frame().columns)[:4] == ["hz", "zeta", "dhz/dk", "dzeta/dk"]


def test_gradients_of_damping_against_differences_of_exact_modes():
    m = mb.load(MODELS / "double-pendulum-rigid.toml", c=0.3)
    s = m.series("c", order=3, modes=2)
    step = 1e-5
    zeta = [m.with_parameters(c=0.3 + d).equilibrium().linearize().modes().zeta for d in (step, -step)]
    np.testing.assert_allclose(s.gradient("zeta")[:, 0], (zeta[0] - zeta[1])[s.numbers] / (2 * step), rtol=1e-6)


def test_an_accuracy_is_kept_in_a_region():
    s = coupled(coupling=2.0).series("k", modes=2, accuracy=1e-6, region={"k": (8.0, 24.0)})
    for k in np.linspace(8, 24, 33):
        at = s(k=k)
        assert np.all(np.abs(np.sort(at.s.imag) - exact(k, 2.0)) <= 2e-6 * exact(k, 2.0))


def test_beyond_the_reach_nothing_is_trusted():
    s = coupled(coupling=0.1).series("k", order=8, modes=2)
    # The modes meet at k = 25 +- 0.2i.
    assert s(k=18.0).trusted.all() and not s(k=60.0).trusted.any()


def test_modes_that_meet_have_no_series_but_a_group():
    m = coupled(k=25.0, coupling=0.0)
    with pytest.raises(mb.NumericsError) as caught:
        m.series("k", order=3, modes=2)
    assert caught.value.kind == "not_simple"
    modes = m.equilibrium().linearize().modes()
    pair = [i for i, omega in enumerate(modes.s.imag) if abs(omega - 5) < 1e-6]
    s = m.series("k", order=4, modes=[], groups=[pair])
    group = s(k=26.0).groups[0]
    np.testing.assert_allclose(np.sort(group["s"].imag[group["s"].imag > 0]), [5.0, math.sqrt(26.0)], rtol=1e-6)
    assert group["trusted"] is True


def test_crossings_and_veerings_are_told():
    t = coupled().track("k", 16, 36, samples=21, modes=2)
    assert t.s.shape == (21, 2) and t.mac.shape == (20, 2, 2) and len(t) == 21
    # Each mode stays the same one: the first mass all the way, whatever its frequency is.
    own = int(np.argmin(np.abs(t.s[0].imag - 4)))
    np.testing.assert_allclose(t.s[:, own].imag, np.sqrt(t["k"]), rtol=1e-9)
    assert [met.kind for met in t.encounters] == ["crossing"] and abs(t.encounters[0].at["k"] - 25) < 0.5
    v = coupled(coupling=0.05).track("k", 20, 30, samples=41, modes=2)
    met = v.encounters[0]
    assert met.kind == "veering" and abs(met.at["k"] - 25) < 0.3 and met.exchange > 0.9
    assert met.gap_hz == pytest.approx((math.sqrt(25.1) - 5) / TAU, rel=0.05)
    np.testing.assert_allclose(np.sort(v.s.imag, axis=1), [exact(k, 0.05) for k in v["k"]], rtol=1e-9)
    s, error, trusted = v.predicted
    near = np.abs(v["k"] - v["k"][20]) < 1e-9
    assert trusted[near].all() and np.all(np.abs(s[near] - v.s[near]) < 1e-9) and error.shape == s.shape
    assert "veering" in v._repr_html_() and "hz 2" in "".join(v.to_frame().columns) or len(v.to_frame()) == 41


def test_paths_in_several_variables():
    m = coupled(coupling=1.0)
    k, kc = np.linspace(10, 20, 11), np.linspace(1, 2, 11)
    t = m.track({"k": k, "kc": kc}, modes=2)
    np.testing.assert_allclose(np.sort(t.s.imag, axis=1), [exact(a, b) for a, b in zip(k, kc)], rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m: m.series("K"), mb.ModelError, "did you mean 'k'"),
        (lambda m: m.series([]), mb.ArgumentError, "variables is empty"),
        (lambda m: m.series("k", modes=[99]), mb.ArgumentError, "counted from 0"),
        (lambda m: m.series("k", order=0), mb.ArgumentError, "order"),
        (lambda m: m.series("k", accuracy=1e-3), mb.ArgumentError, "region"),
        (lambda m: m.series("k", region={"k": (3, 1)}), mb.ArgumentError, "below the second"),
        (lambda m: m.series("k", modes=2)(q=1.0), mb.ModelError, "no variable 'q'"),
        (lambda m: m.series("k", modes=2)([1.0, 2.0]), mb.ArgumentError, "1 values are needed"),
        (lambda m: m.series("k", modes=2)([float("nan")]), mb.ArgumentError, "finite"),
        (lambda m: m.series("k", modes=2).gradient("f"), mb.ArgumentError, "natural_hz"),
        (lambda m: m.series("speed:A.x", modes=2), mb.ArgumentError, "instant=True"),
        (lambda m: m.track("k"), mb.ArgumentError, "start and end"),
        (lambda m: m.track({"k": [1.0], "kc": [1.0]}), mb.ArgumentError, "at least 2"),
        (lambda m: m.track({"k": [1.0, 2.0], "kc": [1.0]}), mb.ArgumentError, "same number"),
    ],
)
def test_what_is_wrong_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call(coupled(coupling=1.0))


def twins():
    """Two equal masses whose modes cross at k = 25, and a third mode far off."""
    m = mb.Model("two springs", parameters={"k": 16.0})
    m.point("P", at=(0, 0), mass=1)
    m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
    m.spring("y", "P", (0, 1), stiffness=25, natural_length=1)
    return m


def test_groups_are_followed_together_through_a_crossing():
    t = twins().track("k", 24, 26, samples=5, groups=[[0, 1]])
    (group,) = t.groups
    assert t.numbers == [] and group.modes == [0, 1] and group.distinguished and group.lost == []
    k = np.linspace(24, 26, 5)
    exact = np.sort(np.column_stack([np.sqrt(k), np.full(5, 5.0)]), axis=1)
    np.testing.assert_allclose(group.s, 1j * exact, rtol=1e-12)
    np.testing.assert_allclose(group.mean.imag, exact.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(group.natural_hz, exact / TAU, rtol=1e-12)
    assert group.trusted.all() and (np.abs(group.predicted - group.s) <= group.error + 1e-9).all()
    # They coincide at the sample in the middle, where k = 25.
    assert group.together == [(2, 2)]
    assert [(met.kind, met.modes) for met in t.encounters] == [("crossing", (0, 1))]
    # Interpolated between samples that are 0.5 apart.
    assert abs(t.encounters[0].at["k"] - 25) < 0.01
    assert "1 group," in repr(t) and {"hz 0+1 [0]", "zeta 0+1 [1]"} <= set(t.to_frame().columns)


def test_groups_by_closeness_are_those_by_number():
    m = coupled(k=24.99, coupling=0.0)
    by_number = m.series("k", order=2, modes="all", groups=[[0, 1], [2, 3]])(k=25.5).groups
    by_share = m.series("k", order=2, modes="all", groups="0.5%")(k=25.5).groups
    assert [g["modes"] for g in by_share] == [g["modes"] for g in by_number] == [[0, 1], [2, 3]]
    np.testing.assert_array_equal(by_share[0]["s"], by_number[0]["s"])
    for groups, words in [("5", "closeness"), ([[0]], "fewer than two"), ([[0, 1], [1, 2]], "stands in a group")]:
        with pytest.raises(mb.ArgumentError, match=words):
            m.series("k", modes="all", groups=groups)
    with pytest.raises(mb.ArgumentError, match="'all'"):
        m.series("k", modes="most")


def test_a_track_and_a_series_go_on_from_their_files_with_the_same_bits(tmp_path):
    m = coupled(coupling=2.0)
    path, series = tmp_path / "track", tmp_path / "series"

    def calls(path=None, series=None):
        t = m.track("k", 10, 22, samples=21, modes=2, checkpoint=path)
        return t.s, m.series(["k", "kc"], order=3, modes=2, checkpoint=series).coefficients()[1]

    whole = calls()
    for cut in (1, 4, 11):
        halted(path, cut, lambda: calls(path=path))
        halted(series, min(cut, 1), lambda: calls(series=series))
        np.testing.assert_array_equal(calls(path, series)[0], whole[0])
        np.testing.assert_array_equal(m.series(["k", "kc"], order=3, modes=2, checkpoint=series).coefficients()[1], whole[1])
        assert not path.exists() and not series.exists()


def test_diagrams_go_on_from_their_files_with_the_same_bits(tmp_path):
    table = mb.Model("table", parameters={"W": 3.0})
    P = table.body("P", mass=1, inertia=1, at=(0, 0))
    table.prismatic("rail", P, (0, 0), axis=(1, 0))
    table.spring("s", P, (-5, 0), stiffness=4, natural_length=5, damping=0.4)
    table.force("push", P, direction=(1, 0), magnitude="cos(W*t)")
    disc = mb.Model("disc", parameters={"W": 1.0})
    disc.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
    for end in "ab":
        disc.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 70]])
    disc.steady_rotation("spin", bodies=["disc"], speed="W")

    def campbell(path=None):
        found = disc.campbell("W", 1, 30, samples=20, checkpoint=path)
        return [found.s, np.array([c.speed for c in found.critical])]

    def exponents(path=None):
        found = table.exponents("W", 3, 4, "2*pi/W", samples=5, checkpoint=path)
        return [found.s, found.error]

    for number, call in enumerate((campbell, exponents)):
        path = tmp_path / str(number)
        whole = call()
        for cut in (1, 3):
            halted(path, cut, lambda call=call, path=path: call(path))
            for one, other in zip(call(path), whole, strict=True):
                np.testing.assert_array_equal(one, other)
            assert not path.exists()


def halted(path, steps, call):
    """Leaves the file of a run that was killed after some steps, in the middle of the next one."""
    # A second name of the file keeps what the run has written when it removes it.
    whole = path.with_name("whole")
    path.touch()
    os.link(path, whole)
    call()
    lines = whole.read_bytes().splitlines(keepends=True)
    whole.unlink()
    assert not path.exists() and len(lines) >= 1 + steps
    path.write_bytes(b"".join(lines[: 1 + steps]) + b"0123abcd 1.0 2.")


def test_ctrl_c_leaves_the_file_for_the_next_run(tmp_path):
    m, path = mb.load(MODELS / "n-four-bar.toml", N=1), tmp_path / "motion"

    def stop(reached):
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            m.simulate(6_000.0, every=0.02, checkpoint=path, progress=stop)
        assert path.read_bytes().startswith(b"mb checkpoint")


def test_a_motion_goes_on_from_its_file_with_the_same_bits(tmp_path):
    m = mb.load(MODELS / "n-four-bar.toml", N=1)
    path = tmp_path / "motion"

    def run():
        return m.simulate(6.0, every=0.02, checkpoint=path)

    whole = run()
    assert not path.exists() and len(whole.t) == 301
    halted(path, 2, run)
    again = run()
    for of in ("t", "q", "v", "a", "multipliers"):
        np.testing.assert_array_equal(getattr(again, of), getattr(whole, of))
    assert not path.exists() and again.statistics == whole.statistics


def test_the_file_of_another_run_is_refused_and_left_as_it_is(tmp_path):
    m, path = twins(), tmp_path / "steps"
    halted(path, 3, lambda: m.track("k", 10, 20, samples=9, modes=2, checkpoint=path))
    kept = path.read_bytes()
    for words, call in [
        ("with other arguments", lambda: m.track("k", 10, 20, samples=9, modes=2, order=3, checkpoint=path)),
        ("of another model", lambda: coupled().track("k", 10, 20, samples=9, modes=2, checkpoint=path)),
        ("of another analysis", lambda: m.simulate(1.0, checkpoint=path)),
    ]:
        with pytest.raises(mb.ArgumentError, match=words) as error:
            call()
        assert error.value.argument == "checkpoint" and path.read_bytes() == kept
    path.write_text("k,m\n1,2\n")
    with pytest.raises(mb.ArgumentError, match="no checkpoint"):
        m.simulate(1.0, checkpoint=path)
    assert path.read_text() == "k,m\n1,2\n"
    with pytest.raises(mb.ArgumentTypeError):
        m.simulate(1.0, checkpoint=5)  # type: ignore[arg-type]
