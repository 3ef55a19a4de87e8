"""Where sentences without padding, and the heads of their rows, lie in memory."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyhead.kernels.attention.ragged import Heads, Ragged, address_of, length, longest, sentence
from polyhead.kernels.kernel import kernel

Lengths = list[tuple[int, int]]
sentences = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=8)


def ragged_of(lengths: Lengths) -> Ragged:
    queries, keys = (np.cumsum([0, *each]) for each in zip(*lengths, strict=True))
    return Ragged(queries, keys, False)


@kernel
def _address(x: np.ndarray, row: int, h: int) -> int:
    return address_of(Heads(x.ctypes.data, x.strides[1], x.strides[0]), row, h) - x.ctypes.data


@given(sentences)
def test_a_sentence_has_the_rows_up_to_the_next_one(lengths: Lengths) -> None:
    ragged = ragged_of(lengths)
    for b, (of_queries, of_keys) in enumerate(lengths):
        first_query, first_key = (sum(each[:b]) for each in zip(*lengths, strict=True))
        assert sentence(ragged, b) == (first_query, first_key, of_queries, of_keys)
    assert [length(ragged.queries, b) for b in range(len(lengths))] == [b - a for a, b in pairwise(ragged.queries)]


@given(sentences)
def test_the_most_queries_and_keys_may_be_of_two_sentences(lengths: Lengths) -> None:
    assert longest(ragged_of(lengths)) == tuple(map(max, zip(*lengths, strict=True)))


def test_a_head_lies_where_its_row_and_its_place_in_the_row_say() -> None:
    """Rows are a part of wider ones, and heads follow each other at any distance."""
    whole = np.arange(5 * 4 * 10, dtype=np.float32).reshape(5, 4, 10)
    heads = whole[:, 1:, :6]
    flat = heads.ctypes.data - whole.ctypes.data
    for row in range(5):
        for h in range(3):
            assert whole.reshape(-1)[(flat + _address(heads, row, h)) // 4] == heads[row, h, 0]
