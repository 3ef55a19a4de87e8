"""Languages are taken from the names of files where they are certain, and what the recipe says wins."""

import json
from pathlib import Path

import pytest

from polyhead.corpora.file_names import language_of
from polyhead.errors import RecipeError
from polyhead.recipe.languages import languages_from_files
from polyhead.recipe.load import merge
from polyhead.recipe.schema import DataConfig
from polyhead.recipe.train import train


def reader(source, target, **more):
    return {"kind": "lines", "source": source, "target": target, **more}


def found(*train, **keys):
    return languages_from_files(DataConfig.model_validate({"train": train, **keys}))


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("train.en", "en"),
        ("train.en.gz", "en"),
        ("corpus.en-de.de", "de"),
        ("train.zh-Hans", "zh-Hans"),
        ("train.pt_BR.xz", "pt_BR"),
        ("train.lc.norm.tok.en", "en"),
        ("train.de.txt", "de"),
        ("a.b/train.ko.tok.zst", "ko"),
        ("train.txt", None),
        ("train.src", None),
        ("train.tok", None),
        ("train.bpe", None),
        ("train.tgt.gz", None),
        ("en", None),
        (".en", None),
        ("train.en.src", None),
    ],
)
def test_the_language_that_a_file_name_ends_in(name, code):
    assert language_of(Path(name)) == code


def test_both_languages_and_what_is_said():
    assert found(reader("train.en", "train.de")).data == {"source_language": "en", "target_language": "de"}
    assert found(reader("train.en", "train.de")).sentence == "languages: English to German, from the file names"


@pytest.mark.parametrize(
    "names",
    [
        ("train.en", "train.txt"),
        ("train.src", "train.tgt"),
        ("train.en", "other.en"),
        ("a.en-de", "b.en-de"),
        ("a.en-de", "a.de-en"),
        ("a", "b"),
    ],
)
def test_nothing_is_taken_unless_both_files_name_different_languages(names):
    assert (found(reader(*names)).data, found(reader(*names)).sentence) == ({}, "")


def test_what_the_recipe_says_wins():
    files = reader("train.en", "train.de")
    assert found(files, source_language="fr", target_language="ko").data == {}
    only_source = found(files, target_language="ko-x-polite")
    assert only_source.data == {"source_language": "en"}
    assert only_source.sentence == "source language: English, from the file names"
    only_target = found(files, source_language="gsw")
    assert only_target.data == {"target_language": "de"}
    assert only_target.sentence == "target language: German, from the file names"
    assert found(files, target_language="en").data == {}
    assert "target_language" not in found({**files, "target_language": "fr"}).data


def test_several_corpora_of_one_direction():
    both = [reader("a.en", "a.de"), reader("b.EN.gz", "b.de.gz"), reader("c.source", "c.target")]
    assert found(*both).data == {"source_language": "en", "target_language": "de"}


def test_several_target_languages_become_those_of_the_readers():
    sets = [reader("a.en", "a.fr"), reader("b.en", "b.ko")]
    result = found(*sets, dev=[reader("dev.en", "dev.ko"), reader("d.source", "d.target", target_language="fr")])
    assert result.sentence == "languages: English to French and Korean, from the file names"
    assert result.data["source_language"] == "en"
    assert [each["target_language"] for each in result.data["train"]] == ["fr", "ko"]
    assert [each["target_language"] for each in result.data["dev"]] == ["ko", "fr"]
    again = found(*result.data["train"], dev=result.data["dev"], source_language="en")
    assert again.data == {}


def test_scripts_of_one_language_are_two_targets():
    result = found(reader("a.en", "a.zh-Hans"), reader("b.en", "b.zh-Hant"))
    assert [each["target_language"] for each in result.data["train"]] == ["zh-Hans", "zh-Hant"]


def test_an_unnamed_corpus_among_several_languages_leaves_them_open():
    assert found(reader("a.en", "a.fr"), reader("b.en", "b.ko"), reader("c", "d")).data == {"source_language": "en"}


def test_there_and_back_has_no_single_source_language():
    result = found(reader("a.en", "a.fr"), reader("a.fr", "a.en"))
    assert "source_language" not in result.data
    assert result.sentence == "target language: French and English, from the file names"


@pytest.mark.parametrize("name", ["dev", "test"])
def test_swapped_files_are_refused_and_variants_are_not(name):
    files = reader("train.en", "train.pt")
    with pytest.raises(RecipeError, match=r"v\.pt and v\.en are Portuguese and English by their names, the training"):
        found(files, **{name: [reader("v.pt", "v.en")]})
    assert found(files, **{name: [reader("v.eng", "v.pt_BR"), reader("v.src", "v.ref")]}).data
    assert not found(files, **{name: [reader("v.pt", "v.en")]}, source_language="en", target_language="pt").data


def named(toy):
    return toy.values(data__train=[toy.write_named("train", 60)], data__dev=[], training__max_updates=4)


def test_the_model_knows_them_and_korean_is_scored_as_korean(toy, capsys):
    values = named(toy)
    outcome = train(values)
    assert "languages: English to Korean, from the file names" in capsys.readouterr().err
    config = json.loads((outcome.directory / "config.json").read_text())
    assert (config["source_language"], config["target_languages"], config["tagged"]) == ("en", ["ko"], False)
    card = (outcome.directory / "README.md").read_text(encoding="utf-8")
    assert "# en → ko" in card
    assert "tok:char" in card or "tok:ko-mecab" in card
    assert train(merge(values, {"training": {"max_updates": 6}}), resume=True).finished


def test_a_run_that_was_begun_without_languages_goes_on_without_them(toy, monkeypatch, capsys):
    values = named(toy)
    with monkeypatch.context() as before:
        before.setattr("polyhead.recipe.plan.with_languages", lambda values, begun, say: values)
        train(values)
    assert train(merge(values, {"training": {"max_updates": 6}}), resume=True).finished
    assert "from the file names" not in capsys.readouterr().err
