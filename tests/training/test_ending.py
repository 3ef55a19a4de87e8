"""When a run ends."""

import json
import math
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from polyhead.training.checkpoint import Progress
from polyhead.training.config import TrainingConfig
from polyhead.training.ending import Ending


def learning(rate: float, updates: int, every: int = 10) -> list[tuple[int, float]]:
    """Scores that come nearer to 40 by a factor e in so many updates."""
    return [(update, 40 * (1 - math.exp(-update / rate))) for update in range(every, updates + 1, every)]


def test_what_still_rises_is_learning_and_what_stays_is_not() -> None:
    ending = Ending(10_000, min_delta=0.01)
    assert not ending.has_stopped_learning(learning(500, 1000))
    assert ending.has_stopped_learning(learning(500, 4000))


def test_what_falls_has_stopped_learning_for_scores_below_0_too() -> None:
    ending = Ending(10_000, min_delta=0.01)
    falling = [(update, -2.0 - update / 1000) for update in range(10, 400, 10)]
    assert ending.has_stopped_learning(falling)
    assert not ending.has_stopped_learning([(update, -4.0 + update / 1000) for update in range(10, 400, 10)])


def test_a_few_validations_say_nothing() -> None:
    ending = Ending(10_000, min_delta=0.01)
    assert not ending.has_stopped_learning([])
    assert not ending.has_stopped_learning([(update, 1.0) for update in range(10, 230, 10)])
    assert ending.has_stopped_learning([(update, 1.0) for update in range(10, 240, 10)])


def test_without_a_least_gain_only_limits_end_a_run() -> None:
    assert not Ending(10_000).has_stopped_learning([(update, 1.0) for update in range(10, 1000, 10)])


def test_the_nearest_limit_counts() -> None:
    ending = Ending(1000, max_epochs=10, seconds=600)
    assert ending.used(100, 2, 30) == pytest.approx(0.2)
    assert ending.expected(100, 2, 30) == 500
    assert ending.used(100, 1, 300) == pytest.approx(0.5)
    assert ending.expected(100, 1, 300) == 200
    assert ending.used(900, 1, 300) == pytest.approx(0.9)
    assert ending.expected(900, 1, 300) == 1000
    assert ending.expected(0, 0, 0) == 1000


@given(
    updates=st.integers(1, 10**6),
    epochs=st.none() | st.integers(1, 1000),
    seconds=st.none() | st.floats(1, 1e6),
    decay=st.floats(0, 0.9),
    update=st.integers(0, 10**6),
    epoch=st.integers(0, 1000),
    spent=st.floats(0, 1e6),
)
def test_the_last_update_is_never_before_the_present_one_nor_beyond_the_limit(
    updates: int, epochs: int | None, seconds: float | None, decay: float, update: int, epoch: int, spent: float
) -> None:
    ending = Ending(updates, epochs, None, None, decay, seconds)
    last = ending.expected(update, epoch, spent)
    assert update <= last <= max(update, updates)
    assert last == update or ending.used(update, epoch, spent) < 1
    assert ending.last_after(min(update, updates)) <= updates


def test_the_end_begun_takes_its_share_of_the_run() -> None:
    ending = Ending(1000, decay=0.25)
    assert ending.last_after(600) == 800
    assert ending.last_after(900) == 1000
    assert Ending(1000).last_after(600) == 600


def test_only_a_schedule_that_decays_has_an_end_to_begin() -> None:
    falling = TrainingConfig.model_validate({"schedule": {"kind": "wsd", "decay": 0.3}, "max_epochs": 3})
    assert Ending.of(falling, 60.0) == Ending(100_000, 3, None, None, 0.3, 60.0)
    assert Ending.of(TrainingConfig(), None) == Ending(100_000)


def test_the_limits_are_the_same_after_a_checkpoint_has_kept_them() -> None:
    limits = Ending(1000, 3, 15, 0.005).limits
    assert limits == {"max_updates": 1000, "max_epochs": 3, "minutes": 15, "min_delta": 0.005}
    assert json.dumps(asdict(TypeAdapter(Progress).validate_python({"limits": limits}))["limits"]) == json.dumps(limits)
