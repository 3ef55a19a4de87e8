"""The tree of pasts: who descends from whom, and what is kept."""

import torch

from polyhead.engine.past import HIDDEN, Past
from polyhead.engine.places import Places


def ancestors(past: Past) -> list[list[list[int]]]:
    """For every place of every sentence, the columns it descends from."""
    return [[row.eq(0).nonzero()[:, 0].tolist() for row in sentence[0]] for sentence in past.ancestry]


def begin(sentences: int) -> Past:
    return Past.begin(sentences, layers=1, heads=2, size=3)


def test_descent_is_followed() -> None:
    one, two = Places.one_each(2), Places.of(torch.tensor([0, 0, 1]), 2)
    past = begin(2).with_room(1).append(one).select(one, torch.tensor([0, 0, 1]), two).append(two)
    assert ancestors(past) == [[[0, 1], [0, 2]], [[0, 1], [2]]]
    swapped = past.select(two, torch.tensor([1, 1, 2]), two).append(two)
    assert ancestors(swapped)[0] == [[0, 2, 3], [0, 2, 4]]
    assert set(past.ancestry.flatten().tolist()) == {0.0, HIDDEN}


def test_columns_of_the_dead_are_swept_out_and_the_living_keep_theirs() -> None:
    places = Places.of(torch.tensor([0, 0]), 1)
    past = Past.begin(1, 1, 1, 1)
    past = past.select(Places.one_each(1), torch.tensor([0, 0]), places)
    for step in range(40):
        past = past.with_room(2).append(places)
        past.columns.layers[0][0, :, past.written - 2 : past.written] = torch.tensor([[2.0 * step], [2.0 * step + 1]])
        past = past.select(places, torch.tensor([1, 1]), places)
    assert past.ancestry.size(3) <= 64
    kept = past.columns.layers[0][0, 0, ancestors(past)[0][0], 0]
    assert sorted(kept.tolist()) == [2.0 * step + 1 for step in range(40)]


def test_a_second_step_from_one_past_gets_columns_of_its_own() -> None:
    one = Places.one_each(1)
    past = begin(1)
    first = past.with_room(1).append(one)
    first.columns.layers[0][0, :, 0] = 5.0
    second = past.with_room(1).append(one)
    second.columns.layers[0][0, :, 0] = 7.0
    assert (first.columns.layers[0][0, :, 0] == 5.0).all()
    assert ancestors(second) == [[[0]]]


def test_some_sentences() -> None:
    three = Places.one_each(3)
    past = begin(3).with_room(1).append(three)
    past.columns.layers[0][1, :, 0] = torch.arange(6.0)[:, None]
    kept = past.of(torch.tensor([0, 2]))
    assert kept.columns.layers[0][1, :, 0, 0].tolist() == [0.0, 1.0, 4.0, 5.0]
    assert ancestors(kept) == [[[0]], [[0]]]
