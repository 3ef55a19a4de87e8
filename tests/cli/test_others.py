"""`polyhead check` and `info`."""

import json

from polyhead.recipe.plan import make_plan


def test_check(polyhead, toy):
    reader = toy.write("train", 60)
    answer = polyhead("check", "--source", reader["source"], "--target", reader["target"])
    assert answer.status == 0
    for said in ("pairs kept", "words a source line", "training would choose: model.dropout"):
        assert said in answer.out
    found = json.loads(polyhead("check", "--source", reader["source"], "--target", reader["target"], "--json").out)
    assert found["cleaning"]["kept"] == 60
    assert found["defaults"]["model.preset"] == "tiny"
    assert "no such file" in polyhead("check", "--source", "no", "--target", "no").err


def test_check_says_what_training_would_choose(polyhead, toy):
    """Of the pairs that are left when some are held out, as the bare command trains on them."""
    reader = toy.write("train", 300)
    options = ["--source", reader["source"], "--target", reader["target"]]
    found = json.loads(polyhead("check", *options, "--json").out)["defaults"]
    corpus = {"kind": "lines", "source": str(reader["source"]), "target": str(reader["target"])}
    plan = make_plan({"data": {"train": [corpus]}, "out": str(toy.directory / "model")})
    chosen = {choice.key: choice.value for choice in plan.choices}
    assert {key: value for key, value in found.items() if key not in ("threads", "training.workers")} == {
        key: value for key, value in chosen.items() if key not in ("threads", "training.workers")
    }
    assert plan.pairs.held_out


def test_check_measures_lines_in_characters_too(polyhead, tmp_path):
    """Japanese has no spaces between words."""
    (tmp_path / "train.ja").write_text("猫が水を飲む。\n犬。\n" * 20, encoding="utf-8")
    (tmp_path / "train.en").write_text("The cat drinks water.\nA dog.\n" * 20, encoding="utf-8")
    options = ["--source", tmp_path / "train.ja", "--target", tmp_path / "train.en"]
    said = polyhead("check", *options).out
    assert "words a source line: mean 1, median 1, 99 % 1, longest 1" in said
    assert "characters a source line: mean 4.5, median 4.5, 99 % 7, longest 7" in said
    found = json.loads(polyhead("check", *options, "--json").out)
    assert found["line_characters"]["target"]["longest"] == len("The cat drinks water.")
    assert found["words"]["target"]["longest"] == 4


def test_check_names_the_languages_of_the_files(polyhead, toy):
    files = [toy.directory / "train.en", toy.directory / "train.ko"]
    for path in files:
        path.write_text("bado kilu\nmera noti\n", encoding="utf-8")
    options = ["--source", files[0], "--target", files[1]]
    assert "languages: English to Korean, from the file names" in polyhead("check", *options).out
    found = json.loads(polyhead("check", *options, "--json").out)
    assert found["languages"] == {"source_language": "en", "target_language": "ko"}


def test_info(polyhead, toy_model, tagged_model):
    answer = polyhead("info", toy_model)
    assert answer.status == 0
    assert "xa → xb" in answer.out
    found = json.loads(polyhead("info", toy_model, "--json").out)
    assert found["model"]["d_model"] == 32
    assert found["parameters"] > 1000
    assert "xb, xc" in polyhead("info", tagged_model).out
