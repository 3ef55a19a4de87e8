"""A batch that doesn't fit the memory is cut up, and the sums are the same."""

import json
import subprocess
import sys

import pytest
import tomli_w
import torch
from safetensors.torch import load_file

from polyhead.errors import TrainingError
from polyhead.recipe.train import train
from polyhead.training.checkpoint import checkpoints, load_checkpoint
from polyhead.training.loop import Trainer
from polyhead.training.shares import Differentiation


def narrow(monkeypatch, tokens: int) -> list[int]:
    """Lets no share of more than so many target tokens be differentiated → those that were."""
    differentiate, done = Differentiation._differentiate, []

    def limited(self, share):
        result = differentiate(self, share)  # the memory ends when most of the work is done
        if result[2] > tokens:
            raise RuntimeError(
                "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes"
            )
        done.append(result[2])
        return result

    monkeypatch.setattr(Differentiation, "_differentiate", limited)
    return done


def weights(directory):
    return load_file(directory / "training" / "snapshots" / "update-00000020.safetensors")


def losses(directory):
    lines = (directory / "training" / "metrics.jsonl").read_text().splitlines()
    return [line["loss"] for line in map(json.loads, lines) if "loss" in line]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("accumulation", [1, 2])
def test_the_result_is_that_of_a_run_with_enough_memory(toy, monkeypatch, capsys, workers, accumulation):
    keys = {
        "model__dropout": 0.0,
        "training__log_every": 1,
        "training__workers": workers,
        "training__optimizer": {"accumulation": accumulation},
    }
    whole = weights(train(toy.values("whole", **keys)).directory)
    done = narrow(monkeypatch, 30)
    cut = weights(train(toy.values("cut", **keys)).directory)
    said = [line for line in capsys.readouterr().err.splitlines() if "did not fit the memory" in line]
    assert done
    assert max(done) <= 30
    assert 1 <= len(said) <= 2
    assert "from now on every batch is cut into" in said[0]
    assert losses(toy.directory / "cut") == pytest.approx(losses(toy.directory / "whole"), rel=1e-4)
    for name, weight in whole.items():
        if not name.endswith("bias"):  # keys' biases change no attention: their gradients are rounding alone
            assert torch.allclose(cut[name], weight, atol=2e-3), name


def test_what_a_failed_attempt_collected_is_forgotten(toy, monkeypatch):
    """The memory ends at the third of three batches, when two have been differentiated."""
    keys = {"model__dropout": 0.0, "training__log_every": 1, "training__optimizer": {"accumulation": 3}}
    train(toy.values("whole", **keys))
    differentiate, calls = Differentiation._differentiate, []

    def limited(self, share):
        calls.append(None)
        if len(calls) == 3:
            raise MemoryError
        return differentiate(self, share)

    monkeypatch.setattr(Differentiation, "_differentiate", limited)
    train(toy.values("cut", **keys))
    assert losses(toy.directory / "cut") == pytest.approx(losses(toy.directory / "whole"), rel=1e-4)


def test_resumed_it_is_the_same_to_the_bit(toy, monkeypatch):
    """Also with dropout, whose masks follow from the number of shares, and where there is memory enough again."""
    keys = {"model__dropout": 0.2, "training__averaging": {"kind": "last"}}
    narrow(monkeypatch, 30)
    alone = weights(train(toy.values("alone", **keys)).directory)
    update = Trainer._update

    def stopping(self, batches, watch):
        result = update(self, batches, watch)
        self.interrupt.requested = self.progress.update == 5
        return result

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "_update", stopping)
        assert not train(toy.values("model", **keys)).finished
    progress, _ = load_checkpoint(checkpoints(toy.directory / "model" / "training" / "checkpoints")[-1])
    assert progress.rounds > 1
    monkeypatch.undo()
    train(toy.values("model", **keys), resume=True)
    resumed = weights(toy.directory / "model")
    assert all(torch.equal(resumed[name], weight) for name, weight in alone.items())


def test_a_sentence_that_does_not_fit_is_said_with_the_last_good_checkpoint(toy, monkeypatch):
    values = toy.values(training__max_updates=4, training__validate_every=2)
    train(values)
    narrow(monkeypatch, 3)
    with pytest.raises(
        TrainingError, match=r"update 5: even one sentence .*; the last good checkpoint is .*00000004\.saf"
    ):
        train(toy.values(training__max_updates=9, training__validate_every=2), resume=True)


def test_another_error_is_not_taken_for_one_of_memory(toy, monkeypatch):
    def wrong(self, share):
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied")

    monkeypatch.setattr(Differentiation, "_differentiate", wrong)
    with pytest.raises(RuntimeError, match="mat1"):
        train(toy.values())


LIMITED = """
import resource, sys
from polyhead.recipe.load import read_toml
import polyhead.training.loop as loop
import polyhead.training.shares as shares
from polyhead.recipe.train import train
from pathlib import Path

attempt = shares.Differentiation._attempt

def limited(self, *given):
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[2]), resource.RLIM_INFINITY))
    try:
        return attempt(self, *given)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

shares.Differentiation._attempt = limited
print(train(read_toml(Path(sys.argv[1]))).finished)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="limits its own address space")
def test_a_real_lack_of_memory(toy):
    """The system gives each attempt 60 MB, of which a whole batch needs more."""
    values = toy.values(
        training__max_updates=3,
        training__validate_every=3,
        data__batching={"max_tokens": 4000},
        model__d_model=256,
        model__d_ff=2048,
    )
    file = toy.directory / "recipe.toml"
    file.write_text(tomli_w.dumps(values))
    command = [sys.executable, "-c", LIMITED, str(file), str(60 << 20)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "True\n"
    assert "did not fit the memory: from now on every batch is cut into" in done.stderr
