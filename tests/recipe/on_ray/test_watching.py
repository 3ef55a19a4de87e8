"""What the command does while Ray trains, without a cluster: saying, stopping, and knowing why it ended."""

import signal
import sys
import threading
from types import SimpleNamespace

import pytest

from polyhead.errors import PolyheadError, TrainingError
from polyhead.extras import MissingExtra
from polyhead.recipe.on_ray import launch
from polyhead.recipe.on_ray.config import RayConfig
from polyhead.recipe.on_ray.launch import _explained, _Fit, _watch, train_on_ray
from polyhead.recipe.on_ray.shares import Shares

SHARES = Shares(2, 1, 0)


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    monkeypatch.setattr(launch, "LOOK", 0.01)


@pytest.fixture
def over():
    """Ends what stands for Ray Train."""
    event = threading.Event()
    yield event
    event.set()


def fitting(wait) -> _Fit:
    fit = _Fit(wait)
    fit.start()
    return fit


def soon(call) -> None:
    threading.Timer(0.1, call).start()


def test_what_the_workers_say_is_said_until_the_last_word(ray, board, over, capsys):
    def train():
        board.actor.start()
        board.actor.say("first")
        over.wait(5)
        board.actor.say("last")
        board.actor.end(True)

    soon(over.set)
    assert _watch(ray, board, fitting(train)).finished is True
    assert capsys.readouterr().err == "first\nlast\n"


def test_a_signal_to_a_run_that_has_begun_asks_its_workers_to_stop(ray, board, over):
    board.actor.begin()
    stop = board.actor.stop
    board.actor.stop = lambda: (stop(), over.set())
    soon(lambda: signal.raise_signal(signal.SIGINT))
    before = signal.getsignal(signal.SIGINT)
    _watch(ray, board, fitting(lambda: over.wait(5)))
    assert board.actor.is_to_stop()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_second_one_waits_for_nobody(ray, board, over):
    board.actor.begin()
    stop = board.actor.stop
    board.actor.stop = lambda: (stop(), soon(lambda: signal.raise_signal(signal.SIGINT)))
    soon(lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        _watch(ray, board, fitting(lambda: over.wait(5)))


def test_before_that_a_signal_ends_the_command_at_once(ray, board, over):
    soon(lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        _watch(ray, board, fitting(lambda: over.wait(5)))
    assert not board.actor.is_to_stop()


def test_a_refused_run_is_not_waited_for_for_long(ray, board, over, monkeypatch):
    monkeypatch.setattr(launch, "GRACE", 0.1)
    board.actor.refuse(TrainingError("the reason"))
    fit = fitting(lambda: over.wait(5))
    assert str(_watch(ray, board, fit).refusal) == "the reason"
    assert fit.is_alive()


def test_that_the_cluster_has_no_room_yet_is_said_once(ray, board, over, monkeypatch, capsys):
    monkeypatch.setattr(launch, "SLOW", 0.02)
    soon(over.set)
    _watch(ray, board, fitting(lambda: over.wait(5)))
    assert capsys.readouterr().err == "waiting until the Ray cluster has room for the workers\n"


class WorkerGroupStartupTimeoutError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            SimpleNamespace(controller_failure=WorkerGroupStartupTimeoutError()),
            "had no room for 2 workers with 1 CPU each",
        ),
        (
            SimpleNamespace(controller_failure=RuntimeError("At\n  ModuleNotFoundError: No module named 'polyhead'\n")),
            r"gave up \(ModuleNotFoundError: No module named 'polyhead'\): every machine of the cluster needs the same",
        ),
        (None, "it ended without saying why"),
    ],
    ids=["busy", "another Python", "unknown"],
)
def test_why_ray_train_gave_up_is_said_in_a_sentence(ray, error, words):
    with pytest.raises(PolyheadError, match=words):
        raise _explained(ray, error, SHARES, RayConfig())


def test_that_workers_were_lost_too_often_is_said_too(ray):
    explained = _explained(ray, ray.train.WorkerGroupError("long"), SHARES, RayConfig(restarts=2))
    assert type(explained) is TrainingError
    assert str(explained).startswith("workers were lost 3 times, more often than --ray-restarts 2 makes up for")


def test_without_ray_it_says_what_to_install(monkeypatch, toy):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"train --ray needs the package ray: pip install 'polyhead\[ray\]'"):
        train_on_ray(toy.values(), RayConfig())
    assert not (toy.directory / "model").exists()
