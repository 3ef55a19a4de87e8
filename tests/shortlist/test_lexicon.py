"""IBM model 1 on corpora small enough to know what must come out."""

import numpy as np
import pytest

from polyhead.data.store import EncodedCorpus, flatten, offsets_of
from polyhead.shortlist.lexicon import learn_lexicon
from polyhead.symbols import PAD

V = 20


def corpus(*pairs: tuple[list[int], list[int]]) -> EncodedCorpus:
    sides = [flatten([pair[side] for pair in pairs], V) for side in (0, 1)]
    return EncodedCorpus(sides[0][0], offsets_of([sides[0][1]]), sides[1][0], offsets_of([sides[1][1]]))


def learn(
    *pairs: tuple[list[int], list[int]], iterations: int = 10, budget: int = 1000
) -> dict[tuple[int, int], float]:
    lexicon = learn_lexicon(corpus(*pairs), V, iterations, budget)
    entries = zip(lexicon.sources.tolist(), lexicon.targets.tolist(), strict=True)
    return dict(zip(entries, lexicon.probabilities.tolist(), strict=True))


def test_what_stands_beside_everything_translates_nothing_in_particular() -> None:
    found = learn(
        ([5, 6], [15, 10, 16]), ([5, 7], [15, 10, 17]), ([6, 7], [16, 10, 17]), ([5], [15, 10]), iterations=20
    )
    for source in (5, 6, 7):
        assert found[source, source + 10] > 0.9
    assert found[PAD, 10] > 0.9, "which is why NULL explains it"


def test_one_round_by_hand() -> None:
    """t(f|e) ∝ Σ 1/(l + 1) over the pairs with both, Brown et al.'s first round from uniform probabilities."""
    found = learn(([5], [15]), ([5, 6], [15, 16]), iterations=1)
    assert found[5, 15] == pytest.approx((1 / 2 + 1 / 3) / (1 / 2 + 1 / 3 + 1 / 3))
    assert found[6, 15] == pytest.approx(1 / 2)


def test_each_source_shares_out_one_and_the_likeliest_come_first() -> None:
    rng = np.random.default_rng(1)
    pairs = [(rng.integers(4, V, 6).tolist(), rng.integers(4, V, 5).tolist()) for _ in range(30)]
    lexicon = learn_lexicon(corpus(*pairs), V, 4, 10_000)
    assert np.bincount(lexicon.sources, lexicon.probabilities)[[PAD, 4, 9]] == pytest.approx(1.0)
    same = np.diff(lexicon.sources) == 0
    assert (np.diff(lexicon.sources) >= 0).all()
    assert (np.diff(lexicon.probabilities)[same] <= 0).all()


def test_repeated_pieces_and_empty_sides_change_nothing() -> None:
    once = learn(([5, 6], [15, 16]), ([5], [15]))
    assert learn(([5, 6, 5, 5], [15, 16, 16]), ([5], [15])) == once
    assert learn(([5, 6], [15, 16]), ([], []), ([5], [15]), ([], [])) == once


def test_of_too_much_text_pairs_at_even_distances_are_taken() -> None:
    pairs = [([5 + i % 4], [15 + i % 4]) for i in range(40)]
    assert learn(*pairs, budget=20) == learn(*pairs[::4])
