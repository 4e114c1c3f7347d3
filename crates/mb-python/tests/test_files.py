"""Files are whole or as they were: an error in the middle of writing leaves the old one, and nothing beside it."""

import builtins
from pathlib import Path

import pytest
import scipy.io
import scipy.sparse

import mb
from made import pushed


def at_rest():
    m = mb.Model("mass on a spring")
    m.point("P", at=(0, 0), mass=2)
    m.spring("s", "P", (1, 0), stiffness=8, natural_length=1)
    return m.equilibrium()


def full():
    raise OSError(28, "No space left on device")


class Torn:
    """A file whose second half finds no place on the disk."""

    def __init__(self, file):
        self.file = file

    def write(self, content):
        self.file.write(content[: len(content) // 2])
        full()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()


def torn_open(path, mode="r", *rest, opened=builtins.open, **more):
    file = opened(path, mode, *rest, **more)
    return Torn(file) if "w" in mode else file


def torn_file(path, *_, opened=builtins.open, **__):
    """As functions of other packages that write a file by its path."""
    with opened(path, "wb") as file:
        file.write(b"half")
    full()


#: Calls that write the file of that name in a folder, and the function through which it is written.
WRITES = {
    "model": ("m.toml", lambda folder: pushed().save(folder / "m.toml"), (builtins, "open", torn_open)),
    "point": ("p.json", lambda folder: at_rest().save(folder / "p.json"), (builtins, "open", torn_open)),
    "orbit": ("o.json", lambda folder: pushed().orbit("2*pi/W").save(folder / "o.json"), (builtins, "open", torn_open)),
    "modes": ("m.html", lambda folder: at_rest().linearize().modes().save(folder / "m.html"), (builtins, "open", torn_open)),
    "mtx": ("M.mtx", lambda folder: at_rest().linearize().export(folder), (scipy.io, "mmwrite", torn_file)),
    "npz": ("M.npz", lambda folder: at_rest().linearize().export(folder, format="npz"), (scipy.sparse, "save_npz", torn_file)),
    "mat": ("matrices.mat", lambda folder: at_rest().linearize().export(folder, format="mat"), (scipy.io, "savemat", torn_file)),
    "petsc": ("M.petsc", lambda folder: at_rest().linearize().export(folder, format="petsc"), (Path, "write_bytes", torn_file)),
}


@pytest.mark.parametrize("kind", WRITES)
def test_an_error_in_the_middle_leaves_the_old_file(kind, tmp_path, monkeypatch):
    name, write, writer = WRITES[kind]
    write(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    (tmp_path / name).write_text("as it was")
    with monkeypatch.context() as patch:
        patch.setattr(*writer)
        with pytest.raises(OSError, match="No space left"):
            write(tmp_path)
    assert (tmp_path / name).read_text() == "as it was"
    assert {path.name for path in tmp_path.iterdir()} == names
    write(tmp_path)
    assert (tmp_path / name).read_bytes() != b"as it was"


@pytest.mark.parametrize("kind", ["model", "mtx"])
def test_an_error_at_the_first_writing_leaves_nothing(kind, tmp_path, monkeypatch):
    _, write, writer = WRITES[kind]
    monkeypatch.setattr(*writer)
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path)
    assert list(tmp_path.iterdir()) == []
