"""Quality against speed: which models are on the frontier, and that a picture of them can be drawn."""

import json
from pathlib import Path

import pytest

from benchmarks.frontier import Point, frontier, picture, run


def point(name: str, bleu: float, speed: float, distilled: bool = False) -> Point:
    return Point(name, 5, "6+1", 1_000_000, distilled, "plain engine, float32", bleu, "BLEU|…", speed, 0.1)


SLOW, MIDDLE, FAST = point("slow", 38, 50), point("middle", 37, 100, True), point("fast", 35, 200)
POOR, EQUAL = point("poor", 36, 90), point("equal", 37, 100)


def test_whoever_is_beaten_in_both_is_not_on_it() -> None:
    assert frontier([SLOW, POOR, FAST, MIDDLE]) == [FAST, MIDDLE, SLOW]
    assert frontier([POOR]) == [POOR]
    assert frontier([MIDDLE, EQUAL]) == [MIDDLE, EQUAL]
    assert frontier([point("as good but slower", 38, 40), SLOW]) == [SLOW]


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_picture(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("matplotlib")
    path = picture([SLOW, MIDDLE, FAST, POOR], tmp_path / f"frontier.{suffix}", "Multi30k, beam 5")
    assert path.stat().st_size > 5000
    assert picture([FAST], tmp_path / f"one.{suffix}", "alone").exists()


@pytest.mark.slow
def test_measuring_real_models(toy, toy_model, tmp_path: Path, capsys) -> None:
    pytest.importorskip("matplotlib")
    reader = toy.write("test", 20, seed=4)
    run(toy_model, source=Path(reader["source"]), reference=Path(reader["target"]), rounds=2, out=tmp_path)
    rows = json.loads((tmp_path / "frontier.json").read_text(encoding="utf-8"))["models"]
    assert [row["beam"] for row in rows] == [1, 5]
    assert all(row["layers"] == "1+1" and row["sentences_per_second"] > 0 and not row["distilled"] for row in rows)
    assert any(row["on_the_frontier"] for row in rows)
    printed = capsys.readouterr().out.splitlines()
    assert [line.startswith("* ") for line in printed] == [row["on_the_frontier"] for row in rows]
    assert (tmp_path / "frontier.png").exists()
