"""mb.eigs against closed forms and against scipy."""

import os
import subprocess
import sys

from fractions import Fraction

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import mb


def chain(n, k=1000.0, m=2.0):
    """n masses between n + 1 springs: omega_j = 2 sqrt(k/m) sin(j pi / (2 (n + 1)))."""
    stiffness = sp.diags_array([np.full(n - 1, -k), np.full(n, 2 * k), np.full(n - 1, -k)], offsets=[-1, 0, 1])
    exact = 2 * np.sqrt(k / m) * np.sin(np.arange(1, n + 1) * np.pi / (2 * (n + 1)))
    return stiffness, m * sp.eye_array(n), exact


@pytest.mark.parametrize("storage", ["csc", "csr", "coo", "dia", "dense", "fortran", "list"])
def test_closed_form_in_every_storage(storage):
    k, m, exact = chain(12)
    if storage == "dense":
        k, m = k.toarray(), m.toarray()
    elif storage == "fortran":
        k, m = np.asfortranarray(k.toarray()), np.asfortranarray(m.toarray())
    elif storage == "list":
        k, m = k.toarray().tolist(), m.toarray().tolist()
    else:
        k, m = k.asformat(storage), m.asformat(storage)
    r = mb.eigs(k, M=m)
    assert len(r) == 12 and r.complete is True and r.kind == ["physical"] * 12
    assert np.all(np.abs(r.s - 1j * exact) <= r.error)
    assert np.all(r.error < 1e-12 * exact[-1])
    np.testing.assert_allclose(r.hz * 2 * np.pi, exact, rtol=1e-14)
    assert r.shapes.dtype == float and r.shapes.shape == (12, 12)
    np.testing.assert_allclose(np.linalg.norm(r.shapes, axis=0), 1.0, rtol=1e-14)


def test_arpack_finds_the_same_modes_or_is_named():
    k, m, exact = chain(900)
    try:
        r = mb.eigs(k, M=m, lowest=4, solver="arpack")
    except mb.ArgumentError as error:
        assert "libarpack2" in str(error)
    else:
        assert len(r) == 4 and r.complete is True and np.all(np.abs(r.s - 1j * exact[:4]) <= r.error)
    script = "import mb, scipy.sparse as sp; mb.eigs(sp.diags_array([4.0] * 900), lowest=2, solver='arpack')"
    away = {**os.environ, "MB_ARPACK": "/no/such/libarpack.so"}
    run = subprocess.run([sys.executable, "-c", script], env=away, capture_output=True, text=True)
    assert run.returncode == 1 and "ArgumentError" in run.stderr, run.stderr
    assert "/no/such/libarpack.so" in run.stderr and "libarpack2" in run.stderr


def test_parts_of_a_large_spectrum():
    k, m, exact = chain(3000)
    lowest = mb.eigs(k, M=m, lowest=5)
    assert lowest.complete is True
    assert np.all(np.abs(lowest.s - 1j * exact[:5]) <= lowest.error)
    hz = exact / (2 * np.pi)
    band = mb.eigs(k, M=m, band=(1.0, 1.1))
    inside = (hz >= 1.0) & (hz <= 1.1)
    assert band.complete is True and len(band) == inside.sum() > 10
    np.testing.assert_allclose(band.hz, hz[inside], rtol=1e-12)
    near = mb.eigs(k, M=m, near=1.05, count=3)
    nearest = np.sort(hz[np.argsort(np.abs(hz - 1.05))[:3]])
    np.testing.assert_allclose(np.sort(near.hz), nearest, rtol=1e-12)
    largest = mb.eigs(k, M=m, largest=2)
    np.testing.assert_allclose(np.sort(largest.hz), hz[-2:], rtol=1e-12)
    assert len(mb.eigs(k, M=m)) == 20


def test_scipy_agrees_on_a_random_pencil():
    rng = np.random.default_rng(1)
    a = rng.standard_normal((40, 40))
    k, m = a @ a.T + 40 * np.eye(40), np.diag(rng.uniform(1, 2, 40))
    r = mb.eigs(k, M=m)
    np.testing.assert_allclose(np.sort(r.s.imag**2), scipy.linalg.eigh(k, m, eigvals_only=True), rtol=1e-12)
    sparse = mb.eigs(sp.csc_array(k), M=sp.csc_array(m), lowest=4)
    found = spla.eigsh(k, 4, m, sigma=0, return_eigenvectors=False)
    np.testing.assert_allclose(np.sort(sparse.s.imag**2), np.sort(found), rtol=1e-10)


def test_bounds_hold_for_damping_and_gyroscopic_matrix_as_given():
    """C + G loses digits of C; exact rational determinants change their sign within the bound of the slow real eigenvalue."""

    def determinant(a):
        if len(a) == 1:
            return a[0][0]
        minors = ([row[:j] + row[j + 1 :] for row in a[1:]] for j in range(len(a)))
        return sum((-1) ** j * a[0][j] * determinant(minor) for j, minor in enumerate(minors))

    stiffness = 1e3 * np.array([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]])
    mass = np.diag([2.0, 3.0, 4.0])
    damping = 1e-4 * (mass + stiffness / 1e3)
    for spin in (1.0, 1e3, 1e6):
        gyroscopic = spin * np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])
        r = mb.eigs(stiffness, M=mass, C=damping, gyroscopic=gyroscopic)
        slow = [(s.real, e) for s, e in zip(r.s, r.error) if s.imag == 0 and s != 0]
        assert len(slow) == 1
        (s, error), = slow

        def sign(at):
            blocks = [[[Fraction(float(x)) for x in row] for row in a] for a in (mass, damping, gyroscopic, stiffness)]
            m, c, g, k = blocks
            sums = [[at * (at * m[i][j] + c[i][j] + g[i][j]) + k[i][j] for j in range(3)] for i in range(3)]
            return determinant(sums) > 0

        assert sign(Fraction(s) - Fraction(error)) != sign(Fraction(s) + Fraction(error)), spin
        assert error < 1e-9 * spin * abs(s)


def test_damped_and_gyroscopic():
    rng = np.random.default_rng(2)
    n = 8
    k, m = np.diag(rng.uniform(50, 100, n)), np.diag(rng.uniform(1, 2, n))
    a = rng.standard_normal((n, n))
    c, g = 0.05 * (a @ a.T), a - a.T
    r = mb.eigs(k, M=m, C=c, gyroscopic=g, left=True)
    state = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(m, k), -np.linalg.solve(m, c + g)]])
    reference = np.linalg.eigvals(state)
    assert len(r.eigenvalues) == 2 * n
    for s in reference:
        assert np.min(np.abs(r.eigenvalues - s)) < 1e-9
    np.testing.assert_allclose(r.zeta, -r.s.real / np.abs(r.s))
    assert r.shapes.dtype == complex and r.left.shape == (n, n)
    for i, s in enumerate(r.s):
        rest = (s**2 * m + s * (c + g) + k) @ r.shapes[:, i]
        assert np.linalg.norm(rest) < 1e-11 * np.linalg.norm(k)
        one = r.left[:, i].conj() @ (2 * s * m + c + g) @ r.shapes[:, i]
        assert abs(one - 1) < 1e-9


def test_constraints_with_a_redundant_row():
    k, m, _ = chain(6)
    row = np.zeros(6)
    row[5] = 1.0
    r = mb.eigs(k, M=m, constraints=[row, 2 * row])
    # A wall in place of the last mass: five masses between five springs and it.
    _, _, held = chain(5)
    np.testing.assert_allclose(r.s.imag, held, rtol=1e-12)
    assert r.multipliers.shape == (2, 5)
    assert any("redundant" in f["finding"] for f in r.findings)
    # The multipliers balance what the last mass would need.
    force = (k.toarray() @ r.shapes - (m.toarray() @ r.shapes) * r.s.imag**2)[5]
    np.testing.assert_allclose(r.multipliers[0] + 2 * r.multipliers[1], -force, rtol=1e-9)


def test_free_bodies_are_exact_zeros_and_one_mode_each():
    n = 4
    k = np.diag([1.0, 2, 2, 1]) - np.diag(np.ones(3), 1) - np.diag(np.ones(3), -1)
    r = mb.eigs(k)
    assert r.kind == ["rigid"] + ["physical"] * 3
    assert r.s[0] == 0 and r.hz[0] == 0 and np.isnan(r.zeta[0]) and r.multiplicity.tolist() == [2, 2, 2, 2]
    np.testing.assert_allclose(r.s.imag[1:], 2 * np.sin(np.arange(1, n) * np.pi / (2 * n)), rtol=1e-13)


def test_massless_directions_are_infinite_not_large():
    r = mb.eigs(np.diag([1.0, 4.0]), M=np.diag([1.0, 0.0]))
    assert r.s.tolist() == [1j]
    everything = r.everything()
    assert everything.kind.count("infinite") == 2 and len(everything.to_frame()) == len(everything)


def test_descriptor_pairs():
    k, m, exact = chain(5)
    a = np.block([[np.zeros((5, 5)), np.eye(5)], [-k.toarray(), np.zeros((5, 5))]])
    e = np.block([[np.eye(5), np.zeros((5, 5))], [np.zeros((5, 5)), m.toarray()]])
    r = mb.eigs_descriptor(a, E=e)
    np.testing.assert_allclose(r.s.imag, exact, rtol=1e-12)


def test_results_show_themselves():
    k, m, _ = chain(3)
    r = mb.eigs(k, M=m)
    assert repr(r) == f"<mb.Modes: 3 modes, {r.hz[0]:.6g} to {r.hz[2]:.6g} Hz, complete>"
    assert r._repr_html_().count("<tr>") == 4
    frame = r.to_frame()
    assert list(frame["kind"]) == r.kind and len(frame) == 3
    mode = r[-1]
    assert mode.number == 2 and mode.hz == r.hz[2] and np.array_equal(mode.shape, r.shapes[:, 2])
    assert [x.number for x in r] == [0, 1, 2]
    with pytest.raises(IndexError):
        r[3]


def test_arrays_of_the_caller_stay_as_they_are():
    k, m, _ = chain(50)
    k = k.tocsc()
    before = k.copy()
    coo = sp.coo_array(([1.0, 1.0, 5.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    mb.eigs(k, M=m, lowest=2)
    assert (k != before).nnz == 0
    unsorted = sp.csc_array((np.array([1.0, 4.0, 1.0]), np.array([1, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    kept = unsorted.indices.copy()
    mb.eigs(unsorted @ unsorted.T)
    mb.eigs(coo)
    mb.eigs(unsorted, symmetric=False)
    assert np.array_equal(unsorted.indices, kept)
    # Entries given twice are added.
    np.testing.assert_allclose(mb.eigs(coo).s.imag, np.sqrt([2.0, 5.0]))
