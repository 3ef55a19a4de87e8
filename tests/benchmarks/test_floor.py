"""The floor and how near to it polyhead comes."""

from dataclasses import replace

from benchmarks.floor import with_fractions
from benchmarks.results import Row
from benchmarks.systems import FLOOR, OURS


def row(system: str, setting: str, value: float | None, size: str = "tiny") -> Row:
    return Row("training", size, "throughput", system, setting, value, "target tokens/s")


def test_the_share_is_of_each_floor_apart() -> None:
    rows = [
        row(FLOOR, "float32", 1000.0),
        row(FLOOR, "bfloat16", 4000.0),
        row(OURS, "auto", 800.0),
        row("peer", "", 9.0),
    ]
    shares = with_fractions(rows)
    assert [(one.measure, one.value, one.unit) for one in shares] == [
        ("share of the floor, float32", 80.0, "%"),
        ("share of the floor, bfloat16", 20.0, "%"),
    ]
    assert {one.system for one in shares} == {OURS}


def test_a_floor_of_another_call_is_not_ours() -> None:
    rows = [replace(row(FLOOR, "float32", 1000.0), date="later"), replace(row(OURS, "auto", 800.0), date="earlier")]
    assert with_fractions(rows) == []


def test_without_a_figure_of_ours_there_is_no_share() -> None:
    assert with_fractions([row(FLOOR, "float32", 1000.0), row(OURS, "auto", None)]) == []
    assert with_fractions([row(FLOOR, "float32", 1000.0, size="base"), row(OURS, "auto", 5.0)]) == []
