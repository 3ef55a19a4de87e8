"""The race to a BLEU: when it is over, and who takes part."""

from benchmarks.bleu import DEFAULT_PEERS, Course, Goal, fastest_peers, is_going, row
from benchmarks.contest import Contestant
from benchmarks.results import Row
from benchmarks.systems import OURS, TRAINING

GOAL = Goal(bleu=30.0, every=100, longest=60.0)


def course(**state: object) -> Course:
    return Course(Contestant(TRAINING[0], TRAINING[0].settings[0], driver=None), **state)


def test_it_is_over_at_the_goal_at_the_limit_and_after_a_failure() -> None:
    assert is_going(course(bleu=29.9, seconds=59.0), GOAL)
    assert not is_going(course(bleu=30.0), GOAL)
    assert not is_going(course(seconds=60.0), GOAL)
    assert not is_going(course(failure="out of memory"), GOAL)


def test_the_figure_is_the_time_of_training_between_two_validations() -> None:
    found = row(course(bleu=32.0, seconds=41.0, before=(31.0, 24.0), updates=700), "tiny", GOAL)
    assert (found.value, found.unit, found.measure) == (38.5, "s", "until dev BLEU 30")
    assert "700 updates" in found.note


def test_who_does_not_get_there_has_no_figure_but_a_reason() -> None:
    found = row(course(bleu=12.0, seconds=60.0, failure="killed"), "tiny", GOAL)
    assert found.value is None
    assert "killed" in found.note


def test_the_fastest_two_peers_take_part() -> None:
    speeds = {OURS: 9.0, "JoeyNMT": 5.0, "Eole": 7.0, "Sockeye": 6.0, "pymarian": 8.0, "floor": 99.0}
    rows = [Row("training", "tiny", "throughput", name, "", speed, "tokens/s") for name, speed in speeds.items()]
    assert fastest_peers(rows, "tiny") == ("Eole", "Sockeye")
    assert fastest_peers(rows, "base") == DEFAULT_PEERS
