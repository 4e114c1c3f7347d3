"""Models built in Python, table by table: the same bits as from their files."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

import mb

MODELS = Path(__file__).resolve().parents[3] / "crates" / "mb-gallery" / "models"
SCHEMA = json.loads((MODELS.parents[2] / "docs" / "model.schema.json").read_text())
FILES = sorted(p.name for p in MODELS.glob("*.toml"))
HEAD = {"units", "name", "description", "gravity", "parameters"}


def rebuilt(tables):
    """The same model by a call for every entry of every table."""
    head = {key: tables[key] for key in ("gravity", "parameters", "description") if key in tables}
    m = mb.Model(tables["name"], **head)
    for table, entries in tables.items():
        if table in HEAD:
            continue
        for entry in entries:
            keys = dict(entry)
            if table == "repeat":
                m.repeat(keys.pop("index"), keys.pop("from"), keys.pop("to"), **keys)
                continue
            keys = {"from_" if key == "from" else key: value for key, value in keys.items()}
            getattr(m, table.replace("-", "_"))(keys.pop("name"), **keys)
    return m


@pytest.mark.parametrize("file", FILES)
def test_every_model_of_the_gallery_is_built_by_calls(file):
    original = mb.load(MODELS / file)
    m = rebuilt(tomllib.loads((MODELS / file).read_text()))
    m._folder = MODELS
    assert m.to_toml() == original.to_toml()


def everything_in_the_plane():
    m = mb.Model("everything in the plane", gravity=(0, -9.81), parameters={"k": 800.0}, description="one of each")
    o = m.point("O", at=(0, 0), fixed=True)
    p = m.point("P", at=(1, 0), mass=0.5, damping={"alpha": 0.1}, velocity=(0, 0))
    m.rod("OP", ends=(o, p), mass=2, length=1)
    m.angle("theta", o, p, initial=0, form="cross")
    plate = m.body("plate", mass=3, inertia=0.2, center_of_mass=(0.1, 0), at=(2, 0), angle=0, markers={"left": (-0.5, 0)}, damping={"alpha": 0.2})
    base = m.body("base", at=(4, 0), fixed=True)
    m.revolute("pin", plate.marker("left"), (1.5, 0))
    slider = m.body("slider", mass=1, inertia=0.01, at=(4, 1))
    m.prismatic("slide", slider, (4, 0), axis="y", angle=0)
    m.joint("bead", "point-on-line", m.body("ball", mass=0.2, inertia=0.001, at=(5, 0)), (5, 0), axis="-y")
    m.joint("tie", "distance", m.body("bob", mass=1, inertia=0.1, at=(6, -1)), (6, 0), length=1)
    link = m.flexible_link(
        "link", length=1, elements=2, density=2700, youngs_modulus=7e10, section={"radius": 0.01}, at=(7, 0), angle=0,
        markers={"middle": 0.5}, reference="chord", damping={"alpha": 0.1, "beta": 1e-4},
    )  # fmt: skip
    m.fixed("wall", link, (7, 0))
    m.spring("up", p, (1, 1), stiffness="k", natural_length=1, damping=1)
    m.spring("held", slider, base, stiffness=500, natural_length=1)
    m.spring("hold", "ball", (5, 1), stiffness=500, natural_length=1)
    m.torsion_spring("t", a="ground", b=plate, stiffness=90, natural_angle=0, damping=0.1)
    m.force("weight", p, vector=(0, -1))
    m.force("pull", slider, direction=(0, 1), magnitude="2*1", input="thrust")
    m.torque("turn", plate, magnitude=0.5, input="motor")
    m.output("height", "y", p)
    m.output("rate", "angle", plate, from_="ground", derivative=1)
    m.output("reach", "distance", p, from_=plate)
    return m


def everything_in_space():
    m = mb.Model("everything in space", gravity=(0, 0, -9.81))
    m.spatial_body("base", at=(0, 0, 0), fixed=True)
    arm = m.body(
        "arm", mass=4, inertia=[[0.2, 0.01, 0], [0.01, 0.3, 0.02], [0, 0.02, 0.31]], at=(0.5, 0, 0), center_of_mass=(0, 0, 0.01),
        markers={"root": (-0.5, 0, 0), "tip": (0.5, 0, 0)}, frames={"hand": {"at": (0.5, 0, 0), "orientation": {"axis": (0, 0, 1), "angle": 0.3}}},
        damping={"alpha": 0.1},
    )  # fmt: skip
    m.revolute("hinge", arm.marker("root"), "base", axis="y", axis_a="y")
    m.torsion_spring("hold", joint="hinge", stiffness=400, natural_angle=0, damping=1)
    m.torque("motor", "hinge", input="motor")
    box = m.spatial_body("box", mass=2, inertia=(0.1, 0.1, 0.1), at=(2, 0, 0), products_of_inertia=(0.01, 0, 0))
    m.bushing("mount", box, "ground", stiffness=[1e4] * 3 + [1e2] * 3, damping=[10] * 3 + [1] * 3, preload=[0, 0, 1, 0, 0, 0])
    for i, (kind, keys) in enumerate(
        {
            "spherical": {},
            "universal": {"axis": "z", "axis_a": "x"},
            "cylindrical": {"axis": "z"},
            "planar": {"axis": "x"},
            "prismatic": {"axis": "z"},
            "fixed": {},
            "point-on-line": {"axis": "z"},
            "generic": {"locked": ["x", "y", "rotation z"]},
        }.items()
    ):
        body = m.spatial_body(f"b{i}", mass=1, inertia=(0.1, 0.11, 0.12), at=(3 + i, 0, 0))
        m.joint(f"j{i}", kind, body, "ground", **keys)
        m.bushing(f"m{i}", body, "ground", stiffness_matrix=np.diag([1e4] * 3 + [1e2] * 3))
    screw = ({"quantity": "angle", "of": "j2", "factor": 0.01}, {"quantity": "displacement", "of": "j2", "factor": -1})
    m.coupling("screw", *screw)
    m.force("axial", "j4", input="piston")
    m.force("follower", arm.marker("tip"), direction="z", magnitude=1, frame="follower")
    beam = m.beam("mast", from_=(12, 0, 0), to=(12, 0, 1), elements=2, section={"radius": 0.025}, density=7800, youngs_modulus=2.1e11, poissons_ratio=0.3)
    m.fixed("clamp", beam.marker("start"), "ground")
    m.output("z", "z", arm.marker("tip"))
    m.output("stroke", "displacement", "j4")
    return m


def everything_that_turns():
    m = mb.Model("everything that turns", parameters={"W": 30.0})
    shaft = m.spatial_body(
        "shaft", mass=5, inertia=(0.2, 0.2, 0.1), at=(0, 0, 0), markers={"a": (0, 0, -1), "b": (0, 0, 1)},
    )  # fmt: skip
    m.bearing("a", shaft.marker("a"), "ground", stiffness=[[4e4, 1e3], [-1e3, 5e4]], damping=[[10, 0], [0, 10]], axis="z", x="x")
    m.bearing(
        "b", shaft.marker("b"), "ground", speed="W",
        table=[{"speed": w, "stiffness": [[4e4 + w, 0], [0, 5e4]], "damping": [[8, 0], [0, 9]]} for w in (0.0, 50.0, 100.0)],
    )  # fmt: skip
    m.steady_rotation("spin", bodies=["shaft"], speed="W")
    m.output("bow", "x", shaft)
    return m


EVERYTHING = {"plane": everything_in_the_plane, "space": everything_in_space, "turning": everything_that_turns}


@pytest.mark.parametrize("which", EVERYTHING)
def test_what_is_built_is_loaded_with_the_same_bits(which, tmp_path):
    m = EVERYTHING[which]()
    m.save(tmp_path / "model.toml")
    copy = mb.load(tmp_path / "model.toml")
    assert copy.tables == mb.loads(m.to_toml()).tables and copy.to_toml() == m.to_toml()
    assert copy.inputs == m.inputs and copy.outputs == m.outputs and copy.coordinates == m.coordinates
    one, other = (x.equilibrium().linearize() for x in (m, copy))
    assert np.array_equal(one.point.q, other.point.q)
    for block in ("M", "C", "K", "G", "F"):
        assert np.array_equal(getattr(one, block), getattr(other, block)), block
    assert np.array_equal(one.modes().s, other.modes().s)


def test_a_marker_with_a_place_is_made():
    def swing(root):
        m = mb.Model("arm", gravity=(0, 0, -9.81))
        arm = m.body("arm", mass=4, inertia=[0.4, 0.1, 0.4], at=(0, 0, -0.5))
        assert len(m.coordinates) == 6  # It is built, and built again after what is added.
        m.revolute("hinge", root(arm), m.ground, axis="x")
        return m

    m = swing(lambda arm: arm.marker("root", at=(0, 0, "0.5")))
    assert m.tables["spatial-body"][0]["markers"] == {"root": [0, 0, "0.5"]}
    s = m.equilibrium().linearize().modes().s
    assert s.imag == pytest.approx([(4 * 9.81 * 0.5 / (0.4 + 4 * 0.25)) ** 0.5], rel=1e-12)
    with pytest.raises(mb.ModelError, match="body 'arm' has no marker `root`"):
        swing(lambda arm: arm.marker("root")).equilibrium()
    with pytest.raises(mb.ArgumentError, match="'arm' is no body"):
        type(mb.Model("m").point("P", at=(0, 0)))("arm").marker("root", at=(0, 0))


def test_what_is_not_there_is_said():
    m = mb.Model("mass on springs")
    P = m.point("P", at=(0, 0), mass=1)
    for name, at in (("s", (1, 0)), ("t", (0, 1))):
        m.spring(name, P, at, stiffness=4, natural_length=1)
    lin = m.equilibrium().linearize()
    with pytest.raises(IndexError, match="There is no mode 3: 2 were found"):
        lin.modes().plot(3)
    pytest.importorskip("control")
    with pytest.raises(mb.ArgumentError, match="the model has no inputs"):
        lin.state_space().to_control()


def test_an_axis_by_name_is_the_vector_in_the_plane_as_in_space():
    def rail(axis):
        m = mb.Model("rail")
        slider = m.body("slider", mass=2, inertia=1, at=(0, 0))
        m.prismatic("rail", slider, (0, 0), axis=axis)
        m.spring("s", slider, (-3, 0), stiffness=50, natural_length=3)
        m.spring("t", slider, (0, -3), stiffness=18, natural_length=3)
        return m.equilibrium().linearize().modes().s.imag

    assert rail("x").tolist() == rail((1, 0)).tolist() == pytest.approx([5.0], rel=1e-12)
    assert rail("-y").tolist() == rail((0, -1)).tolist() == pytest.approx([3.0], rel=1e-12)
    with pytest.raises(mb.ModelError, match="joint 'rail': `axis` points out of the plane"):
        rail("z")


def test_all_joints_and_quantities_of_the_schema_are_built_somewhere():
    tables = [EVERYTHING[which]().tables for which in EVERYTHING]
    tables += [tomllib.loads((MODELS / file).read_text()) for file in FILES]

    def words(name):
        return {one["const"] for one in SCHEMA["$defs"][name]["oneOf"]}

    joints = {joint["type"] for t in tables for joint in t.get("joint", [])}
    assert joints >= words("JointKind")
    names = {table for t in tables for table in t}
    assert names >= set(SCHEMA["properties"])


def test_places_in_the_ground_are_lists_everywhere():
    m = mb.Model("a point on two springs")
    p = m.point("P", at=(3, 4), mass=1)
    m.spring("s", p, (0, 0), stiffness=10, natural_length=5)
    m.spring("t", p, [3, 0], stiffness=10, natural_length=4)
    m.output("reach", "distance", p, from_=(0, 0))
    m.output("other", "distance", p, from_=np.array([3.0, 0.0]))
    assert m.equilibrium().outputs == {"reach": 5.0, "other": 4.0}


def test_drives_follow_their_law():
    m = mb.Model("driven crank")
    crank = m.body("crank", mass=1, inertia=0.1, at=(0, 0))
    m.revolute("pin", crank, (0, 0))
    m.drive("motor", "angle", crank, "0.3 + 0.2*sin(2*t)")
    run = m.simulate(1.0, integrator="generalized-alpha", step=0.01)
    np.testing.assert_allclose(run["crank.angle"], 0.3 + 0.2 * np.sin(2 * run.t), atol=1e-6)
