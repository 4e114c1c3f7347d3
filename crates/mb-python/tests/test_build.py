"""Models built in Python, table by table: the same bits as from their files."""

import inspect
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import mb

try:
    import tomllib
except ImportError:  # of Python 3.10, for which pytest brings the same under another name
    import tomli as tomllib

MODELS = Path(__file__).resolve().parents[3] / "crates" / "mb-gallery" / "models"
SCHEMA = json.loads((MODELS.parents[2] / "crates" / "mb-cli" / "model.schema.json").read_text())
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


def less_common_in_the_plane():
    m = mb.Model("keys that models of the gallery do without, plane", gravity=(0, -9.81))
    o = m.point("O", at=(0, 0), fixed=True)
    p = m.point("P", at=(1, 0), mass=0.5)
    m.rod("OP", ends=(o, p), mass=2, rigid=False, damping={"alpha": 0.1})
    m.spring("x", p, (2, 0), stiffness=900, natural_length=1)
    m.spring("y", p, (1, 1), stiffness=900, natural_length=1)
    m.angle("theta", o, p, form="sine", length=1)
    m.repeat("i", 3, 7, step=2, body=[{"name": "b{i}", "mass": 1, "inertia": 0.1, "at": ["i", 0]}])
    for i in (3, 5, 7):
        m.revolute(f"pin{i}", f"b{i}", (i, 0))
    m.torsion_spring("t", a="b3", b="b5", stiffness=30)
    m.drive("held", "angle", "b3", "0.1 + 0*t", from_="b5")
    m.torsion_spring("u", a="ground", b="b5", stiffness=20)
    m.torsion_spring("v", a="ground", b="b7", stiffness=20)
    m.torque("turn", "b7", from_="b5", magnitude=0.5)
    m.output("push", "force", "pin5", axis="x", frame="ground")
    return m


def less_common_in_space():
    m = mb.Model("keys that models of the gallery do without, space", gravity=(0, 0, -9.81))
    bow = m.beam(
        "bow", from_=(0, 0, 0), to=(1, 0, 0), through=(0.5, 0, 0.1), elements=4, section={"width": 0.02, "height": 0.03}, density=7800,
        youngs_modulus=2.1e11, shear_modulus=8e10, twist=0.1, shear="rigid", markers={"quarter": 0.25}, damping={"alpha": 0.1, "beta": 1e-9},
    )  # fmt: skip
    m.fixed("clamp", bow.marker("start"), m.ground)
    box = m.spatial_body("box", mass=2, inertia=(0.1, 0.1, 0.1), at=(2, 0, 0))
    m.bushing("mount", box, m.ground, axis="x", stiffness=[1e4] * 3 + [1e2] * 3, damping_matrix=np.diag([10.0] * 3 + [1.0] * 3))
    slide = m.spatial_body("slide", mass=1, inertia=(0.1, 0.1, 0.1), at=(3, 0, 0))
    m.joint("way", "generic", slide, m.ground, free=["z", "rotation z"])
    m.bushing("hold", slide, m.ground, stiffness=[1e4] * 3 + [1e2] * 3)
    m.torque("twist", slide, direction="z", magnitude=0.5, frame="follower")
    m.output("side", "force", "way", axis="x", frame="joint")
    return m


BRICK = """nodes
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 0 0 1
6 1 0 1
7 1 1 1
8 0 1 1
elements
1 1 2 3 4 5 6 7 8
set bottom
1 2 3 4
set top
5 6 7 8
"""


def less_common_of_solids():
    """A mesh file is searched in the current folder."""
    Path("brick.txt").write_text(BRICK)
    m = mb.Model("keys that models of the gallery do without, solids")
    block = m.solid(
        "block", block={"size": [0.1, 0.1, 0.4], "elements": [1, 1, 3]}, density=1000, youngs_modulus=1e7, poissons_ratio=0.3, at=(0, 0, 0),
        orientation={"axis": (0, 0, 1), "angle": 0.2}, element="full", mass="lumped", damping={"alpha": 0.1, "beta": 1e-4}, rigid=["z-"],
        averaged=["z+"], held={"node1": ["x"]},
    )  # fmt: skip
    m.fixed("foot", block.marker("z-"), m.ground)
    m.surface_load("shear", on=block.marker("z+"), traction=(10, 0, 0), factor=0.5)
    m.surface_load("wind", on=block.marker("z+"), pressure=5, input="gust")
    meshed = m.solid("meshed", mesh="brick.txt", scale=0.1, density=1000, youngs_modulus=1e7, poissons_ratio=0.3, at=(1, 0, 0), fixed=["bottom"])
    m.surface_load("push", on=meshed.marker("top"), force=(0, 0, -1))
    return m


def less_common_that_turns():
    m = mb.Model("keys that models of the gallery do without, turning")
    floor = m.spatial_body("floor", at=(0, 0, 0), fixed=True)
    wheel = m.spatial_body("wheel", mass=1, inertia=(0.1, 0.2, 0.1), at=(0, 0, 0.5))
    m.rolling("contact", wheel, radius=0.5, axle="y", tread=0.05, plane=floor, normal="z")
    ball = m.spatial_body("ball", mass=1, inertia=(0.1, 0.1, 0.1), at=(0, 4, 0.3))
    m.rolling("trough", ball, radius=0.3, profile="0.2*x^2", ahead="x")
    skate = m.spatial_body("skate", mass=1, inertia=(0.1, 0.2, 0.1), at=(3, 0, 0))
    m.joint("ice", "planar", skate, m.ground, axis="z")
    m.knife_edge("edge", skate, heading="x", plane=floor, normal="z")
    rotor = m.spatial_body("rotor", mass=1, inertia=(0.1, 0.1, 0.2), at=(5, 0, 0))
    m.revolute("axle", rotor, m.ground, axis="z")
    m.steady_rotation("by-joint", joint="axle", speed=3)
    other = m.spatial_body("other", mass=1, inertia=(0.1, 0.1, 0.2), at=(7, 0, 0))
    m.bushing("soft", other, m.ground, stiffness=[1e4] * 3 + [1e2] * 3)
    m.steady_rotation("by-axis", bodies=[other], axis="z", through=(7, 0, 0), speed=0)
    return m


def less_common_that_is_sought():
    m = mb.Model("a speed that is sought")
    hub = m.spatial_body("hub", mass=1, inertia=[1, 1, 1], at=(0, 0, 0))
    block = m.spatial_body("block", mass=1, inertia=[1, 1, 1], at=(1.3, 0, 0))
    m.revolute("axle", hub, m.ground, axis="z")
    m.prismatic("slide", block, hub, axis="x")
    m.spring("s", block, hub, stiffness=100, natural_length=1)
    m.steady_rotation("turn", joint="axle", speed="?4", hold=[{"of": "block.x", "value": "4/3"}])
    return m


EVERYTHING = {
    "plane": everything_in_the_plane,
    "space": everything_in_space,
    "turning": everything_that_turns,
    "less common, plane": less_common_in_the_plane,
    "less common, space": less_common_in_space,
    "less common, solids": less_common_of_solids,
    "less common, turning": less_common_that_turns,
    "less common, sought": less_common_that_is_sought,
}


@pytest.mark.parametrize("which", EVERYTHING)
def test_what_is_built_is_loaded_with_the_same_bits(which, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
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


def test_the_key_is_named_where_no_line_of_a_file_shows_it():
    m = mb.Model("flat")
    m.solid("s", block={"size": [1, 1], "elements": [1, 1, 1]}, density=1, youngs_modulus=1e7, poissons_ratio=0.3)
    with pytest.raises(mb.ModelError, match=r"solid 's': found a list of 2 .* \(key `block.size`\)"):
        m.equilibrium()


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


def keys_of_tables():
    """Every table of the schema that has entries, with its keys."""
    for table, one in SCHEMA["properties"].items():
        keys = SCHEMA["$defs"].get(one.get("items", {}).get("$ref", "").split("/")[-1], {}).get("properties")
        if keys is not None:
            yield table, set(keys)


def test_every_key_of_the_schema_is_a_keyword_of_its_method():
    found = dict(keys_of_tables())
    assert len(found) >= 24
    # Terms of a coupling stand one after the other; a repeat takes tables; body() takes the keys of spatial bodies too.
    found["coupling"] -= {"terms"}
    found["repeat"] = {"index", "from", "to"}
    found["body"] |= found["spatial-body"]
    for table, keys in found.items():
        given = inspect.signature(getattr(mb.Model, table.replace("-", "_"))).parameters.values()
        named = {p.name.rstrip("_") for p in given if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)} - {"self"}
        assert named == keys, table


def test_all_keys_joints_and_quantities_of_the_schema_are_built_somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = [EVERYTHING[which]().tables for which in EVERYTHING]
    tables += [tomllib.loads((MODELS / file).read_text()) for file in FILES]

    def words(name):
        return {one["const"] for one in SCHEMA["$defs"][name]["oneOf"]}

    joints = {joint["type"] for t in tables for joint in t.get("joint", [])}
    assert joints >= words("JointKind")
    names = {table for t in tables for table in t}
    assert names >= set(SCHEMA["properties"])
    for table, keys in keys_of_tables():
        used = {key for t in tables for entry in t.get(table, []) for key in entry}
        # A repeat takes every table of the model.
        wanted = {"index", "from", "to", "step"} if table == "repeat" else keys
        assert used >= wanted, (table, wanted - used)


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


def test_numbers_of_numpy_stand_in_models_as_those_of_python_do():
    def built(number):
        m = mb.Model("numbers", gravity=(number(0), number(-9.81)), parameters={"k": number(40)})
        p = m.point("P", at=(number(0), number(1)), mass=number(2))
        m.spring("s", p, (number(0), number(0)), stiffness=number(30), natural_length=number(0.5))
        return m.to_toml()

    assert built(np.float64) == built(float)


def test_what_a_model_gives_away_does_not_change_it():
    m = mb.Model("copy", parameters={"k": 40.0})
    p = m.point("P", at=(0, 1), mass=2)
    m.spring("s", p, (0, 0), stiffness="k", natural_length=1)
    before = m.to_toml()
    m.tables["parameters"]["k"] = 4000
    assert m.to_toml() == before and m.parameters["k"] == 40
    eq = m.equilibrium()
    lin = eq.linearize()
    modes = lin.modes()
    for array in (lin.K, eq.q, modes.s, modes.shapes):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


@pytest.mark.parametrize(
    "wrong, argument",
    [
        (lambda m: m.motion_point(spin=4.0), "spin"),
        (lambda m: m.motion_point(frame=0), "frame"),
        (lambda m: m.campbell(2, 1, 3), "speed"),
        (lambda m: mb.Model("x", parameters=0.01), "parameters"),
        (lambda m: mb.generate("top", N="\ud800"), "N"),
    ],
)
def test_slips_are_told_by_the_name_of_the_argument(wrong, argument):
    m = mb.Model("slips")
    m.point("P", at=(0, 1), mass=2)
    with pytest.raises(mb.MbError, match=argument):
        wrong(m)


def test_meshes_are_saved_beside_the_model(tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    m = less_common_of_solids()
    K = m.equilibrium().linearize().K
    monkeypatch.chdir(tmp_path)
    # A mesh that was read is the model's own, wherever the work goes on.
    np.testing.assert_array_equal(m.with_parameters().equilibrium().linearize().K, K)
    for model in (m, pickle.loads(pickle.dumps(m))):
        place = tmp_path / f"there{model is m}"
        place.mkdir()
        model.save(place / "model.toml")
        assert sorted(file.name for file in place.iterdir()) == ["brick.txt", "model.toml"]
        np.testing.assert_array_equal(mb.load(place / "model.toml").equilibrium().linearize().K, K)
        model.save(place / "again.toml")
        (place / "brick.txt").write_text("another")
        with pytest.raises(mb.ArgumentError, match="another mesh") as caught:
            model.save(place / "again.toml")
        assert caught.value.argument == "path" and (place / "brick.txt").read_text() == "another"
