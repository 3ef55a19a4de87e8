"""A process killed before each of its operations on files, or in the middle of a write, loses nothing."""

import random
import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.faults.conftest import LeftAlone, operations
from tests.faults.runs import copied, outcome
from tests.faults.tally import tallied

PARTS = 6
"""Tests that a campaign is dealt out to, so that they can be done side by side."""
FAULT = "killed before a file operation"
SOURCES = "bado kilu\n\nmera noti pasu\n"


def sample(last: int, number: int, seed: int) -> list[int]:
    """Some numbers from 1 to `last`."""
    return sorted(random.Random(seed).sample(range(1, last + 1), min(number, last)))


def kill(alone: LeftAlone, directory: Path, before: int, resume: bool = False) -> None:
    """Does the run in a directory and kills it before operation number `before`."""
    fault = {"below": str(directory), "before": before, "log": None}
    words = [*alone.run.words, *(["--resume"] if resume else [])]
    answer = alone.run.nursery.run(*words, directory=directory, fault=fault)
    assert answer.status == -9, f"operation {before} never came: {answer.err}"


def readable(alone: LeftAlone, directory: Path) -> list[str]:
    """What is wrong with what can be read in a directory just now; from the first best weights on it translates."""
    weights = directory / "model" / "model.safetensors"
    answer = alone.run.nursery.run("translate", "model", directory=directory, stdin=SOURCES)
    said = outcome(answer)
    if said == "done" and answer.out.count("\n") == 3:
        return []
    if said == "refused" and not weights.exists():
        return []
    return [f"translating meanwhile: {said} {answer.sentence}"]


def campaign(alone: LeftAlone, numbers: Iterable[int], directory: Path, record, how: str) -> None:
    with tallied(record, FAULT, how) as tally:
        for number in numbers:
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
            kill(alone, directory, number)
            problems = readable(alone, directory)
            problems += alone.run.problems(directory, alone.traces)
            tally.end(problems, f"n = {number} ({alone.operations[number - 1]})")


def test_a_training_killed_before_some_of_them(training, tmp_path, faults_seed, record_property):
    numbers = sample(len(training.operations), 8, faults_seed)
    campaign(training, numbers, tmp_path / "run", record_property, "training, SIGKILL before some operations")


@pytest.mark.faults
@pytest.mark.parametrize("part", range(PARTS))
def test_a_training_killed_before_each_of_them(training, tmp_path, part, record_property):
    numbers = range(1 + part, len(training.operations) + 1, PARTS)
    campaign(training, numbers, tmp_path / "run", record_property, "training, SIGKILL before each operation")


@pytest.mark.faults
@pytest.mark.parametrize("part", range(PARTS))
def test_a_distillation_killed_before_each_of_them(distillation, tmp_path, part, record_property):
    """Each on the distilled corpus; of those of the student's training, which are any training's, every third."""
    done = enumerate(distillation.operations, start=1)
    numbers = [number for number, operation in done if "distilled" in operation or number % 3 == 0]
    how = "distillation, SIGKILL before each operation on its corpus and others"
    campaign(distillation, numbers[part::PARTS], tmp_path / "run", record_property, how)


def test_a_distillation_killed_before_some_of_them(distillation, tmp_path, faults_seed, record_property):
    numbers = sample(len(distillation.operations), 4, faults_seed)
    campaign(distillation, numbers, tmp_path / "run", record_property, "distillation, SIGKILL before some operations")


@pytest.mark.faults
@pytest.mark.parametrize("part", range(PARTS))
def test_a_training_that_is_resumed_killed_before_every_second(training, tmp_path, part, record_property):
    """First killed in the middle of the second checkpoint, with leftovers of it, then again while it goes on."""
    middle = 1 + next(
        number
        for number, operation in enumerate(training.operations)
        if operation.startswith("write the second half of model/training/checkpoints/.update-00000016")
    )
    template = tmp_path / "template"
    template.mkdir()
    kill(training, template, middle)
    directory, log = tmp_path / "run", tmp_path / "log"
    fault = {"below": str(directory), "before": None, "log": str(log)}
    training.run.nursery.run(*training.run.words, "--resume", directory=copied(template, directory), fault=fault)
    done = operations(log)
    with tallied(record_property, FAULT, "training that is resumed, SIGKILL before every second operation") as tally:
        for number in range(1 + 2 * part, len(done) + 1, 2 * PARTS):
            kill(training, copied(template, directory), number, resume=True)
            problems = readable(training, directory) + training.run.problems(directory, training.traces)
            tally.end(problems, f"n = {number} ({done[number - 1]})")
