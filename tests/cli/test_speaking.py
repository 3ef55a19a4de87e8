"""Of several processes that end, one says why: each is a copy of the test's own."""

import os
import signal
import time

import pytest

from polyhead.cli import speaking
from polyhead.cli.speaking import one_voice
from tests.together import free_port, launchers_store, started

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # a process that has threads is copied


def process(rank: int, port: int, attempt: int = 0):
    """An environment as torchrun's, whose store is the test's."""
    os.environ |= {
        "RANK": str(rank),
        "WORLD_SIZE": "3",
        "LOCAL_WORLD_SIZE": "3",
        "LOCAL_RANK": str(rank),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "TORCHELASTIC_USE_AGENT_STORE": "True",
        "TORCHELASTIC_RESTART_COUNT": str(attempt),
    }


@pytest.fixture
def port():
    with launchers_store() as number:
        yield number


def test_a_command_started_by_itself_speaks():
    with one_voice() as speaks:
        assert speaks


def test_one_of_several_speaks_which_is_process_0_where_it_has_anything_to_say(port, tmp_path):
    def end(rank, attempt):
        process(rank, port, attempt)
        with one_voice() as speaks:
            return speaks

    for attempt, ranks, expected in ((0, (0, 1, 2), [True, False, False]), (1, (0,), [True]), (2, (2,), [True])):
        with started([lambda r=rank, a=attempt: end(r, a) for rank in ranks], tmp_path) as results:
            assert [result() for result in results] == expected
    with started([lambda r=rank: end(r, 3) for rank in (1, 2)], tmp_path) as results:
        assert sorted(result() for result in results) == [False, True]


def test_the_others_wait_until_it_is_said_whatever_signals_come(port, tmp_path):
    def speak():
        process(0, port)
        with one_voice():
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1.0)
            return time.monotonic()

    def listen():
        process(1, port)
        with one_voice() as speaks:
            assert not speaks
            os.kill(os.getpid(), signal.SIGHUP)
        return time.monotonic()

    with started([speak, listen], tmp_path) as results:
        said, gone = (result() for result in results)
    assert gone >= said


def test_where_nobody_can_be_asked_everybody_speaks(tmp_path, monkeypatch):
    from datetime import timedelta

    monkeypatch.setattr(speaking, "WAIT", timedelta(seconds=1))

    def end():
        process(1, free_port())
        with one_voice() as speaks:
            return speaks

    with started([end], tmp_path) as results:
        assert results[0]() is True
