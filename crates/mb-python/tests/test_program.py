"""What the program has by commands and files: models to start from, points and motions in files, methods side by side, pages."""

import json
import math
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import mb
import test_loaders

ROOT = Path(__file__).resolve().parents[3]

PUSHED = """
units = "SI"
name = "pushed"
parameters = { W = 3.0, k = 4 }
body = [{ name = "P", mass = 1, inertia = 1, at = [0, 0] }]
joint = [{ name = "rail", type = "prismatic", a = "P", b = [0, 0], axis = [1, 0] }]
spring = [{ name = "s", a = "P", b = [-5, 0], stiffness = "k", natural_length = 5, damping = 0.4 }]
force = [{ name = "push", at = "P", direction = [1, 0], magnitude = "cos(W*t)" }]
output = [{ name = "way", quantity = "x", of = "P" }]
"""


def run(*arguments, folder):
    """The document that the program prints with --json."""
    program = test_loaders.program()
    if program is None:
        pytest.skip("the program mb is not built: cargo build -p mb-cli")
    out = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True, cwd=folder, check=True)
    return json.loads(out.stdout)


# ------------------------------------------------------------------------------------------------- models to start from


def test_every_model_of_the_gallery_is_generated():
    assert len(mb.gallery()) > 25
    for name in mb.gallery():
        assert len(mb.generate(name).coordinates) > 0


def test_parameters_of_a_generated_model_stand_in_its_text():
    m = mb.generate("n-four-bar", N=3)
    assert m.parameters["N"] == 3 and "N = 3" in m.source and "[parameters]" in m.source
    assert m.with_parameters(N=2).parameters["N"] == 2
    half = mb.generate("n-four-bar", k="25 + 5")
    assert half.parameters["k"] == 30
    assert mb.loads(m.source).to_toml() == m.to_toml()


@pytest.mark.parametrize(
    "name, parameters, words",
    [
        ("n-four-bars", {}, "did you mean 'n-four-bar'"),
        ("n-four-bar", {"M": 1}, "no parameter 'M'"),
        ("", {}, "no model of the gallery"),
        ("n-four-bar", {"N": "q"}, "q"),
    ],
)
def test_what_the_gallery_does_not_have_is_refused(name, parameters, words):
    with pytest.raises(mb.ModelError, match=words):
        mb.generate(name, **parameters)


def test_the_schema_is_that_of_the_program():
    assert mb.schema() == json.loads((ROOT / "crates" / "mb-cli" / "model.schema.json").read_text())


# ------------------------------------------------------------------------------------------------- points in files


def test_an_equilibrium_is_saved_and_read(tmp_path):
    m = mb.generate("n-four-bar")
    rest = m.equilibrium()
    rest.save(tmp_path / "rest.json")
    again = m.equilibrium(at=tmp_path / "rest.json", solve=False)
    assert (again.q == rest.q).all()
    for analysis in (m.check, m.redundancy, m.load_path, m.equilibria):
        analysis(str(tmp_path / "rest.json"))
    assert len(m.series("k", at=tmp_path / "rest.json", modes=1, order=1)) == 1
    assert m.track("k", 28, 32, samples=3, at=tmp_path / "rest.json", modes=1).hz.shape == (3, 1)
    assert len(m.sweep({"k": [28.0, 30.0]}, at=tmp_path / "rest.json")) == 2


def test_the_program_reads_a_saved_point_and_the_other_way_round(tmp_path):
    m = mb.generate("n-four-bar")
    m.save(tmp_path / "m.toml")
    rest = m.equilibrium()
    rest.save(tmp_path / "rest.json")
    found = run("equilibrium", "m.toml", "--at", "rest.json", "--no-solve", folder=tmp_path)["equilibria"][0]
    assert list(found["configuration"].values()) == rest.q.tolist()
    (tmp_path / "program.json").write_text(json.dumps({"equilibria": [found]}))
    assert (m.equilibrium(at=tmp_path / "program.json", solve=False).q == rest.q).all()


def test_a_point_of_a_motion_is_saved_with_all_that_holds_there(tmp_path):
    # 100 (r - 1) = m r w^2 with w = 5 rad/s: r = 4/3 m.
    m = mb.Model("sling")
    m.point("P", at=(1, 0), mass=1)
    m.spring("s", "P", (0, 0), stiffness=100, natural_length=1)
    there = m.motion_point({"P.y": 20 / 3}, at={"P.x": 4 / 3})
    there.save(tmp_path / "turning.json")
    again = m.motion_point(at=tmp_path / "turning.json", solve=False)
    assert again.lasts and (again.q == there.q).all() and (again.v == there.v).all()
    run = m.simulate(0.1, at=tmp_path / "turning.json", every=0.05)
    np.testing.assert_allclose(np.hypot(run["P.x"], run["P.y"]), 4 / 3, rtol=1e-6)
    # What is given by name goes over the file.
    slower = m.simulate(0.1, at=tmp_path / "turning.json", velocity={"P.y": 1.0}, every=0.05)
    assert slower.v[1, 0] == 1.0
    with pytest.raises(mb.NumericsError):
        document = json.loads((tmp_path / "turning.json").read_text())
        document["operating_point"]["accelerations"]["P.x"] = 0.0
        (tmp_path / "wrong.json").write_text(json.dumps(document))
        m.motion_point(at=tmp_path / "wrong.json")


def test_a_motion_of_a_turning_model_starts_with_its_speeds_at_the_place_asked_for():
    m = mb.Model("arm that turns", parameters={"W": 3.0})
    m.body("arm", mass=1, inertia=1, at=(1, 0), markers={"root": (-1, 0)})
    m.revolute("pin", "arm.root", (0, 0))
    m.steady_rotation("spin", bodies=["arm"], speed="W")
    run = m.simulate(0.1, at={"arm.x": 0.0, "arm.y": 1.0, "arm.angle": math.pi / 2}, every=0.1)
    v = dict(zip(m.coordinates, run.v[:, 0], strict=True))
    assert v["arm.x"] == pytest.approx(-3) and abs(v["arm.y"]) < 1e-9 and v["arm.angle"] == pytest.approx(3)


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "cannot be read as a point"),
        ("[1, 2]", "not an object"),
        ('{"P.x": "one"}', "P.x is not a number"),
        ('{"configuration": {"Q.x": 1}}', "no coordinate 'Q.x'"),
        ('{"velocities": {"P.x": null}}', "P.x is not a number"),
    ],
)
def test_files_without_a_point_are_refused(tmp_path, text, words):
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises((mb.ArgumentError, mb.ModelError), match=words):
        mb.loads(PUSHED).equilibrium(at=tmp_path / "bad.json")
    with pytest.raises(mb.ArgumentError, match="cannot be read"):
        mb.loads(PUSHED).equilibrium(at=tmp_path / "missing.json")


# ------------------------------------------------------------------------------------------------- periodic motions in files


def test_a_periodic_motion_is_saved_and_read(tmp_path):
    m = mb.loads(PUSHED)
    motion = m.orbit("2*pi/W")
    motion.save(tmp_path / "orbit.json")
    again = m.orbit(file=tmp_path / "orbit.json")
    assert again.period == motion.period and again.iterations <= motion.iterations
    np.testing.assert_allclose(again.q, motion.q, atol=1e-12)
    # x'' + 0.4 x' + 4 x = cos 3 t: both exponents have the real part -0.2.
    floquet = m.floquet(file=tmp_path / "orbit.json")
    np.testing.assert_allclose(floquet.growth, -0.2, atol=1e-10)
    (tmp_path / "m.toml").write_text(PUSHED)
    found = run("floquet", "m.toml", "--orbit", "orbit.json", folder=tmp_path)
    assert [m["exponent"][0] for m in found["multipliers"]] == pytest.approx([-0.2, -0.2], abs=1e-10)


def test_a_file_without_a_motion_is_refused(tmp_path):
    m = mb.loads(PUSHED)
    m.motion_point(instant=True).save(tmp_path / "point.json")
    with pytest.raises(mb.ArgumentError, match="no motion with a period"):
        m.orbit(file=tmp_path / "point.json")
    with pytest.raises(mb.ArgumentError, match="exclude each other"):
        m.orbit(file=tmp_path / "point.json", at={"P.x": 1.0})


# ------------------------------------------------------------------------------------------------- methods side by side


def test_all_methods_are_compared(tmp_path):
    m = mb.generate("n-four-bar")
    runs = m.simulate(0.5, compare=True, every=0.1)
    assert set(runs) == {"standard", "baumgarte", "penalty", "augmented-lagrangian", "direct-correction", "coordinate-partitioning"}
    assert (runs["baumgarte"].q == m.simulate(0.5, method="baumgarte", every=0.1).q).all()
    assert runs["direct-correction"].violation.max() < 1e-20
    m.save(tmp_path / "m.toml")
    found = run("simulate", "m.toml", "--until", "0.5", "--every", "0.1", "--compare", folder=tmp_path)
    for one in found["runs"]:
        assert one["steps"] == runs[one["method"]].statistics["steps"]
        assert one["largest_violation"] == pytest.approx(runs[one["method"]].violation.max(), rel=0.1, abs=1e-30)
    for name in ("method", "integrator", "alpha", "checkpoint"):
        value = {"method": "penalty", "integrator": "generalized-alpha", "alpha": 1.0, "checkpoint": "x"}[name]
        with pytest.raises(mb.ArgumentError, match=name):
            m.simulate(0.1, compare=True, **{name: value})


# ------------------------------------------------------------------------------------------------- pages


def test_the_page_has_the_curves_and_the_motion_asked_for(tmp_path):
    m = mb.loads(PUSHED.replace('magnitude = "cos(W*t)"', 'input = "u"'))
    modes = m.equilibrium().linearize().modes()
    response = modes.linearization.response((0, 2))
    page = tmp_path / "page.html"
    modes.save(page, curves=[response, m.track("k", 4, 5, samples=3, modes=1)], run=m.simulate(1.0, at={"P.x": 0.1}))
    text = page.read_text()
    for words in ("Response of way to u", "Response of way to u, complex plane", '"Peaks"', "Modes over k", "Outputs over time", "Violation and energy", "Energy by body"):
        assert words in text, words
    for words in ("Effective mass", "Reactions by joint", "Constraints by joint", "Configuration"):
        assert words in text, words
    modes.save(page, curves=response)
    assert "Outputs over time" not in page.read_text()


def test_pages_draw_campbell_diagrams_exponents_and_branches(tmp_path):
    m = mb.loads(PUSHED)
    modes = m.equilibrium().linearize().modes()
    branch = m.orbit("2*pi/W").follow("W", 4.0, points=3)
    modes.save(tmp_path / "p.html", curves=[m.exponents("W", 3, 4, "2*pi/W", samples=3), branch])
    text = (tmp_path / "p.html").read_text()
    assert "Floquet exponents over W" in text and "Periodic motions over W" in text
    disc = mb.Model("disc", parameters={"W": 1.0})
    disc.spatial_body("disc", mass=1, inertia=[1, 1, 2], at=(0, 0, 0), markers={"a": [0, 0, -2], "b": [0, 0, 2]})
    for end in "ab":
        disc.bearing(end, f"disc.{end}", "ground", stiffness=[[50, 0], [0, 50]])
    disc.steady_rotation("spin", bodies=["disc"], speed="W")
    disc.motion_point().linearize().modes().save(tmp_path / "d.html", curves=disc.campbell("W", 1, 30, samples=10))
    assert "Campbell diagram over W" in (tmp_path / "d.html").read_text()


def test_curves_and_runs_of_other_kinds_are_refused(tmp_path):
    m = mb.loads(PUSHED)
    modes = m.equilibrium().linearize().modes()
    for curves in ("response", 3, [modes], [None]):
        with pytest.raises(mb.ArgumentTypeError, match="curves"):
            modes.save(tmp_path / "p.html", curves=curves)
    with pytest.raises(mb.ArgumentTypeError, match="run"):
        modes.save(tmp_path / "p.html", run=modes)
    with pytest.raises(mb.ArgumentError, match="another model"):
        modes.save(tmp_path / "p.html", run=mb.generate("n-four-bar").simulate(0.1))


def test_an_animation_is_a_player_in_notebooks():
    matplotlib = pytest.importorskip("matplotlib")
    modes = mb.loads(PUSHED).equilibrium().linearize().modes()
    with matplotlib.rc_context({"animation.html": "none"}):
        shown = modes.animate(0, frames=3)._repr_html_()
    assert "<script" in shown and shown.count("data:image/png") == 3
    for wrong in ({"frames": 0}, {"frames": 10**9}, {"seconds": 0}):
        with pytest.raises(mb.ArgumentError, match=next(iter(wrong))):
            modes.animate(0, **wrong)
