"""Sweeps against single analyses, closed forms and interrupts."""

import math
import signal
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import mb
from mb import _mb

MODELS = Path(__file__).resolve().parents[3] / "crates" / "mb-gallery" / "models"


def oscillator():
    """A mass of 1 kg on a spring k with a damper c along x, held across."""
    m = mb.Model("oscillator", parameters={"k": 4.0, "c": 0.1})
    m.point("P", at=(0, 0), mass=1)
    m.spring("x", "P", (1, 0), stiffness="k", natural_length=1, damping="c")
    m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9, damping=1)
    return m


def test_a_grid_has_every_combination():
    k, c = [4.0, 9.0, 25.0], [0.1, 0.2]
    s = oscillator().sweep({"k": k, "c": c}, modes=1)
    assert s.shape == (3, 2) and len(s) == 6 and s.names == ["k", "c"]
    np.testing.assert_array_equal(s.values, [[a, b] for a in k for b in c])
    exact = np.array([-b / 2 + 1j * math.sqrt(a - b * b / 4) for a in k for b in c])
    assert np.all(np.abs(s.s[:, 0] - exact) <= s.error[:, 0] + 1e-15) and np.all(s.error < 1e-12)
    np.testing.assert_allclose(s.on_grid(s.hz)[:, :, 0], exact.imag.reshape(3, 2) / (2 * math.pi), rtol=1e-12)
    np.testing.assert_allclose(s.zeta[:, 0], [b / 2 / math.sqrt(a) for a in k for b in c], rtol=1e-12)
    assert s.verdict == ["stable"] * 6 and s.complete == [True] * 6 and s.message == [None] * 6
    np.testing.assert_array_equal(s["c"], np.tile(c, 3))
    assert "6 stable" in repr(s) and s._repr_html_().count("<tr>") == 7
    frame = s.to_frame()
    assert list(frame.columns)[:3] == ["k", "c", "verdict"] and len(frame) == 6


def test_cases_are_those_of_single_analyses():
    m = mb.load(MODELS / "n-four-bar.toml", N=2)
    cases = [{"k": 5.0, "c": 0.0}, {"k": 30.0, "c": 2.0}]
    s = m.sweep(cases, modes=3)
    assert s.shape == ()
    for row, case in zip(s.s, cases, strict=True):
        modes = m.with_parameters(**case).equilibrium().linearize().modes()
        order = np.argsort(np.abs(modes.s))[: np.isfinite(row).sum()]
        np.testing.assert_allclose(row[np.isfinite(row)], modes.s[order], rtol=1e-10, atol=1e-10)
    pandas = pytest.importorskip("pandas")
    np.testing.assert_array_equal(m.sweep(pandas.DataFrame(cases), modes=3).s, s.s)
    with pytest.raises(mb.ArgumentError, match="no grid"):
        s.on_grid(s.hz)


def test_drawn_cases_stay_in_their_ranges_and_repeat():
    m = oscillator()
    for word in ("random", "latin"):
        s = m.sweep({"k": (4, 8), "c": (0.1, 0.3)}, modes=1, seed=3, **{word: 20})
        assert len(s) == 20 and np.all((s["k"] >= 4) & (s["k"] < 8) & (s["c"] >= 0.1) & (s["c"] < 0.3))
        np.testing.assert_array_equal(s.values, m.sweep({"k": (4, 8), "c": (0.1, 0.3)}, modes=1, seed=3, **{word: 20}).values)
    # One case in each of the twenty parts.
    assert sorted(np.floor((s["k"] - 4) / 4 * 20)) == list(range(20))


def test_boundaries_of_stability_are_solved_for():
    # x'' + c x' + k x = 0 grows where c < 0, whatever k is.
    s = oscillator().sweep({"k": [4.0, 9.0], "c": [-0.3, 0.2]}, modes=1, boundary=True)
    assert s.verdict == ["unstable", "stable"] * 2 and len(s.crossings) == 2
    for met in s.crossings:
        assert abs(met.at["c"]) <= 1e-8 and met.hz == pytest.approx(math.sqrt(met.at["k"]) / (2 * math.pi), rel=1e-6)
        assert s.verdict[met.between[0]] == "stable" and s.verdict[met.between[1]] == "unstable"


def test_a_case_that_fails_is_a_row_with_its_message():
    m = mb.Model("rod", parameters={"mass": 1.0, "k": 4.0})
    m.point("P", at=(0, 0), mass="mass")
    m.spring("x", "P", (1, 0), stiffness="k", natural_length=1)
    m.spring("across", "P", (0, 9), stiffness=1e4, natural_length=9)
    s = m.sweep({"mass": [1.0, -1.0]}, modes=1)
    assert s.verdict[1] == "failed" and "mass" in s.message[1] and s.complete[1] is None and np.isnan(s.s[1]).all()
    with pytest.raises(mb.NumericsError) as caught:
        m.sweep({"mass": [-1.0]})
    assert caught.value.kind == "no_case"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"parameters": {"K": [1.0]}}, mb.ModelError, "did you mean 'k'"),
        ({"parameters": {}}, mb.ArgumentError, "empty"),
        ({"parameters": {"k": []}}, mb.ArgumentError, "no values"),
        ({"parameters": {"k": [1.0, float("nan")]}}, mb.ArgumentError, r"parameters\['k'\]\[1\]"),
        ({"parameters": {"k": "abc"}}, mb.ArgumentError, "a number is needed"),
        ({"parameters": 3}, mb.ArgumentError, "dictionary"),
        ({"parameters": [{"k": 1.0}, {"c": 1.0}]}, mb.ArgumentError, r"parameters\[1\]"),
        ({"parameters": {"k": (1, 2)}, "random": 3, "latin": 3}, mb.ArgumentError, "exclude"),
        ({"parameters": {"k": 3.0}, "random": 3}, mb.ArgumentError, "pair"),
        ({"parameters": {"k": (1, 2)}, "random": 3, "boundary": True}, mb.ArgumentError, "grid"),
        ({"parameters": {"k": [1.0]}, "at": {"P.X": 1.0}}, mb.ModelError, "did you mean 'P.x'"),
        ({"parameters": {"k": [1.0]}, "modes": 0}, mb.ArgumentError, "modes"),
        ({"parameters": {"k": [1.0]}, "progress": 3}, mb.ArgumentError, "progress"),
    ],
)
def test_what_is_wrong_is_named(arguments, error, words):
    with pytest.raises(error, match=words):
        oscillator().sweep(**arguments)


def test_progress_counts_cases_and_an_interrupt_ends_them():
    seen = []
    oscillator().sweep({"k": np.linspace(1, 2, 30)}, modes=1, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (30, 30) and seen == sorted(seen)
    m = mb.load(MODELS / "n-four-bar.toml", N=40)
    # The cases take many minutes; the interrupt comes with the first that is reported.
    seen.clear()

    def interrupt(done, total):
        seen.append((done, total))
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        m.sweep({"k": np.linspace(5, 50, 100_000)}, modes=3, progress=interrupt)
    assert len(seen) == 1 and seen[0][0] < 100_000
    while _mb.busy():
        time.sleep(0.01)


def thrown(v=0.5):
    """A mass of 2 kg on a spring of k N/m, which starts with a speed along it; across, a stiff one."""
    m = mb.Model("thrown mass", parameters={"k": 8.0, "v": v})
    m.point("P", at=(1, 0), mass=2, velocity=("v", 0))
    m.spring("x", "P", (0, 0), stiffness="k", natural_length=1)
    m.spring("across", "P", (1, 9), stiffness=1e4, natural_length=9)
    return m


@pytest.mark.parametrize("what", ["sweep", "series", "track"])
def test_speeds_that_rest_leaves_aside_are_told(what):
    calls = {
        "sweep": lambda m: m.sweep({"k": [7.0, 8.0]}),
        "series": lambda m: m.series("k", order=2),
        "track": lambda m: m.track("k", 7, 9, samples=5),
    }
    with pytest.warns(mb.FindingWarning, match="P.x 0.500000 per second"):
        calls[what](thrown())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calls[what](thrown(v=0.0))
    assert "the model has speeds" in thrown().check().verdict


def test_a_parameter_that_changes_the_speeds_takes_the_steady_motion():
    found = mb.load(MODELS / "bicycle.toml").sweep({"v": [5.0, 5.5]}, modes=3)
    assert found.state == "own speeds" and "v" in found.note
    # Between the weave and the capsize speed nothing grows; at rest the bicycle falls.
    assert (found.rightmost.real < 1e-6).all()


def test_a_steady_motion_has_the_same_modes_later():
    """1 kg on a spring of 100 N/m, 1 m long, that turns with 5 rad/s: 100 (r - 1) = 25 r."""
    m = mb.Model("sling", parameters={"k": 100.0})
    m.point("P", at=(4 / 3, 0), mass=1)
    m.spring("s", "P", (0, 0), stiffness="k", natural_length=1)
    now, later = (m.sweep([{"k": 100.0}], modes=2, velocity={"P.y": 20 / 3}, after=after) for after in (0, 0.1))
    assert now.state == later.state == "motion asked for"
    np.testing.assert_allclose(later.s, now.s, rtol=1e-6, atol=1e-6)
    with pytest.raises(mb.ArgumentError, match="after is -1"):
        m.sweep({"k": [100.0]}, after=-1)


def test_shards_and_tables_come_together_with_the_same_bits(tmp_path):
    m, values = oscillator(), {"k": [4.0, 1 / 3, 25.0], "c": [0.1, 0.2]}
    whole = m.sweep(values, modes=2, output=tmp_path / "whole.csv")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["whole.csv"]
    parts = [tmp_path / "1.csv", tmp_path / "2.csv"]
    first = m.sweep(values, modes=2, shard=(1, 2), output=parts[0])
    assert first.verdict == ["stable", "open"] * 3 and "3 open" in repr(first) and np.isnan(first.s[1]).all()
    m.sweep(values, modes=2, shard="2/2").save(parts[1])
    seen = []
    again = m.sweep(values, modes=2, resume=parts, progress=lambda done, total: seen.append(total), output=tmp_path / "again.csv")
    # Nothing was left to do.
    assert set(seen) <= {0, 6} and seen[-1] == 0
    for of in ("s", "error", "rightmost", "values"):
        np.testing.assert_array_equal(getattr(again, of), getattr(whole, of))
    assert again.verdict == whole.verdict == ["stable"] * 6
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_a_sweep_that_ends_early_leaves_a_journal_to_go_on_from(tmp_path):
    m, values, output = oscillator(), {"k": np.linspace(4, 9, 40)}, tmp_path / "cases.csv"
    journal = tmp_path / "cases.csv.journal"
    from mb import _table

    keep, lines = _table.Journal.keep, []

    def kill(self, line):
        keep(self, line)
        lines.append(line)
        if len(lines) == 12:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_table.Journal, "keep", kill)
        with pytest.raises(KeyboardInterrupt):
            m.sweep(values, modes=1, jobs=1, output=output)
    assert not output.exists() and len(journal.read_text().splitlines()) >= 11
    # A crash tears the last line.
    journal.write_bytes(journal.read_bytes()[:-9])
    again = m.sweep(values, modes=1, resume=journal, output=output)
    np.testing.assert_array_equal(again.s, m.sweep(values, modes=1).s)
    assert not journal.exists() and len(output.read_text().splitlines()) == 41


def test_the_table_of_another_sweep_and_bad_shards_are_refused(tmp_path):
    m, table = oscillator(), tmp_path / "cases.csv"
    m.sweep({"k": [4.0, 9.0]}, modes=1, output=table)
    for words, call in [
        ("not the table", lambda: m.sweep({"k": [4.0, 9.0]}, modes=2, resume=table)),
        ("line 3: the values", lambda: m.sweep({"k": [4.0, 10.0]}, modes=1, resume=table)),
        ("sweep takes 'motion asked for", lambda: m.sweep({"k": [4.0, 9.0]}, modes=1, velocity={"P.x": 0.0}, resume=table)),
        ("sweep takes 'rest; time 1", lambda: m.sweep({"k": [4.0, 9.0]}, modes=1, time=1.0, resume=table)),
        ("counted from 1", lambda: m.sweep({"k": [4.0]}, shard=(3, 2))),
        ("third of eight", lambda: m.sweep({"k": [4.0]}, shard="3")),
    ]:
        with pytest.raises(mb.ArgumentError, match=words):
            call()
    with pytest.raises(FileNotFoundError):
        m.sweep({"k": [4.0]}, resume=tmp_path / "none.csv")


def test_floquet_exponents_of_a_shaken_pendulum_have_mathieus_limits():
    m = mb.Model("shaken", gravity=(0, -9.81), parameters={"W": 7.5, "Y": 0.05})
    pivot = m.body("pivot", mass=1, inertia=1, at=(0, "Y"))
    rod = m.body("rod", mass=1, inertia=0.1, center_of_mass=(0, -0.5), at=(0, "Y"))
    m.prismatic("rail", pivot, (0, 0), axis=(0, 1))
    m.revolute("pin", rod, pivot)
    m.drive("shake", "y", pivot, "Y*cos(W*t)")
    found = m.sweep({"W": [6, 7.5, 9]}, floquet="2*pi/W", boundary=True)
    assert found.verdict == ["marginal", "unstable", "marginal"] and found.state.startswith("periodic motion")
    # x'' + (a - 2 q cos 2 tau) x = 0 with a = 4 m l g / (J W^2), q = 2 m l Y / J.
    q = 2 * 0.5 * 0.05 / 0.35
    limits = [1 + s * q - q**2 / 8 - s * q**3 / 64 - q**4 / 1536 for s in (1, -1)]
    exact = [math.sqrt(4 * 0.5 * 9.81 / (0.35 * a)) for a in limits]
    assert np.allclose([c.at["W"] for c in found.crossings], exact, rtol=1e-7)
    with pytest.raises(mb.ArgumentError, match="leave one of them out"):
        m.sweep({"W": [6, 9]}, floquet="2*pi/W", moving=True)


def test_jobs_of_a_launcher_give_the_table_and_go_on_where_one_was_killed(tmp_path):
    m, values, output = oscillator(), {"k": [4.0, 1 / 3, 25.0], "c": [0.1, 0.2]}, tmp_path / "cases.csv"
    whole = m.sweep(values, modes=2, output=tmp_path / "whole.csv")
    # One that starts the first part alone.
    only = tmp_path / "only.sh"
    only.write_text('[ "$1" = 1 ] || { echo no node; exit 3; }\nshift\nexec "$@"\n')
    with pytest.raises(mb.NumericsError, match="Part 2 of 2.*no node") as caught:
        m.sweep(values, modes=2, jobs=2, launcher=f"sh {only} {{part}}", output=output)
    assert caught.value.kind == "job_failed" and not output.exists() and (tmp_path / "cases.csv.1-of-2.csv").exists()
    begun = (tmp_path / "cases.csv.1-of-2.csv").stat().st_mtime_ns
    only.write_text('[ "$1" = 2 ] || exit 3\nexec sh -c "$2"\n')
    # A shell that takes the command as one word would split it: a launcher in whose place it stands.
    again = m.sweep(values, modes=2, jobs=2, launcher=f"sh {only} {{part}} {{command}}", output=output)
    assert begun and again.verdict == whole.verdict
    assert output.read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["cases.csv", "only.sh", "whole.csv"]
    with pytest.raises(mb.ArgumentError, match="launcher needs the number of jobs"):
        m.sweep(values, modes=2, launcher="env", output=output)
