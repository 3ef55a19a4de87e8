"""Interrupted at any moment and resumed, a run ends as if it had been left alone."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import tomli_w

import polyhead.bundle.save
import polyhead.training.checkpoint
from polyhead.errors import RecipeError
from polyhead.manifest import write_listed_text
from polyhead.recipe import record
from polyhead.recipe.load import merge
from polyhead.recipe.train import train
from polyhead.training.loop import Trainer
from tests.conftest import Toy
from tests.run_traces import traces

BPE = {"kind": "bpe", "vocabulary_size": 300, "dropout": 0.1}
VARIANTS = {
    "last": {"training__averaging": {"kind": "last", "count": 2}},
    "ema": {"training__averaging": {"kind": "ema", "decay": 0.9}, "training__optimizer": {"accumulation": 2}},
    "workers": {"training__workers": 3},
    "wsd": {"training__schedule": {"kind": "wsd", "learning_rate": 2e-3, "warmup": 5, "decay": 0.5}},
    "stopped learning": {
        "training__schedule": {"kind": "wsd", "learning_rate": 1e-9, "warmup": 1, "decay": 0.25},
        "training__min_delta": 0.01,
        "training__max_updates": 90,
        "training__validate_every": 2,
        "training__metric": "dev_loss",
    },
    "weights": {},
}


class KilledError(BaseException):
    """Stands for a kill: nothing catches it, no checkpoint is written."""


def recipe(toy, out: str, variant: str):
    if variant == "weights":
        corpora = [{**toy.write("train", 150), "weight": 0.5}, {**toy.write("other", 40, seed=6), "weight": 2}]
        return toy.values(out, tokenizer=BPE, data__max_tokens=64, data__train=corpora)
    return toy.values(out, tokenizer=BPE, model__dropout=0.2, data__max_tokens=64, **VARIANTS[variant])


def in_child(work: Callable[[], object]) -> int:
    """The process id of a copy of this process that does `work` and ends with status 0 (1 if that fails)."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            work()
            status = 0
        finally:
            os._exit(status)
    return child


@pytest.fixture(params=sorted(VARIANTS))
def variant(request):
    return request.param


@pytest.fixture(scope="module")
def left_alone(tmp_path_factory):
    """A function from a variant to the traces of a run of it that was left alone, and which is done once."""

    @cache
    def traces_of(variant: str):
        return traces(train(recipe(Toy(tmp_path_factory.mktemp("alone")), "alone", variant)).directory)

    return traces_of


@pytest.fixture
def alone(left_alone, variant):
    """The traces of a run left alone."""
    return left_alone(variant)


@pytest.mark.parametrize("graceful", [True, False], ids=["asked to stop", "killed"])
def test_interrupted_at_several_updates(toy, variant, alone, graceful, monkeypatch):
    update = Trainer._update
    stops = [1, 7, 8, 9, 17, 20]

    def stopping(self, batches, watch):
        result = update(self, batches, watch)
        if stops and self.progress.update == stops[0]:
            stops.pop(0)
            if not graceful:
                raise KilledError
            self.interrupt.requested = True
        return result

    monkeypatch.setattr(Trainer, "_update", stopping)
    finished, sittings = False, 0
    while not finished:
        try:
            finished = train(recipe(toy, "model", variant), resume=sittings > 0).finished
        except KilledError:
            assert not graceful
        sittings += 1
    assert sittings > 5
    assert traces(toy.directory / "model") == alone


def test_a_run_that_goes_on_with_a_limit_below_where_it_stopped_judges_its_last_updates(toy, monkeypatch):
    update = Trainer._update

    def stopping(self, batches, watch):
        result = update(self, batches, watch)
        self.interrupt.requested = self.progress.update == 13
        return result

    monkeypatch.setattr(Trainer, "_update", stopping)
    directory = train(toy.values(training__max_updates=30, training__validate_every=8)).directory
    assert train(toy.values(training__max_updates=10, training__validate_every=8), resume=True).finished
    lines = map(json.loads, (directory / "training" / "metrics.jsonl").read_text().splitlines())
    assert [line["update"] for line in lines if "dev_loss" in line] == [8, 13]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_killed_at_random_moments(toy, variant, alone):
    draw = random.Random(variant)
    values = recipe(toy, "model", variant)
    for _ in range(8):
        child = in_child(lambda: train(values, resume=record.started(toy.directory / "model")))
        time.sleep(draw.uniform(0.02, 0.8))
        os.kill(child, draw.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        os.waitpid(child, 0)
    train(values, resume=record.started(toy.directory / "model"))
    assert traces(toy.directory / "model") == alone


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("module", "call"),
    [
        (polyhead.training.checkpoint, 1),
        (polyhead.training.checkpoint, 2),
        (polyhead.bundle.save, 1),
        (polyhead.bundle.save, 4),
    ],
    ids=["first checkpoint", "second checkpoint", "best weights", "final weights"],
)
def test_killed_while_a_file_is_being_written(toy, module, call, monkeypatch):
    values = recipe(toy, "model", "last")
    values["training"]["metric"] = "dev_loss"
    save = module.save_file
    calls = 0

    def dying(tensors, path, metadata=None):
        nonlocal calls
        calls += 1
        save(tensors, path, metadata)
        if calls == call:
            whole = Path(path).read_bytes()
            Path(path).write_bytes(whole[: len(whole) // 2])
            os.kill(os.getpid(), signal.SIGKILL)

    with monkeypatch.context() as patch:
        patch.setattr(module, "save_file", dying)
        status = os.waitpid(in_child(lambda: train(values)), 0)[1]
    assert os.WTERMSIG(status) == signal.SIGKILL, "it should have died while writing"
    outcome = train(values, resume=True)
    assert outcome.finished
    left_alone = train({**values, "out": str(toy.directory / "alone")})
    assert traces(outcome.directory) == traces(left_alone.directory)
    assert not list(outcome.directory.rglob(".*")), "unfinished files should be gone"


def test_killed_before_the_description_was_written(toy, monkeypatch):
    values = recipe(toy, "model", "last")

    def killed(*_):
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(polyhead.recipe.assemble, "save_description", killed)
        with pytest.raises(KilledError):
            train(values)
    assert train(values, resume=True).finished


def test_a_finished_run_says_so_and_is_left_as_it_is(toy, capsys):
    first = train(toy.values())
    before = {path: path.read_bytes() for path in first.directory.rglob("*") if path.is_file()}
    again = train(toy.values(), resume=True)
    assert again == first
    assert "this run is finished, after 20 updates" in capsys.readouterr().err
    assert before == {path: path.read_bytes() for path in first.directory.rglob("*") if path.is_file()}


def test_a_finished_run_can_be_given_a_later_end(toy):
    train(toy.values(training__max_updates=16))
    longer = train(toy.values(training__max_updates=32), resume=True)
    assert longer.finished
    assert traces(longer.directory) == traces(train(toy.values("alone", training__max_updates=32)).directory)


def test_the_end_cannot_be_moved_where_the_schedule_depends_on_it(toy):
    cosine = {"kind": "cosine", "learning_rate": 0.01, "warmup": 5}
    train(toy.values(training__schedule=cosine, training__max_updates=4))
    with pytest.raises(RecipeError, match="training.max_updates was 4, now 8"):
        train(toy.values(training__schedule=cosine, training__max_updates=8), resume=True)


def test_another_recipe_is_refused_by_the_name_of_its_keys(toy):
    train(toy.values(training__max_updates=2))
    with pytest.raises(RecipeError, match=r"model.d_ff was 32, now 64; seed was 1, now 2"):
        train(toy.values(training__max_updates=2, seed=2, model__d_ff=64), resume=True)


def test_other_data_are_refused(toy):
    values = toy.values(training__max_updates=2)
    train(values)
    path = toy.directory / "train.source"
    path.write_text(path.read_text().replace("bado", "wuto"))
    with pytest.raises(RecipeError, match=r"begun with other data.*the training pairs have changed"):
        train(values, resume=True)


def test_there_must_be_a_run_to_resume_and_none_to_begin(toy):
    with pytest.raises(RecipeError, match="no training run to resume"):
        train(toy.values(), resume=True)
    train(toy.values(training__max_updates=2))
    with pytest.raises(RecipeError, match="already holds a model or a run: go on with --resume"):
        train(toy.values())


def test_a_run_with_a_value_that_this_version_refuses_is_not_gone_on_with(toy):
    values = toy.values(training__max_updates=2)
    path = train(values).directory / "training" / "recipe.toml"
    write_listed_text(path, path.read_text(encoding="utf-8").replace('precision = "float32"', 'precision = "int16"'))
    before = traces(path.parents[1])
    for training in ({}, {"precision": "float32"}, {"max_updates": 4}):
        with pytest.raises(RecipeError, match=r"model was begun with .* refuses, .*precision = 'int16'.*another --out"):
            train(merge(values, {"training": training}), resume=True)
    assert traces(path.parents[1]) == before


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", [{"kind": "word"}, BPE], ids=["words", "sampled subwords"])
def test_the_command_killed_by_signals(toy, tokenizer):
    """Every sitting is a process of its own, as after a real crash."""
    alone = traces(train({**recipe(toy, "alone", "ema"), "tokenizer": tokenizer}).directory)
    file = toy.directory / "recipe.toml"
    file.write_text(tomli_w.dumps({**recipe(toy, "model", "ema"), "tokenizer": tokenizer}))
    command = [sys.executable, "-m", "polyhead", "train", str(file)]
    metrics = toy.directory / "model" / "training" / "metrics.jsonl"
    expected = {signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: 130, signal.SIGINT: 130}
    for number, lines in [(signal.SIGKILL, 1), (signal.SIGTERM, 3), (signal.SIGKILL, 5), (signal.SIGINT, 6)]:
        resume = ["--resume"] if record.started(toy.directory / "model") else []
        with subprocess.Popen([*command, *resume], stderr=subprocess.PIPE, text=True) as process:
            while process.poll() is None and not (metrics.exists() and metrics.read_text().count("\n") >= lines):
                time.sleep(0.002)
            process.send_signal(number)
            errors = process.communicate()[1]
            assert process.returncode in (expected[number], 0)
            assert "Traceback" not in errors
    subprocess.run([*command, "--resume"], check=True, capture_output=True)
    assert traces(toy.directory / "model") == alone


def test_a_record_without_the_keys_of_a_newer_version_is_the_same_recipe(toy):
    values = toy.values(training__max_updates=4)
    path = train(values).directory / "training" / "recipe.toml"
    lines = path.read_text(encoding="utf-8").splitlines()
    write_listed_text(path, "".join(f"{line}\n" for line in lines if not line.startswith("both_directions")))
    assert train(merge(values, {"training": {"max_updates": 6}}), resume=True).finished
