"""How long traces are kept."""

import pickle
from itertools import count
from types import SimpleNamespace

import pytest

from polyhead.server.problems import Problem
from polyhead.server.shared_shelf import SharedShelf
from polyhead.server.shelf import Limits, MemoryShelf
from polyhead.server.traces import TraceStore


class Clock:
    """Time that passes when it is told to."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=["in memory", "in a directory"])
def make(request, clock, tmp_path):
    """(budget) → a store that keeps traces for a minute."""

    def made(budget):
        limits = Limits(budget, 60)
        shelf = MemoryShelf(limits, clock) if request.param == "in memory" else Sized(tmp_path, limits, ticking(clock))
        return TraceStore(60, shelf, clock)

    return made


def ticking(clock):
    """The clock a little later each time it is asked, as a system's is."""
    asked = count()
    return lambda: clock() + next(asked) / 1000


class Sized(SharedShelf):
    """A directory whose files have the sizes that their values say, so that budgets are the same."""

    def _files(self):
        return [(time, pickle.loads(path.read_bytes())[1].nbytes, path) for time, _, path in super()._files()]


def trace(nbytes=10):
    return SimpleNamespace(nbytes=nbytes)


def code(store, name):
    with pytest.raises(Problem) as problem:
        store.get(name)
    return problem.value.code


def test_what_is_kept_is_found(make, clock):
    store = make(100)
    kept = store.add(trace(), "a model")
    assert store.get(kept.id).trace is kept.trace
    assert store.nbytes == 10
    assert store.seconds_left(kept) == 60
    assert code(store, "never was") == "not_found"


def test_ids_cannot_be_guessed(make, clock):
    store = make(10_000)
    ids = {store.add(trace(), "a model").id for _ in range(200)}
    assert len(ids) == 200
    assert min(map(len, ids)) >= 16


def test_above_the_budget_the_trace_used_longest_ago_goes(make, clock):
    store = make(25)
    first, second = store.add(trace(), "m"), store.add(trace(), "m")
    store.get(first.id)
    third = store.add(trace(), "m")
    assert code(store, second.id) == "gone"
    assert store.get(first.id)
    huge = store.add(trace(1000), "m")
    assert store.get(huge.id), "the newest stays, however large"
    assert (code(store, first.id), code(store, third.id)) == ("gone", "gone")


def test_time_starts_anew_with_every_use(make, clock):
    store = make(100)
    used, forgotten = store.add(trace(), "m"), store.add(trace(), "m")
    clock.now = 50
    store.get(used.id)
    clock.now = 70
    assert code(store, forgotten.id) == "gone"
    assert store.seconds_left(store.get(used.id)) == 60
    clock.now = 131
    assert code(store, used.id) == "gone"
    assert store.nbytes == 0


def test_what_is_deleted_is_gone(make, clock):
    store = make(100)
    kept = store.add(trace(), "m")
    store.delete(kept.id)
    assert code(store, kept.id) == "gone"
    with pytest.raises(Problem):
        store.delete(kept.id)
