"""The results file: its rows, their ratios, and what a later run adds."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.results import Results, Row, home, merged, read, with_ratios, write
from benchmarks.systems import FLOOR, OURS

MACHINE = {"processor": "a", "cores": 2}


def row(system: str, value: float | None, **others: str) -> Row:
    fields = {"task": "training", "size": "tiny", "measure": "throughput", "unit": "tokens/s", **others}
    return Row(**fields, system=system, setting="auto", value=value)


def results(*rows: Row, **others: object) -> Results:
    return replace(Results("full", "2026-11-21", MACHINE, {OURS: {"torch": "2.13.0"}}, rows), **others)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "latest.json"
    stored = results(row(OURS, 2.0), row("peer", None), notes=("one failed",))
    write(stored, path)
    assert read(path) == stored


def test_the_file_has_what_a_reader_of_it_relies_on(tmp_path: Path) -> None:
    write(results(row(OURS, 2.0)), tmp_path / "latest.json")
    stored = json.loads((tmp_path / "latest.json").read_text(encoding="utf-8"))
    assert stored["format"] == 1
    assert {"task", "size", "system", "setting", "value", "unit", "ratio"} <= stored["rows"][0].keys()
    assert {"machine", "versions", "date"} <= stored.keys()


def test_another_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latest.json"
    path.write_text('{"format": 99, "rows": []}', encoding="utf-8")
    with pytest.raises(ValueError, match="format 1"):
        read(path)


def test_ratios_are_ours_divided_by_theirs() -> None:
    ours, peer = with_ratios([row(OURS, 6.0), row("peer", 2.0)])
    assert (ours.ratio, peer.ratio) == (1.0, 3.0)


def test_only_answers_to_the_same_question_are_compared() -> None:
    compared = with_ratios([row(OURS, 6.0), row("peer", 2.0, size="base"), row("peer", 2.0, measure="latency p50")])
    assert [one.ratio for one in compared] == [1.0, None, None]


def test_only_figures_of_one_call_are_compared() -> None:
    """Of systems that is always so; the floor can be measured without them."""
    ours, floor = row(OURS, 6.0, date="2026-11-21 09:00 UTC"), row(FLOOR, 12.0, date="2026-11-23 09:00 UTC")
    assert with_ratios([ours, floor])[1].ratio is None
    assert with_ratios([ours, replace(floor, date=ours.date)])[1].ratio == 0.5


def test_nothing_is_divided_by_nothing() -> None:
    assert [one.ratio for one in with_ratios([row(OURS, 6.0), row("peer", None), row("slow", 0.0)])] == [
        1.0,
        None,
        None,
    ]


def test_a_new_run_replaces_whole_questions() -> None:
    """Figures of different runs are never set against each other."""
    old = results(row(OURS, 1.0), row("peer", 1.0), row("peer", 9.0, size="base"))
    found = merged(old, results(row(OURS, 5.0)))
    assert [(one.system, one.size, one.value) for one in found.rows] == [(OURS, "tiny", 5.0), ("peer", "base", 9.0)]


def test_the_floor_and_the_systems_of_one_run_do_not_displace_each_other() -> None:
    floor = row(FLOOR, 9.0)
    assert merged(results(floor), results(row(OURS, 5.0))).rows == (row(OURS, 5.0), floor)


def test_results_of_another_machine_are_not_kept() -> None:
    old = results(row("peer", 1.0, size="base"), machine={"processor": "b"})
    assert merged(old, results(row(OURS, 5.0))).rows == (row(OURS, 5.0),)


def test_what_an_older_system_gave_is_kept() -> None:
    """Of the same processor; each row says when."""
    old = results(row("peer", 1.0, size="base"), machine={**MACHINE, "system": "Linux 6.1"})
    found = merged(old, results(row(OURS, 5.0), machine={**MACHINE, "system": "Linux 6.2"}))
    assert [one.size for one in found.rows] == ["tiny", "base"]
    assert found.machine["system"] == "Linux 6.2"


HERE = {"processor": "AMD EPYC", "family": "25 17", "cores": 2, "flags": ["avx2"], "system": "Linux 6.1"}


def test_a_machine_keeps_its_figures_where_they_stand(tmp_path: Path) -> None:
    assert home(tmp_path, HERE) == tmp_path
    write(results(row(OURS, 2.0), machine=HERE), tmp_path / "latest.json")
    assert home(tmp_path, HERE | {"system": "Linux 6.2"}) == tmp_path


def test_the_figures_of_another_machine_are_left_alone(tmp_path: Path) -> None:
    write(results(row(OURS, 2.0), machine=HERE | {"cores": 64}), tmp_path / "latest.json")
    assert home(tmp_path, HERE) == tmp_path / "amd-epyc-25-17"
