"""What is found out and decided before a training begins."""

from pathlib import Path
from typing import Any

from polyhead.recipe.plan import Plan, make_plan


def plan(directory: Path, **weight: float) -> Plan:
    """For 100 pairs of one corpus and 900 of another one, which has that weight."""
    readers: list[dict[str, Any]] = []
    for name, numbers, more in (("own", range(100), {}), ("general", range(100, 1000), weight)):
        source, target = directory / f"{name}.source", directory / f"{name}.target"
        source.write_text("".join(f"sentence number {number}\n" for number in numbers))
        target.write_text("".join(f"Satz Nummer {number}\n" for number in numbers))
        readers.append({"kind": "lines", "source": str(source), "target": str(target), **more})
    dev = {"kind": "lines", "source": readers[0]["source"], "target": readers[0]["target"]}
    return make_plan({"out": str(directory / "model"), "data": {"train": readers, "dev": [dev]}})


def test_a_corpus_of_little_weight_asks_for_no_long_run(tmp_path: Path) -> None:
    updates = plan(tmp_path).recipe.training.max_updates
    fewer = plan(tmp_path, weight=0.01).recipe.training.max_updates
    assert updates is not None
    assert fewer is not None
    assert fewer < 0.6 * updates
