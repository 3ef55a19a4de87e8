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


def test_a_teacher_of_several_languages_is_told_which(polyhead, toy, toy_model, tagged_model):
    reader, dev = toy.write("corpus", 40), toy.write("validation", 8, seed=3)
    out = toy.directory / "student"
    command = ["distill", tagged_model, "--source", reader["source"], "--out", out, *SHORT]
    command += ["--dev-source", dev["source"], "--dev-target", dev["target"]]
    unnamed = polyhead(*command, "--target", reader["target"])
    assert (unnamed.status, out.exists() and any(out.iterdir())) == (1, False)
    assert f"{tagged_model} writes several languages; name one of xb, xc with --to" in unnamed.err
    other = polyhead(*command, "--to", "zz", "--target", reader["target"])
    assert f"{tagged_model} does not translate to 'zz'; name one of xb, xc with --to" in other.err
    single = polyhead("distill", toy_model, *command[2:], "--to", "zz", "--target", reader["target"])
    assert f"{toy_model} does not translate to 'zz'; name one of xb with --to" in single.err
    answer = polyhead(*command, "--to", "xc")
    assert answer.status == 0, answer.err
    assert sorted(path.name for path in (out / "distilled").iterdir()) == [
        "SHA256SUMS",
        "record.json",
        "train.xc.source",
        "train.xc.target",
    ], "nothing stays that is not needed"
    assert json.loads((out / "config.json").read_text())["target_languages"] == ["xc"]
    card = (out / "README.md").read_text(encoding="utf-8")
    assert f"- Teacher: `{tagged_model.name}`" in card
    assert str(toy.directory) not in card


def test_what_cannot_be_done_without_references_is_said(polyhead, toy, toy_model):
    reader = toy.write("corpus", 40)
    dev = ["--dev-source", reader["source"], "--dev-target", reader["target"]]
    for more in ([], [*dev, "--select", "bleu"], [*dev, "--keep-original"]):
        answer = polyhead("distill", toy_model, "--source", reader["source"], *more)
        assert (answer.status, "without --target there is nothing to" in answer.err) == (2, True)


SHORT = [
    "--training.max_updates=2",
    "--model.encoder_layers=1",
    "--model.decoder_layers=1",
    "--model.d_model=16",
    "--model.num_heads=2",
]
