"""The page that is made of the results."""

from dataclasses import replace

from benchmarks.report import better, days, groups, markdown, number, table
from benchmarks.results import Results, Row, with_ratios
from benchmarks.systems import OURS


def row(system: str, value: float | None, size: str = "tiny", unit: str = "tokens/s", setting: str = "auto") -> Row:
    return Row("training", size, "throughput", system, setting, value, unit)


def test_polyhead_comes_first_then_the_others_best_first() -> None:
    lines = table([row("slow", 1.0), row("fast", 9.0), row(OURS, 5.0)])
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| polyhead", "| fast", "| slow"]


def test_where_less_is_better_the_smallest_comes_on_top() -> None:
    lines = table([row("slow", 9.0, unit="ms"), row("fast", 1.0, unit="ms"), row(OURS, 5.0, unit="ms")])
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| polyhead", "| fast", "| slow"]


def test_a_cell_says_value_setting_and_ratio() -> None:
    _, peer = with_ratios([row(OURS, 12345.0), row("peer", 5000.0, setting="bf16")])
    assert table([peer])[2] == "| peer | 5,000<br>bf16, 2.47× |"


def test_of_several_settings_the_best_one_is_shown() -> None:
    assert "8.00<br>two" in table([row("peer", 3.0, setting="one"), row("peer", 8.0, setting="two")])[2]
    assert "3.00<br>one" in table([row("peer", 3.0, unit="MiB", setting="one"), row("peer", 8.0, unit="MiB")])[2]


def test_a_size_that_a_system_was_not_measured_at_stays_empty() -> None:
    lines = table([row(OURS, 1.0), row(OURS, 2.0, size="base"), row("peer", 3.0)])
    assert lines[0] == "| system | tiny | base |"
    assert lines[3].endswith("| – |")


def test_a_table_says_when_its_figures_were_measured() -> None:
    first, last = (
        replace(row(OURS, 1.0), date="2026-11-21 09:00 UTC"),
        replace(row("peer", 1.0), date="2026-11-23 14:24"),
    )
    assert days([last, first]) == " · 2026-11-21 to 2026-11-23"
    assert days([first, first]) == " · 2026-11-21"
    assert days([row(OURS, 1.0)]) == ""


def test_a_goal_that_was_missed_is_said() -> None:
    assert "not reached" in table([row("peer", None)])[2]


def test_a_value_is_better_than_none() -> None:
    assert better(row("a", 0.1), row("a", None))
    assert not better(row("a", None), row("a", 0.1))


def test_numbers_have_about_four_digits() -> None:
    assert [number(value) for value in (12345.6, 123.45, 1.234, None)] == ["12,346", "123.5", "1.23", "–"]


def test_the_page_names_machine_versions_and_what_is_missing() -> None:
    machine = {
        "processor": "A processor",
        "family": "25 17",
        "cores": 2,
        "memory_gib": 24.0,
        "flags": ["avx512_bf16"],
        "system": "Linux 6",
        "python": "3.11.2",
    }
    rate = Row("machine", "", "memory", "floor", "reading", 20.0, "GB/s")
    page = markdown(
        Results("full", "2026-11-21", machine, {OURS: {"torch": "2.13.0"}}, (rate, row(OURS, 5.0)), ("base: no model",))
    )
    for part in (
        "A processor",
        "avx512_bf16",
        "torch 2.13.0",
        "- base: no model",
        "## Training",
        "| reading | 20.00 |",
    ):
        assert part in page


def test_rows_of_one_question_stand_in_one_table_whatever_their_size() -> None:
    assert [
        len(group) for group in groups([row(OURS, 1.0), row("peer", 1.0, size="base"), row(OURS, 1.0, unit="MiB")])
    ] == [2, 1]
