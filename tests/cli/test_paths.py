"""An empty path is the current directory to pathlib, and never what somebody means."""

import pytest

TEXT = ["--source", "text", "--target", "text"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", *TEXT, "--out", ""],
        ["train", *TEXT, "--out="],
        ["train", "--source", "", "--target", "text"],
        ["distill", "MODEL", *TEXT, "--out", ""],
        ["distill", "", *TEXT, "--out", "student"],
        ["demo", "--out", ""],
        ["export", "MODEL", "", "--to", "huggingface"],
        ["look", "MODEL", "bado", "--html", ""],
        ["look", "MODEL", "bado", "--png", ""],
        ["shortlist", ""],
        ["translate", ""],
        ["translate", "MODEL", ""],
        ["serve", ""],
        ["info", ""],
        ["check", "--source", "", "--target", "text"],
    ],
    ids=" ".join,
)
def test_it_is_refused_and_nothing_is_written(polyhead, tmp_path, monkeypatch, toy_model, arguments):
    monkeypatch.chdir(tmp_path)
    answer = polyhead(*[str(toy_model) if word == "MODEL" else word for word in arguments])
    assert answer.status == 2
    assert "empty" in answer.err or "into Path" in answer.err
    assert list(tmp_path.iterdir()) == []


def test_in_a_recipe_too(polyhead, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipe.toml").write_text(
        'out = ""\n[[data.train]]\nkind = "lines"\nsource = "text"\ntarget = "text"\n[model]\n'
    )
    answer = polyhead("train", "recipe.toml")
    assert (answer.status, answer.err) == (1, "polyhead: out = '': an empty path names no directory\n")
    assert [each.name for each in tmp_path.iterdir()] == ["recipe.toml"]


def test_the_current_directory_by_its_own_name_is_as_good_as_any(polyhead, toy, monkeypatch):
    values = toy.write("train", 60)
    (toy.directory / "here").mkdir()
    monkeypatch.chdir(toy.directory / "here")
    short = ["--training.max_updates", "2", "--training.validate_every", "2", "--model.preset", "tiny"]
    answer = polyhead("train", *short, "--source", values["source"], "--target", values["target"], "--out", ".")
    assert answer.status == 0, answer.err
    assert (toy.directory / "here" / "model.safetensors").exists()
