"""Models from files and from Python: equilibrium, linearization, modes, state space, motion."""

import json
import math
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import mb

MODELS = Path(__file__).resolve().parents[3] / "crates" / "mb-gallery" / "models"
FILES = sorted(p.name for p in MODELS.glob("*.toml"))


def pendulum(length=1.5, mass=2.0):
    m = mb.Model("pendulum", gravity=(0, -9.81), parameters={"L": length})
    pin = m.point("O", at=(0, 0), fixed=True)
    tip = m.point("P", at=(0, "-L"))
    m.rod("OP", ends=(pin, tip), mass=mass)
    m.output("height", "y", tip)
    return m


def arm():
    m = mb.Model("arm", gravity=(0, 0, -9.81))
    arm = m.body("arm", mass=4, inertia=[[0.02, 0.001, 0], [0.001, 0.3, 0], [0, 0, 0.31]], at=(0.5, 0, 0), markers={"root": (-0.5, 0, 0)})
    m.revolute("hinge", arm.marker("root"), m.ground, axis="y")
    return m


def test_a_pendulum_from_python():
    m = pendulum()
    eq = m.equilibrium(at={"P.x": 0.3})
    assert eq.stable is True and eq.stability == "stable" and eq.at_rest
    np.testing.assert_allclose(eq.q, [0, -1.5], atol=1e-12)
    assert eq["P.y"] == eq.q[1] and eq.outputs == {"height": eq.q[1]}
    # Half the weight of a uniform rod hangs on each end.
    np.testing.assert_allclose(eq.reactions["OP"].force[1], -9.81, rtol=1e-12)
    lin = eq.linearize()
    assert lin.M.shape == lin.K.shape == (2, 2) and lin.G.shape == (1, 2) and lin.F.shape == (2, 0)
    modes = lin.modes()
    omega = math.sqrt(3 * 9.81 / (2 * 1.5))
    assert len(modes) == 1 and modes.complete is True
    assert abs(modes.s[0] - 1j * omega) <= modes.error[0] < 1e-12
    assert modes.amplitude("P.x")[0] == pytest.approx(1.0)
    assert repr(m) == "<mb.Model 'pendulum': 2 coordinates, 1 constraint row>"
    assert "<td>L</td><td>1.5</td>" in m._repr_html_() and "2 coordinates" in m._repr_html_()


@pytest.mark.parametrize("formulation", ["minimal", "redundant", "unconstrained"])
def test_formulations_agree(formulation):
    m = mb.load(MODELS / "double-pendulum-rigid.toml")
    lin = m.equilibrium().linearize()
    reference = lin.modes().s
    modes = lin.modes(formulation=formulation)
    np.testing.assert_allclose(modes.s, reference, rtol=1e-4)
    everything = modes.everything()
    expected = {"minimal": "physical", "redundant": "infinite", "unconstrained": "spurious"}[formulation]
    assert expected in everything.kind
    if formulation == "unconstrained":
        assert modes.penalty_factor >= 1e6 and modes.penalty_violation < 1e-3
        share = everything.penalty_share
        assert share[: len(modes)].max() < 0.5 < share[len(modes) :].min()


def test_own_matrices_and_the_model_agree():
    m = mb.load(MODELS / "n-four-bar.toml", N=4, c=1)
    lin = m.equilibrium().linearize()
    modes = lin.modes()
    from_matrices = mb.eigs(lin.K, M=lin.M, C=lin.C, constraints=lin.G)
    np.testing.assert_allclose(modes.s, from_matrices.s, rtol=1e-10)
    blocks = lin.sparse()
    np.testing.assert_array_equal(blocks["K"].toarray(), lin.K)
    np.testing.assert_allclose(mb.eigs(blocks["K"], M=blocks["M"], C=blocks["C"], constraints=blocks["G"]).s, modes.s, rtol=1e-10)


@pytest.mark.parametrize("file", FILES)
def test_saved_and_loaded_with_the_same_bits(file, tmp_path):
    m = mb.load(MODELS / file)
    m.save(tmp_path / "copy.toml")
    for mesh in MODELS.glob("*.inp"):
        (tmp_path / mesh.name).write_bytes(mesh.read_bytes())
    copy = mb.load(tmp_path / "copy.toml")
    assert copy.tables == m.tables and copy.to_toml() == m.to_toml()
    # Through the tables of Python too, which are written by another hand.
    again = mb.Model("x")
    again._tables = json.loads(json.dumps(m.tables))
    again._folder = MODELS
    assert again.to_toml() == m.to_toml()
    assert np.array_equal(again._build().initial(), m._build().initial())


def test_every_table_of_the_schema_has_a_method():
    schema = json.loads((MODELS.parents[2] / "crates" / "mb-cli" / "model.schema.json").read_text())
    tables = set(schema["properties"]) - {"units", "name", "description", "gravity", "parameters"}
    for table in tables:
        assert callable(getattr(mb.Model, table.replace("-", "_"))), table


def test_parameters_and_expressions():
    m = pendulum()
    m = m.with_parameters(L=0.5)
    assert m.parameters == {"L": 0.5}
    modes = m.equilibrium().linearize().modes()
    np.testing.assert_allclose(modes.s[0].imag, math.sqrt(3 * 9.81), rtol=1e-12)
    with pytest.raises(mb.ModelError, match="M") as caught:
        m.with_parameters(M=3)
    assert caught.value.problems
    loaded = mb.load(MODELS / "n-four-bar.toml", k="2*m*10")
    assert loaded.parameters["k"] == 20.0


def test_what_is_wrong_with_a_file_is_said_at_its_place(tmp_path):
    path = tmp_path / "gate.toml"
    path.write_text('units = "SI"\nname = "x"\n[[rod]]\nname = "r"\nends = ["A", "B"]\nmass = 1\nlenght = 2\n')
    with pytest.raises(mb.ModelError, match="lenght") as caught:
        mb.load(path)
    error = caught.value
    assert error.file == str(path) and error.line == 7 and error.column == 1
    assert "length" in error.help and f"{path}:7:1" in str(error)
    with pytest.raises(FileNotFoundError):
        mb.load(tmp_path / "none.toml")
    m = pendulum()
    m.spring("s", "P", "nowhere", stiffness=3)
    with pytest.raises(mb.ModelError, match="nowhere"):
        m.equilibrium()
    assert "not whole" in repr(m) and "nowhere" in repr(m) and "not whole" in m._repr_html_()
    with pytest.raises(mb.ArgumentError, match="two points"):
        pendulum().rod("r", ends=5, mass=1)
    with pytest.raises(mb.ModelError, match="did you mean 'P.x'"):
        pendulum().equilibrium(at={"P.X": 1.0})
    with pytest.raises(mb.ArgumentError, match="type object"):
        pendulum().force("f", "P", vector=object())


def test_a_body_in_space():
    m = arm()
    eq = m.equilibrium()
    assert eq.stable is True
    # It hangs straight down: the pendulum of a rigid body.
    modes = eq.linearize().modes()
    omega = math.sqrt(4 * 9.81 * 0.5 / (0.3 + 4 * 0.25))
    assert abs(modes.s[0].imag - omega) < 1e-9
    force = eq.reactions["hinge"].force
    np.testing.assert_allclose(force, [0, 0, 4 * 9.81], atol=1e-8)
    assert m.redundancy().degrees_of_freedom == 1 and m.redundancy().redundant == {}
    assert m.tables["spatial-body"][0]["products_of_inertia"] == [0.001, 0.0, 0.0]


def test_redundant_constraints_are_named():
    m = mb.load(MODELS / "bricard.toml") if (MODELS / "bricard.toml").exists() else arm()
    found = m.redundancy()
    assert found.rows - found.rank == len(found.redundant)
    assert all("joint" in name for name in found.redundant)
    if found.redundant:
        assert found.smallest_kept > 1e-3 and found.largest_dropped < 1e-12
    held = arm().redundancy()
    assert held.smallest_kept > 1e-3 and held.largest_dropped is None


def test_energy_and_participation():
    m = mb.load(MODELS / "double-pendulum-rigid.toml")
    modes = m.equilibrium().linearize().modes(left=True)
    assert modes.left_multipliers.shape == modes.multipliers.shape and np.isnan(modes.penalty_share).all()
    energy = modes.energy()
    assert set(energy.bodies) >= {"upper", "lower"}
    np.testing.assert_allclose(energy.kinetic.sum(axis=0), 1.0)
    part = modes.participation()
    assert part.directions == ["x", "y"]
    np.testing.assert_allclose(part.total, 3.5, rtol=1e-12)
    # All modes are there, so that their masses add up to what the constraints let move.
    np.testing.assert_allclose(part.sums, part.constrained, rtol=1e-9, atol=1e-9)


def test_state_space():
    m = mb.load(MODELS / "double-pendulum-rigid.toml", c=0.3)
    lin = m.equilibrium().linearize()
    ss = lin.state_space(form="minimal")
    assert ss.A.shape == (4, 4) and ss.inputs == ["motor-torque"] and ss.outputs == ["tip-x", "elbow-angle"]
    found = np.sort_complex(np.linalg.eigvals(ss.A))
    np.testing.assert_allclose(found, np.sort_complex(lin.modes().eigenvalues), rtol=1e-8)
    descriptor = lin.state_space(form="descriptor")
    assert descriptor.E.shape == descriptor.A.shape == (16, 16)
    s = 1.3j
    transfer = [
        x.C @ np.linalg.solve(s * (np.eye(len(x.A)) if x.E is None else x.E) - x.A, x.B) + x.D for x in (ss, descriptor)
    ]
    np.testing.assert_allclose(*transfer, rtol=1e-9)
    control = pytest.importorskip("control")
    system = ss.to_control()
    np.testing.assert_allclose(system(s), transfer[0], rtol=1e-9)
    assert isinstance(system, control.StateSpace)
    with pytest.raises(mb.ArgumentError, match="descriptor"):
        descriptor.to_control()


def test_points_of_motions():
    m = mb.Model("spinning rod")
    body = m.body("rod", mass=1, inertia=0.1, center_of_mass=(0.5, 0))
    m.revolute("pin", body, (0, 0))
    m.body("bead", mass=0.5, inertia=0.01, at=(1, 0))
    m.prismatic("slide", "bead", "rod", axis=(1, 0))
    m.spring("s", "bead", "rod", stiffness=200, natural_length=1)
    # The bead rests where spring and centrifugal force balance: m w^2 r = k (r - 1).
    w = 3.0
    r = 200 / (200 - 0.5 * w**2)
    point = m.motion_point({"rod.angle": w, "bead.angle": w}, at={"bead.x": r})
    assert not point.at_rest and point.lasts and point.stable is None and point.stability == "steady motion"
    modes = point.linearize().modes()
    # Rod and bead about the pin: J(r) w' + 2 m r r' w = 0 and r'' - r w^2 + 400 (r - 1) = 0, linearized with J w kept.
    inertia = 0.1 + 0.25 + 0.01 + 0.5 * r**2
    expected = math.sqrt(400 - w**2 + 4 * 0.5 * r**2 * w**2 / inertia)
    assert np.min(np.abs(modes.s.imag - expected)) < 1e-6
    with pytest.raises(mb.ArgumentError, match="equilibrium"):
        modes.energy()
    with pytest.raises(mb.NumericsError) as caught:
        m.motion_point({"rod.angle": w}, at={"bead.x": 0.2}, solve=False)
    assert caught.value.kind in ("not_steady", "not_on_motion")
    instant = m.motion_point({"rod.angle": w}, at={"bead.x": 0.9}, instant=True)
    assert not instant.lasts and len(instant.linearize().modes()) > 0
    with pytest.raises(mb.ArgumentError, match="instant"):
        instant.linearize().modes(lowest=1)


def test_a_driven_joint_moves_as_its_law_says():
    m = mb.Model("driven bar")
    bar = m.body("bar", mass=2, inertia=0.3, at=(0.5, 0), markers={"root": (-0.5, 0)})
    m.revolute("pin", "bar.root", (0, 0))
    m.point("load", at=(1, 0), mass=1)
    m.spring("tie", "load", bar, stiffness=100, natural_length=0)
    m.drive("motor", "angle", "bar", "4*t")
    # Everything behind the joint by its spin; or the load by its own speed, with that of the bar from the drive.
    point = m.motion_point(spin={"pin": 4.0}, at={"load.x": 0.9}, frame="bar")
    other = m.motion_point({"load.y": 4.0 * 0.6}, at={"load.x": 0.6})
    np.testing.assert_allclose(other.v, point.v, atol=1e-9)
    assert other.v[m.coordinates.index("bar.angle")] == pytest.approx(4.0, rel=1e-12)
    # The load turns along where k (x - 0.5) = m w^2 x; it swings with sqrt(k/m) -+ w in the frame of the bar.
    assert point["load.x"] == pytest.approx(50 / (100 - 16), rel=1e-9)
    found = np.sort(np.abs(point.linearize().modes().s.imag))
    assert found[[0, -1]] == pytest.approx([6, 14], rel=1e-6)
    with pytest.raises(mb.NumericsError) as caught:
        m.motion_point({"bar.angle": 3.0, "load.y": 2.0}, solve=False)
    assert caught.value.kind == "not_on_motion"
    # A load at rest near a bar that turns is no steady motion.
    with pytest.raises(mb.NumericsError, match="load") as caught:
        m.motion_point({"bar.angle": 4.0}, at={"load.x": 0.9}, frame="bar")
    assert caught.value.kind == "not_steady"


def governor():
    """An arm of 0.5 m on a free shaft; gravity 10 m/s^2."""
    m = mb.Model("governor", gravity=(0, 0, -10))
    shaft = m.spatial_body("shaft", mass=1, inertia=(1, 1, 1), at=(0, 0, 0))
    m.spatial_body("arm", mass=2, inertia=(1e-3, 1e-3, 1e-3), at=(0.3, 0, -0.4), markers={"pin": (-0.3, 0, 0.4)})
    m.revolute("axle", shaft, "ground", axis=(0, 0, 1))
    m.revolute("pin", "arm.pin", shaft, axis=(0, 1, 0))
    return m


def test_unknown_speeds_and_forces_are_solved_for():
    m = governor()
    m.torsion_spring("drag", joint="axle", stiffness=0, damping=0.3)
    m.torque("motor", on="axle", magnitude=0, input="motor")
    # W^2 = g / h with the mass h below its pin, and the torque c W.
    point = m.motion_point(unknown=["spin:axle", "motor"], hold={"arm.z": -0.25})
    assert point.solved == pytest.approx({"spin:axle": math.sqrt(40), "motor": 0.3 * math.sqrt(40)}, rel=1e-9)
    assert point["arm.z"] == pytest.approx(-0.25, rel=1e-9)
    assert m.motion_point(spin={"axle": 6.0}, unknown=["motor"]).solved == pytest.approx({"motor": 1.8}, rel=1e-9)
    assert m.motion_point(spin={"axle": 5.0}, unknown=["spin:axle"], inputs={"motor": 1.8}).solved["spin:axle"] == pytest.approx(6, rel=1e-9)
    with pytest.raises(mb.ModelError, match="0 are"):
        m.motion_point(spin={"axle": 5.0}, hold={"arm.z": -0.25})
    with pytest.raises(mb.ModelError, match="arm.zz"):
        m.motion_point(unknown=["spin:axle"], hold={"arm.zz": -0.25})
    with pytest.raises(mb.ArgumentTypeError, match="unknown"):
        m.motion_point(unknown="spin:axle")


def test_a_campbell_diagram_from_a_start_follows_its_branch():
    m = governor()
    down = {"arm.x": 0.0, "arm.z": -0.5, "arm.e0": 1.0, "arm.e2": 0.0}
    found = m.campbell("spin:axle", 4, 8, samples=5, at=down)
    # The arm straight down grows beyond W^2 = g / L; the one that rises does not.
    assert [round(u.start[0], 6) for u in found.unstable] == [round(math.sqrt(20), 6)]
    assert not m.campbell("spin:axle", 4, 8, samples=5).unstable


def test_campbell():
    m = mb.Model("disc", parameters={"W": 5.0})
    m.spatial_body("disc", mass=1, inertia=[1, 1, 0.5], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
    for end in "ab":
        m.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
    m.steady_rotation("spin", bodies=["disc"], speed="W")
    assert not m.equilibrium().at_rest, "the rotation of the model is never ignored"
    found = m.campbell("W", 1, 40, samples=14, lines=[1])
    # m w^2 = 100, and J w^2 -+ 0.5 W w = 400 in tilt.
    W = found.speed
    for sign in (-1, 1):
        tilt = (sign * 0.5 * W + np.sqrt(0.25 * W**2 + 1600)) / 2
        off = np.min(np.abs(np.abs(found.s.imag) - tilt[:, None]), axis=1)
        assert np.max(off) < 1e-9
    speeds = [c.speed for c in found.critical]
    for expected in (10.0, 800**0.5, (400 / 1.5) ** 0.5):
        assert min(abs(s - expected) for s in speeds) < 1e-9
    assert found.unstable == [] and "ground" in found.frame and "W" in repr(found)
    frame = found.to_frame()
    np.testing.assert_array_equal(frame["hz 0"], found.hz[:, 0])
    assert frame.index.name == "W" and found._repr_html_().count("<tr>") == 1 + len(found.critical)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    assert "ground" in found.plot().get_ylabel()
    with pytest.raises(mb.ModelError, match="disc.y"):
        m.campbell("disc.y", 1, 2)
    with pytest.raises(mb.ArgumentError):
        m.campbell("W", 1, 1)


def test_results_keep_the_names_of_the_model_as_it_was():
    m = mb.Model("two", gravity=(0, -10))
    m.body("B", mass=1, inertia=1, at=(3, 4))
    m.revolute("pin", "B", (3, 4))
    m.output("height", "y", "B")
    eq, run = m.equilibrium(), m.simulate(0.1)
    # Coordinates of points stand before those of bodies.
    m.point("A", at=(7, 8), mass=1)
    m.output("other", "y", "A")
    assert (eq["B.x"], eq["B.y"], eq.outputs, run["B.y"][0]) == (3.0, 4.0, {"height": 4.0}, 4.0)
    assert "A.x" not in eq._repr_html_() and "A.x" not in run._repr_html_() and list(run.outputs) == ["height"]
    with pytest.raises(mb.ModelError, match="A.x"):
        eq["A.x"]


def test_a_campbell_diagram_warns_where_growth_is_not_known():
    """Bearings whose soft direction has a stiffness of a few units in the last place of the entries."""
    k = 1e8
    across = k * (1 - 2.0**-49)
    m = mb.Model("disc", parameters={"W": 5.0})
    m.spatial_body("disc", mass=1, inertia=[1, 1, 0.5], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
    for end in "ab":
        m.bearing(end, f"disc.{end}", "ground", stiffness=[[k, across], [across, k]])
    m.steady_rotation("spin", bodies=["disc"], speed="W")
    with pytest.warns(mb.FindingWarning, match="whether they grow is not known"):
        found = m.campbell("W", 1, 40, samples=6, lines=[1])
    assert np.isfinite(found.s[:, 0]).all() and (found.error[:, 0] >= abs(found.s[:, 0])).all()
    assert "Nothing grows." not in found.summary and "may grow" in found.summary and found.summary in found._repr_html_()
    assert any("whether they grow" in note for note in found.notes)


@pytest.mark.parametrize(
    "method",
    ["direct-correction", "coordinate-partitioning", "augmented-lagrangian", "baumgarte", "penalty", "standard"],
)
def test_motion_by_every_method(method):
    m = pendulum()
    run = m.simulate(1.0, method=method, at={"P.x": 0.1}, rtol=1e-8, atol=1e-10)
    assert run.end == "finished" and run.t[-1] == 1.0 and len(run) == 51
    assert run.q.shape == (2, 51) and run.multipliers.shape == (1, 51)
    assert np.abs(run.drift).max() < 1e-2
    np.testing.assert_array_equal(run["height"], run["P.y"])
    # Small swings: cosine with the frequency of the linearization.
    omega = math.sqrt(3 * 9.81 / 3)
    np.testing.assert_allclose(run["P.x"], 0.1 * np.cos(omega * run.t), atol=2e-3)
    frame = run.to_frame()
    assert frame.index.name == "t" and "height" in frame


def test_an_event_ends_a_run():
    run = pendulum().simulate(10.0, at={"P.x": 0.5}, stop="height<-1.49")
    assert run.end == "event" and run["height"][-1] == pytest.approx(-1.49)
    with pytest.raises(mb.ModelError, match="did you mean 'height'"):
        pendulum().simulate(1.0, stop="heigth=0")
    with pytest.raises(mb.ModelError, match="until"):
        pendulum().simulate(-1.0)


def test_progress_and_interrupts_of_runs():
    m = mb.load(MODELS / "n-four-bar.toml", N=8)
    seen = []
    started = threading.Event()

    def progress(reached):
        seen.append(reached)
        started.set()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        m.simulate(1e5, progress=progress)
    assert len(seen) == 1 and 0 <= seen[0] < 1e5
    # However short a run is, its end is told.
    told = []
    for run in (m.simulate(0.02, progress=told.append), m.simulate(0.02, progress=told.append, compare=True)["penalty"]):
        assert run.t[-1] == told[-1] == 0.02 and run.seconds > 0


def test_equilibria_and_load_paths():
    found = pendulum().equilibria(starts=10)
    assert [eq.stable for eq in found] == [True, False]
    path = pendulum().load_path()
    assert path.end == "full load" and path.factor[-1] == 1 and path.q.shape[1] == 2
    with pytest.raises(mb.NumericsError) as caught:
        m = mb.Model("falling", gravity=(0, -1))
        m.point("P", at=(0, 0), mass=1)
        m.equilibrium()
    assert caught.value.kind == "no_equilibrium"


def test_a_search_cut_by_its_time_warns(monkeypatch):
    m = pendulum()
    native = m._build()

    class Cut:
        """The search of the model, its time over before the last starts."""

        def __getattr__(self, name):
            return getattr(native, name)

        def equilibria(self, place, starts):
            assert starts == 10
            return native.equilibria(place, starts)[0], "4 of 10 starts were tried, its time limit of 300 s was reached"

    monkeypatch.setattr(type(m), "_build", lambda self: Cut())
    with pytest.warns(mb.FindingWarning, match="The search ended early: 4 of 10 starts were tried, its time limit"):
        assert len(m.equilibria(starts=10)) == 2


def test_pictures(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    for m in (pendulum(), arm(), mb.load(MODELS / "n-four-bar.toml", N=3)):
        modes = m.equilibrium().linearize().modes()
        ax = modes.plot(0)
        assert ax.get_title().startswith("mode 0") and len(ax.lines) >= 2
        animation = modes.animate(0, frames=4)
        animation.save(tmp_path / "mode.gif", writer="pillow")
        assert (tmp_path / "mode.gif").stat().st_size > 1000


def test_optional_packages_are_asked_for_by_name(monkeypatch):
    import importlib

    real = importlib.import_module

    def without(name, *more):
        if name.split(".")[0] in {"pandas", "control", "matplotlib", "pyvista"}:
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.setattr(importlib, "import_module", without)
    modes = pendulum().equilibrium().linearize().modes()
    with pytest.raises(ImportError, match="pip install pandas"):
        modes.to_frame()
    with pytest.raises(ImportError, match="pip install pyvista"):
        modes.to_pyvista(0)
    with pytest.raises(ImportError, match="pip install control"):
        modes.linearization.state_space().to_control()


def read_petsc(file):
    """The layout that PETSc's manual gives for MatView with a binary viewer."""
    data = Path(file).read_bytes()
    number, rows, columns, entries = np.frombuffer(data, ">i4", 4)
    assert number == 1211216
    lengths = np.frombuffer(data, ">i4", rows, 16)
    indices = np.frombuffer(data, ">i4", entries, 16 + 4 * rows)
    values = np.frombuffer(data, ">f8", entries, 16 + 4 * (rows + entries))
    assert len(data) == 16 + 4 * rows + 12 * entries and lengths.sum() == entries
    import scipy.sparse

    at = np.repeat(np.arange(rows), lengths)
    assert all(np.all(np.diff(indices[at == i]) > 0) for i in range(rows))
    return scipy.sparse.coo_array((values.astype(float), (at, indices)), shape=(rows, columns))


@pytest.mark.parametrize("form", ["mtx", "npz", "mat", "petsc"])
def test_exported_matrices_are_those_of_the_linearization(tmp_path, form):
    io = pytest.importorskip("scipy.io")
    sparse = pytest.importorskip("scipy.sparse")
    lin = mb.load(MODELS / "n-four-bar.toml", N=2).equilibrium().linearize()
    files = lin.export(tmp_path / "matrices", format=form)
    if form == "mat":
        found = io.loadmat(files[0])
    else:
        read = {"mtx": io.mmread, "npz": sparse.load_npz, "petsc": read_petsc}[form]
        found = {Path(file).stem: read(file) for file in files}
    for name, block in {"M": lin.M, "C": lin.C, "K": lin.K, "Phi_q": lin.G}.items():
        np.testing.assert_array_equal(found[name].toarray(), block)
    with pytest.raises(mb.ArgumentError, match="format is 'xml'"):
        lin.export(tmp_path, format="xml")
