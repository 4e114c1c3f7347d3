"""Files of the program, read by the lines that the book's page on frequency response shows."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "book" / "src" / "response.md").read_text()


def program():
    """The program as built here, or as installed; None where there is none."""
    built = [ROOT / "target" / kind / "mb" for kind in ("debug", "release")]
    found = [os.environ.get("MB_PROGRAM"), *(p for p in built if p.is_file()), shutil.which("mb")]
    return next((str(p) for p in found if p), None)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the machine of the page and the files that its last commands write."""
    mb = program()
    if mb is None:
        pytest.skip("the program mb is not built: cargo build -p mb-cli")
    folder = tmp_path_factory.mktemp("page")
    (folder / "machine.toml").write_text(blocks("toml")[0])
    commands = [line for line in blocks("sh")[-1].splitlines() if line.startswith("mb ")]
    assert len(commands) == 7
    for command in commands:
        subprocess.run([mb, *command.split()[1:]], cwd=folder, check=True, capture_output=True)
    return folder


def lines_of(word, folder, monkeypatch):
    """What the block that imports a package leaves in its names, run in the folder."""
    monkeypatch.chdir(folder)
    (block,) = [text for text in blocks("python") if f"import {word}" in text or f", {word}" in text.splitlines()[0]]
    names = {}
    exec(block, names)
    return names


def test_scipy_reads_the_files(folder, monkeypatch):
    pytest.importorskip("scipy")
    names = lines_of("scipy.io", folder, monkeypatch)
    h, sys, mass, stiffness = (names[k] for k in ("h", "sys", "M", "K"))
    assert list(sys["inputs"]) == list(h["inputs"]) == ["fx", "fy"]
    assert list(sys["outputs"]) == list(h["outputs"]) == ["height", "sway"]
    s = 2j * np.pi * h["frequency_hz"]
    reference = np.array([sys["C"] @ np.linalg.solve(z * np.eye(len(sys["A"])) - sys["A"], sys["B"]) + sys["D"] for z in s])
    scale = np.abs(reference).max(axis=0)
    assert h["response"].shape == reference.shape and np.all(np.abs(h["response"] - reference) < 1e-9 * scale)
    assert np.all(h["bound"] < 1e-9 * scale)
    # The machine of 100 kg and the springs at its sides.
    np.testing.assert_allclose(mass.toarray()[0, 0], 100.0, rtol=1e-12)
    assert stiffness.shape == mass.shape and stiffness.toarray()[0, 0] == pytest.approx(1.5e5, rel=0.05)


def test_python_control_reads_the_files(folder, monkeypatch):
    pytest.importorskip("control", reason="python-control is not installed")
    plant = lines_of("control", folder, monkeypatch)["plant"]
    h = np.load(folder / "h.npz")
    assert plant.input_labels == ["fx", "fy"] and plant.output_labels == ["height", "sway"]
    k = len(h["frequency_hz"]) // 2
    found = plant(2j * np.pi * h["frequency_hz"][k])
    np.testing.assert_allclose(found, h["response"][k], rtol=1e-8, atol=1e-9 * np.abs(found).max())
