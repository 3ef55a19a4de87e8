"""Corpora of a run, and the vocabularies made of them."""

from pathlib import Path

import pytest

from polyhead.errors import RecipeError
from polyhead.recipe import prepare
from polyhead.recipe.load import make_recipe
from polyhead.recipe.prepare import make_tokenizers, read_pairs


def pairs_of(toy, **keys):
    recipe = make_recipe(toy.values(**keys))
    return read_pairs(recipe.data, recipe.seed)


def test_held_out_sentences_are_in_no_training_pair(toy):
    reader = toy.write("train", 100)
    with open(reader["source"], "a") as source, open(reader["target"], "a") as target:  # noqa: PTH123
        source.writelines(f"{line}\n" for line in toy.source(50))
        target.writelines(f"another {number}\n" for number in range(50))
    pairs = pairs_of(toy, data__train=[reader], data__dev=[])
    assert pairs.held_out
    assert len(pairs.train) + len(pairs.dev) == 150
    assert not {pair.source for pair in pairs.train} & {pair.source for pair in pairs.dev}
    assert pairs_of(toy, data__train=[reader], data__dev=[]).dev == pairs.dev


def test_of_a_few_pairs_one_is_held_out_and_a_single_one_is_validated_on_itself(toy):
    few = pairs_of(toy, data__train=[toy.write("few", 10)], data__dev=[])
    assert (len(few.train), len(few.dev), few.held_out, few.validates_on_training) == (9, 1, True, False)
    one = pairs_of(toy, data__train=[toy.write("one", 1)], data__dev=[])
    assert one.train == one.dev
    assert one.validates_on_training


def test_paths_start_from_the_root(toy):
    toy.write("below", 30)
    relative = {"kind": "lines", "source": "below.source", "target": "below.target"}
    assert len(pairs_of(toy, data__train=[relative], data__root=str(toy.directory)).train) == 30


def test_tab_separated_files_and_languages(toy):
    path = toy.directory / "pairs.tsv"
    path.write_text(
        "".join(f"{line}\t{toy.target(line)}\t{'xb' if len(line) % 2 else ''}\n" for line in toy.source(40))
    )
    reader = {"kind": "tsv", "path": str(path), "language_column": 2}
    pairs = pairs_of(toy, data__train=[reader], data__target_language="xc", data__dev=[reader], data__test=[reader])
    assert pairs.languages == ("xb", "xc")
    assert pairs.test[0][0] == str(path)


def weighted_readers(toy):
    """The second corpus has half of the first one's pairs, too."""
    first, second = toy.write("first", 40), toy.write("second", 20)
    more = toy.write("more", 30, seed=8)
    for side in ("source", "target"):
        Path(second[side]).write_text(Path(second[side]).read_text() + Path(more[side]).read_text())
    return first, second


def test_a_pair_in_several_corpora_has_the_largest_of_their_weights(toy):
    first, second = weighted_readers(toy)
    corpora = [{**first, "weight": 0.5}, {**second, "weight": 2}]
    pairs = pairs_of(toy, data__train=corpora, data__cleaning={"drop_duplicates": True})
    weight_of = {pair.source: weight for pair, weight in zip(pairs.train, pairs.weights, strict=True)}
    heavy = {*toy.source(20), *toy.source(30, seed=8)}
    assert all((weight == 2) == (source in heavy) for source, weight in weight_of.items())
    assert set(weight_of.values()) == {0.5, 2.0}
    assert len(weight_of) == len(pairs.train) == len({*toy.source(40), *heavy})


def test_weights_stay_with_their_pairs_when_some_are_held_out(toy):
    first = toy.write("first", 60)
    second = toy.write("second", 60, seed=8)
    corpora = [first, {**second, "weight": 3}]
    pairs = pairs_of(toy, data__train=corpora, data__dev=[], data__cleaning={"drop_duplicates": True})
    assert pairs.dev
    assert len(pairs.weights) == len(pairs.train)
    heavy = set(toy.source(60, seed=8))
    assert all((weight == 3) == (pair.source in heavy) for pair, weight in zip(pairs.train, pairs.weights, strict=True))


def test_weights_of_1_change_nothing(toy):
    first, second = weighted_readers(toy)
    plain = pairs_of(toy, data__train=[first, second], data__dev=[])
    ones = pairs_of(toy, data__train=[{**first, "weight": 1}, {**second, "weight": 1.0}], data__dev=[])
    assert plain == ones
    assert plain.weights is None


@pytest.mark.parametrize("weight", [0, -1, float("inf"), float("nan"), 1e9, "much", True])
def test_impossible_weights_are_refused(toy, weight):
    with pytest.raises(RecipeError, match=r"data\.train\.0"):
        make_recipe(toy.values(data__train=[{**toy.write("some", 5), "weight": weight}]))


@pytest.mark.parametrize("name", ["dev", "test"])
def test_only_what_is_learnt_has_weights(toy, name):
    with pytest.raises(RecipeError, match=rf"data\.{name}.*weight is for the readers of data\.train"):
        make_recipe(toy.values(**{f"data__{name}": [{**toy.write("some", 5), "weight": 2}]}))


def test_two_vocabularies_or_one(toy):
    recipe = make_recipe(toy.values(tokenizer__shared=False))
    pairs = read_pairs(recipe.data, recipe.seed)
    source, target = make_tokenizers(pairs.train, recipe.tokenizer, ())
    assert source.pieces(range(source.vocabulary_size)) != target.pieces(range(target.vocabulary_size))
    shared = make_tokenizers(pairs.train, recipe.tokenizer.model_copy(update={"shared": True}), ("xb", "xc"))
    assert shared[0] is shared[1]
    assert shared[0].languages == ("xb", "xc")


def test_vocabularies_of_a_large_corpus_are_learnt_from_pairs_at_even_distances(toy, monkeypatch):
    recipe = make_recipe(toy.values())
    pairs = read_pairs(recipe.data, recipe.seed).train
    all_of_it = make_tokenizers(pairs, recipe.tokenizer, ())[0]
    monkeypatch.setattr(prepare, "LEARNT_FROM", len(pairs) // 3)
    assert make_tokenizers(pairs, recipe.tokenizer, ())[0].pieces(range(9)) == all_of_it.pieces(range(9))
    learnt = []
    monkeypatch.setattr("polyhead.data.statistics.LARGE", len(pairs) - 1)
    monkeypatch.setattr(prepare, "train_tokenizer", lambda texts, *_: learnt.extend(texts))
    make_tokenizers(pairs, recipe.tokenizer, ())
    assert learnt == [pair.source for pair in pairs[::3]] + [pair.target for pair in pairs[::3]]
