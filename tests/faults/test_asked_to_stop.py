"""A training that is asked to stop, whatever it is at, does so soon, without a traceback, and can be gone on with."""

import random
import re
import signal
import time

import pytest

from tests.faults.nursery import Command
from tests.faults.runs import outcome
from tests.faults.tally import tallied

FAULT = "asked to stop"
ASKED = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
CLEAN = (0, 128 + signal.SIGHUP, 128 + signal.SIGINT, 128 + signal.SIGTERM)
"""Finished after all, or the exit statuses by which shells know a signal."""
SOON = 10.0
"""Seconds, of which the update under way takes some."""


def wait_for(command: Command, words: str) -> None:
    """Until a command has said so, or has ended."""
    said = command.place / "stderr"
    while not command.ended and not (said.exists() and re.search(words, said.read_text(encoding="utf-8"))):
        time.sleep(0.002)


def ask(alone, directory, number: int, words: str, delay: float) -> list[str]:
    """Sends a signal some time after a run has said something → what is wrong then, and at its end."""
    directory.mkdir()
    command = alone.run.nursery.begin(*alone.run.words, directory=directory)
    wait_for(command, words)
    time.sleep(delay)
    command.kill(number)
    answer = command.wait(SOON)
    clean = answer.status in CLEAN and "Traceback" not in answer.err
    problems = [] if clean else [f"it {outcome(answer)}: {answer.sentence[:200]}"]
    return problems + alone.run.problems(directory, alone.traces)


STAGES = ["reading the corpus", "vocabulary: ", "precision: ", "update 8 ", "scoring dev"]
"""What a training says when it begins, and as it goes on."""


def campaign(alone, stages, directory, record, seed: int, times: int, how: str) -> None:
    draw = random.Random(f"{seed} {how}")
    with tallied(record, FAULT, how) as tally:
        for place, stage in enumerate(stages):
            for count in range(times):
                number, delay = ASKED[(place + count) % len(ASKED)], draw.uniform(0, 0.1)
                problems = ask(alone, directory / f"{place}-{count}", number, stage, delay)
                tally.end(problems, f"{signal.Signals(number).name} {delay:.3f} s after {stage!r}")


def test_a_training_asked_at_some_moments(training, tmp_path, faults_seed, record_property):
    campaign(
        training, STAGES[::2], tmp_path, record_property, faults_seed, 1, "training, a signal at each of its stages"
    )


@pytest.mark.faults
def test_a_training_asked_at_each_stage(training, tmp_path, faults_seed, record_property):
    campaign(training, STAGES, tmp_path, record_property, faults_seed, 6, "training, each signal at each of its stages")


@pytest.mark.faults
def test_a_distillation_asked_at_each_stage(distillation, tmp_path, faults_seed, record_property):
    stages = ["translating ", "reading the corpus", "scoring dev"]
    campaign(distillation, stages, tmp_path, record_property, faults_seed, 3, "distillation, each signal at its stages")
