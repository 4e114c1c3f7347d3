"""Model.check and the page of modes."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import mb

MODELS = Path(__file__).resolve().parents[3] / "crates" / "mb-gallery" / "models"


def test_a_sound_model_is_ready():
    m = mb.load(MODELS / "double-pendulum-rigid.toml")
    found = m.check()
    assert found.usable and found.degrees_of_freedom == 2 == found.coordinates - found.rank
    assert found.redundant == {} and found.free == [] and found.verdict == "ready for modes"
    assert found.parts["moving body"] == 2 and found.rank_at_equilibrium == found.rank
    assert found.equilibrium.stable is True and "2 degrees of freedom" in repr(found) and "ready" in found._repr_html_()
    # As many modes as degrees of freedom.
    assert len(found.equilibrium.linearize().modes()) == found.degrees_of_freedom


def test_redundant_rows_are_named_with_what_they_follow_from():
    m = mb.load(MODELS / "bricard.toml")
    found = m.check()
    # Five revolute joints' rows are enough for the sixth to leave one freedom.
    assert found.rows - found.rank == len(found.redundant) == 1
    ((name, depends),) = found.redundant.items()
    assert name.startswith("joint") and len(depends) > 1 and "redundant constraint row" in found.verdict
    lin = found.equilibrium.linearize()
    assert np.linalg.matrix_rank(lin.G) == found.rank_at_equilibrium


def test_free_motions_and_missing_equilibria_are_told():
    m = mb.Model("cart")
    cart = m.body("cart", mass=2, inertia=0.1)
    m.prismatic("rail", cart, (0, 0), axis=(1, 0))
    found = m.check()
    assert [(f.amplitudes, f.drifting) for f in found.free] == [({"cart.x": 1.0}, True)]
    damped = mb.Model("cart in oil")
    damped.body("cart", mass=2, inertia=0.1, damping={"alpha": 0.5})
    damped.prismatic("rail", "cart", (0, 0), axis=(1, 0))
    assert [f.drifting for f in damped.check().free] == [False]
    falling = mb.Model("falling", gravity=(0, -1))
    falling.point("P", at=(0, 0), mass=1)
    found = falling.check()
    assert not found.usable and found.equilibrium is None and "no equilibrium" in found.verdict


def test_a_singular_configuration_is_not_usable():
    found = mb.generate("n-four-bar-singular").check()
    assert found.equilibrium is not None and not found.usable
    assert found.undetermined is not None and found.undetermined in found.verdict


def test_a_start_that_had_to_move_is_told():
    m = mb.load(MODELS / "double-pendulum-rigid.toml")
    name = m.configuration[0]
    found = m.check(at={name: 7.0})
    assert found.moved > 0 and found.violation[1] > 1e-3
    assert np.max(np.abs(found.start - 7.0)) > 0


@pytest.mark.parametrize("file", ["n-four-bar.toml", "beam-four-bar.toml", "spatial-pendulum.toml"])
def test_modes_are_saved_as_a_page_that_plays_them(file, tmp_path):
    modes = mb.load(MODELS / file).equilibrium().linearize().modes()
    path = tmp_path / "modes.html"
    modes.save(path, most=3)
    text = path.read_text(encoding="utf-8")
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.S)
    data = json.loads(found.group(1))
    assert data["title"] == modes.linearization.model.name and data["scene"]["count"] > 0
    # Numbers of the table are the numbers themselves.
    head = [column["name"] for column in data["modes"]["columns"]]
    rows = data["modes"]["rows"]
    assert len(rows) == len(modes) and len(data["shapes"]) == min(3, len(modes))
    hz = [row[head.index("f_d")][0] for row in rows]
    np.testing.assert_allclose(hz, modes.hz, rtol=1e-14)
    assert [row[head.index("kind")] for row in rows] == modes.kind
    # Nothing is asked of a network.
    assert "http://" not in text.replace("http://www.w3.org", "") and "src=" not in text


def test_pages_are_html(tmp_path):
    modes = mb.load(MODELS / "n-four-bar.toml").equilibrium().linearize().modes()
    with pytest.raises(mb.ArgumentError, match=r"\.html"):
        modes.save(tmp_path / "modes.pdf")
    with pytest.raises(mb.ArgumentError, match="path"):
        modes.save(3)


def test_pages_of_motions_have_whirl_and_speeds(tmp_path):
    point = mb.load(MODELS / "top.toml").motion_point()
    modes = point.linearize().modes()
    modes.save(tmp_path / "top.html")
    text = (tmp_path / "top.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.S).group(1))
    assert data["modes"]["columns"][-1]["name"] == "whirl"
    senses = [row[-1] for row in data["modes"]["rows"]]
    assert [word for _, word in senses if word] == ["forward", "forward"] and [1.0, "forward"] in senses
    speeds = next(table for table in data["tables"] if table["title"] == "Speeds")
    np.testing.assert_array_equal([row[1][0] for row in speeds["rows"]], point.v)
