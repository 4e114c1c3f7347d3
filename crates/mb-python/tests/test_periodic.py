"""Periodic motions and their multipliers, against closed forms, eigenvalues, and integration by another method."""

import math
import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import mb


def swing(**more):
    """A pendulum of length 1 and mass 1, g = 9.81, on a rod without inertia of its own."""
    m = mb.Model("pendulum", gravity=(0, "-g"), parameters={"g": 9.81, **more})
    bob = m.body("bob", mass=1, inertia=1e-9, center_of_mass=(0, -1), at=(0, 0), angle=0)
    m.revolute("pin", bob, (0, 0))
    return m


def parametric(delta, epsilon):
    """y'' + (delta + epsilon cos t) y = 0, the spring being pulled by a rail that goes round."""
    m = mb.Model("rail", gravity=(0, "-d"), parameters={"d": delta, "e": epsilon})
    m.body("pivot", mass=1, inertia=1, at=(0, 0), angle=0)
    # A pivot that goes up and down with -e cos t makes gravity d + e cos t.
    m.body("bob", mass=1, inertia=1e-12, center_of_mass=(0, -1), at=(0, "-e"), angle=0)
    m.prismatic("rail", "pivot", (0, 0), axis=(0, 1))
    m.revolute("pin", "bob", "pivot")
    m.drive("shake", "y", "pivot", "-e*cos(t)")
    return m


def pushed():
    """x'' + c x' + 4 x = cos W t."""
    m = mb.Model("pushed", parameters={"W": 3.0, "c": 0.4})
    body = m.body("P", mass=1, inertia=1, at=(0, 0))
    m.prismatic("rail", body, (0, 0), axis=(1, 0))
    m.spring("s", body, (-5, 0), stiffness=4, natural_length=5, damping="c")
    m.force("push", body, direction=(1, 0), magnitude="cos(W*t)")
    return m


def test_the_period_of_a_pendulum_is_that_of_the_elliptic_integral():
    motion = swing().orbit(at={"bob.angle": 1.0}, hold="bob.angle")
    # By the arithmetic-geometric mean.
    a, b = 1.0, math.cos(0.5)
    for _ in range(8):
        a, b = (a + b) / 2, math.sqrt(a * b)
    assert motion.period == pytest.approx(2 * math.pi / math.sqrt(9.81) / a, rel=1e-8)
    assert motion.autonomous and len(motion) == motion.steps + 1
    assert motion.q.shape == (len(motion.model.configuration), len(motion)) and motion.v.shape[1] == len(motion)
    assert motion.t[-1] - motion.t[0] == pytest.approx(motion.period, rel=1e-14)
    np.testing.assert_allclose(motion["bob.angle"][[0, -1]], 1.0, rtol=1e-9)
    assert motion["bob.angle"].min() == pytest.approx(-1.0, rel=1e-3)
    assert max(motion.violation) < 1e-9


def test_a_guess_of_two_periods_finds_one_and_says_so():
    m = swing()
    once = m.orbit(at={"bob.angle": 1.0}, hold="bob.angle")
    twice = m.orbit(guess=2 * once.period, at={"bob.angle": 1.0}, hold="bob.angle")
    assert (once.returns, twice.returns) == (1, 2)
    assert twice.period == pytest.approx(once.period, rel=1e-9)
    given = m.orbit(2 * once.period, at={"bob.angle": 1.0})
    assert given.returns == 2 and given.period == pytest.approx(2 * once.period, rel=1e-14)


def test_a_branch_names_what_it_did_not_locate():
    none = np.zeros((1, 0))
    points = {"value": none[0], "period": none[0], "q": none, "v": none, "multipliers": none}
    found = {"points": points, "bifurcations": points, "kinds": [], "not_located": [("fold", [0.25, 0.5])], "ended": None}
    with pytest.warns(mb.FindingWarning, match=r"\(fold\) is not located between d = 0.25 and d = 0.5"):
        branch = mb.Branch(swing(), "d", found)
    assert branch.not_located == [("fold", (0.25, 0.5))]


@pytest.mark.parametrize(("delta", "epsilon"), [(0.3, 0.2), (0.26, 0.3), (1.1, 0.5)])
def test_multipliers_of_mathieu_s_equation_are_those_of_an_integration(delta, epsilon):
    def right(t, y):
        a = y.reshape(2, 2)
        return np.vstack([a[1], -(delta + epsilon * math.cos(t)) * a[0]]).ravel()

    end = solve_ivp(right, (0, 2 * math.pi), np.eye(2).ravel(), rtol=1e-12, atol=1e-13, method="DOP853").y[:, -1]
    expected = np.linalg.eigvals(end.reshape(2, 2))
    f = parametric(delta, epsilon).floquet(2 * math.pi)
    assert len(f) == 2
    for mu in expected:
        assert np.abs(f.multipliers - mu).min() < 1e-8
    grows = np.abs(expected).max() > 1 + 1e-6
    assert f.stable is (False if grows else None) and ("growing" in f.kind) is bool(grows)


def test_the_shape_of_a_multiplier_solves_the_linear_equation():
    delta, epsilon = 0.26, 0.3
    m = parametric(delta, epsilon)
    f = m.floquet("2*pi")
    assert f.kind[0] == "growing"
    angle = m.coordinates.index("bob.angle")
    p, s, t = f.shape(0)[angle], f.exponents[0], f.orbit.t
    # The disturbance exp(s t) p is a combination of two solutions of Mathieu's equation.
    x = np.exp(s * t) * p

    def right(t, y):
        return [y[1], -(delta + epsilon * math.cos(t)) * y[0]]

    both = [solve_ivp(right, (t[0], t[-1]), start, t_eval=t, method="DOP853", rtol=1e-12, atol=1e-13).y[0] for start in ([1, 0], [0, 1])]
    basis = np.array(both).T.astype(complex)
    best = np.linalg.lstsq(basis, x, rcond=None)[0]
    np.testing.assert_allclose(basis @ best, x, atol=1e-8 * np.abs(x).max())
    assert np.abs(p[-1] - p[0]) < 1e-8


def test_exponents_at_rest_are_the_eigenvalues():
    m = swing()
    f = m.floquet(guess=0.9)
    # On the principal branch: 0.5 Hz is below 1 / (2 T).
    s = m.equilibrium().linearize().modes().s
    np.testing.assert_allclose(sorted(np.abs(f.exponents.imag)), [s[0].imag] * 2, rtol=1e-9)
    assert f.stable is None and f.trivial_residual is None


def test_a_driven_motion_and_its_shape_follow_the_closed_form():
    m = pushed()
    motion = m.orbit("2*pi/W")
    h = 1 / (4 - 9 + 0.4j * 3)
    np.testing.assert_allclose(motion["P.x"], (h * np.exp(3j * motion.t)).real, atol=1e-9)
    f = motion.floquet()
    exact = np.exp((-0.2 + 1j * math.sqrt(4 - 0.04)) * 2 * math.pi / 3)
    assert np.abs(f.multipliers - exact).min() <= 10 * f.error.max() + 1e-12
    # Of an equation with constant coefficients the shape is that of the mode at any time, but for whole frequencies 1 / T.
    row = np.abs(f.shape(0)[m.coordinates.index("P.x")])
    np.testing.assert_allclose(row, row[0], rtol=1e-8)
    settled = m.orbit("2*pi/W", settle=3.0)
    np.testing.assert_allclose(settled["P.x"], motion["P.x"], atol=1e-9)


def test_a_branch_meets_the_edge_of_mathieu_s_first_tongue():
    # y'' + (d + 0.1 cos t) y = 0 doubles its period at d = 1/4 - 0.05 + ..., by Hill's determinant of the truncated series.
    def edge():
        n = 8
        odd = np.arange(n) + 0.5
        a = np.diag(odd**2) - np.diag([0.05] * (n - 1), 1) - np.diag([0.05] * (n - 1), -1)
        out = []
        for sign in (1, -1):
            b = a.copy()
            b[0, 0] -= sign * 0.05
            out.append(np.linalg.eigvalsh(b)[0])
        return sorted(out)

    low, high = edge()
    m = parametric(0.15, 0.1)
    branch = m.orbit("2*pi").follow("d", 0.35, points=15)
    found = [b for b in branch.bifurcations if b.kind == "period doubling"]
    assert [round(b.value, 6) for b in found] == [round(low, 6), round(high, 6)]
    assert branch.value[0] == 0.15 and branch.ended is None and branch.not_located == []
    assert branch.multipliers.shape == (2, len(branch)) and branch.q.shape[1] == len(branch)
    assert (branch.largest[(branch.value > low + 1e-3) & (branch.value < high - 1e-3)] > 1).all()
    pd = pytest.importorskip("pandas")
    assert isinstance(branch.to_frame(), pd.DataFrame) and isinstance(m.orbit("2*pi").to_frame(), pd.DataFrame)


@pytest.mark.parametrize(
    ("request_", "argument", "words"),
    [
        ({"period": -1.0}, "period", "positive"),
        ({"period": "2*nothing"}, "period", "nothing"),
        ({"period": "0*g"}, "period", "positive"),
        ({"period": float("nan")}, "period", "finite"),
        ({"period": [1.0]}, "period", "number"),
        ({"period": 1.0, "guess": 1.0}, "guess", "exclude each other"),
        ({"guess": 0}, "guess", "positive"),
        ({"period": 1.0, "parts": 0}, "parts", "at least 1"),
        ({"period": 1.0, "steps": 2.5}, "steps", "whole number"),
        ({"period": 1.0, "tolerance": 0.0}, "tolerance", "positive"),
        ({"period": 1.0, "hold": 3}, "hold", "a name or a sequence of names"),
        ({"period": 1.0, "at": {"bob.angle": "x"}}, "at['bob.angle']", "number"),
    ],
)
def test_what_cannot_be_used_is_named(request_, argument, words):
    with pytest.raises(mb.ArgumentError, match=words) as caught:
        swing().orbit(**request_)
    assert caught.value.argument == argument


def test_what_the_model_does_not_have_is_named():
    with pytest.raises(mb.ModelError, match="did you mean 'bob.angle'"):
        swing().orbit(1.0, hold="bob.angel")
    with pytest.raises(mb.ArgumentError, match="shake.*period=") as caught:
        parametric(1.0, 0.1).orbit()
    assert caught.value.argument == "period"
    with pytest.raises(mb.ArgumentError, match="no period of the model") as caught:
        parametric(1.0, 0.1).orbit(3.0)
    assert caught.value.argument == "period"
    with pytest.raises(mb.ModelError, match="at rest in an equilibrium"):
        swing().orbit()
    rest = swing().orbit(1.0)
    with pytest.raises(mb.ModelError, match="parameter"):
        rest.follow("h", 3.0)
    with pytest.raises(mb.ArgumentError, match="where the branch begins"):
        rest.follow("g", 9.81)
    with pytest.raises(IndexError):
        rest.floquet().shape(7)
    with pytest.raises(mb.ArgumentTypeError):
        rest.floquet().shape(0.5)


@pytest.mark.parametrize("method", ["floquet", "exponents"])
def test_a_keyword_that_is_none_is_one_of_the_method_that_was_called(method):
    arguments = {"floquet": (1.0,), "exponents": ("g", 9.0, 10.0, 1.0)}[method]
    with pytest.raises(TypeError, match=rf"Model\.{method}\(\) got an unexpected keyword argument 'toleranse'.*tolerance"):
        getattr(swing(), method)(*arguments, toleranse=1e-9)


def test_words_and_tables():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = swing().floquet(at={"bob.angle": 0.5}, hold="bob.angle")
    assert "trivial" in f.kind and f.trivial_residual < 1e-8
    for shown in (f, f.orbit, pushed().orbit("2*pi/W").follow("W", 3.2, points=3)):
        assert repr(shown).startswith("<mb.") and "<table>" in shown._repr_html_()
    pytest.importorskip("matplotlib").use("Agg")
    assert f.plot() and f.orbit.plot("bob.angle")
    pytest.importorskip("pandas")
    assert list(f.to_frame()["kind"]) == f.kind
