"""A corpus that is read some pairs at a time is found to be what it is when all of it is in memory."""

import os
import random
import statistics
from collections.abc import Iterable
from pathlib import Path

import pytest

from polyhead.data import statistics as counting
from polyhead.data.clean import CleaningConfig, clean
from polyhead.data.statistics import CorpusStatistics
from polyhead.data.suspicions import suspicions
from polyhead.errors import DataError
from polyhead.recipe import hold_out as holding
from polyhead.recipe import look_over as module
from polyhead.recipe.hold_out import hold_out
from polyhead.recipe.load import make_recipe
from polyhead.recipe.look_over import LookedOver, Side, look_over
from polyhead.recipe.prepare import read_with_languages
from polyhead.recipe.schema import DataConfig


def text(directory: Path, count: int, seed: int, words: int = 300) -> DataConfig:
    """Pairs of which some are empty, unrelated in length, the same on both sides, or came before."""
    draw = random.Random(seed)
    known = [f"w{number}ö" for number in range(words)]
    sources, targets = list[str](), list[str]()
    for _ in range(count):
        source = " ".join(draw.choices(known, k=draw.randint(1, 12)))
        target = draw.choice([source, "", f"{source}\0", "word " * 300, *[source[::-1]] * 16])
        if sources and draw.random() < 0.3:
            source, target = sources[draw.randrange(len(sources))], draw.choice([target, targets[-1]])
        sources.append(source)
        targets.append(target)
    for name, lines in (("source", sources), ("target", targets)):
        (directory / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    files = {"source": str(directory / "source"), "target": str(directory / "target")}
    return make_recipe({"data": {"train": [{"kind": "lines", **files}]}}).data


def summary(lengths: Iterable[int]) -> dict[str, float]:
    counts = sorted(lengths) or [0]
    return {
        "mean": round(statistics.fmean(counts), 1),
        "median": statistics.median(counts),
        "99 %": counts[min(len(counts) - 1, len(counts) * 99 // 100)],
        "longest": counts[-1],
    }


def in_memory(data: DataConfig, seed: int) -> LookedOver:
    kept, report = clean(read_with_languages(data.train, data), CleaningConfig())
    learnt, _ = hold_out(kept, seed)
    sides: dict[Side, list[str]] = {"source": [pair.source for pair in kept], "target": [pair.target for pair in kept]}
    return LookedOver(
        report,
        {
            "words": {side: summary(len(text.split()) for text in texts) for side, texts in sides.items()},
            "characters": {side: summary(len(text.strip()) for text in texts) for side, texts in sides.items()},
        },
        suspicions(kept),
        CorpusStatistics.of([kept[row] for row in learnt]),
    )


@pytest.mark.parametrize("count", [1, 2, 99, 100, 101, 1000, 3001])
@pytest.mark.parametrize("looked_at", [150, 200_000])
def test_it_is_found_to_be_the_same(
    count: int, looked_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "LOOKED_AT", looked_at)
    data = text(tmp_path, count, seed=count)
    expected = in_memory(data, 1)
    monkeypatch.setattr(module, "LOOKED_AT", looked_at)
    monkeypatch.setattr(module, "_AT_A_TIME", 100)
    monkeypatch.setattr(holding, "_FEW", 500)
    found = look_over(data, 1)
    assert found == expected
    assert count < 1000 or (len(found.report.dropped) > 1 and found.report.repeated and found.suspicions)


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
@pytest.mark.parametrize("side", ["source", "target"])
def test_a_pipe_is_refused_instead_of_read_again_and_again(tmp_path, side):
    data = text(tmp_path, 9, seed=1)
    (tmp_path / side).unlink()
    os.mkfifo(tmp_path / side)
    with pytest.raises(DataError, match=f"{side}: this is no regular file, and .* is read several times; save it"):
        look_over(data, 1)
