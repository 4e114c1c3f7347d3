"""Names, dictionaries by name, vectors and numbers that cannot be used are refused by the name of their argument."""

import numpy as np
import pytest
import scipy.sparse as sp

import mb

K = np.diag([1.0, 2.0])
GYROSCOPIC = np.array([[0.0, 1.0], [-1.0, 0.0]])
HUGE = 10**400


@pytest.fixture(scope="module")
def model():
    m = mb.Model("pushed", parameters={"k": 4.0, "W": 3.0})
    P = m.body("P", mass=1, inertia=1, at=(0, 0))
    m.prismatic("rail", P, (0, 0), axis=(1, 0))
    m.spring("s", P, (-5, 0), stiffness="k", natural_length=5, damping=0.4)
    m.force("push", P, direction=(1, 0), input="u")
    m.output("sway", "x", P)
    return m


#: Of what the calls are made: a model, its linearization, modes, series and track.
CALLS = {
    "number for a name": (lambda o: o.model.track("k", 4, 5, at={1: 2}), "at", "has the key 1"),
    "number for a parameter": (lambda o: o.model.sweep({1: [4.0]}), "parameters", "has the key 1"),
    "array for a dictionary": (lambda o: o.model.sweep(np.array(1.0)), "parameters", "type ndarray"),
    "array for names": (lambda o: o.model.series("k", hold=np.array(1.0)), "hold", "type ndarray"),
    "numbers for names": (lambda o: o.model.series((1, 2)), "variables[0]", "type int"),
    "pair for a name": (lambda o: o.model.exponents((1, 2), 5, 6, "2*pi/W"), "name", "type tuple"),
    "number for a speed": (lambda o: o.model.campbell(3, 1, 2), "speed", "type int"),
    "number for a path": (lambda o: o.model.track(3, 1, 2), "variable", "type int"),
    "sparse matrix for a word": (lambda o: o.lin.modes(basis=sp.csr_array((0, 0))), "basis", "type csr_array"),
    "array for a word": (lambda o: o.model.simulate(0.1, start=np.arange(3)), "start", "type ndarray"),
    "array for a flag": (lambda o: o.model.simulate(0.1, compare=np.eye(2)), "compare", "True or False"),
    "array for another flag": (lambda o: o.model.sweep({"k": [4.0]}, moving=np.eye(2)), "moving", "True or False"),
    "function for names": (lambda o: o.lin.response((0, 5), inputs=len), "inputs", "a sequence of names"),
    "array for a frequency": (lambda o: o.lin.response(at=np.array("x")), "at[0]", "a number is needed"),
    "unknown word": (lambda o: o.modes.energy().to_frame("elastic"), "which", "kinetic, strain or dissipation"),
    "number for a word": (lambda o: o.modes.energy().to_frame(3), "which", "kinetic"),
    "matrix for a coordinate": (lambda o: o.modes.amplitude(sp.eye_array(2)), "amplitude", "type dia_array"),
    "matrix for a mode": (lambda o: o.series.shape_coefficients(np.eye(2)), "mode", "whole number"),
    "number without a double": (lambda o: o.series(HUGE), "point", "double precision"),
    "named number without a double": (lambda o: o.series(k=HUGE), "k", "larger than any double"),
    "text for a point": (lambda o: o.series("4"), "point", "real numbers"),
    "rows of different lengths": (lambda o: o.series([[1.0], [2.0, 3.0]]), "point", "no array of numbers"),
    "no number in a point": (lambda o: o.series([float("nan")]), "point", "finite"),
    "array for a variable": (lambda o: o.track[np.arange(3)], "name", "type ndarray"),
    "array for a history": (lambda o: o.model.simulate(0.1)[np.arange(3)], "name", "type ndarray"),
    "module for a table": (lambda o: mb.Model("m").add(mb), "table", "type module"),
    "too many samples": (lambda o: o.model.track("k", 4, 5, samples=10**18), "samples", "at most"),
    "too many speeds": (lambda o: o.model.campbell("W", 4, 5, samples=10**7), "samples", "at most"),
    "too many periods": (lambda o: o.model.exponents("W", 4, 5, "2*pi/W", samples=10**7), "samples", "at most"),
    "too many cases": (lambda o: o.model.sweep({"k": (1, 2)}, latin=10**18), "latin", "at most"),
    "too many points": (lambda o: o.lin.response((0, 5), points=10**8), "points", "at most"),
    "gyroscopic and symmetric": (lambda o: mb.eigs(K, gyroscopic=GYROSCOPIC, symmetric=True), "gyroscopic", "skew-symmetric"),
    "text for a shift": (lambda o: mb.eigs(K, shift="2", lowest=1), "shift", "is '2'"),
    "flag for a shift": (lambda o: mb.eigs(K, shift=True, lowest=1), "shift", "is True"),
    "numpy flag for a number": (lambda o: mb.eigs(K, near=np.True_), "near", "is np.True_|is True|frequency"),
    "array for a number": (lambda o: mb.eigs(K, memory=np.array([1.0])), "memory", r"shape \(1,\)"),
    "frequency without a double": (lambda o: mb.eigs(K, near=HUGE), "near", "larger than any double"),
    "text for a band": (lambda o: mb.eigs(K, band="ab"), "band", "pair of frequencies"),
    "array for everything": (lambda o: mb.eigs(K, all=K), "all", "True or False"),
}


class Objects:
    def __init__(self, model):
        self.model, self.lin = model, model.equilibrium().linearize()
        self.modes, self.series = self.lin.modes(), model.series("k", order=1, modes=1)
        self.track = model.track("k", 4, 5, samples=3)


@pytest.fixture(scope="module")
def objects(model):
    return Objects(model)


@pytest.mark.parametrize("kind", CALLS)
def test_the_argument_is_named(kind, objects):
    call, argument, words = CALLS[kind]
    with pytest.raises(mb.ArgumentError, match=words) as caught:
        call(objects)
    assert caught.value.argument == argument


def test_a_gyroscopic_matrix_of_zeros_is_symmetric():
    np.testing.assert_allclose(mb.eigs(K, gyroscopic=np.zeros((2, 2)), symmetric=True).s.imag, np.sqrt([1, 2]))


def test_names_of_tables_are_those_of_the_methods():
    m = mb.Model("row of bodies")
    entry = {"name": "B{i}", "mass": 1, "inertia": [1, 1, 1], "at": ["i", 0, 0]}
    m.repeat("i", 1, 3, spatial_body=[entry])
    m.add("spatial_body", "last", mass=1, inertia=[1, 1, 1], at=[0, 1, 0])
    m.add("spatial-body", "first", mass=1, inertia=[1, 1, 1], at=[0, 2, 0])
    bodies = {name.split(".")[0] for name in m.coordinates}
    assert bodies == {"B1", "B2", "B3", "last", "first"}
    assert mb.loads(m.to_toml()).coordinates == m.coordinates


def test_parts_stand_for_their_names():
    m = mb.Model("two masses", parameters={"k": 4.0})
    ends = [m.point("O", at=(0, 0), fixed=True), m.point("P", at=(0, -1))]
    m.rod("OP", ends=np.array(ends, dtype=object), mass=2)
    assert m.tables["rod"][0]["ends"] == ["O", "P"]


def test_a_view_larger_than_the_memory_is_refused_with_its_size():
    for one in (1.0, np.int8(1), np.float32(1)):
        with pytest.raises(mb.ArgumentError, match=r"M is a dense matrix of 1000000 x 1000000 entries, 8e\+03 GB") as caught:
            mb.eigs(K, M=np.broadcast_to(one, (10**6, 10**6)))
        assert caught.value.argument == "M"
