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


def test_files_of_different_lengths_are_named_in_the_singular_too(polyhead, toy_model, files, tmp_path):
    one = tmp_path / "one"
    one.write_text("a\n")
    reference = ["--reference", files["reference"]]
    other = polyhead("evaluate", "--hypothesis", files["worse"], *reference, "--reference", one)
    assert (other.status, other.out) == (1, "")
    assert f"{files['worse']} has 12 lines and {one} has 1 line: they must be aligned" in other.err
    baseline = polyhead("evaluate", "--hypothesis", files["worse"], *reference, "--baseline", one)
    assert f"{files['worse']} has 12 lines and {one} has 1 line" in baseline.err
    source = polyhead("evaluate", toy_model, "--source", one, *reference)
    assert f"{files['reference']} has 12 lines and {one} has 1 line" in source.err


def test_blank_lines_are_pointed_out_file_by_file(polyhead, files, tmp_path):
    hypothesis, reference = tmp_path / "one", tmp_path / "other"
    hypothesis.write_text("a b\n\nc\n")
    reference.write_text("\n \nc\n")
    answer = polyhead("evaluate", "--hypothesis", hypothesis, "--reference", reference, "--json")
    assert json.loads(answer.out)["sentences"] == 3
    assert answer.err.splitlines() == [
        f"polyhead: 1 line of {hypothesis} is blank: line 2; the scores are with them, as sacreBLEU counts them",
        f"polyhead: 2 lines of {reference} are blank, first line 1; the scores are with them, as sacreBLEU counts them",
    ]
    assert polyhead("evaluate", "--hypothesis", files["worse"], "--reference", files["reference"]).err == ""


def test_a_second_file_after_an_option_is_not_taken_for_something_else_without_a_word(polyhead, files):
    two = [files["reference"], files["worse"]]
    for arguments in (
        ["evaluate", "--hypothesis", files["worse"], "--reference", *two],
        ["train", "--source", *two, "--target", *two],
    ):
        answer = polyhead(*arguments)
        assert (answer.status, answer.out) == (2, "")
        assert "A --" in answer.err
    shortlist = polyhead("shortlist", files["source"], "--source", *two, "--target", *two)
    assert (shortlist.status, shortlist.out) == (2, "")
    assert "is given once for each, as in --source A --source B" in shortlist.err
