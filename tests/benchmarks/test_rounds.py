"""Systems in turns: who comes when, and what becomes of one that fails."""

from statistics import median

import pytest

from benchmarks.conversation import DriverError
from benchmarks.rounds import Series, alternate, steady, turned


def test_everybody_has_a_turn_a_round_and_nobody_the_same_neighbour_always() -> None:
    order: list[str] = []

    def run(name: str) -> float:
        order.append(name)
        return float(len(order))

    series = alternate({name: lambda name=name: run(name) for name in "abc"}, 3)
    assert "".join(order) == "abcbcacab"
    assert [len(one.values) for one in series.values()] == [3, 3, 3]


def test_the_median_stands_against_one_disturbed_round() -> None:
    values = iter([10.0, 1.0, 11.0])
    assert alternate({"a": lambda: next(values)}, 3)["a"].median == 10.0


def test_the_spread_says_how_far_rounds_lie_apart() -> None:
    assert Series([8.0, 10.0, 12.0]).spread == pytest.approx(0.4)


def test_who_fails_is_left_out_but_keeps_its_values() -> None:
    turns = iter([5.0, DriverError("out of memory"), 7.0])

    def run() -> float:
        turn = next(turns)
        if isinstance(turn, DriverError):
            raise turn
        return turn

    series = alternate({"frail": run, "sound": lambda: 1.0}, 3)
    assert (series["frail"].values, series["frail"].failure) == ([5.0], "out of memory")
    assert series["sound"].values == [1.0, 1.0, 1.0]


def test_a_slow_system_stops_when_its_time_is_used_up_but_not_before_its_second_turn() -> None:
    now = [0.0]

    def run(seconds: float) -> float:
        now[0] += seconds
        return 1.0

    runs = {"slow": lambda: run(50.0), "middling": lambda: run(4.0), "quick": lambda: run(1.0)}
    series = alternate(runs, 5, budget=10.0, clock=lambda: now[0])
    assert [len(one.values) for one in series.values()] == [2, 3, 5]


@pytest.mark.parametrize(("seconds", "turns"), [(0.0, 1), (3.5, 4), (4.0, 4)])
def test_a_setting_is_judged_by_the_median_of_the_turns_that_its_time_allows(seconds: float, turns: int) -> None:
    now, rates = [0.0], [8.0, 2.0, 10.0, 9.0, 1.0]

    def run() -> float:
        now[0] += 1.0
        return rates[int(now[0]) - 1]

    assert steady(run, seconds, clock=lambda: now[0]) == median(rates[:turns])
    assert now[0] == turns


def test_other_errors_are_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError):
        alternate({"a": lambda: 1 / 0}, 1)


def test_nobody_and_nothing() -> None:
    assert alternate({}, 3) == {}
    assert turned([], 2) == []
    assert Series().median is None
    assert Series().spread is None
