"""Signals while a run trains or validates."""

import signal

import pytest

from polyhead.recipe.signals import stop_on_signals
from polyhead.recipe.train import train
from polyhead.recipe.validation import Validator
from polyhead.training.interrupt import Interrupt, Interrupted
from polyhead.training.loop import Trainer
from tests.conftest import Toy
from tests.run_traces import traces

HEEDED = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The traces of a run without a signal."""
    return traces(train(Toy(tmp_path_factory.mktemp("alone")).values(model__dropout=0.2)).directory)


@pytest.mark.parametrize("number", HEEDED)
@pytest.mark.parametrize("nth", [1, 2, 3])
def test_a_validation_ends_at_once_and_is_made_up_for(toy, alone, monkeypatch, number, nth):
    """The third one is that of the last update."""
    judge, calls = Validator.part, []

    def signalled(self, weights):
        calls.append(None)
        if len(calls) == nth:
            signal.raise_signal(number)
            pytest.fail("validating went on")
        return judge(self, weights)

    with monkeypatch.context() as patch:
        patch.setattr(Validator, "part", signalled)
        outcome = train(toy.values(model__dropout=0.2))
    assert not outcome.finished
    assert train(toy.values(model__dropout=0.2), resume=True).finished
    assert traces(toy.directory / "model") == alone


@pytest.mark.parametrize("number", HEEDED)
def test_in_the_loop_the_update_under_way_comes_to_its_end(toy, alone, monkeypatch, capsys, number):
    update = Trainer._update

    def signalled(self, batches, watch):
        if self.progress.update == 4:
            signal.raise_signal(number)
        return update(self, batches, watch)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_update", signalled)
        assert not train(toy.values(model__dropout=0.2)).finished
    assert "stopped after update 5; the same command with --resume goes on" in capsys.readouterr().err
    assert train(toy.values(model__dropout=0.2), resume=True).finished
    assert traces(toy.directory / "model") == alone


def test_a_request_before_work_that_can_be_ended_ends_it():
    interrupt = Interrupt()
    interrupt.request()
    with pytest.raises(Interrupted), interrupt.at_once():
        pytest.fail("it began")


def test_what_is_ignored_stays_ignored_and_all_is_as_before_afterwards():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    terminate = signal.getsignal(signal.SIGTERM)
    interrupt = Interrupt()
    try:
        with stop_on_signals(interrupt):
            assert signal.getsignal(signal.SIGTERM) is not terminate
            signal.raise_signal(signal.SIGHUP)
        assert not interrupt.requested
        assert signal.getsignal(signal.SIGTERM) is terminate
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
