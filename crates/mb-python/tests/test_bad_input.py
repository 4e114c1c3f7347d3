"""What cannot be used is refused by name and position; nothing else happens, whatever is passed."""

import os
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla
from hypothesis import given, settings
from hypothesis import strategies as st

import mb

GOOD = np.diag([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("arguments", "argument", "position", "words"),
    [
        ({"K": np.ones((2, 3))}, "K", None, r"\(2, 3\).*square"),
        ({"K": np.ones(3)}, "K", None, "1 dimension"),
        ({"K": 5.0}, "K", None, "0 dimensions"),
        ({"K": np.zeros((0, 0))}, "K", None, "no rows"),
        ({"K": [[1.0, 2.0], [3.0]]}, "K", None, "no matrix"),
        ({"K": np.diag([1.0, np.nan, 1.0])}, "K", (1, 1), r"K\[1, 1\] is NaN"),
        ({"K": sp.csc_array(np.diag([1.0, 1.0, -np.inf]))}, "K", (2, 2), r"K\[2, 2\] is -inf"),
        ({"K": GOOD.astype(complex)}, "K", None, "complex128.*real"),
        ({"K": GOOD.astype(object)}, "K", None, "object"),
        ({"K": np.array([[1.0, "x"], [0, None]], dtype=object)}, "K", (0, 1), r"K\[0, 1\] is 'x'"),
        ({"K": np.array([["a", "b"], ["c", "d"]])}, "K", None, "dtype <U1"),
        ({"K": GOOD > 0}, "K", None, "dtype bool"),
        ({"K": np.array([[1, 0], [0, 2**53 + 1]])}, "K", (1, 1), "without rounding"),
        ({"K": spla.aslinearoperator(GOOD)}, "K", None, "linear operator"),
        ({"K": None}, "K", None, "K is None"),
        ({"K": np.ma.masked_equal(GOOD, 2.0)}, "K", (1, 1), "masked"),
        ({"K": GOOD, "M": np.eye(2)}, "M", None, r"M has shape \(2, 2\), but K has shape \(3, 3\)"),
        ({"K": GOOD, "C": np.eye(4)}, "C", None, "both must agree"),
        ({"K": GOOD, "M": np.diag([1, np.inf, 1])}, "M", (1, 1), "finite"),
        ({"K": GOOD, "gyroscopic": np.eye(3)}, "gyroscopic", (0, 0), "skew-symmetric"),
        ({"K": GOOD, "constraints": np.ones((3, 1))}, "constraints", None, "constraints.T"),
        ({"K": GOOD, "constraints": np.ones(3)}, "constraints", None, "1 dimension"),
        ({"K": GOOD, "constraints": np.ones((1, 2))}, "constraints", None, "one column for each of the 3"),
        ({"K": GOOD + np.eye(3, k=1), "symmetric": True, "lowest": 1}, "K", (1, 0), "declared symmetric"),
        ({"K": GOOD, "lowest": 0}, "lowest", None, "at least 1"),
        ({"K": GOOD, "lowest": 2.5}, "lowest", None, "whole number"),
        ({"K": GOOD, "lowest": True}, "lowest", None, "whole number"),
        ({"K": GOOD, "lowest": 1, "near": 3.0}, "near", None, "exclude each other"),
        ({"K": GOOD, "near": -1.0}, "near", None, "not negative"),
        ({"K": GOOD, "near": float("nan")}, "near", None, "finite"),
        ({"K": GOOD, "near": "12"}, "near", None, "frequency"),
        ({"K": GOOD, "count": 3}, "count", None, "near is not given"),
        ({"K": GOOD, "lowest": 2, "count": 3}, "count", None, "lowest=N"),
        ({"K": GOOD, "band": (0.0, 1.0), "max_damping_ratio": 1.0}, "max_damping_ratio", None, "near=-3"),
        ({"K": GOOD, "band": 3.0}, "band", None, "pair"),
        ({"K": GOOD, "band": (3.0, 1.0)}, "band", None, "0 <= from <= to"),
        ({"K": GOOD, "max_damping_ratio": 0.1}, "max_damping_ratio", None, "band is not given"),
        ({"K": GOOD, "shift": complex("nan")}, "shift", None, "finite"),
        ({"K": GOOD, "memory": -1}, "memory", None, "positive"),
        ({"K": GOOD, "left": "yes"}, "left", None, "True or False"),
        ({"K": GOOD, "solver": "lapack"}, "solver", None, "'arpack'"),
        ({"K": GOOD, "solver": "arpack"}, "solver", None, "ask for one"),
        ({"K": GOOD, "lowest": 1, "solver": "arpack", "engine": "slepc"}, "solver", None, "exclude"),
    ],
)
def test_the_argument_and_the_place_are_named(arguments, argument, position, words):
    with pytest.raises(mb.ArgumentError, match=words) as caught:
        mb.eigs(**arguments)
    assert caught.value.argument == argument and caught.value.position == position


def test_unknown_keywords_are_refused_where_they_stand():
    with pytest.raises(TypeError, match="eigs.*'m'; did you mean 'M'"):
        mb.eigs(GOOD, m=GOOD)
    with pytest.raises(TypeError, match="eigs_descriptor.*'near_'; did you mean 'near'"):
        mb.eigs_descriptor(GOOD, near_=1.0)
    m = mb.Model("arms")
    with pytest.raises(TypeError, match=r"Model\.body\(\).*'inertai'; did you mean 'inertia'"):
        m.body("arm", mass=1, inertai=0.1)
    with pytest.raises(TypeError, match=r"Model\.revolute\(\).*'axes'; did you mean 'axis'"):
        m.revolute("pin", "arm", m.ground, axes="x")
    assert m.tables.keys() == mb.Model("arms").tables.keys()


def test_a_marker_stands_at_one_place():
    arm = mb.Model("arm").body("arm", mass=1, inertia=0.1, at=(0, 0))
    assert arm.marker("top", at=(0, 1)) == arm.marker("top") == arm.marker("top", at=(0, 1))
    with pytest.raises(mb.ArgumentError, match=r"marker 'top' already, at \[0, 1\]"):
        arm.marker("top", at=(0, 2))


def test_values_by_name_may_be_a_series():
    pandas = pytest.importorskip("pandas")
    m = mb.Model("hanging", gravity=(0, -10))
    m.spring("s", m.point("P", at=(0, -1), mass=2), (0, 0), stiffness=100, natural_length=1)
    start = {"P.y": -1.3}
    assert m.equilibrium(at=pandas.Series(start)).q.tolist() == m.equilibrium(at=start).q.tolist()


def test_whole_numbers_are_taken_as_doubles():
    assert mb.eigs([[4, 0], [0, 9]]).s.tolist() == [2j, 3j]


def test_indices_outside_a_sparse_matrix_are_refused():
    bad = sp.csc_array(GOOD)
    bad.indices = np.array([0, 1, 1000], dtype=np.int32)
    with pytest.raises(mb.ArgumentError, match="not a valid sparse matrix"):
        mb.eigs(bad)
    bad.indices = np.array([0, 1, -1], dtype=np.int32)
    with pytest.raises(mb.ArgumentError, match="negative"):
        mb.eigs(bad)


def broken(kind):
    """Sparse matrices whose parts lead out of them; routines of scipy end the process on some."""
    a = sp.csr_array(GOOD)
    parts = {
        "starts past the end": ("indptr", [0, 1, 2, 9]),
        "starts that decrease": ("indptr", [0, 5, 2, 3]),
        "too few starts": ("indptr", [0, 3]),
        "starts that are no numbers": ("indptr", [0.0, 1.0, 2.0, 3.0]),
        "a first start": ("indptr", [1, 1, 2, 3]),
        "indices outside": ("indices", [0, 1, 7]),
        "negative indices": ("indices", [0, -9, 1]),
        "too few indices": ("indices", [0]),
    }
    if kind in parts:
        attribute, values = parts[kind]
        setattr(a, attribute, np.asarray(values, dtype=float if isinstance(values[0], float) else np.int32))
    elif kind == "blocks":
        a = sp.bsr_array(np.eye(4), blocksize=(2, 2))
        a.indices = np.array([0, 1000], dtype=np.int32)
    elif kind == "coordinates":
        a = sp.coo_array(GOOD)
        a.coords = (np.array([0, 1, 10**6], dtype=np.int32), a.coords[1])
    elif kind == "too few coordinates":
        a = sp.coo_array(GOOD)
        a.coords = (a.coords[0][:1], a.coords[1][:1])
    return a


@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize(
    "kind",
    [
        "starts past the end",
        "starts that decrease",
        "too few starts",
        "starts that are no numbers",
        "a first start",
        "indices outside",
        "negative indices",
        "too few indices",
        "blocks",
        "coordinates",
        "too few coordinates",
    ],
)
def test_a_broken_sparse_matrix_is_refused_before_anything_reads_it(kind, layout):
    a = broken(kind)
    if layout == "csc" and a.format == "csr":
        b = sp.csc_array(GOOD)
        b.indptr, b.indices = a.indptr, a.indices
        a = b
    for given_ in ({"K": a}, {"K": np.eye(a.shape[0]), "constraints": a}):
        with pytest.raises(mb.ArgumentError, match="not a valid sparse matrix|negative indices") as caught:
            mb.eigs(**given_)
        assert caught.value.argument == list(given_)[-1]
    for name in ("inputs", "outputs"):
        given_ = {"inputs": np.eye(a.shape[0]), name: a}
        with pytest.raises(mb.ArgumentError, match="not a valid sparse matrix|negative indices") as caught:
            mb.response(np.diag(np.arange(1.0, a.shape[0] + 1)), at=1.0, **given_)
        assert caught.value.argument == name


def test_entries_behind_the_last_start_are_not_read():
    a = sp.csc_array(GOOD)
    a.indices, a.data = np.append(a.indices, 99).astype(np.int32), np.append(a.data, np.nan)
    np.testing.assert_allclose(mb.eigs(a).s.imag, np.sqrt([1, 2, 3]))


@pytest.mark.parametrize("given_", [GOOD.astype(">f8"), GOOD.astype(np.float16), GOOD[::-1, ::-1][::-1, ::-1], np.kron(GOOD, np.ones((2, 2)))[::2, ::2], np.matrix(GOOD), np.ma.array(GOOD), sp.bsr_array(GOOD), sp.dia_array(GOOD), sp.lil_array(GOOD), sp.dok_array(GOOD)], ids=["big-endian", "half", "reversed", "strided", "matrix", "unmasked", "bsr", "dia", "lil", "dok"])
def test_other_layouts_are_the_same_matrix(given_):
    np.testing.assert_allclose(mb.eigs(given_, M=np.eye(3)).s.imag, np.sqrt([1, 2, 3]), rtol=1e-14)


def test_fields_of_records_stand_anywhere_in_memory():
    records = np.zeros(3, dtype=[("flag", "u1"), ("row", "f8", (3,))])
    records["row"] = GOOD
    assert not records["row"].flags.aligned
    np.testing.assert_allclose(mb.eigs(records["row"]).s.imag, np.sqrt([1, 2, 3]))
    np.testing.assert_allclose(mb.response(GOOD, inputs=records["row"], at=0.01).H[0], GOOD, rtol=1e-2)


def test_sparse_inputs_are_read_as_they_are():
    dense = mb.response(GOOD, inputs=GOOD, at=0.1)
    for layout in (sp.csr_array, sp.csc_array, sp.coo_array, sp.dia_array):
        assert (mb.response(GOOD, inputs=layout(GOOD), at=0.1).H == dense.H).all()


def test_frames_are_matrices_and_their_gaps_are_named():
    pd = pytest.importorskip("pandas")
    named = pd.DataFrame(GOOD, columns=list("abc"), index=list("abc"))
    np.testing.assert_allclose(mb.eigs(named).s.imag, np.sqrt([1, 2, 3]), rtol=1e-14)
    for gap in (named.replace(2.0, np.nan), named.astype(object).replace(2.0, "x"), named.astype("Float64").replace(2.0, pd.NA)):
        with pytest.raises(mb.ArgumentError) as caught:
            mb.eigs(gap)
        assert caught.value.argument == "K" and caught.value.position == (1, 1)


def test_a_singular_pencil_is_said_to_be_one():
    zero = sp.csc_array((600, 600))
    with pytest.raises(mb.NumericsError, match="neither mass nor stiffness") as caught:
        mb.eigs(zero, M=zero, lowest=3)
    assert caught.value.kind == "no_regular_shift"


def test_a_solver_is_named_by_a_word():
    with pytest.raises(mb.ArgumentTypeError, match="solver is of type ndarray"):
        mb.eigs(GOOD, lowest=1, solver=np.eye(2))


def test_left_vectors_are_there_only_where_asked_for():
    with pytest.raises(mb.ArgumentError, match="left=True"):
        _ = mb.eigs(sp.csc_array(GOOD), lowest=1).left
    with pytest.raises(mb.ArgumentError, match="left=True"):
        _ = mb.eigs(sp.csc_array(GOOD), lowest=1).left_multipliers


#: Entries that have broken things elsewhere.
ODD = np.array([0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, 5e-324, np.nan, np.inf, -np.inf])
DTYPES = [np.float32, np.int64, np.int8, np.uint64, np.bool_, np.complex128, "U3", "S2", "M8[s]"]
OBJECTS = [None, 3, "x", 1.5, float("nan"), [1.0], {}]


def entries(rng, shape):
    """Doubles of any size; now and then odd ones."""
    array = rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)
    if rng.random() < 0.3:
        array = np.where(rng.random(shape) < 0.3, rng.choice(ODD, shape), array)
    if rng.random() < 0.3:
        array = np.round(array)
    return array


def array(rng):
    """Any small array: mostly square and real, sometimes anything."""
    if rng.random() < 0.8:
        n = int(rng.integers(1, 6))
        out = entries(rng, (n, n) if rng.random() < 0.9 else (int(rng.integers(0, 6)), n))
        if out.shape == (n, n) and rng.random() < 0.6:
            with np.errstate(all="ignore"):
                out = out @ out.T if rng.random() < 0.5 else out + out.T
        if rng.random() < 0.4:
            return [sp.csc_array, sp.csr_array, sp.coo_array][rng.integers(3)](out)
        layout = rng.integers(4)
        return out[::-1, ::-1] if layout == 0 else np.asfortranarray(out) if layout == 1 else out.tolist() if layout == 2 else out
    shape = tuple(rng.integers(0, 6, rng.integers(0, 4)).tolist())
    which = int(rng.integers(len(DTYPES) + 1))
    if which == len(DTYPES):
        out = np.empty(shape, dtype=object)
        out.reshape(-1)[:] = OBJECTS[int(rng.integers(len(OBJECTS) - 2))]
        return out
    return np.frombuffer(rng.bytes(max(1, int(np.prod(shape))) * 16), dtype=np.uint8)[: int(np.prod(shape))].astype(np.int8).reshape(shape).astype(DTYPES[which])


#: One draw for a whole array: entries drawn one by one take most of the time of a test.
arrays = st.integers(0, 2**63 - 1).map(lambda seed: array(np.random.default_rng(seed)))
odd = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.binary(max_size=3), st.complex_numbers())
matrices = st.one_of(arrays, arrays, arrays, arrays, odd, st.sampled_from([[], [[]], [[1.0], [2.0, 3.0]], {}, {1: 2}, object]))
requests = st.one_of(
    st.just({}),
    st.fixed_dictionaries({}, optional={"lowest": odd, "near": odd, "band": odd, "largest": odd, "all": odd}),
    st.fixed_dictionaries({"lowest": st.integers(1, 10)}),
    st.fixed_dictionaries({"largest": st.integers(1, 10)}),
    st.fixed_dictionaries({"near": st.one_of(st.floats(0, 1e3), st.complex_numbers(max_magnitude=1e3)), "count": st.integers(1, 9)}),
    st.fixed_dictionaries({"band": st.tuples(st.floats(0, 10), st.floats(0, 1e3))}, optional={"max_damping_ratio": st.floats()}),
)
others = st.fixed_dictionaries(
    {},
    optional={
        "symmetric": st.one_of(st.booleans(), odd),
        "left": st.booleans(),
        "prove": st.booleans(),
        "shift": odd,
        "memory": odd,
        "count": odd,
    },
)

#: Draws of all tests here together, always the same.
DRAWS = int(os.environ.get("MB_DRAWS", "10000"))


def check_modes(r):
    """What is given back makes sense: as many of everything, and numbers."""
    assert len(r.s) == len(r) == len(r.kind) == len(r.error)
    assert not np.isnan(r.s).any() and not np.isnan(r.error).any() and (r.error >= 0).all()
    assert np.isfinite(r.shapes).all()
    assert repr(r) and r._repr_html_()


def quietly(call, *args, **keys):
    """The result; None where an exception of the package names what is wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*args, **keys)
        except mb.ArgumentError as error:
            assert error.argument and str(error)
        except mb.NumericsError as error:
            assert error.kind and str(error)
    return None


@settings(max_examples=7 * DRAWS // 10)
@given(
    matrices,
    st.fixed_dictionaries({}, optional={"M": matrices, "C": matrices, "gyroscopic": matrices, "constraints": matrices}),
    requests,
    others,
)
def test_whatever_is_passed_there_is_a_result_or_an_exception_of_the_package(k, more, request, other):
    r = quietly(mb.eigs, k, **{**more, **other, **request})
    if r is not None:
        check_modes(r)


@settings(max_examples=DRAWS // 10)
@given(matrices, st.one_of(st.none(), matrices), requests)
def test_whatever_is_passed_to_descriptor_problems(a, e, request):
    r = quietly(mb.eigs_descriptor, a, e, **request)
    if r is not None:
        check_modes(r)


@settings(max_examples=2 * DRAWS // 10)
@given(
    matrices,
    st.fixed_dictionaries(
        {"inputs": matrices},
        optional={"M": matrices, "C": matrices, "outputs": matrices, "constraints": matrices, "velocity_outputs": matrices},
    ),
    st.one_of(st.fixed_dictionaries({"at": st.one_of(st.floats(0, 10), odd)}), st.fixed_dictionaries({"band": st.tuples(st.floats(0, 1), st.floats(1, 2)), "points": st.just(5), "most": st.just(20)})),
    st.fixed_dictionaries({}, optional={"loss": odd, "zeros": st.booleans()}),
)
def test_whatever_is_passed_to_responses(k, more, where, other):
    r = quietly(mb.response, k, **more, **where, **other)
    if r is not None:
        assert r.H.shape == r.bound.shape == (len(r), len(r.outputs), len(r.inputs))
        assert not np.isnan(r.H).any() and not np.isnan(r.bound).any() and (r.bound >= 0).all()
        assert repr(r) and r._repr_html_()


tables = st.sampled_from(
    ["point", "rod", "body", "spatial_body", "angle", "revolute", "prismatic", "spring", "bushing", "force", "torque", "drive", "output"]
)
words = st.sampled_from(["P", "Q", "b", "b.m", "ground", "x", "angle", "2*k", "k/0", "sin(t)", "", "'", "none"])
values = st.one_of(odd, words, st.lists(st.one_of(st.floats(), st.integers(-3, 3), words), max_size=3))
keys = st.dictionaries(
    st.sampled_from(
        ["a", "b", "at", "mass", "inertia", "ends", "stiffness", "natural_length", "axis", "vector", "law", "of", "quantity", "on", "from_", "to", "fixed"]
    ),
    values,
    max_size=5,
)


@settings(max_examples=DRAWS // 20)
@given(st.lists(st.tuples(tables, st.one_of(words, odd), keys), max_size=3))
def test_whatever_stands_in_a_model(entries):
    m = mb.Model("made up", gravity=(0, -9.81), parameters={"k": 4.0})
    m.point("P", at=(0, -1), mass=1)
    m.spring("s", "P", (0, 0), stiffness="k", natural_length=1)
    m.body("b", mass=1, inertia=1, at=(1, 0), markers={"m": (1, 0)})
    m.revolute("pin", "b", (1, 0))
    try:
        for table, name, given_keys in entries:
            getattr(m, table)(name, **given_keys)
    except (mb.ArgumentError, mb.ModelError, TypeError) as error:
        assert str(error)
        return
    try:
        eq = m.equilibrium()
        assert np.isfinite(eq.q).all() and repr(m)
        assert not np.isnan(eq.linearize().modes().s).any()
    except mb.InternalError:
        raise
    except mb.MbError as error:
        assert str(error)


paths = st.one_of(odd, st.sampled_from(["k", "parameter:k", "b.angle", "none", ""]), st.dictionaries(words, st.lists(st.floats(), max_size=3), max_size=2))
numbers = st.one_of(odd, st.floats(0.1, 9), st.integers(-2, 12))
analyses = {
    "series": {"order": st.one_of(odd, st.integers(-1, 4)), "modes": st.one_of(odd, st.lists(st.integers(-1, 3), max_size=2)), "at": odd, "groups": st.one_of(odd, st.lists(st.lists(st.integers(-1, 3), max_size=3), max_size=2)), "frozen": st.booleans()},
    "track": {"start": numbers, "end": numbers, "samples": st.one_of(odd, st.integers(-1, 4)), "modes": st.one_of(odd, st.integers(-1, 3))},
    "sweep": {"modes": st.one_of(odd, st.integers(-1, 3)), "after": st.one_of(odd, st.floats(-1, 0.01)), "velocity": odd, "jobs": st.one_of(odd, st.integers(-1, 2))},
    "orbit": {"period": st.one_of(odd, words), "guess": odd, "at": odd, "hold": st.one_of(odd, words)},
}
needed = {
    "series": {"variables": paths},
    "track": {"variable": paths},
    "sweep": {"parameters": st.one_of(paths, st.lists(st.dictionaries(words, numbers, max_size=2), max_size=2))},
}
requests_of_models = st.sampled_from(sorted(analyses)).flatmap(
    lambda name: st.tuples(st.just(name), st.fixed_dictionaries(needed.get(name, {}), optional=analyses[name]))
)


@settings(max_examples=DRAWS // 20)
@given(requests_of_models)
def test_whatever_is_passed_to_analyses_of_a_model(request_of):
    name, given_keys = request_of
    m = mb.Model("arm on a spring", gravity=(0, -9.81), parameters={"k": 4.0})
    m.body("b", mass=1, inertia=1, at=(0, -1), markers={"m": (0, 1)})
    m.revolute("pin", "b.m", (0, 0))
    m.torsion_spring("t", a="ground", b="b", stiffness="k", damping=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = getattr(m, name)(**given_keys)
        except mb.InternalError:
            raise
        except mb.MbError as error:
            assert str(error)
            return
    assert repr(found)


class Raises:
    """An object of another package whose conversion fails."""

    def __array__(self, *_, **__):
        raise RuntimeError("nothing here")


class NoSparse:
    """Looks like a sparse matrix, and is none."""

    shape = (2, 2)
    nnz = 3

    def tocsc(self):
        return self


def nested():
    whole = []
    whole.append(whole)
    return whole


@pytest.mark.parametrize(
    "call, argument",
    [
        (lambda: mb.eigs(Raises()), "K"),
        (lambda: mb.eigs(NoSparse()), "K"),
        (lambda: mb.eigs([[4.0]])[0:1], "number"),
        (lambda: mb.eigs([[4.0]])["a"], "number"),
        (lambda: mb.eigs_descriptor(np.eye(2), E=np.ones((2, 3))), "E"),
        (lambda: mb.eigs(GOOD, engine=GOOD), "engine"),
        (lambda: mb.eigs(GOOD, band={1, 2}), "band"),
        (lambda: mb.response(GOOD, inputs=GOOD, at=1.0, zeros=GOOD), "zeros"),
        (lambda: mb.response(GOOD, inputs=GOOD, band=(0, 1), log=GOOD), "log"),
        (lambda: mb.generate("n-four-bar").equilibrium(strategy=GOOD), "strategy"),
        (lambda: mb.generate("n-four-bar").equilibrium().linearize().state_space(form=GOOD), "form"),
        (lambda: mb.time_limit(10**400).__enter__(), "seconds"),
        (lambda: mb.loads(3), "text"),
        (lambda: mb.loads("\ud800"), "text"),
        (lambda: mb.Model("m").point("\ud800", at=(0, 0), mass=1), "name"),
        (lambda: mb.Model("m").point("P", at=nested(), mass=1), "point 'P'.at"),
        (lambda: mb.generate("n-four-bar").with_parameters(k=[1]), "k"),
        (lambda: mb.generate("n-four-bar").with_parameters(k=True), "k"),
        (lambda: mb.generate("n-four-bar").with_parameters(k=10**400), "k"),
        (lambda: mb.simulate("model", 1.0), "model"),
        (lambda: mb.generate("n-four-bar").simulate(1.0, stop=3), "stop"),
        (lambda: mb.generate("n-four-bar").series("k", order=10**6), "order"),
        (lambda: mb.generate("n-four-bar").save(None), "path"),
        (lambda: mb.generate("rod-pendulum").equilibrium().linearize().modes().plot(0, scale="x"), "scale"),
    ],
)
def test_odd_arguments_are_named(call, argument):
    with pytest.raises(mb.ArgumentError) as caught:
        call()
    assert caught.value.argument == argument


def test_the_other_matrix_of_a_descriptor_problem_is_named():
    with pytest.raises(mb.ArgumentError, match="but A has shape"):
        mb.eigs_descriptor(np.eye(2), E=np.eye(3))


def test_entries_of_sparse_matrices_stand_one_after_the_other():
    sparse = pytest.importorskip("scipy.sparse")
    bad = sparse.csc_array(np.eye(2))
    bad.data = np.ones((2, 1))
    with pytest.raises(mb.ArgumentError, match="dimensions"):
        mb.eigs(bad)


def test_entries_whose_products_overflow_are_named():
    with pytest.raises(mb.ArgumentError, match=r"K\[0, 0\] is 1e\+?308; .* take other units") as caught:
        mb.eigs(np.diag([1e308, 1e-308]))
    assert caught.value.position == (0, 0)
    with pytest.raises(mb.ArgumentError, match=r"M\[1, 0\] is -1e\+?200"):
        mb.eigs(np.eye(2), M=np.array([[1.0, 0.0], [-1e200, 1.0]]))


def test_representations_are_short():
    m = mb.generate("double-pendulum-rigid")
    lin = m.equilibrium().linearize()
    modes = lin.modes()
    for result in (lin, modes, modes[0], modes.energy(), modes.participation(), lin.state_space(), m.load_path(), m.check()):
        assert repr(result).startswith("<mb.") and len(repr(result)) < 250 and "\n" not in repr(result)
        assert result is modes[0] or isinstance(result, mb.Mode) or "<table>" in result._repr_html_()
