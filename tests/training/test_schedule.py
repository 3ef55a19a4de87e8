"""Learning rates at known points."""

import itertools
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.training.schedule import ScheduleConfig, build_schedule

KINDS = typing.get_args(ScheduleConfig.model_fields["kind"].annotation)


def test_the_default_is_the_papers_with_its_warm_up() -> None:
    """Equation 3 with d_model = 512, warmup_steps = 4000."""
    rate = build_schedule(ScheduleConfig(), d_model=512, max_updates=100_000)
    assert rate(1, None) == pytest.approx(512**-0.5 * 4000**-1.5)
    assert rate(4000, None) == pytest.approx((512 * 4000) ** -0.5)
    assert rate(4000, None) == pytest.approx(6.987712429686844e-4)
    assert rate(16_000, None) == pytest.approx(rate(4000, None) / 2)


@given(update=st.integers(1, 10**6), d_model=st.integers(1, 4096), warmup=st.integers(1, 10**5))
def test_the_papers_is_equation_3(update: int, d_model: int, warmup: int) -> None:
    rate = build_schedule(ScheduleConfig(kind="paper", warmup=warmup, learning_rate=2), d_model, 10)
    assert rate(update, None) == pytest.approx(2 * d_model**-0.5 * min(update**-0.5, update * warmup**-1.5))


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "paper"])
def test_rises_linearly_to_the_peak_and_never_above(kind: str) -> None:
    rate = build_schedule(ScheduleConfig(kind=kind, learning_rate=5e-3, warmup=100), 512, 1000)
    assert [rate(update, None) for update in (1, 50, 100)] == pytest.approx([5e-5, 2.5e-3, 5e-3])
    assert max(rate(update, None) for update in range(1, 1001)) == pytest.approx(5e-3)


@pytest.mark.parametrize("kind", KINDS)
def test_is_positive_until_the_end_and_does_not_jump(kind: str) -> None:
    rate = build_schedule(ScheduleConfig(kind=kind, learning_rate=1.0, warmup=100), 1, 1000)
    rates = [rate(update, None) for update in range(1, 1000)]
    assert min(rates) > 0
    assert max(abs(b - a) for a, b in itertools.pairwise(rates)) <= max(rates) / 99


def test_after_the_peak() -> None:
    def rate(kind: str, update: int) -> float:
        return build_schedule(ScheduleConfig(kind=kind, learning_rate=1.0, warmup=100), 512, 1100)(update, None)

    assert rate("inverse-sqrt", 400) == pytest.approx(0.5)
    assert rate("cosine", 600) == pytest.approx(0.5)
    assert rate("cosine", 1100) == pytest.approx(0.0)
    assert rate("cosine", 2000) == pytest.approx(0.0)
    assert rate("constant", 1100) == 1.0


def test_cosine_shorter_than_its_warm_up_never_divides_by_zero() -> None:
    rate = build_schedule(ScheduleConfig(kind="cosine", learning_rate=1.0, warmup=100), 512, 100)
    assert rate(100, None) == 1.0


def test_the_stable_rate_stays_until_the_end_begins_and_then_falls_straight_to_0() -> None:
    rate = build_schedule(ScheduleConfig(kind="wsd", learning_rate=1.0, warmup=100, decay=0.2), 512, 1000)
    assert [rate(update, None) for update in (100, 1_000, 100_000)] == [1.0, 1.0, 1.0]
    assert [rate(update, 1000) for update in (800, 801, 900, 1000)] == pytest.approx([1.0, 1.0, 0.505, 0.005])
    assert rate(1001, 1000) == 0.0


def test_a_decay_that_begins_within_the_warm_up_is_below_both() -> None:
    rate = build_schedule(ScheduleConfig(kind="wsd", learning_rate=1.0, warmup=100, decay=0.5), 512, 1000)
    assert [rate(update, 100) for update in (50, 76, 100)] == pytest.approx([0.5, 0.76 * 0.5, 0.02])
