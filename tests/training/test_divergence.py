"""Training that goes wrong is noticed, training that merely wobbles is not."""

import math
import random

import pytest

from polyhead.training.divergence import LossWatch

VOCABULARY = 8000


def first_problem(losses: list[float], norms: list[float] | None = None) -> int | None:
    """The update at which the watch complains."""
    watch = LossWatch(VOCABULARY)
    for update, loss in enumerate(losses):
        if watch.problem(loss, 1.0 if norms is None else norms[update]) is not None:
            return update
    return None


def normal_curve(seed: int, updates: int = 3000) -> list[float]:
    """From a bad start down to 1.5 nats, with noise, slow waves and now and then a hard batch."""
    noise = random.Random(seed)
    curve: list[float] = []
    for update in range(updates):
        trend = 1.5 + 8.5 * math.exp(-update / 400) + 0.3 * math.sin(update / 100)
        hard = 6.0 if noise.random() < 0.01 else 0.0
        curve.append(max(0.1, trend + noise.gauss(0, 0.4) + hard))
    return curve


@pytest.mark.parametrize("seed", range(5))
def test_normal_curves_pass(seed: int) -> None:
    assert first_problem(normal_curve(seed)) is None


def test_a_start_above_guessing_passes() -> None:
    """Before it has learnt anything, a model does worse than guessing evenly (9 nats here)."""
    assert first_problem([14 - update / 100 for update in range(1000)]) is None


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_no_number_is_caught_at_once(bad: float) -> None:
    assert first_problem([5.0, 4.0, bad]) == 2
    assert "loss" in str(LossWatch(VOCABULARY).problem(bad, 1.0))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_gradient_that_is_no_number_is_caught_at_once(bad: float) -> None:
    assert first_problem([5.0, 4.0, 3.0], [1.0, bad, 1.0]) == 1
    assert "gradient" in str(LossWatch(VOCABULARY).problem(3.0, bad))


@pytest.mark.parametrize("height", [12.0, 30.0, 1e6])
def test_an_explosion_is_caught_within_a_hundred_updates(height: float) -> None:
    curve = normal_curve(0)
    caught = first_problem(curve + [height] * 100)
    assert caught is not None
    assert caught >= len(curve)


def test_the_message_says_from_where_to_where() -> None:
    watch = LossWatch(VOCABULARY)
    watch.problem(2.0, 1.0)
    problem = watch.problem(1e6, 1.0)
    assert problem is not None
    assert "exploded from 2.00 to" in problem


def test_forgetting_that_stays_below_guessing_is_no_explosion() -> None:
    assert first_problem([2.0] * 100 + [8.0] * 500) is None
