"""`polyhead shortlist` and `polyhead translate --shortlist` from the command line."""

import shutil

import pytest


@pytest.fixture
def model(toy_model, tmp_path):
    return shutil.copytree(toy_model, tmp_path / "model")


def test_make_one_and_translate_with_it(polyhead, model):
    refused = polyhead("translate", model, "--shortlist", stdin="bado\n")
    assert (refused.status, refused.out) == (1, "")
    assert f"make one with `polyhead shortlist {model}`" in refused.err
    made = polyhead("shortlist", model)
    assert (made.status, made.err) == (0, "")
    assert "shortlist.safetensors: from 150 sentence pairs; a sentence's list has" in made.out
    plain = polyhead("translate", model, stdin="bado kilu\n\nmera\n")
    assert "shortlist" not in plain.err, "it is never used unless asked for"
    short = polyhead("translate", model, "--shortlist", stdin="bado kilu\n\nmera\n")
    assert (short.status, len(short.lines)) == (0, 3)
    assert short.err == f"{plain.err.strip()}, shortlist\n"
    for options in (["--n-best", "2"], ["--sample"], ["--align"], ["--json"], ["--ensemble", model]):
        assert polyhead("translate", model, "--shortlist", *options, stdin="bado kilu\n").status == 0


def test_text_of_ones_own(polyhead, model, toy):
    files = toy.write("other", 30)
    made = polyhead(
        *("shortlist", model, "--source", files["source"], "--target", files["target"]),
        "--best",
        "2",
        "--frequent",
        "5",
    )
    assert made.status == 0
    assert "from 30 sentence pairs" in made.out


def test_wrong_usage(polyhead, model, toy):
    files = toy.write("other", 30)
    alone = polyhead("shortlist", model, "--source", files["source"])
    assert (alone.status, "they go in pairs" in alone.err) == (2, True)
    languages = polyhead("shortlist", model, "--to", "xb")
    assert (languages.status, "each has one" in languages.err) == (2, True)
    assert polyhead("shortlist", model, "--best", "-1").status == 2
    assert polyhead("shortlist", toy.directory / "absent").status == 1
