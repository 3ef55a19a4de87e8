"""What is held out for validation is in no training pair, and training keeps the larger part."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.data.readers import Pair
from polyhead.recipe import hold_out as module


def hold_out(pairs: list[Pair], seed: int) -> tuple[list[Pair], list[Pair]]:
    train, dev = module.hold_out(pairs, seed)
    return [pairs[row] for row in train], [pairs[row] for row in dev]


def corpus(sources) -> list[Pair]:
    return [Pair(source, f"target {number}", None, f"f:{number}") for number, source in enumerate(sources, start=1)]


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=200), st.integers(0, 5))
def test_no_held_out_source_is_in_training(sources, seed):
    pairs = corpus(sources)
    train, dev = hold_out(pairs, seed)
    assert train
    assert dev
    if len(set(sources)) == 1:
        assert train == dev == pairs
    else:
        assert not {pair.source for pair in train} & {pair.source for pair in dev}
        assert sorted(train + dev, key=pairs.index) == pairs
    assert (train, dev) == hold_out(pairs, seed)


sentences = st.sampled_from("abcdefghijklmnop")


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=60, unique=True), st.integers(0, 5))
def test_of_a_corpus_in_both_directions_no_held_out_sentence_is_a_training_source(texts, seed):
    there = [Pair(source, f"{target}'", "xb", "f:1") for source, target in texts]
    back = [Pair(pair.target, pair.source, "xa", "g:1") for pair in there]
    train, dev = hold_out([*there, *back], seed)
    if train == dev:
        return  # all sentences hang together
    learnt = {pair.source for pair in train}
    assert not learnt & {side for pair in dev for side in (pair.source, pair.target)}
    assert len(train) >= len(dev)


def test_of_a_corpus_in_both_directions_a_twentieth_of_the_sentences_is_held_out():
    there = [Pair(f"a{number}", f"b{number}", "xb", "f:1") for number in range(1000)]
    back = [Pair(pair.target, pair.source, "xa", "g:1") for pair in there]
    train, dev = hold_out([*there, *back], 1)
    assert (len(train), len(dev)) == (1900, 100)
    assert sum(pair.target_language == "xa" for pair in dev) == 50


def test_sentences_that_hang_together_with_most_others_stay_in_training():
    """Many short sentences have one translation: with all that belongs to them they would be half the corpus."""
    same = [(f"a{number}", "yes") for number in range(400)]
    there = [Pair(*texts, "xb", "f:1") for texts in [*same, *((f"c{n}", f"d{n}") for n in range(600))]]
    back = [Pair(pair.target, pair.source, "xa", "g:1") for pair in there]
    dev = hold_out([*there, *back], 3)[1]
    assert 50 <= len(dev) <= 100
    assert "yes" not in {pair.source for pair in dev}


@pytest.mark.parametrize(
    ("number", "held_out"), [(2, 1), (3, 1), (5, 1), (20, 1), (39, 1), (40, 2), (100, 5), (500, 25), (30_000, 500)]
)
def test_a_twentieth_is_held_out_but_one_pair_at_least_and_500_at_most(number, held_out):
    train, dev = hold_out(corpus(f"source {n}" for n in range(number)), seed=1)
    assert (len(train), len(dev)) == (number - held_out, held_out)


def test_which_pairs_are_held_out_has_not_changed_since_the_first_version():
    """A run that was begun with an older version is gone on with: its validation pairs must be the same."""
    pairs = corpus(f"source {n % 90}" for n in range(100))
    chosen = {pair.source for pair in random.Random(7).sample(pairs, 5)}
    assert hold_out(pairs, seed=7)[1] == [pair for pair in pairs if pair.source in chosen]


def test_a_source_that_most_pairs_have_stays_in_training():
    for seed in range(20):
        train, dev = hold_out(corpus([*["common"] * 30, "rare", "other"]), seed)
        assert len(train) > len(dev)
        assert "common" in {pair.source for pair in train}


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=60), st.booleans(), st.integers(0, 5))
def test_a_large_corpus_that_is_looked_at_in_parts_holds_out_the_same(texts, both, seed):
    pairs = [Pair(one, other, None, "") for one, other in [*texts, *([text[::-1] for text in texts] if both else [])]]
    expected = module.hold_out(pairs, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_FEW", 0)
        patch.setattr("polyhead.data.digests._AT_A_TIME", 7)
        assert module.hold_out(pairs, seed) == expected


def test_in_a_large_corpus_whole_chains_of_sentences_that_belong_together_are_held_out(monkeypatch):
    chains = [(f"a{n}", f"b{n}") for n in range(100)] + [(f"b{n}", f"c{n}") for n in range(100)]
    pairs = [Pair(one, other, None, "") for one, other in [*chains, *(text[::-1] for text in chains)]]
    expected = module.hold_out(pairs, 3)
    monkeypatch.setattr(module, "_FEW", 0)
    train, dev = module.hold_out(pairs, 3)
    assert (train, dev) == expected
    assert 0 < len(dev) <= 40
    assert not {pairs[row].source for row in train} & {
        side for row in dev for side in (pairs[row].source, pairs[row].target)
    }
