"""A beam's step in parts against the same on all rows at once."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyhead.decoding import next_token
from polyhead.decoding.beam import beam
from polyhead.decoding.config import BeamConfig
from polyhead.decoding.search import search
from polyhead.decoding.searchable import Numbers, Values
from polyhead.model.arrays import InArrays

Make = Callable[..., Any]
Arrays = Callable[..., tuple[NDArray[Any], NDArray[Any]]]


class InParts:
    """Of a model in arrays whose steps give logits: they are its features."""

    def __init__(self, model: Any) -> None:
        self.model, self.rows = model, []
        self.encode, self.start = model.encode, model.start

    def features(self, previous: Numbers, state: Any) -> tuple[Values, Any]:
        return self.model.step(previous, state)

    def logits(self, features: Values) -> Values:
        self.rows.append(len(features))
        return features.copy()


@pytest.mark.parametrize("most", [1, 4, 7, 1000])
@pytest.mark.parametrize("prefixes", [[], [(4,), (), (5, 6), ()]], ids=["free", "begun"])
def test_parts_change_nothing(
    table_model: Make, arrays: Arrays, monkeypatch: pytest.MonkeyPatch, most: int, prefixes: list[Any]
) -> None:
    monkeypatch.setattr(next_token, "ROWS", most)
    config = BeamConfig(beam_size=3, n_best=2, no_repeat_ngram=2, min_length=2)
    model = InArrays(table_model(9, seed=2))
    divided = InParts(model)
    assert beam(divided, *arrays(4), config, prefixes=prefixes) == beam(model, *arrays(4), config, prefixes=prefixes)
    assert max(divided.rows) <= max(most, 3)


def test_a_search_that_is_checked_is_in_parts_too(table_model: Make, arrays: Arrays) -> None:
    divided, calls = InParts(InArrays(table_model(9, seed=2))), []
    found = search(divided, *arrays(3), BeamConfig(beam_size=3), check=lambda: calls.append(1))
    assert found == search(divided.model, *arrays(3), BeamConfig(beam_size=3))
    assert len(calls) == 1 + len(divided.rows)


@given(widths=st.lists(st.integers(1, 90), min_size=1, max_size=20))
def test_every_sentence_is_in_one_part(widths: list[int]) -> None:
    starts = np.cumsum([0, *widths])
    cuts = list(next_token.row_blocks(starts))
    assert [0, *(last for _, last in cuts)] == [*(first for first, _ in cuts), len(widths)]
    for first, last in cuts:
        assert last == first + 1 or starts[last] - starts[first] <= next_token.ROWS
    for first, last in cuts[:-1]:
        assert starts[last + 1] - starts[first] > next_token.ROWS, "one more had room"
