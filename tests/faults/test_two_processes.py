"""Two trainings in one directory: one goes on as if it were alone, the other is refused at once."""

import random
import time

import pytest

from tests.faults.bit_exact import wait_until_training
from tests.faults.runs import differences, outcome, traces
from tests.faults.tally import Tally, tallied

FAULT = "two processes in one directory"


def try_both(tally: Tally, alone, directory, delay: float, resume: bool, repeat: str) -> None:
    """One training, and some time after it another one.

    Where the killed one had done so much that the first to resume it ends before the second comes, the second finds a
    finished run and does nothing, which is right as well.
    """
    nursery, words = alone.run.nursery, alone.run.words
    directory.mkdir()
    if resume:
        first = nursery.begin(*words, directory=directory)
        wait_until_training(first)
        first.kill(9)
        first.wait()
    more = ["--resume"] if resume else []
    one = nursery.begin(*words, *more, directory=directory)
    time.sleep(delay)
    other = nursery.begin(*words, *more, directory=directory)
    answers = sorted([one.wait(), other.wait()], key=lambda answer: answer.status or 0)
    said = [outcome(answer) for answer in answers]
    late = resume and any("this run is finished" in answer.err for answer in answers)
    expected = ["done", "done"] if late else ["done", "refused"]
    problems = [] if said == expected else [f"the two ended so: {', '.join(said)}"]
    problems += differences(alone.traces, traces(directory))
    tally.end(problems, repeat)


def test_one_wins_and_one_is_refused(training, tmp_path, faults_seed, record_property):
    draw = random.Random(faults_seed)
    with tallied(record_property, FAULT, "two trainings begun together") as tally:
        try_both(tally, training, tmp_path / "together", 0.0, False, "at the same time")
        delay = draw.uniform(0.05, 0.3)
        try_both(tally, training, tmp_path / "resumed", delay, True, f"both resumed, {delay} s apart")


@pytest.mark.faults
def test_one_wins_wherever_the_other_comes(training, tmp_path, faults_seed, record_property):
    draw = random.Random(faults_seed)
    with tallied(record_property, FAULT, "two trainings some time apart") as tally:
        for number in range(12):
            delay = draw.uniform(0, 0.5) if number % 3 else 0.0
            repeat = f"number {number}, {delay:.3f} s apart"
            try_both(tally, training, tmp_path / str(number), delay, bool(number % 2), repeat)


def test_reading_stays_free_while_a_run_is_under_way(training, learnt, tmp_path):
    directory = tmp_path / "run"
    directory.mkdir()
    command = training.run.nursery.begin(*training.run.words, directory=directory)
    weights = directory / "model" / "model.safetensors"
    while not weights.exists() and not command.ended:
        time.sleep(0.001)
    answer = training.run.nursery.run("translate", "model", directory=directory, stdin="bado\n")
    assert (answer.status, answer.out.count("\n")) == (0, 1), answer.err
    assert command.wait().status == 0


def test_a_lock_that_a_killed_process_left_stops_nobody(training, tmp_path):
    directory = tmp_path / "run"
    directory.mkdir()
    command = training.run.nursery.begin(*training.run.words, directory=directory)
    wait_until_training(command)
    command.kill(9)
    command.wait()
    assert training.run.to_the_end(directory).status == 0
    assert not differences(training.traces, traces(directory))


def test_a_directory_deleted_meanwhile_is_an_error(training, tmp_path):
    directory = tmp_path / "run"
    directory.mkdir()
    command = training.run.nursery.begin(*training.run.words, directory=directory)
    checkpoint = directory / "model" / "training" / "checkpoints"
    while not checkpoint.exists() and not command.ended:
        time.sleep(0.0005)
    (directory / "model").rename(directory / "away")
    answer = command.wait()
    assert outcome(answer) == "refused", answer.err[-500:]
