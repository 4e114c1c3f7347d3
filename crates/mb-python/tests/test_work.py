"""Long work: other threads run meanwhile, and an interrupt ends it."""

import gc
import os
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import mb
from made import pushed
from mb import _matrices, _mb


@pytest.fixture(autouse=True)
def without_collector():
    """A call of the garbage collector, as Hypothesis has one, would swallow an interrupt that comes while it runs."""
    gc.disable()
    yield
    gc.enable()


def long_problem(n=500):
    rng = np.random.default_rng(3)
    a = rng.standard_normal((n, n))
    return {"K": a @ a.T + n * np.eye(n), "C": a, "all": True}


def lattice(n=60_000):
    """A damped chain whose contour counts take minutes."""
    k = sp.diags_array([np.full(n - 1, -1.0), np.full(n, 2.0), np.full(n - 1, -1.0)], offsets=[-1, 0, 1])
    c = sp.diags_array(0.01 * (1 + np.arange(n) % 3))
    return {"K": k, "C": c, "lowest": 500}


class Interrupt:
    """Raises SIGINT at the call of that number, on the thread that waits for the work."""

    def __init__(self, call):
        self.call = call
        self.steps = []

    def __call__(self, steps):
        self.steps.append(steps)
        if len(self.steps) == self.call:
            signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("call", [1, 10, 40])
def test_an_interrupt_ends_long_work_and_its_thread(call):
    interrupt = Interrupt(call)
    with pytest.raises(KeyboardInterrupt), mb.progress(interrupt):
        mb.eigs(**lattice())
    assert len(interrupt.steps) == call
    # The thread of the work ends with it: at its next step, a block of vectors against the basis.
    while _mb.busy():
        time.sleep(0.01)
    # The package works on.
    assert mb.eigs([[4.0]]).s.tolist() == [2j]


def four_bars(bays):
    models = Path(__file__).resolve().parents[3] / "crates" / "mb-gallery" / "models"
    return mb.load(models / "n-four-bar.toml", N=bays)


def many_points(count):
    """The text of a model that takes a part of a second to read."""
    head = 'units = "SI"\nname = "many"\n'
    return head + "".join(f'[[point]]\nname = "P{i}"\nat = [{i}, 0]\nmass = 1\n' for i in range(count))


#: Calls that take a good part of a second to hours, one for each kind of long work.
LONG = {
    "model": lambda: mb.loads(many_points(100_000)),
    "design": lambda: pushed().sweep({"W": (3, 4)}, latin=3 * 10**6),
    "dense": lambda: mb.eigs(**long_problem(1500)),
    "sparse": lambda: mb.eigs(**lattice()),
    "simulate": lambda: four_bars(2).simulate(1e6, every=1e3),
    "loads": lambda: four_bars(2000).load_path(),
    "track": lambda: four_bars(40).track("k", 26, 36, samples=20_000, modes=4),
    "series": lambda: four_bars(40).series(["k"], order=120, modes=12),
    "sweep": lambda: four_bars(40).sweep({"k": np.linspace(26, 36, 20_000)}, modes=2),
    "orbit": lambda: pushed().orbit("2*pi/W", settle=1e6),
}


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to a process of its own on Windows")
def test_a_signal_is_answered_while_the_work_is_still_under_way(kind):
    while _mb.busy():
        time.sleep(0.01)

    def signal_once_busy():
        while not _mb.busy():
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=signal_once_busy)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        LONG[kind]()
    thread.join()
    # It ends at its next look, of which every kind of work has some; its result is dropped.
    while _mb.busy():
        time.sleep(0.01)
    assert mb.eigs([[4.0]]).s.tolist() == [2j]


def test_growing_loads_end_with_an_interrupt():
    """Their steps have a limit of time of their own, and look at what asks from outside too."""
    m = four_bars(1000)
    begun = time.process_time()
    m.load_path()
    whole = time.process_time() - begun
    begun = time.process_time()
    with pytest.raises(KeyboardInterrupt), mb.progress(Interrupt(1)):
        m.load_path()
    while _mb.busy():
        time.sleep(0.01)
    assert time.process_time() - begun < 0.5 * whole


@pytest.mark.parametrize("layout", ["csc", "csr", "coo"])
@pytest.mark.skipif(os.name == "nt", reason="SIGINT cannot be sent to a process of its own on Windows")
def test_a_signal_is_answered_while_a_sparse_matrix_is_read(layout, monkeypatch):
    """One that comes while Python checks the matrix, or scipy converts it: nothing of the solver runs yet."""
    n = 300_000
    k = sp.diags_array([np.full(n - 1, -1.0), np.full(n, 2.0), np.full(n - 1, -1.0)], offsets=[-1, 0, 1]).asformat(layout)
    begun = []

    def never(*_):
        begun.append(True)

    monkeypatch.setattr(_mb, "eigs", never)
    checked = threading.Event()
    of = _matrices._inside

    def inside(*arguments):
        of(*arguments)
        if not checked.is_set():
            checked.set()
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(_matrices, "_inside", inside)
    with pytest.raises(KeyboardInterrupt):
        mb.eigs(k, lowest=3)
    assert not begun


def test_an_error_of_a_conversion_apart_is_raised():
    with pytest.raises(ZeroDivisionError):
        _matrices._apart(10**9, lambda: 1 / 0)
    assert _matrices._apart(10**9, lambda: 7) == 7


def test_other_threads_run_during_long_work():
    problem = long_problem()
    done = threading.Event()
    counted = []

    def count():
        n = 0
        while not done.is_set():
            n += 1
            time.sleep(0.001)
        counted.append(n)

    thread = threading.Thread(target=count)
    thread.start()
    mb.eigs(**problem)
    done.set()
    thread.join()
    # A held lock would leave a handful.
    assert counted[0] > 20


def test_several_threads_solve_at_once():
    results = [None] * 8

    def solve(i):
        results[i] = mb.eigs(np.diag(np.arange(1.0, 20.0 + i))).s

    threads = [threading.Thread(target=solve, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, s in enumerate(results):
        np.testing.assert_allclose(s.imag, np.sqrt(np.arange(1.0, 20.0 + i)), rtol=1e-13)


def test_progress_is_called_with_steps_and_can_end_the_work():
    seen = []

    def enough(steps):
        seen.append(steps)
        if len(seen) == 3:
            raise StopIteration

    with pytest.raises(StopIteration), mb.progress(enough):
        mb.eigs(**lattice())
    assert len(seen) == 3 and seen == sorted(seen)


def test_a_time_limit_ends_work_and_leaves_what_is_shorter_alone():
    with mb.time_limit(1000):
        r = mb.eigs(np.diag([1.0, 4.0]))
    np.testing.assert_allclose(r.s.imag, [1.0, 2.0])
    seen = []
    with pytest.raises(mb.NumericsError, match="time limit of 0.3 s was reached") as caught:
        with mb.progress(seen.append), mb.time_limit(0.3):
            four_bars(2).simulate(1e6, every=1e3)
    # What shows progress goes on showing it, and afterwards nothing limits the work.
    assert caught.value.kind == "time_limit" and caught.value.help and seen
    four_bars(2).simulate(0.1)
    for seconds, words in [(0, "must be positive"), (float("nan"), "must be positive"), ("3", "a number is needed")]:
        with pytest.raises(mb.ArgumentError, match=words), mb.time_limit(seconds):
            pass
