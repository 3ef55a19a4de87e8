"""What is measured of the defaults, and what is tried in their place."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import defaults
from benchmarks.candidates import CANDIDATES, FORMER, former
from benchmarks.cells import Cell, Files, cells, files
from benchmarks.defaults import Result, Trial, keys_of, table, words_of
from polyhead.data.statistics import CorpusStatistics
from polyhead.recipe import rules
from polyhead.recipe.defaults import complete
from polyhead.recipe.load import make_recipe, merge, parse_keys, put

DATA = {"data": {"train": [{"kind": "lines", "source": "a", "target": "b"}]}}
CORPUS = CorpusStatistics(3_000, 6_000, 90, 40_000, 48_000)
FIGURES: dict[str, Any] = {
    "bleu": 10.0,
    "chrf": 30.0,
    "updates": 500,
    "announced": 600,
    "minutes": 1.5,
    "processor": "a processor",
    "threads": 2,
}
MEASURED = Result("captions-1000:en-de", "default", 1, {}, {}, **FIGURES)


def recipe_with(keys: dict[str, object]) -> object:
    given: dict[str, object] = {}
    for key, value in keys.items():
        put(given, key.split("."), value)
    return make_recipe(complete(merge(DATA, given), CORPUS, torch.device("cpu"))[0])


@pytest.mark.parametrize("name", CANDIDATES)
def test_every_candidate_is_a_valid_recipe(name: str) -> None:
    chosen = {choice.key: choice.value for choice in complete(DATA, CORPUS, torch.device("cpu"))[1]}
    keys = CANDIDATES[name](chosen)
    assert (recipe_with(keys) == recipe_with({})) == (
        name
        in ("default", "dropout 0.4", "label smoothing 0.2", "weight decay 0.2", "no BPE dropout", "the shallow model")
    )


@pytest.mark.parametrize("pairs", [1_000, 10_000, 100_000])
def test_the_former_defaults_are_a_valid_recipe(pairs: int) -> None:
    assert recipe_with(former(pairs)) != recipe_with({})


@pytest.mark.parametrize("name", [*CANDIDATES, FORMER])
def test_the_command_reads_each_setting_as_it_is_meant(name: str) -> None:
    cell, meant = Cell("captions", 3_000, "en", "de"), dict[str, object]()
    keys, _ = keys_of(cell, name, CORPUS)
    for key, value in keys.items():
        put(meant, key.split("."), value)
    assert parse_keys(words_of(keys)) == meant


def test_a_smaller_cut_is_part_of_a_larger_one(tmp_path: Path) -> None:
    small, large = (Cell("grammar-ko", size, "ko", "en") for size in (1_000, 3_000))
    texts = [files(cell, tmp_path, tmp_path / "cut").train for cell in (small, large)]
    lines = [[path.read_text(encoding="utf-8").splitlines() for path in pair] for pair in texts]
    assert [len(side) for side in lines[0]] == [1_000, 1_000]
    assert set(zip(*lines[0], strict=True)) <= set(zip(*lines[1], strict=True))
    dev = files(small, tmp_path, tmp_path / "cut").dev
    assert not {*dev[0].read_text(encoding="utf-8").splitlines()} & {*lines[1][0]}


def test_every_cell_is_named_once() -> None:
    names = [str(cell) for cell in cells()]
    assert len(names) == len(set(names)) > 40


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Trial]:
    """The trainings that were asked for; none is made."""
    trials: list[Trial] = []
    text = tmp_path / "text"
    text.write_text("one two three\n", encoding="utf-8")

    def measure(trial: Trial, cell: Cell, text: Files) -> Result:
        trials.append(trial)
        return Result(**vars(trial), **{**FIGURES, "bleu": 12.0})

    monkeypatch.setattr(defaults, "files", lambda *_: Files((text, text), (text, text)))
    monkeypatch.setattr(defaults, "measure", measure)
    return trials


def test_what_was_measured_is_not_measured_again(
    tmp_path: Path, asked: list[Trial], capsys: pytest.CaptureFixture[str]
) -> None:
    for seeds in ((1,), (1, 2)):
        defaults.run(cell=("captions-1000:en-de",), seed=seeds, out=tmp_path / "found.json")
    assert [(trial.cell, trial.setting, trial.seed) for trial in asked] == [
        ("captions-1000:en-de", "default", 1),
        ("captions-1000:en-de", "default", 2),
    ]
    assert len(json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))) == 2
    assert "| captions-1000:en-de | default | 2 | 12.0 |" in capsys.readouterr().out


def test_what_the_rules_choose_otherwise_now_is_measured_anew(
    tmp_path: Path, asked: list[Trial], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A setting that gives the key itself is as it was."""
    out, settings = tmp_path / "found.json", ("default", "weight decay 0.2")
    for decay in (0.2, 0.4):
        monkeypatch.setattr(rules, "WEIGHT_DECAY", decay)
        defaults.run(cell=("captions-1000:en-de",), setting=settings, out=out)
    assert [trial.setting for trial in asked] == ["default", "weight decay 0.2", "default"]
    found = {row["setting"]: row for row in json.loads(out.read_text(encoding="utf-8"))}
    assert found["default"]["chosen"]["training.optimizer.weight_decay"] == 0.4
    assert "training.optimizer.weight_decay" not in found["weight decay 0.2"]["chosen"]


def test_the_table_has_small_corpora_first_and_of_each_the_best_setting_first() -> None:
    other = Result(**{**MEASURED.__dict__, "setting": "dropout 0.1", "bleu": 11.0})
    large = Result(**{**MEASURED.__dict__, "cell": "talk-140000:en-fr"})
    rows = list(table([large, MEASURED, other]))[2:]
    assert [row.split(" | ")[0][2:] for row in rows] == ["captions-1000:en-de"] * 2 + ["talk-140000:en-fr"]
    assert "dropout 0.1" in rows[0]


def test_a_cell_that_does_not_exist_is_named() -> None:
    with pytest.raises(SystemExit, match="there is no 'captions-7:en-de'"):
        defaults.run(cell=("captions-7:en-de",))
