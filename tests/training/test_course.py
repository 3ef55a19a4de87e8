"""The way of a run to its end."""

import pytest

from polyhead.training.checkpoint import Progress
from polyhead.training.config import TrainingConfig
from polyhead.training.course import Course
from polyhead.training.ending import Budget
from polyhead.training.log import PlainDisplay


def course(budget: Budget | None) -> Course:
    config = TrainingConfig.model_validate({"max_updates": 1_000_000, "validate_every": 1000})
    return Course(config, Progress(), PlainDisplay(), budget)


def judged(run: Course, seconds_an_update: float, updates: int, a_validation: float) -> list[int]:
    """The updates after which validations are due."""
    found: list[int] = []
    for update in range(1, updates + 1):
        run.progress.update, run.progress.seconds = update, update * seconds_an_update
        if run.is_to_be_judged():
            found.append(update)
            run.validation_seconds = a_validation
    return found


def test_a_run_of_limited_time_is_judged_early_once_so_that_it_knows_how_long_the_final_scores_take() -> None:
    run = course(Budget(seconds=110, before=10, final=4))
    found = judged(run, 0.01, 2_500, a_validation=5)
    assert found == pytest.approx([501, 1000, 2000], abs=1)
    assert run.ending.seconds == 80


def test_a_run_of_unlimited_time_is_judged_when_it_is_due() -> None:
    assert judged(course(None), 0.01, 2_500, a_validation=5) == [1000, 2000]
