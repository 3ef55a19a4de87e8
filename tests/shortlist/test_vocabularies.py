"""A sentence's numbers and the whole vocabulary's."""

import numpy as np

from polyhead.decoding.hypothesis import Hypothesis
from polyhead.shortlist.vocabularies import Vocabularies

LISTS = [np.array([0, 1, 2, 3, 9, 40]), np.array([0, 1, 2, 3, 7, 8, 41, 77])]


def test_there_and_back() -> None:
    own = Vocabularies.of(LISTS)
    assert own.tokens.tolist() == [[0, 1, 2, 3, 9, 40, 0, 0], [0, 1, 2, 3, 7, 8, 41, 77]]
    assert own.absent.tolist() == [[False] * 6 + [True] * 2, [False] * 8]
    assert own.numbers(0, [40, 9, 3]) == [5, 4, 3]
    assert own.numbers(1, []) == []
    written = own.written(1, Hypothesis((6, 4), -1.0, -0.5, (-0.5, -0.25, -0.25), True))
    assert written == Hypothesis((41, 7), -1.0, -0.5, (-0.5, -0.25, -0.25), True)
    assert own.written(0, Hypothesis((), 0.0, 0.0, (0.0,), True)).tokens == ()


def test_some_sentences_have_no_more_room_than_they_need() -> None:
    own = Vocabularies.of([*LISTS, LISTS[0]]).some(2, 9)
    assert own.tokens.tolist() == [[0, 1, 2, 3, 9, 40]]
    assert not own.absent.any()
