"""`polyhead train --keys`."""

import subprocess
import sys

import pytest

from polyhead.recipe.keys import tables


@pytest.fixture
def files(toy):
    reader = toy.write("train", 60)
    return ["--source", reader["source"], "--target", reader["target"]]


def about(answer, key, after=""):
    """What is said of a key: its line, and the lines below it, behind the line `after`."""
    lines = answer.lines[answer.lines.index(after) :] if after else answer.lines
    found = [number for number, line in enumerate(lines) if line.startswith((f"  {key} =", f"  {key} ("))]
    said = [lines[found[0]].strip()]
    for line in lines[found[0] + 1 :]:
        if not line.startswith("      "):
            break
        said.append(line.strip())
    return said


def test_every_key_with_its_default_and_meaning(polyhead):
    answer = polyhead("train", "--keys")
    assert (answer.status, answer.err) == (0, "")
    for table in tables():
        for key in table.keys:
            assert about(answer, key.name)
    assert about(answer, "seed")[0].startswith("seed = 1 (integer ≥ 0 and ≤ ")
    assert about(answer, "seed")[1] == "Decides initial weights, dropout, the order of batches and subword"
    assert about(answer, "data.train")[0] == "data.train (list of readers, one at least; must be given)"
    assert about(answer, "data.source_language")[0] == "data.source_language (text; unset)"
    assert about(answer, "training.max_updates")[1] == "chosen for corpus and machine where it is not given"


def test_two_files_are_chosen_for_and_given_keys_are_named(polyhead, toy, files):
    out = toy.directory / "model"
    answer = polyhead("train", *files, "--keys", "--model.dropout", "0.25", "--out", out)
    assert answer.status == 0
    assert about(answer, "model.dropout", '[model], kind "transformer"')[1] == "given: 0.25"
    assert about(answer, "model.preset")[1].startswith('chosen: "tiny" (')
    assert about(answer, "model.d_model")[1] == 'chosen: 128 (model.preset = "tiny")'
    assert about(answer, "training.max_updates")[1].startswith("chosen: ")
    assert about(answer, "tokenizer.vocabulary_size")[1].startswith("chosen: ")
    assert "chosen for corpus and machine" not in answer.out
    assert "pairs kept" in answer.err
    assert not out.exists(), "nothing is trained"


def test_decisions_are_told_of_the_kind_of_model_in_force(polyhead, files):
    answer = polyhead("train", *files, "--keys", "--model.kind=rnn", "--model.dropout=0.25")
    titles = [f'[model], kind "{kind}"' for kind in ("transformer", "rnn", "rnn-attention")]
    told = ["given: 0.25" in about(answer, "model.dropout", title) for title in titles]
    assert told == [False, True, False]


def test_a_recipe_that_names_no_text_shows_what_it_gives(polyhead, toy):
    file = toy.directory / "recipe.toml"
    file.write_text("[training]\npatience = 3\n")
    answer = polyhead("train", file, "--keys")
    assert answer.status == 0
    assert "given: 3" in about(answer, "training.patience")


def test_the_record_of_a_run_that_was_begun_is_what_is_given(polyhead, toy, files):
    out = toy.directory / "model"
    keys = ["--training.max_updates=2", "--data.batching.max_tokens=300", "--model.encoder_layers=1"]
    assert polyhead("train", *files, *keys, "--out", out).status == 0
    answer = polyhead("train", "--out", out, "--resume", "--keys")
    assert answer.status == 0
    assert "given: 2" in about(answer, "training.max_updates")


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["--modl.dropout=1"], 2, "unknown option --modl: did you mean 'model'?"),
        (["no.toml"], 1, "no.toml: there is no such recipe"),
        (["--source", "no", "--target", "no"], 1, "no: there is no such file"),
        (["--source", "no"], 2, "they go in pairs"),
        (["--kyes"], 2, "--kyes needs a value"),
        (["--kyes=1"], 2, "did you mean 'keys'?"),
    ],
)
def test_mistakes_are_those_of_training(polyhead, arguments, status, said):
    answers = [polyhead("train", *arguments, *more) for more in (["--keys"], [])]
    assert [answer.status for answer in answers] == [status, status]
    assert answers[0].err.splitlines()[-1] == answers[1].err.splitlines()[-1]
    assert all(said in answer.err and answer.out == "" for answer in answers)


def test_a_wrong_key_is_told_without_a_corpus_too(polyhead):
    answer = polyhead("train", "--keys", "--model.droput=1")
    assert (answer.status, answer.out) == (1, "")
    assert "model.droput: there is no such key; did you mean 'dropout'?" in answer.err


def test_paths_are_shown_as_they_are(polyhead):
    answer = polyhead("train", "--keys", "--out", "my  model, 번역")
    assert answer.status == 0
    assert about(answer, "out")[1] == 'given: "my  model, 번역"'


def test_who_reads_only_the_beginning_hears_no_complaint():
    command = f"{sys.executable} -m polyhead train --keys | head -1"
    result = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("At the top\n", "")


def test_the_terminal_says_how_wide(polyhead, monkeypatch):
    longest = []
    for columns in ("60", "80", "1000"):
        monkeypatch.setenv("COLUMNS", columns)
        longest.append(max(map(len, polyhead("train", "--keys", "--model.preset=tiny").lines)))
    assert longest[0] <= 60 < longest[1] <= 80 < longest[2] <= 100
