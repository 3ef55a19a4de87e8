"""`polyhead evaluate`."""

import json
import shutil

import pytest


@pytest.fixture
def files(toy):
    sources = toy.source(12, seed=3)
    texts = {
        "source": sources,
        "reference": [toy.target(line) for line in sources],
        "worse": [toy.target(line).split(" ")[0] for line in sources],
    }
    for name, lines in texts.items():
        (toy.directory / name).write_text("".join(f"{line}\n" for line in lines))
    return {name: toy.directory / name for name in texts}


def test_a_model_is_scored_on_what_it_translates(polyhead, toy_model, files):
    arguments = ["evaluate", toy_model, "--source", files["source"], "--reference", files["reference"]]
    answer = polyhead(*arguments)
    assert answer.status == 0
    assert answer.out.startswith("12 sentences\nBLEU")
    assert "version:" in answer.out, "figures carry their signature"
    scores = json.loads(polyhead(*arguments, "--json", "--beam", 1).out)["scores"]
    assert set(scores) == {"bleu", "chrf", "ter"}


def test_the_models_own_tokenizer_for_scores_is_used_unless_another_is_named(polyhead, toy_model, files, tmp_path):
    model = tmp_path / "model"
    shutil.copytree(toy_model, model)
    config = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps({**config, "score_tokenize": "char"}))
    polyhead("verify", model, "--accept")
    arguments = ["evaluate", model, "--source", files["source"], "--reference", files["reference"]]
    assert "tok:char" in polyhead(*arguments).out
    assert "tok:none" in polyhead(*arguments, "--tokenize", "none").out


def test_the_references_name_tells_the_language(polyhead, files):
    korean = files["reference"].with_suffix(".ko")
    shutil.copy(files["reference"], korean)
    assert "tok:13a" not in polyhead("evaluate", "--hypothesis", files["worse"], "--reference", korean).out
    assert "tok:13a" in polyhead("evaluate", "--hypothesis", files["worse"], "--reference", korean, "--to", "de").out
    assert "tok:13a" in polyhead("evaluate", "--hypothesis", files["worse"], "--reference", files["reference"]).out


def test_an_output_is_scored_against_a_baseline_and_by_length(polyhead, files):
    reference = ["--reference", files["reference"]]
    right = polyhead("evaluate", "--hypothesis", files["reference"], *reference, "--json")
    assert json.loads(right.out)["scores"]["chrf"]["value"] == pytest.approx(100)
    more = [
        "--baseline",
        files["worse"],
        "--by-length",
        "--source",
        files["source"],
        "--to",
        "ko",
        "--tokenize",
        "none",
    ]
    answer = polyhead("evaluate", "--hypothesis", files["reference"], *reference, *more, "--json")
    result = json.loads(answer.out)
    assert result["by_length"]["buckets"]
    assert result["comparison"]
    text = polyhead("evaluate", "--hypothesis", files["reference"], *reference, *more).out
    assert "baseline" in text
    assert "source words" in text


def test_what_is_missing_is_said(polyhead, toy_model, files):
    reference = ["--reference", files["reference"]]
    for arguments, said in (
        ([toy_model], "--source"),
        ([toy_model, "--hypothesis", files["worse"]], "either a model"),
        (["--hypothesis", files["worse"], "--by-length"], "--source"),
        ([toy_model, "--source", files["source"], "--beam", "0"], "Must be >= 1"),
    ):
        answer = polyhead("evaluate", *arguments, *reference)
        assert (answer.status, answer.out) == (2, "")
        assert said in answer.err
    files["worse"].write_text("one\n")
    answer = polyhead("evaluate", "--hypothesis", files["worse"], *reference)
    assert (answer.status, answer.out) == (1, "")


def test_a_tagged_model_needs_the_language(polyhead, tagged_model, files):
    arguments = ["evaluate", tagged_model, "--source", files["source"], "--reference", files["reference"]]
    assert "name one of xb, xc" in polyhead(*arguments).err
    assert polyhead(*arguments, "--to", "xb").status == 0
