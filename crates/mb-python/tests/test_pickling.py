"""Results and models that are pickled, copied, and computed in other processes and threads."""

import concurrent.futures
import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import mb

WHEEL = """
units = "SI"
name = "wheel"
parameters = { k = 8, W = 3 }
body = [{ name = "wheel", mass = 1, inertia = 0.5 }]
joint = [{ name = "axle", type = "revolute", a = "wheel", b = [0, 0] }]
torsion-spring = [{ name = "t", a = "ground", b = "wheel", stiffness = "k", damping = 0.1 }]
torque = [{ name = "motor", on = "wheel", input = "u" }, { name = "push", on = "wheel", magnitude = "cos(W*t)" }]
output = [{ name = "angle", quantity = "angle", of = "wheel" }]
"""


def results():
    """One of each kind, by name."""
    m = mb.loads(WHEEL)
    rest = m.equilibrium()
    lin = rest.linearize()
    orbit = m.orbit("2*pi/W")
    disc = mb.Model("disc", parameters={"W": 1.0})
    disc.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
    for end in "ab":
        disc.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
    disc.steady_rotation("spin", bodies=["disc"], speed="W")
    return {
        "eigs": mb.eigs([[4.0, 0], [0, 9.0]], M=[[1.0, 0], [0, 0]], all=True),
        "eigs left": mb.eigs([[4.0, 1], [0, 9.0]], left=True),
        "model": m,
        "point": rest,
        "motion point": disc.motion_point(),
        "equilibria": m.equilibria(starts=3)[-1],
        "linearization": lin,
        "modes": lin.modes(),
        "redundant": lin.modes(formulation="redundant"),
        "energy": lin.modes().energy(),
        "state space": lin.state_space(),
        "response": lin.response((0, 2)),
        "run": m.simulate(0.2),
        "comparison": m.simulate(0.1, compare=True),
        "orbit": orbit,
        "floquet": orbit.floquet(),
        "branch": orbit.follow("W", 4.0, points=3),
        "exponents": m.exponents("W", 3, 4, "2*pi/W", samples=3),
        "series": m.series("k", order=2, modes=1),
        "value": m.series("k", order=2, modes=1)(k=9.0),
        "track": m.track("k", 8, 10, samples=3, modes=1),
        "campbell": disc.campbell("W", 1, 30, samples=5),
        "sweep": m.sweep({"k": [8.0, 9.0]}),
        "check": m.check(),
        "load path": m.load_path(),
        "redundancy": m.redundancy(),
    }


@pytest.fixture(scope="module")
def made():
    return results()


def numbers(value, seen=None):
    """Public attributes that are numbers or words, arrays among them, of a result and of those in it."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return {}
    seen.add(id(value))
    out = {}
    for name in dir(value):
        if name.startswith("_") or name in ("left", "left_multipliers", "gyroscopic", "source"):
            continue
        found = getattr(value, name)
        if isinstance(found, (bool, int, float, complex, str, list, dict, tuple, np.ndarray)) and not callable(found):
            out[name] = repr(found) if not isinstance(found, np.ndarray) else found.tobytes()
    return out


KINDS = [
    "eigs",
    "eigs left",
    "model",
    "point",
    "motion point",
    "equilibria",
    "linearization",
    "modes",
    "redundant",
    "energy",
    "state space",
    "response",
    "run",
    "comparison",
    "orbit",
    "floquet",
    "branch",
    "exponents",
    "series",
    "value",
    "track",
    "campbell",
    "sweep",
    "check",
    "load path",
    "redundancy",
]
WAYS = {
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "old pickle": lambda x: pickle.loads(pickle.dumps(x, protocol=2)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "twice": lambda x: pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(x)))),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_was_pickled_has_the_same_numbers(made, kind, way):
    one = made[kind]
    other = WAYS[way](one)
    assert type(other) is type(one) and repr(other) == repr(one)
    mine = numbers(one)
    assert (len(mine) > 0 or kind == "comparison") and numbers(other) == mine
    if hasattr(one, "_repr_html_"):
        assert other._repr_html_() == one._repr_html_()


@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_more_is_asked_of_what_was_pickled(made, way):
    again = {kind: WAYS[way](value) for kind, value in made.items()}
    assert again["eigs"].everything().kind == made["eigs"].everything().kind
    assert (again["eigs left"].left == made["eigs left"].left).all()
    for kind in ("point", "motion point", "equilibria"):
        assert (again[kind].linearize().K == made[kind].linearize().K).all()
    assert (again["modes"].energy().kinetic == made["modes"].energy().kinetic).all()
    assert (again["linearization"].modes().s == made["modes"].s).all()
    assert (again["redundant"].everything().kind) == made["redundant"].everything().kind
    assert (again["floquet"].shape(0) == made["floquet"].shape(0)).all()
    assert (again["series"](k=9.0).s == made["series"](k=9.0).s).all()
    assert (again["track"].shapes(0) == made["track"].shapes(0)).all()
    assert again["orbit"].follow("W", 4.0, points=3).value.tolist() == made["branch"].value.tolist()
    assert again["model"].equilibrium().stable is made["point"].stable


def test_pages_of_what_was_pickled(made, tmp_path):
    modes, run = pickle.loads(pickle.dumps((made["modes"], made["run"])))
    modes.save(tmp_path / "a.html", run=run, curves=made["response"])
    made["modes"].save(tmp_path / "b.html", run=made["run"], curves=made["response"])
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_results_of_matrices_refuse_what_is_not_among_their_numbers():
    r = pickle.loads(pickle.dumps(mb.eigs([[4.0]])))
    with pytest.raises(mb.ArgumentError, match="was pickled or copied"):
        r._native.modes(True)
    with pytest.raises(AttributeError, match="'Modes' object has no attribute 'hertz'"):
        r.hertz


def test_a_result_does_not_take_a_changed_model_for_its_own():
    m = mb.loads(WHEEL)
    rest = m.equilibrium()
    m.torsion_spring("more", a=m.ground, b="wheel", stiffness=100)
    other = pickle.loads(pickle.dumps(rest))
    assert other.q.tolist() == rest.q.tolist()
    with pytest.raises(mb.ArgumentError, match="changed after"):
        other.linearize().modes()
    assert rest.linearize().modes().s.imag[0] == pytest.approx(4.0, rel=1e-2)


def test_copies_of_a_model_are_changed_apart():
    m = mb.loads(WHEEL)
    for other in (copy.copy(m), copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        other.torsion_spring("more", a=m.ground, b="wheel", stiffness=100)
        assert other.equilibrium().linearize().modes().s.imag[0] > 10 > m.equilibrium().linearize().modes().s.imag[0]
    half = mb.Model("half")
    part = half.body("b", mass=1, inertia=1)
    half.revolute("pin", part, "nowhere")
    again = pickle.loads(pickle.dumps(half))
    assert "not whole" in repr(again) and repr(again) == repr(half)


def test_errors_are_pickled_with_their_fields():
    for call, fields in [
        (lambda: mb.eigs([[1.0, 0], [0, float("nan")]]), ("argument", "position")),
        (lambda: mb.loads("units = 1"), ("problems", "line", "column")),
        (lambda: mb.generate("x"), ("help",)),
        (lambda: mb.loads("units='SI'\nname='m'\ngravity=[0,-1]\npoint=[{name='P', at=[0,0], mass=1}]").equilibrium(), ("kind",)),
    ]:
        with pytest.raises(mb.MbError) as caught:
            call()
        again = pickle.loads(pickle.dumps(caught.value))
        assert type(again) is type(caught.value) and str(again) == str(caught.value)
        assert all(getattr(again, f) == getattr(caught.value, f) for f in fields)


def frequency(k):
    return float(mb.loads(WHEEL, k=k).equilibrium().linearize().modes().hz[0])


def work(size):
    """Dense routines aside, sparse factorizations and sweeps: what runs on several threads."""
    i = np.arange(size)
    full = mb.eigs(1 / (1 + np.abs(i[:, None] - i)) + size * np.eye(size), C=0.01 * np.eye(size), all=True)
    sparse = pytest.importorskip("scipy.sparse")
    chain = sparse.diags_array([np.full(2999, -1.0), np.full(3000, 2.0), np.full(2999, -1.0)], offsets=[-1, 0, 1]).tocsc()
    part = mb.eigs(chain, lowest=3)
    swept = mb.loads(WHEEL).sweep({"k": [8.0, 9.0]})
    return full.hz[0], part.hz[0], swept.hz[1, 0]


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_other_processes_give_the_same_bits(method):
    # The parent has used all threads before it forks.
    mine = (frequency(8.0), work(200))
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(frequency, [8.0, 9.0]).get(120)
        assert found == [mine[0], frequency(9.0)]
        assert pool.map_async(work, [200, 200]).get(120) == [mine[1]] * 2
        value = pool.apply_async(mb.Model.equilibrium, (mb.loads(WHEEL),)).get(120)
    assert value.linearize().modes().hz[0] == mine[0]


def test_threads_give_the_same_bits():
    m = mb.loads(WHEEL)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: m.with_parameters(k=k).equilibrium().linearize().modes().hz[0], [8.0, 9.0] * 50))
    assert found == [frequency(8.0), frequency(9.0)] * 50
    rest = m.equilibrium()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        shared = list(pool.map(lambda _: rest.linearize().modes().s.tobytes(), range(50)))
    assert len(set(shared)) == 1
