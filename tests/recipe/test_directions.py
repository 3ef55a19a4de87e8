"""One model for both directions: the pairs of each, the tags, the scores, and what is needed."""

import json
from pathlib import Path

import pytest

from polyhead.errors import RecipeError
from polyhead.recipe.directions import both_ways
from polyhead.recipe.load import make_recipe, merge
from polyhead.recipe.prepare import read_pairs
from polyhead.recipe.record import read_record
from polyhead.recipe.schema import DataConfig
from polyhead.recipe.shortlist import make_shortlists
from polyhead.recipe.train import train
from polyhead.translating.translator import Translator

FILES = {"kind": "lines", "source": "a.en", "target": "a.fr"}
TABLE = {"kind": "tsv", "path": "b.tsv", "source_column": 2, "target_column": 4}
KNOWN = {"both_directions": True, "source_language": "en", "target_language": "fr"}


def data(*readers, **keys):
    return DataConfig.model_validate({"train": readers, **keys})


def test_the_readers_of_both_directions():
    found = both_ways(data(FILES, {**TABLE, "target_language": "de"}, dev=[FILES], **KNOWN))
    assert (found.both_directions, found.source_language) == (False, None)
    there, table, back, turned = found.train
    assert (there.source, there.target, there.target_language) == (Path("a.en"), Path("a.fr"), "fr")
    assert (back.source, back.target, back.target_language) == (Path("a.fr"), Path("a.en"), "en")
    assert (table.source_column, table.target_column, table.target_language) == (2, 4, "de")
    assert (turned.source_column, turned.target_column, turned.target_language) == (4, 2, "en")
    assert [reader.target_language for reader in found.dev] == ["fr", "en"]
    assert both_ways(found) == found


def test_a_column_of_languages_names_those_of_the_first_direction_only():
    there, back = both_ways(data({**TABLE, "language_column": 0}, both_directions=True, source_language="en")).train
    assert (there.language_column, back.language_column, back.target_language) == (0, None, "en")


@pytest.mark.parametrize(
    ("reader", "keys", "said"),
    [
        (FILES, {}, "say which with --data.source_language en --data.target_language de, or name the files"),
        (FILES, {"source_language": "en"}, "say which with"),
        (FILES, {"target_language": "fr"}, "say which with"),
        (FILES, {"source_language": "en", "target_language": "EN"}, "here both are en"),
        ({**FILES, "target_language": "en"}, {"source_language": "en"}, "here both are en"),
    ],
)
def test_both_languages_must_be_known(reader, keys, said):
    with pytest.raises(RecipeError, match=said):
        both_ways(data(reader, both_directions=True, **keys))


def values(toy, **keys):
    reader = toy.write_named("train", 60)
    return toy.values(data__train=[reader], data__dev=[], data__both_directions=True, training__max_updates=4, **keys)


def test_every_pair_and_every_held_out_pair_has_both_directions(toy):
    recipe = make_recipe(values(toy, data__source_language="en", data__target_language="ko"))
    pairs = read_pairs(recipe.data, recipe.seed)
    for some in (pairs.train, pairs.dev):
        assert some
        texts = {(pair.source, pair.target, pair.target_language) for pair in some}
        assert {(target, source, "en" if to == "ko" else "ko") for source, target, to in texts} == texts
    assert not {pair.source for pair in pairs.train} & {
        side for pair in pairs.dev for side in (pair.source, pair.target)
    }


def test_the_model_translates_both_ways_and_is_scored_in_both(toy, capsys):
    recipe = values(toy, data__test=[toy.write_named("test", 5, seed=4)])
    outcome = train(recipe)
    assert "languages: English to Korean, from the file names" in capsys.readouterr().err
    config = json.loads((outcome.directory / "config.json").read_text())
    assert (config["tagged"], config["source_language"], config["target_languages"]) == (True, None, ["en", "ko"])
    assert config["both_directions"] is True
    assert set(outcome.scores) == {
        "dev (en)", "dev (ko)", f"{toy.directory}/test.en (ko)", f"{toy.directory}/test.ko (en)"
    }  # fmt: skip
    assert "# en ↔ ko" in (outcome.directory / "README.md").read_text(encoding="utf-8")
    for language in ("en", "ko"):
        assert len(Translator.load(outcome.directory).translate(["bado"], target_language=language)) == 1
    assert train(merge(recipe, {"training": {"max_updates": 6}}), resume=True).finished
    assert sum(made.pairs for made in make_shortlists(outcome.directory)) == 120, "both directions of the 60"
    assert train(merge(read_record(outcome.directory), {"training": {"max_updates": 8}}), resume=True).finished


def test_two_vocabularies_are_refused(toy):
    with pytest.raises(RecipeError, match="one vocabulary for both languages"):
        train(values(toy, tokenizer__shared=False))


def test_languages_that_no_name_tells_are_asked_for(toy):
    recipe = values(toy)
    recipe["data"]["train"] = [toy.write("plain", 30)]
    with pytest.raises(RecipeError, match="needs two different languages"):
        train(recipe)
    assert not (toy.directory / "model").exists()
