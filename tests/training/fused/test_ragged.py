"""Sentences without padding: how their rows lie."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from polyhead.batch import collate
from polyhead.symbols import PAD
from polyhead.training.fused.ragged import Sentences

WORDS = st.lists(st.integers(4, 39), max_size=30)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6)


@given(PAIRS)
def test_rows_are_the_sentences_one_after_the_other(pairs: list[tuple[list[int], list[int]]]) -> None:
    batch = collate(*zip(*pairs, strict=True))
    sentences = Sentences.of(batch.source_mask)
    rows, expected = sentences.rows(batch.source), [tokens[tokens != PAD] for tokens in batch.source]
    assert len(rows) == len(sentences.positions)
    assert len(rows) % 64 == 0
    assert len(rows) < sum(map(len, expected)) + 64
    for tokens, start, end in zip(expected, sentences.starts[:-1], sentences.starts[1:], strict=True):
        assert torch.equal(rows[start:end], tokens)
        assert sentences.positions[start:end].tolist() == [*range(len(tokens))]
    assert (rows[int(sentences.starts[-1]) :] == PAD).all()
    assert torch.equal(sentences.real(rows), torch.cat(expected))
