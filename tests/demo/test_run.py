"""The demonstration end to end, on a corpus small enough for a test."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from polyhead.corpora.text_lines import read_text_lines
from polyhead.demo.grammar import DemoCorpus, Example, generate
from polyhead.demo.run import DemoReport, recipe_values, run_demo, write_corpus
from polyhead.demo.texts import TextScores
from polyhead.recipe.load import make_recipe, parse_keys

QUICK = (
    "--training.max_updates 2 --training.validate_every 2 --model.d_model 16 --model.d_ff 16 "
    "--tokenizer.vocabulary_size 500 --decoding.max_length 12"
)


@pytest.fixture(scope="module")
def corpus() -> DemoCorpus:
    small = generate(1, train_size=300, dev_size=10, test_size=15)
    return replace(small, coreference=small.coreference[:6])


def test_the_files_hold_the_corpus_line_by_line(corpus: DemoCorpus, tmp_path: Path) -> None:
    write_corpus(corpus, tmp_path)
    for split in ("train", "dev", "test"):
        for language in ("fr", "ko"):
            sources, targets = (
                list(read_text_lines(tmp_path / f"{split}.en-{language}.{side}")) for side in ("en", language)
            )
            wanted = [(e.source, e.target) for e in getattr(corpus, split) if e.language == language]
            assert list(zip(sources, targets, strict=True)) == wanted


def test_keys_win_over_the_recipe(tmp_path: Path) -> None:
    values = recipe_values(tmp_path, tmp_path, 3, parse_keys(["--model.d_model", "64", "--training.max_updates=7"]))
    recipe = make_recipe(values)
    assert recipe.seed == 3
    assert recipe.model.d_model == 64
    assert recipe.training.max_updates == 7


@pytest.mark.filterwarnings("ignore:no installed font")
def test_trains_judges_draws_and_does_it_again(corpus: DemoCorpus, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    report = run_demo(out, corpus, 1, parse_keys(QUICK.split()))
    assert report is not None
    assert set(report.bleu) == {"fr", "ko"}
    assert 0 <= report.pronouns <= 1
    assert [example for example, _ in report.lecture] == list(corpus.lecture)
    pictures = {path.name for path in (out / "pictures").iterdir()}
    wanted = {"cross-attention.fr.png", "cross-attention.ko.png", "positional-encoding.png", "training.png"}
    assert pictures == wanted
    weights = (out / "model.safetensors").read_bytes()
    again = run_demo(out, corpus, 1, parse_keys(QUICK.split()))
    assert again is not None
    assert again.bleu == report.bleu
    assert (out / "model.safetensors").read_bytes() == weights
    assert json.loads((out / "report.json").read_text(encoding="utf-8"))["bleu"] == report.bleu


def test_the_report_says_what_is_wrong() -> None:
    right, wrong = Example("I am", "je suis", "fr"), Example("I was", "j'étais", "fr")
    texts = TextScores({"fr": 49.0, "ko": 48.0}, {"fr": 47.0}, 0.995)
    report = DemoReport({"fr": 50.0}, {"fr": "tok:13a"}, 0.5, texts, ((right, "je suis"), (wrong, "je suis")), 61.0)
    assert report.lecture_right == 1
    assert "1 of 2 right" in str(report)
    assert "✗ expected: j'étais" in str(report)
