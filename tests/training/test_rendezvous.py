"""Processes that are started again meet those of their own start, whatever earlier ones have left in the store."""

from datetime import timedelta

import pytest
import torch.distributed as dist

from polyhead.training import rendezvous as module
from polyhead.training.rendezvous import newest_name, rendezvous
from tests.together import launchers_store, started

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a process that has threads is copied
SOON = timedelta(seconds=20)


@pytest.fixture
def port():
    with launchers_store() as number:
        yield number


def client(port: int) -> dist.TCPStore:
    return dist.TCPStore("127.0.0.1", port, is_master=False, wait_for_workers=False)


def start(port, ranks, size, tmp_path, patience=SOON):
    works = [lambda r=rank: rendezvous(client(port), r, size, patience) for rank in ranks]
    with started(works, tmp_path) as results:
        return [result() for result in results]


def test_every_start_has_a_name_of_its_own(port, tmp_path):
    assert newest_name(client(port)) is None
    first = start(port, (0, 1, 2), 3, tmp_path)
    assert len(set(first)) == 1
    second = start(port, (2, 1, 0), 3, tmp_path)
    assert len(set(second)) == 1
    assert first[0] != second[0] == newest_name(client(port))


def test_who_comes_before_process_0_is_not_taken_in_by_the_name_of_an_earlier_start(port, tmp_path):
    (old, _) = start(port, (0, 1), 2, tmp_path)

    def late():
        import time

        time.sleep(1.5)
        return rendezvous(client(port), 0, 2, SOON)

    with started([late, lambda: rendezvous(client(port), 1, 2, SOON)], tmp_path) as results:
        names = [result() for result in results]
    assert names[0] == names[1] != old


def test_a_start_that_was_never_complete_is_left_for_a_new_one(port, tmp_path, monkeypatch):
    """Process 0 is started, and started again before process 1 comes, which has seen the first name."""
    monkeypatch.setattr(module, "LOOK", timedelta(seconds=0.2))
    (lost,) = start(port, (0,), 2, tmp_path, timedelta(seconds=0.1))
    assert "imeout" in lost.message or "wait" in lost.message
    stale = newest_name(client(port))
    names = start(port, (1, 0), 2, tmp_path)
    assert names[0] == names[1] != stale


class LateAnswer:
    """A store whose first wait is said to be in vain, though what was waited for has come."""

    def __init__(self, store):
        self.store = store
        self.waits = 0

    def __getattr__(self, name):
        return getattr(self.store, name)

    def wait(self, keys, patience):
        self.waits += 1
        self.store.wait(keys, SOON if self.waits == 1 else patience)
        if self.waits == 1:
            raise RuntimeError("wait timeout")


def test_a_start_that_is_complete_just_after_a_wait_for_it_is_this_process_s(port, tmp_path):
    works = [lambda: rendezvous(client(port), 0, 2, SOON), lambda: rendezvous(LateAnswer(client(port)), 1, 2, SOON)]
    with started(works, tmp_path) as results:
        names = [result() for result in results]
    assert names[0] == names[1]


def test_who_waits_in_vain_says_so(port, tmp_path):
    (error,) = start(port, (1,), 2, tmp_path, timedelta(seconds=0.3))
    assert (error.kind, error.message) == (RuntimeError, "process 0 did not come")
