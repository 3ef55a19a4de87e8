"""`polyhead distill` from the command line."""

import json

import tomli_w


def test_a_recipe_keys_and_options(polyhead, toy, toy_model):
    file = toy.directory / "recipe.toml"
    file.write_text(tomli_w.dumps(toy.values("unused", training__max_updates=2)))
    out = toy.directory / "student"
    command = ["distill", toy_model, file, "--model.d_model", "8", "--beam=3", "--select", "bleu", "--out", out]
    answer = polyhead(*command)
    assert (answer.status, answer.out) == (0, "")
    assert json.loads((out / "config.json").read_text())["model"]["d_model"] == 8
    record = json.loads((out / "distilled" / "record.json").read_text(encoding="utf-8"))
    assert record["identity"]["settings"] == {"beam_size": 3, "select": "bleu", "keep_original": False}
    again = polyhead(*command, "--resume")
    assert again.status == 0
    assert "this run is finished" in again.err


def test_two_files_and_no_recipe(polyhead, toy, toy_model):
    reader = toy.write("corpus", 60)
    answer = polyhead(
        "distill", toy_model, "--training.max_updates=2", "--model.preset=tiny", "--source", reader["source"],
        "--target", reader["target"], "--out", toy.directory / "student",
    )  # fmt: skip
    assert answer.status == 0
    assert (toy.directory / "student" / "distilled" / "dev.source").exists()


def test_wrong_usage(polyhead, toy, toy_model):
    assert polyhead("distill").status == 2
    answer = polyhead("distill", toy_model)
    assert answer.status == 2
    assert "nothing to train on" in answer.err
    answer = polyhead("distill", toy_model, "--source", "a", "--target", "b", "--select", "worst")
    assert answer.status == 2
    assert polyhead("distill", toy.directory, "--source", "no", "--target", "no").status == 1
