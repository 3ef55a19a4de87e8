"""Corpora of a run, and the vocabularies made of them."""

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


def test_two_vocabularies_or_one(toy):
    recipe = make_recipe(toy.values(tokenizer__shared=False))
    pairs = read_pairs(recipe.data, recipe.seed)
    source, target = make_tokenizers(pairs.train, recipe.tokenizer, ())
    assert source.pieces(range(source.vocabulary_size)) != target.pieces(range(target.vocabulary_size))
    shared = make_tokenizers(pairs.train, recipe.tokenizer.model_copy(update={"shared": True}), ("xb", "xc"))
    assert shared[0] is shared[1]
    assert shared[0].languages == ("xb", "xc")
