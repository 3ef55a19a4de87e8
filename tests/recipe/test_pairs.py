"""Recipes whose corpora are files of sentence pairs."""

import json
import tomllib

import pytest

from polyhead.data.readers import usable
from polyhead.data.suspicions import suspicions
from polyhead.errors import DataError, RecipeError
from polyhead.recipe.directions import both_ways
from polyhead.recipe.languages import languages_from_files
from polyhead.recipe.load import make_recipe, merge
from polyhead.recipe.prepare import read_pairs, read_with_languages
from polyhead.recipe.schema import DataConfig
from polyhead.recipe.train import train
from tests.corpora.reading import tmx

WORDS = ["bado", "kilu", "mera", "noti", "pasu"]


@pytest.fixture
def memory(tmp_path):
    """A TMX file of three languages, in which some units lack one."""
    units = [{"en": word, "fr": f"le {word}", "ko-KR": f"{word} 은"} for word in WORDS]
    del units[1]["fr"]
    path = tmp_path / "memory.tmx"
    path.write_text(tmx(units), encoding="utf-8")
    return path


def data(*train, **more):
    return DataConfig.model_validate({"train": train, **more})


def read(config):
    """Source, target and target language of the pairs that can be learnt from, in order."""
    config = both_ways(config)
    pairs = usable(read_with_languages(config.train, config))
    return [(pair.source, pair.target, pair.target_language) for pair in pairs]


def test_the_recipes_languages_choose_and_what_lacks_one_is_counted(memory):
    config = data({"kind": "pairs", "path": str(memory)}, source_language="en", target_language="fr")
    assert read(config) == [(word, f"le {word}", "fr") for word in WORDS if word != "kilu"]
    pairs = read_pairs(config, seed=1)
    assert (pairs.report.read, pairs.report.kept) == (5, 4)
    (dropped,) = pairs.report.dropped
    assert (dropped.reason, dropped.count) == ("no translation", 1)
    assert dropped.example.endswith("memory.tmx:7 (unit 2)")
    assert "  no translation  1  first at" in str(pairs.report)


def test_readers_choose_for_themselves_where_there_are_several_directions(memory):
    readers = [{"kind": "pairs", "path": str(memory), "target_language": code} for code in ("fr", "ko")]
    everything = read(data(*readers, source_language="en"))
    assert everything[0] == ("bado", "le bado", "fr")
    assert everything[-1] == ("pasu", "pasu 은", "ko")
    assert len(everything) == 9


def test_both_directions(memory):
    reader = {"kind": "pairs", "path": str(memory)}
    everything = read(data(reader, source_language="en", target_language="ko", both_directions=True))
    assert everything[:5] == [(word, f"{word} 은", "ko") for word in WORDS]
    assert everything[5:] == [(f"{word} 은", word, "en") for word in WORDS]


def test_both_directions_of_a_table_that_names_no_languages(tmp_path):
    (tmp_path / "a.csv").write_text("no,x,y\n1,one,하나\n2,two,둘\n", encoding="utf-8")
    for name, columns in (("a.csv", ["x", "y"]), ("b.csv", None)):
        (tmp_path / "b.csv").write_text("one,하나\ntwo,둘\n", encoding="utf-8")
        reader = {"kind": "pairs", "path": name, **({"columns": columns} if columns else {})}
        languages = {"source_language": "en", "target_language": "ko"}
        everything = read(data(reader, root=str(tmp_path), both_directions=True, **languages))
        assert everything == [("one", "하나", "ko"), ("two", "둘", "ko"), ("하나", "one", "en"), ("둘", "two", "en")]


def test_what_is_swapped_is_read_the_other_way_round(tmp_path):
    (tmp_path / "a.csv").write_text("one,하나\n", encoding="utf-8")
    everything = read(data({"kind": "pairs", "path": str(tmp_path / "a.csv"), "swapped": True}))
    assert everything == [("하나", "one", None)]


def test_sets_to_validate_and_to_test_on_have_no_units_without_translation(memory, toy):
    reader = {"kind": "pairs", "path": str(memory)}
    config = data(toy.write("train", 30), dev=[reader], test=[reader], source_language="en", target_language="fr")
    pairs = read_pairs(config, seed=1)
    assert [pair.source for pair in pairs.dev] == [word for word in WORDS if word != "kilu"]
    ((name, tested),) = pairs.test
    assert (name, len(tested)) == (str(memory), 4)
    assert [pair.origin for pair in pairs.flawed] == [f"{memory}:7 (unit 2)"]
    (said,) = suspicions(pairs.train, [*pairs.dev, *pairs.flawed])
    assert said == f"1 of the pairs to validate on has no finished translation (first: {memory}:7 (unit 2)): left out"


def test_the_languages_of_a_file_are_found_in_it(memory, tmp_path):
    two = tmp_path / "two.tmx"
    two.write_text(tmx([{"en-US": "a", "ko": "b"}]), encoding="utf-8")
    result = languages_from_files(data({"kind": "pairs", "path": str(two)}))
    assert result.data == {"source_language": "en-US", "target_language": "ko"}
    assert result.sentence == "languages: English (US) to Korean, from the files"
    assert languages_from_files(data({"kind": "pairs", "path": "two.tmx"}, root=str(tmp_path))).data == result.data
    said = languages_from_files(data({"kind": "pairs", "path": str(two)}, source_language="en"))
    assert said.data == {"target_language": "ko"}
    assert said.sentence == "target language: Korean, from the files"
    with pytest.raises(DataError, match="there are texts in en, fr, ko-KR"):
        languages_from_files(data({"kind": "pairs", "path": str(memory)}))
    one = {"kind": "pairs", "path": str(memory), "source_language": "fr", "target_language": "ko"}
    assert languages_from_files(data(one)).data == {"source_language": "fr"}


def test_where_only_one_side_says_its_language_the_other_stays_open(tmp_path):
    (tmp_path / "a.po").write_text('msgid ""\nmsgstr "Language: ko\\n"\n\nmsgid "a"\nmsgstr "b"\n', encoding="utf-8")
    result = languages_from_files(data({"kind": "pairs", "path": str(tmp_path / "a.po")}))
    assert (result.data, result.sentence) == ({"target_language": "ko"}, "target language: Korean, from the files")


def test_subtitles_are_named_like_other_files(tmp_path):
    reader = {"kind": "subtitles", "source": "film.en.srt", "target": "film.ko.srt"}
    assert languages_from_files(data(reader)).data == {"source_language": "en", "target_language": "ko"}
    dev = {"kind": "subtitles", "source": "dev.ko.srt", "target": "dev.en.srt"}
    with pytest.raises(RecipeError, match="are Korean and English by their names"):
        languages_from_files(data(reader, dev=[dev]))


def test_several_targets_are_found_reader_by_reader(tmp_path):
    readers = []
    for code in ("fr", "ko"):
        path = tmp_path / f"a-{code}.tmx"
        path.write_text(tmx([{"en": "a", code: "b"}]), encoding="utf-8")
        readers.append({"kind": "pairs", "path": str(path)})
    result = languages_from_files(data(*readers, dev=readers[:1]))
    assert [each["target_language"] for each in result.data["train"]] == ["fr", "ko"]
    assert [each["target_language"] for each in result.data["dev"]] == ["fr"]


def test_training_from_a_memory(toy):
    """All the way: its languages reach the card and BLEU, it is known again, and another file is not it."""
    texts = [{"en": sentence, "ko": toy.target(sentence)} for sentence in toy.source(60)]
    path = toy.directory / "memory.tmx"
    path.write_text(tmx([*texts, {"en": "alone"}]), encoding="utf-8")
    reader = {"kind": "pairs", "path": str(path)}
    values = toy.values(data__train=[reader], data__dev=[], training__max_updates=4)
    outcome = train(values)
    config = json.loads((outcome.directory / "config.json").read_text())
    assert (config["source_language"], config["target_languages"]) == ("en", ["ko"])
    card = (outcome.directory / "README.md").read_text(encoding="utf-8")
    assert "# en → ko" in card
    assert f"`{path.name}`" in card
    assert str(path) not in card, "where a file lay is nobody's business"
    assert "tok:char" in card or "tok:ko-mecab" in card
    record = tomllib.loads((outcome.directory / "training" / "recipe.toml").read_text(encoding="utf-8"))
    assert make_recipe(record).data.train[0].path == path
    assert train(merge(values, {"training": {"max_updates": 6}}), resume=True).finished
    path.write_text(tmx(texts[1:]), encoding="utf-8")
    with pytest.raises(RecipeError, match="the training pairs have changed since then"):
        train(merge(values, {"training": {"max_updates": 8}}), resume=True)


@pytest.mark.slow
def test_a_memory_teaches_as_much_as_lines_do(toy):
    """The same pairs give the same model, to the bit, whichever way they are written."""
    sentences = toy.source(150)
    path = toy.directory / "memory.tmx"
    path.write_text(tmx([{"xa": each, "xb": toy.target(each)} for each in sentences], source="xa"), encoding="utf-8")
    models = {}
    for name, reader in (("lines", toy.write("train", 150)), ("pairs", {"kind": "pairs", "path": str(path)})):
        values = toy.values(name, data__train=[reader], data__source_language="xa", data__target_language="xb")
        models[name] = (train(values).directory / "model.safetensors").read_bytes()
    assert models["lines"] == models["pairs"]
