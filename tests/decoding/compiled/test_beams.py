"""A beam's passes over its candidates against NumPy."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from polyhead.decoding.compiled.beams import sort_out, starts_of

END = 2


@given(widths=st.lists(st.integers(1, 5), max_size=12))
def test_where_sentences_begin(widths: list[int]) -> None:
    sentences = np.repeat(3 * np.arange(len(widths)), widths)
    starts = np.empty(len(sentences) + 1, np.int64)
    assert starts_of(sentences, starts) == len(widths)
    assert starts[: len(widths) + 1].tolist() == [0, *np.cumsum(widths)]


@given(size=st.integers(1, 5), sentences=st.integers(0, 4), seed=st.integers(0, 1000))
def test_candidates_are_sorted_out(size: int, sentences: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    shape = sentences, 2 * size
    tokens = draw.integers(0, 5, shape)
    totals = np.where(draw.random(shape) < 0.3, -np.inf, draw.normal(size=shape))
    living, ending = np.empty((2, *shape), np.bool_)
    found = sort_out(totals, tokens, END, size, living, ending)
    possible = totals > -np.inf
    ends = possible & (tokens == END) & (np.arange(2 * size) < size)
    others = possible & (tokens != END)
    assert (ending == ends).all()
    assert (living == (others & (others.cumsum(1) <= size))).all()
    assert found == ends.any()
