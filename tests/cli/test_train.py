"""`polyhead train` from the command line."""

import json
import re
import tomllib

import pytest
import tomli_w

from polyhead.manifest import write_listed_text
from polyhead.recipe.keys import tables

SHORT = [
    "--training.max_updates",
    "3",
    "--training.log_every=1",
    "--training.validate-every=2",
    "--data.batching.max_tokens",
    "300",
]
TINY = ["--model.encoder_layers", "1", "--model.decoder-layers=1", "--model.d_model", "16", "--model.num_heads=2"]


@pytest.fixture
def files(toy):
    reader = toy.write("train", 60)
    return ["--source", reader["source"], "--target", reader["target"]]


def record(directory):
    return tomllib.loads((directory / "training" / "recipe.toml").read_text(encoding="utf-8"))


def test_two_files_are_enough(polyhead, toy, files):
    answer = polyhead("train", *SHORT, *TINY, *files, "--out", toy.directory / "my model")
    assert answer.status == 0
    assert answer.out == "", "progress is no result"
    for said in ("pairs kept", "chosen: model.dropout = 0.1", "tokens/s", "dev_bleu", "the model is in"):
        assert said in answer.err
    recipe = record(toy.directory / "my model")
    assert recipe["training"]["max_updates"] == 3
    assert recipe["training"]["validate_every"] == 2
    assert recipe["model"]["d_model"] == 16
    answer = polyhead("translate", toy.directory / "my model", stdin="bado\n\nkilu\n")
    assert (answer.status, len(answer.lines)) == (0, 3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bpe", "unigram", "char", "word"])
@pytest.mark.parametrize("number", [1, 2, 3, 5, 20, 100])
def test_a_corpus_of_any_size_leaves_a_model(polyhead, toy, number, kind):
    reader = toy.write("few", number)
    files = ["--source", reader["source"], "--target", reader["target"], "--out", toy.directory / "model"]
    answer = polyhead("train", *SHORT, *TINY, f"--tokenizer.kind={kind}", *files)
    assert answer.status == 0, answer.err
    assert "this corpus is very small" in answer.err
    assert ("validation is on the training pairs themselves" in answer.err) == (number == 1)
    assert set(json.loads((toy.directory / "model" / "training" / "scores.json").read_text())["dev"]) == {
        "bleu",
        "chrf",
        "ter",
    }
    answer = polyhead("translate", toy.directory / "model", stdin="bado kilu\n")
    assert (answer.status, len(answer.lines)) == (0, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("source", "target"), [("a", "b"), ("Yes.", "네."), ("a\na\na", "x\ny\nz")])
def test_a_single_source_sentence_leaves_a_model_by_the_bare_command(polyhead, toy, source, target):
    paths = [toy.directory / f"one.{side}" for side in ("source", "target")]
    for path, text in zip(paths, (source, target), strict=True):
        path.write_text(f"{text}\n", encoding="utf-8")
    model = toy.directory / "model"
    assert polyhead("train", "--source", paths[0], "--target", paths[1], "--out", model, *SHORT).status == 0
    answer = polyhead("translate", model, stdin="a\n")
    assert (answer.status, len(answer.lines)) == (0, 1)


def test_keys_win_over_the_file_and_options_over_both(polyhead, toy):
    file = toy.directory / "recipe.toml"
    file.write_text(tomli_w.dumps(toy.values("unused", seed=7)))
    dev = toy.write("other", 6, seed=9)
    answer = polyhead(
        "train", file, *SHORT, "--seed=3", "--out", toy.directory / "used",
        "--dev-source", dev["source"], "--dev-target", dev["target"],
    )  # fmt: skip
    assert answer.status == 0
    recipe = record(toy.directory / "used")
    assert recipe["seed"] == 3
    assert recipe["training"]["max_updates"] == 3
    assert recipe["data"]["dev"][0]["source"] == dev["source"]


def test_corpora_with_weights(polyhead, toy):
    first, second = toy.write("first", 60), toy.write("second", 30, seed=5)
    files = [
        part for reader in (first, second) for side in ("source", "target") for part in (f"--{side}", reader[side])
    ]
    out = toy.directory / "model"
    assert polyhead("train", *SHORT, *TINY, *files, "--weight", "0.5", "--weight=2", "--out", out).status == 0
    assert [reader["weight"] for reader in record(out)["data"]["train"]] == [0.5, 2]
    assert "this run is finished" in polyhead("train", "--out", out, "--resume").err
    other = polyhead("train", *SHORT, *TINY, *files, "--weight", "1", "--weight=2", "--out", out, "--resume")
    assert other.status == 1
    assert "was begun with another recipe" in other.err


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (["2"], "--source names 2 files and --weight 1 weight; give a weight for each corpus, or none"),
        (["2", "1", "1"], "--source names 2 files and --weight 3 weights"),
        (["1", "0"], "weight"),
        (["1", "-1"], "weight"),
        (["1", "inf"], "weight"),
        (["1", "nan"], "weight"),
        (["1", "much"], "weight"),
    ],
)
def test_wrong_weights(polyhead, toy, weights, said):
    reader = toy.write("train", 10)
    files = [f"--{side}={reader[side]}" for side in ("source", "target")] * 2
    options = [f"--weight={weight}" for weight in weights]
    answer = polyhead("train", *files, *options, "--out", toy.directory / "model")
    assert answer.status == 2
    assert said in answer.err.splitlines()[0]
    assert not (toy.directory / "model").exists()


def test_both_directions(polyhead, toy):
    reader = toy.write_named("train", 60)
    out = toy.directory / "model"
    files = ["--source", reader["source"], "--target", reader["target"]]
    assert polyhead("train", *SHORT, *TINY, *files, "--both-directions", "--out", out).status == 0
    assert record(out)["data"]["both_directions"] is True
    for language in ("en", "ko"):
        assert polyhead("translate", out, "--to", language, stdin="bado\n").status == 0
    assert "this run is finished" in polyhead("train", "--out", out, "--resume").err
    unnamed = toy.write("unnamed", 30)
    files = ["--source", unnamed["source"], "--target", unnamed["target"]]
    answer = polyhead("train", *SHORT, *files, "--both-directions", "--out", toy.directory / "other")
    assert answer.status == 1
    assert "say which with --data.source_language en --data.target_language de" in answer.err


def test_resume_needs_only_the_directory(polyhead, toy, files):
    out = toy.directory / "model"
    assert polyhead("train", *SHORT, *TINY, *files, "--out", out).status == 0
    again = polyhead("train", "--out", out, "--resume")
    assert again.status == 0
    assert "this run is finished" in again.err
    longer = polyhead("train", "--out", out, "--resume", "--training.max_updates=5")
    assert longer.status == 0
    assert "resuming after update 3" in longer.err
    updates = [json.loads(line)["update"] for line in (out / "training" / "metrics.jsonl").read_text().splitlines()]
    assert max(updates) == 5


def test_an_existing_model_is_not_overwritten(polyhead, toy, files):
    out = toy.directory / "model"
    assert polyhead("train", *SHORT, *TINY, *files, "--out", out).status == 0
    answer = polyhead("train", *SHORT, *TINY, *files, "--out", out)
    assert answer.status == 1
    assert "go on with --resume, or choose another --out" in answer.err


def test_resuming_nothing(polyhead, toy, files):
    answer = polyhead("train", *files, "--out", toy.directory / "nothing", "--resume")
    assert answer.status == 1
    assert "there is no training run to resume" in answer.err


def test_a_precision_that_is_there_no_longer_is_refused_with_those_that_are(polyhead, toy, files):
    answer = polyhead("train", *files, "--out", toy.directory / "model", "--training.precision", "int16")
    assert answer.status == 1
    assert "training.precision = 'int16': Input should be 'auto', 'float32', 'bfloat16' or 'int8'" in answer.err
    assert len(answer.err.splitlines()) == 1


def test_a_run_with_such_a_precision_is_not_gone_on_with(polyhead, toy, files):
    out = toy.directory / "model"
    assert polyhead("train", *SHORT, *TINY, *files, "--out", out).status == 0
    path = out / "training" / "recipe.toml"
    write_listed_text(path, path.read_text(encoding="utf-8").replace('precision = "auto"', 'precision = "int16"'))
    for more in ((), ("--training.precision", "float32")):
        answer = polyhead("train", "--out", out, "--resume", *more)
        assert answer.status == 1
        assert "was begun with a recipe that this version of polyhead refuses, so it cannot be resumed" in answer.err
        assert len(answer.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("out = ", "not valid TOML"),
        ("nonsense", "not valid TOML"),
        ("[data]\ntrian = []", "did you mean 'train'"),
        ("[model]\nd_modle = 3", "model.d_modle: there is no such key; did you mean 'd_model'"),
        ("[model]\npreset = 'huge'", "model.preset"),
        ("[model]\nd_model = 'wide'", "model.d_model = 'wide'"),
        ("[model]\nkind = 'perceptron'", "perceptron"),
        ("model = 3", "model = 3"),
        ("data = 3", "data = 3"),
        ("training = []", "training = a list"),
        ("training.metric = 'bleu'", "dev_bleu"),
        ("seed = 'x'", "seed = 'x'"),
        ("data.train = 'train.en'", "data.train = 'train.en'"),
        ("data.train = [{ kind = 'lines', source = 'a' }]", "data.train.0.target: this key is needed"),
        ("data.train = [{ kind = 'csv', source = 'a' }]", "csv"),
        ("data.train = []", "data.train"),
        ("training.max_updates = 0", "training.max_updates = 0"),
        ("model.dropout = 1.5", "model.dropout = 1.5"),
        ("", "data"),
    ],
)  # fmt: skip
def test_wrong_recipes(polyhead, toy, text, said):
    file = toy.directory / "recipe.toml"
    file.write_text(text, encoding="utf-8")
    answer = polyhead("train", file)
    assert answer.status == 1
    assert answer.out == ""
    assert said in answer.err


def test_recipes_that_cannot_be_read(polyhead, toy):
    binary = toy.directory / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for file, said in ((toy.directory / "no.toml", "no such recipe"), (toy.directory, "directory"), (binary, "UTF-8")):
        answer = polyhead("train", file)
        assert answer.status == 1
        assert said in answer.err


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        (b"a\nb\nc\n", b"x\ny\n", ".source has 3 lines and"),
        (b"a\nb\xff\nc\n", b"x\ny\nz\n", ".source:2: invalid UTF-8"),
        (b"", b"x\n", "the file is empty"),
        (None, b"x\n", "there is no such file"),
        (b"\n\n\n", b"x\ny\nz\n", "nothing is left to train on"),
        (b"\x1f\x8b\x00", b"x\n", "UTF-8"),
    ],
)
def test_wrong_corpora(polyhead, toy, source, target, said):
    paths = [toy.directory / f"corpus.{side}" for side in ("source", "target")]
    for path, data in zip(paths, (source, target), strict=True):
        if data is not None:
            path.write_bytes(data)
    answer = polyhead("train", "--source", paths[0], "--target", paths[1], "--out", toy.directory / "model")
    assert answer.status == 1
    assert said in answer.err
    assert not (toy.directory / "model").exists()


def test_out_must_be_writable(polyhead, toy, files):
    occupied = toy.directory / "file"
    occupied.write_text("mine")
    for out in (occupied, occupied / "model"):
        answer = polyhead("train", *SHORT, *TINY, *files, "--out", out)
        assert answer.status == 1
        assert str(occupied) in answer.err
    assert occupied.read_text() == "mine"


def test_an_exploding_loss_is_one_sentence(polyhead, toy, files):
    out = toy.directory / "model"
    keys = ["--training.schedule.kind=constant", "--training.schedule.warmup=1", "--training.max_updates=400"]
    answer = polyhead(
        "train", *keys, "--training.schedule.learning_rate=1e6", "--training.validate_every=1",
        "--training.optimizer.clip_norm=0", *TINY, *files, "--data.batching.max_tokens=300", "--out", out,
    )  # fmt: skip
    assert answer.status == 1
    assert answer.err.splitlines()[-1].startswith("polyhead: training stopped at update")


def test_help_lists_keys_that_there_are_and_says_where_all_are(polyhead):
    said = " ".join(polyhead("train", "--help").out.replace("│", " ").split())
    assert "`polyhead train --keys` lists all" in said
    named = set(re.findall(r"--((?:model|tokenizer|training|data|decoding)[.][a-z_.]*[a-z])", said))
    assert len(named) >= 8
    assert named <= {key.name for table in tables() for key in table.keys}
