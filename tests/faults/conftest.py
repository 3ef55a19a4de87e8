"""What the campaigns share: a warm process, a corpus, a run left alone, and the table at the end."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Toy
from tests.faults.nursery import Nursery
from tests.faults.runs import Run, Traces, copied, recipe, traces
from tests.faults.tally import table

SEED = "POLYHEAD_FAULTS_SEED"
"""The variable of the environment that chooses other places, moments and bits."""


@pytest.fixture(scope="session")
def faults_seed() -> int:
    """Decides what is damaged, and when processes are killed."""
    return int(os.environ.get(SEED, "1"))


@pytest.fixture(scope="session")
def nursery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    """Does commands in processes of their own."""
    nursery = Nursery(tmp_path_factory.mktemp("commands"))
    yield nursery
    nursery.close()


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Toy:
    """The toy pair, for all."""
    return Toy(tmp_path_factory.mktemp("corpus"))


@dataclass(frozen=True)
class LeftAlone:
    """A run that nobody disturbed."""

    run: Run
    directory: Path
    traces: Traces
    operations: tuple[str, ...]
    """What it did to files, in order."""


def leave_alone(run: Run, directory: Path) -> LeftAlone:
    """Does a run in `directory` and notes what it does to files."""
    directory.mkdir()
    log = directory.with_suffix(".log")
    answer = run.nursery.run(
        *run.words, directory=directory, patience=300, fault={"below": str(directory), "before": None, "log": str(log)}
    )
    assert answer.status == 0, answer.err
    return LeftAlone(run, directory, traces(directory), operations(log))


def operations(log: Path) -> tuple[str, ...]:
    """What `killing.install` wrote down: what was done to which file."""
    return tuple(" ".join(line.split("\t")[1:]) for line in log.read_text(encoding="utf-8").splitlines())


@dataclass(frozen=True)
class Interrupted:
    """A run that was killed, to be put back to that moment again and again, in the same place."""

    alone: LeftAlone
    directory: Path
    saved: Path

    @classmethod
    def at(cls, alone: LeftAlone, directory: Path, after: str) -> "Interrupted":
        """Does the same run in `directory` and kills it just after the first operation that begins so."""
        before = 2 + next(number for number, done in enumerate(alone.operations) if done.startswith(after))
        directory.mkdir()
        fault = {"below": str(directory), "before": before, "log": None}
        answer = alone.run.nursery.run(*alone.run.words, directory=directory, fault=fault)
        assert answer.status == -9, answer.err
        return cls(alone, directory, copied(directory, directory.with_suffix(".saved")))

    @classmethod
    def at_the_end(cls, alone: LeftAlone, directory: Path) -> "Interrupted":
        """A run that has come to its end, to be damaged too."""
        copied(alone.directory, directory)
        return cls(alone, directory, copied(directory, directory.with_suffix(".saved")))

    def restore(self) -> Path:
        """Puts it back → its directory."""
        return copied(self.saved, self.directory)


@pytest.fixture(scope="session")
def training(nursery: Nursery, corpus: Toy, tmp_path_factory: pytest.TempPathFactory) -> LeftAlone:
    """A training of a second, of 20 updates with three validations, left alone."""
    directory = tmp_path_factory.mktemp("training")
    run = Run(nursery, ("train", str(recipe(corpus, directory / "recipe.toml"))))
    return leave_alone(run, directory / "alone")


@pytest.fixture(scope="session")
def learnt(nursery: Nursery, corpus: Toy, tmp_path_factory: pytest.TempPathFactory) -> LeftAlone:
    """A model that has learnt the toy pair fairly well, so that its translations show what is done to it."""
    directory = tmp_path_factory.mktemp("learnt")
    path = recipe(
        corpus,
        directory / "recipe.toml",
        data__train=[corpus.write("much", 300)],
        data__batching__max_tokens=600,
        model__d_model=32,
        model__d_ff=64,
        model__dropout=0.0,
        training__max_updates=250,
        training__validate_every=50,
        tokenizer={"kind": "bpe", "vocabulary_size": 320},
    )
    return leave_alone(Run(nursery, ("train", str(path))), directory / "alone")


@pytest.fixture(scope="session")
def distillation(nursery: Nursery, learnt: LeftAlone, tmp_path_factory: pytest.TempPathFactory) -> LeftAlone:
    """A distillation in three shards and the training of the student, left alone."""
    directory = tmp_path_factory.mktemp("distillation")
    toy = Toy(directory)
    keys = {"data__train": [toy.write("long", 1100)], "data__batching__max_tokens": 800, "training__max_updates": 4}
    path = recipe(toy, directory / "recipe.toml", training__validate_every=2, training__log_every=2, **keys)
    words = ("distill", str(learnt.directory / "model"), str(path), "--beam", "1")
    return leave_alone(Run(nursery, words), directory / "alone")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Shows what was counted, if anything was."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    calls = [report for report in reports if getattr(report, "when", None) == "call"]
    rows = [value for report in calls for name, value in report.user_properties if name == "fault"]
    if rows:
        terminalreporter.section("faults provoked")
        for line in table(rows):
            terminalreporter.write_line(line)
