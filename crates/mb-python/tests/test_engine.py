"""The distributed engine: its modes are those of the built-in solver within both bounds, by a run now and through a folder; what
cannot be is named.

What runs the driver is skipped where `cargo xtask setup --engine` has not built it.
"""

import os
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import mb

BUILT = Path(os.environ.get("MB_ENGINE_DIR", Path(__file__).parents[3] / "target" / "engine"))
runs = pytest.mark.skipif(
    not all((BUILT / f"mb-engine-{kind}").is_file() for kind in ("real", "complex")),
    reason="the distributed engine is not built; `cargo xtask setup --engine` builds it",
)


@pytest.fixture(autouse=True)
def driver(monkeypatch):
    monkeypatch.setenv("MB_ENGINE_DIR", str(BUILT))


def chain(n):
    """n masses of 1 kg between n + 1 springs of 1 N/m, whose frequencies are 2 sin(k pi / (2 n + 2)) rad/s."""
    return sparse.diags_array([np.full(n, 2.0), np.full(n - 1, -1.0), np.full(n - 1, -1.0)], offsets=[0, 1, -1]).tocsc()


def exact(n, count):
    return 2 * np.sin(np.arange(1, count + 1) * np.pi / (2 * n + 2))


def same(found, own):
    assert len(found.s) == len(own.s)
    assert (np.abs(found.s - own.s) <= found.error + own.error).all()
    assert found.kind == own.kind and found.complete is True


@runs
@pytest.mark.parametrize("ranks", [1, 2])
def test_frequencies_of_a_chain_are_those_of_the_closed_form(ranks):
    found = mb.eigs(chain(500), lowest=5, engine="slepc", ranks=ranks)
    assert found.method == "slepc" and found.complete is True
    assert (np.abs(found.s.imag - exact(500, 5)) <= found.error).all()
    assert (found.error <= 1e-6 * exact(500, 5)).all()


@runs
def test_damped_matrices_and_models_have_the_modes_of_the_built_in_solver():
    k = chain(40)
    damped = dict(C=0.01 * k, near=0.1, count=3)
    same(mb.eigs(k, **damped, engine="slepc"), mb.eigs(k, **damped))
    lin = mb.generate("solid-cantilever", n=3, N=12).equilibrium().linearize()
    same(lin.modes(lowest=4, engine="slepc", ranks=2), lin.modes(lowest=4))
    same(lin.modes(band=(0, 40), engine="slepc"), lin.modes(band=(0, 40)))


@runs
def test_a_folder_is_written_run_and_read(tmp_path):
    k, folder = chain(300), tmp_path / "job"
    job = mb.engine_job(k, folder=folder, ranks=2, lowest=3)
    assert (job.folder, job.ranks, job.unknowns) == (str(folder), 2, 300)
    assert job.memory is None and "300 unknowns on 2 ranks>" in repr(job)
    needs = mb.engine_job(k, ranks=2, lowest=3)
    assert needs.memory > 8 * needs.entries > 8 * 299 and "300 unknowns on 2 ranks, " in repr(needs)
    with pytest.raises(mb.ArgumentError, match="has not ended"):
        mb.eigs(k, lowest=3, engine_read=folder)
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    subprocess.run(["sh", str(folder / "run.sh")], check=True, env=os.environ | allowed, timeout=300)
    found = mb.eigs(k, lowest=3, engine_read=folder)
    assert (np.abs(found.s.imag - exact(300, 3)) <= found.error).all() and found.complete is True
    with pytest.raises(mb.ArgumentError, match="another model, request or option") as caught:
        mb.eigs(k, lowest=4, engine_read=folder)
    assert caught.value.argument == "engine_read"
    with pytest.raises(mb.ArgumentError, match="not empty"):
        mb.engine_job(k, folder=folder, lowest=3)
    lin = mb.generate("solid-cantilever", N=12).equilibrium().linearize()
    one = lin.engine_job(tmp_path / "model", ranks=2, lowest=3)
    needs = lin.engine_job(ranks=2, lowest=3)
    assert one.memory is None and one.unknowns == needs.unknowns > 100 and needs.seconds > 0
    # The folder that leaves column by column is that of the matrices as a whole.
    blocks = lin.sparse()
    mb.engine_job(blocks["K"], M=blocks["M"], C=blocks["C"], constraints=blocks["G"], folder=tmp_path / "whole", ranks=2, lowest=3)
    both = [(tmp_path / place / "K.petsc").read_bytes() for place in ("model", "whole")]
    assert both[0] == both[1]


def test_what_cannot_be_is_named(tmp_path, monkeypatch):
    k = chain(30)
    cases = [
        (dict(lowest=2, engine="petsc"), "engine", "slepc"),
        (dict(engine="slepc"), "engine", "lowest="),
        (dict(all=True, engine="slepc"), "engine", "lowest="),
        (dict(largest=2, engine="slepc"), "engine", "lowest="),
        (dict(lowest=2, ranks=2), "ranks", "engine='slepc'"),
        (dict(lowest=2, launcher="srun"), "launcher", "engine='slepc'"),
        (dict(lowest=2, engine="slepc", ranks=0), "ranks", "at least 1"),
        (dict(lowest=2, engine="slepc", launcher=" "), "launcher", "words"),
        (dict(lowest=2, engine="slepc", engine_read="job"), "engine", "exclude"),
        (dict(lowest=2, engine_read=str(tmp_path / "none")), "engine_read", "manifest"),
        (dict(lowest=2, engine_read=3), "engine_read", "path"),
    ]
    for request, argument, words in cases:
        with pytest.raises(mb.ArgumentError, match=words) as caught:
            mb.eigs(k, **request)
        assert caught.value.argument == argument, request
    lin = mb.generate("n-four-bar").equilibrium().linearize()
    with pytest.raises(mb.ArgumentError, match="not for the unconstrained formulation"):
        lin.modes(lowest=1, formulation="unconstrained", engine="slepc")
    with pytest.raises(TypeError, match="unexpected keyword argument 'engine'"):
        mb.eigs_descriptor(k, lowest=2, engine="slepc")
    with pytest.raises(TypeError, match="unexpected keyword argument 'engine'"):
        mb.engine_job(k, lowest=2, engine="slepc")
    with pytest.raises(mb.ArgumentError, match="lowest="):
        mb.engine_job(k)
    monkeypatch.setenv("MB_ENGINE_DIR", str(tmp_path))
    with pytest.raises(mb.ArgumentError, match="setup --engine") as caught:
        mb.eigs(k, lowest=2, engine="slepc")
    assert caught.value.argument == "engine"


def test_a_launcher_that_fails_is_an_error_and_one_that_waits_ends_with_ctrl_c(tmp_path, monkeypatch):
    monkeypatch.setenv("MB_ENGINE_DIR", str(tmp_path))
    (tmp_path / "mb-engine-real").write_text("")
    with pytest.raises(mb.NumericsError, match="cannot be started.*launcher="):
        mb.eigs(chain(30), lowest=2, engine="slepc", launcher="no-such-launcher -n {ranks}")
    with pytest.raises(mb.NumericsError, match="ended with"):
        mb.eigs(chain(30), lowest=2, engine="slepc", launcher="false")
    wait = tmp_path / "wait"
    wait.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 60\n")
    wait.chmod(0o755)
    # The signal comes when the launcher runs, not after a time.
    def interrupt():
        while not (tmp_path / "pid").is_file() or not (tmp_path / "pid").read_text().strip():
            pass
        os.kill(os.getpid(), 2)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        mb.eigs(chain(30), lowest=2, engine="slepc", launcher=str(wait))
    # Nobody waits for the launcher any more: it has been ended.
    pid = int((tmp_path / "pid").read_text())
    for _ in range(3000):
        if not Path(f"/proc/{pid}").exists():
            break
        threading.Event().wait(0.01)
    assert not Path(f"/proc/{pid}").exists()
