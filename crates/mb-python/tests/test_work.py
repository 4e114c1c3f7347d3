"""Long work: other threads run meanwhile, and an interrupt ends it."""

import _thread
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

import mb
from mb import _mb


def long_problem(n=500):
    rng = np.random.default_rng(3)
    a = rng.standard_normal((n, n))
    return {"K": a @ a.T + n * np.eye(n), "C": a, "all": True}


def lattice(n=60_000):
    """A damped chain whose contour counts take minutes."""
    k = sp.diags_array([np.full(n - 1, -1.0), np.full(n, 2.0), np.full(n - 1, -1.0)], offsets=[-1, 0, 1])
    c = sp.diags_array(0.01 * (1 + np.arange(n) % 3))
    return {"K": k, "C": c, "lowest": 500}


@pytest.mark.parametrize("after", [0.3, 1.5, 4.0])
def test_an_interrupt_ends_long_work_and_its_thread(after):
    asked = []

    def interrupt():
        time.sleep(after)
        asked.append(time.perf_counter())
        _thread.interrupt_main()

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        mb.eigs(**lattice())
    assert time.perf_counter() - asked[0] < 0.2
    thread.join()
    # The thread of the work ends with it: at its next step, a block of vectors against the basis.
    while _mb.busy() and time.perf_counter() - asked[0] < 5:
        time.sleep(0.01)
    assert _mb.busy() == 0
    # The package works on.
    assert mb.eigs([[4.0]]).s.tolist() == [2j]


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
