"""Files of sentence pairs on the command line."""

import json
import tomllib

import pytest

from tests.cli.test_train import SHORT, TINY
from tests.corpora.reading import tmx
from tests.corpora.test_subtitles import srt


@pytest.fixture
def memory(toy):
    path = toy.directory / "memory.tmx"
    texts = [{"en": each, "ko": toy.target(each), "fr": "x"} for each in toy.source(60)]
    del texts[3]["ko"]
    path.write_text(tmx(texts), encoding="utf-8")
    return path


@pytest.fixture
def table(toy):
    path = toy.directory / "table.csv"
    rows = [f"{number},{each},{toy.target(each)}\n" for number, each in enumerate(toy.source(30, seed=4))]
    path.write_text("no,English,Korean\n" + "".join(rows) + "30,alone,\n", encoding="utf-8")
    return path


LANGUAGES = ["--source-language", "en", "--target-language", "ko"]


def test_training_from_pairs_and_lines_together(polyhead, toy, memory, table):
    lines = toy.write("more", 20, seed=9)
    out = toy.directory / "model"
    answer = polyhead(
        "train", *SHORT, *TINY, "--source", lines["source"], "--target", lines["target"], "--pairs", memory,
        "--weight", "1", "--weight=2", "--dev-pairs", table, "--columns", "English, Korean", *LANGUAGES, "--out", out,
    )  # fmt: skip
    assert answer.status == 0, answer.err
    assert "pairs read        80\n  no translation   1  first at" in answer.err
    assert "1 of the pairs to validate on has no finished translation (first: " in answer.err
    recipe = tomllib.loads((out / "training" / "recipe.toml").read_text(encoding="utf-8"))["data"]
    assert [(each["kind"], each["weight"]) for each in recipe["train"]] == [("lines", 1), ("pairs", 2)]
    assert recipe["train"][1]["path"] == str(memory)
    assert recipe["dev"][0]["columns"] == ["English", "Korean"]
    assert (recipe["source_language"], recipe["target_language"]) == ("en", "ko")
    assert "this run is finished" in polyhead("train", "--out", out, "--resume").err


def test_two_files_of_subtitles_go_by_their_times(polyhead, toy):
    cues = [(2 * number, 2 * number + 1, each) for number, each in enumerate(toy.source(40))]
    for code, shift in (("en", 0), ("ko", 0.2)):
        text = srt([(start + shift, end + shift, toy.target(each)) for start, end, each in cues])
        (toy.directory / f"film.{code}.srt").write_text(text, encoding="utf-8")
    files = [f"--{side}={toy.directory / f'film.{code}.srt'}" for side, code in (("source", "en"), ("target", "ko"))]
    answer = polyhead("check", *files)
    assert answer.status == 0, answer.err
    assert "languages: English to Korean, from the file names" in answer.out
    assert "pairs kept  40" in answer.out


def test_check_shows_what_is_left_out(polyhead, memory):
    answer = polyhead("check", "--pairs", memory, *LANGUAGES)
    assert answer.status == 0, answer.err
    assert "pairs read        60\n  no translation   1  first at" in answer.out
    assert "memory.tmx:9 (unit 4)" in answer.out
    found = json.loads(polyhead("check", "--pairs", memory, *LANGUAGES, "--json").out)
    assert found["cleaning"]["dropped"][0]["reason"] == "no translation"
    assert "there are texts in en, ko, fr" in polyhead("check", "--pairs", memory).err


def test_check_says_what_training_chooses_for_tables(polyhead, table):
    answer = polyhead("check", "--pairs", table, "--columns", "English,Korean")
    assert answer.status == 0, answer.err
    assert "pairs kept        30" in answer.out
    assert "two must be meant; name them with --columns" in polyhead("check", "--pairs", table).err


@pytest.mark.parametrize("command", ["check", "train"])
def test_a_memory_where_lines_are_expected(polyhead, memory, command):
    answer = polyhead(command, "--source", memory, "--target", memory)
    assert answer.status == 1
    assert "this is a TMX file, where a sentence a line is expected; `polyhead train` and" in answer.err
    assert "read it with --pairs" in answer.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--columns", "en"], "--columns en must be two names"),
        (["--columns", "a,b,c"], "--columns a,b,c must be two names"),
        (["--weight", "1", "--weight", "2"], "--pairs names 1 file and --weight 2 weights"),
    ],
)
def test_options_that_do_not_go_together(polyhead, memory, options, said):
    answer = polyhead("train", "--pairs", memory, *options)
    assert answer.status == 2
    assert said in answer.err


def test_columns_need_a_table(polyhead, toy):
    lines = toy.write("train", 10)
    answer = polyhead("check", "--source", lines["source"], "--target", lines["target"], "--columns", "en,ko")
    assert answer.status == 2
    assert "--columns is for the files of --pairs" in answer.err


def test_nothing_to_look_at(polyhead):
    answer = polyhead("check")
    assert answer.status == 2
    assert "give --source and --target, or --pairs" in answer.err


@pytest.mark.slow
def test_distilling_from_pairs(polyhead, toy, toy_model):
    path = toy.directory / "memory.tmx"
    path.write_text(tmx([{"xa": each, "xb": toy.target(each)} for each in toy.source(40)]), encoding="utf-8")
    answer = polyhead(
        "distill", toy_model, *SHORT, *TINY, "--pairs", path, "--source-language", "xa", "--target-language", "xb",
        "--out", toy.directory / "student",
    )  # fmt: skip
    assert answer.status == 0, answer.err
