"""What is missing, undetermined or unstable comes as a warning, and no result is called complete that is not."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import mb


def found_of(*matrices, **request):
    """The result and the words of its warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = mb.eigs(*matrices, **request)
    assert all(issubclass(w.category, mb.FindingWarning) for w in seen)
    return result, [str(w.message) for w in seen]


def congruent(values, size):
    """Whole matrices K, M with these ratios k/m, by a change of coordinates with determinant one."""
    t = np.eye(size) + np.diag(np.ones(size - 1), 1) - np.diag(np.ones(size - 1), -1) @ np.diag(np.arange(size) % 2)
    m = np.diag(1.0 + np.arange(size) % 3)
    return t.T @ (np.diag(values) @ m) @ t, t.T @ m @ t


def test_growing_modes_beside_a_band_are_told():
    # Ratios k/m: three are negative, six lie in the band, five above. All numbers are whole, so that nothing is rounded.
    values = np.array([-9.0, 1.0, 4.0, -4.0, 2.0, 30.0, 5.0, 40.0, -1.0, 6.0, 50.0, 8.0, 60.0, 70.0])
    r, told = found_of(*congruent(values, len(values)), band=(0, 3 / (2 * np.pi)))
    np.testing.assert_allclose(np.sort(r.s.imag) ** 2, [1, 2, 4, 5, 6, 8], rtol=1e-12)
    assert r.complete is True and len(told) == 1
    assert "UNSTABLE: 3 modes grow, of which 0 are among those returned" in told[0]
    everything, told = found_of(*congruent(values, len(values)))
    assert (everything.s.real > 0).sum() == 3 and told == []


def test_growth_that_is_unknown_is_told():
    n = 450
    k = sp.diags_array([np.full(n - 1, -100.0), np.full(n, 204.0), np.full(n - 1, -100.0)], offsets=[-1, 0, 1])
    c = np.zeros(n)
    c[50], c[90] = -0.2, 3.0
    r, told = found_of(k, None, sp.diags_array(c), lowest=4)
    assert r.complete is True and len(told) == 1
    assert "Whether modes that are not among those returned grow is unknown" in told[0]


@pytest.mark.parametrize("held", [0, 1, 3])
def test_a_singular_pencil_is_told_and_never_complete(held):
    """Coordinates with neither mass nor stiffness: of three, `held` keep both."""
    one = np.diag([1.0] * held + [0.0] * (3 - held))
    if held == 3:
        # A combination of the coordinates has neither.
        direction = np.array([[1.0, -1.0, 0.0], [0.0, 1.0, -1.0]])
        one = direction.T @ direction
    r, told = found_of(one, one)
    assert r.complete is None and len(told) == 1 and "The pencil is singular" in told[0]
    assert "singular_pencil" in [f["finding"] for f in r.findings] and "not proved" in repr(r)


def test_what_the_digits_do_not_determine_is_told_and_not_complete():
    # Doubles near 1e18 are 128 apart: the soft spring is lost beside the stiff one.
    stiff = 1e18
    r, told = found_of([[stiff + 200, -stiff], [-stiff, stiff]], None, [[1.0, 0.5], [-0.5, 1.0]])
    assert r.complete is None and len(told) == 1 and "the digits of the matrices do not determine them" in told[0]
    assert not r.determined.all() and (r.error[~r.determined] >= np.abs(r.s[~r.determined])).all()


def test_sound_results_come_without_warnings():
    r, told = found_of(np.diag([1.0, 4.0, 9.0]))
    assert r.complete is True and told == [] and r.findings == []
