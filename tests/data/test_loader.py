"""Batches are those of `collate`, from any position on, and no thread is left behind."""

import threading
from contextlib import closing
from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from polyhead.batch import Batch, collate
from polyhead.data.batching import BatchingConfig, Draw, batches
from polyhead.data.loader import Loader, Position, collate_rows
from polyhead.data.store import EncodedCorpus, flatten, offsets_of
from polyhead.data.windows import Window
from polyhead.errors import PolyheadError
from polyhead.symbols import PAD

CONFIG = BatchingConfig(max_tokens=60)


def corpus_of(sources: list[list[int]], targets: list[list[int]]) -> EncodedCorpus:
    source_ids, source_lengths = flatten(sources, 100)
    target_ids, target_lengths = flatten(targets, 100)
    return EncodedCorpus(source_ids, offsets_of([source_lengths]), target_ids, offsets_of([target_lengths]))


def some_corpus(seed: int = 0, pairs: int = 40) -> EncodedCorpus:
    random = np.random.default_rng(seed)
    sources = [random.integers(4, 100, random.integers(1, 9)).tolist() for _ in range(pairs)]
    targets = [random.integers(4, 100, random.integers(1, 9)).tolist() for _ in range(pairs)]
    return corpus_of(sources, targets)


def same(a: Batch, b: Batch) -> bool:
    tensors = zip((a.source, a.target_in, a.target_out), (b.source, b.target_in, b.target_out), strict=True)
    return a.rows == b.rows and all(x.dtype == y.dtype and torch.equal(x, y) for x, y in tensors)


SENTENCES = st.lists(st.lists(st.integers(4, 99), max_size=6), min_size=1, max_size=6)


@given(SENTENCES)
def test_collating_rows_equals_collate(sources: list[list[int]]) -> None:
    targets = sources[::-1]
    rows = np.random.default_rng(len(sources)).permutation(len(sources))
    expected = collate([sources[row] for row in rows], [targets[row] for row in rows], rows.tolist())
    corpus = corpus_of(sources, targets)
    source_width, target_width = int(corpus.source_lengths[rows].max()), int(corpus.target_lengths[rows].max())
    assert same(collate_rows(corpus, Draw(rows, source_width, target_width)), expected)
    wider = collate_rows(corpus, Draw(rows, source_width + 2, target_width + 1))
    assert wider.source[:, source_width:].eq(PAD).all()
    assert wider.source.shape == (len(rows), source_width + 2)
    cut = Batch(
        wider.source[:, :-2].clone(), wider.target_in[:, :-1].clone(), wider.target_out[:, :-1].clone(), wider.rows
    )
    assert same(cut, expected)


def take(loader: Loader, start: Position, count: int) -> list[tuple[Position, Batch]]:
    with closing(loader.stream(start)) as stream:
        return list(islice(stream, count))


def test_an_epoch_is_its_batches_in_order() -> None:
    corpus = some_corpus()
    loader = Loader(lambda epoch: corpus, CONFIG, seed=3)
    expected = batches(corpus.source_lengths, corpus.target_lengths, CONFIG, 3, Window())
    got = take(loader, Position(), loader.epoch_batches(0))
    assert [batch.rows for _, batch in got] == [tuple(draw.rows.tolist()) for draw in expected]
    assert [position for position, _ in got[:-1]] == [Position(0, i) for i in range(1, len(expected))]
    assert got[-1][0] == Position(1, 0)


def test_any_position_continues_the_same_stream() -> None:
    loader = Loader(some_corpus, CONFIG, seed=3)  # another corpus every epoch
    whole = take(loader, Position(), 30)
    assert whole[-1][0].epoch >= 2
    for start in (0, 4, 11, 25):
        resumed = take(Loader(some_corpus, CONFIG, seed=3), whole[start][0], 30 - start - 1)
        assert [position for position, _ in resumed] == [position for position, _ in whole[start + 1 :]]
        assert all(same(a, b) for (_, a), (_, b) in zip(resumed, whole[start + 1 :], strict=True))


def test_the_end_of_an_epoch_is_the_start_of_the_next() -> None:
    loader = Loader(some_corpus, CONFIG, seed=3)
    at_end = take(loader, Position(0, loader.epoch_batches(0)), 1)
    at_start = take(loader, Position(1, 0), 1)
    assert at_end[0][0] == at_start[0][0]
    assert same(at_end[0][1], at_start[0][1])


def test_closing_ends_the_thread() -> None:
    before = threading.active_count()
    stream = Loader(some_corpus, CONFIG, seed=3).stream(Position())
    next(stream)
    assert threading.active_count() == before + 1
    stream.close()
    assert threading.active_count() == before


def test_errors_reach_the_consumer_in_their_place() -> None:
    def broken(epoch: int) -> EncodedCorpus:
        if epoch == 1:
            raise ValueError("no such epoch")
        return some_corpus()

    before = threading.active_count()
    loader = Loader(broken, CONFIG, seed=3)
    stream = loader.stream(Position())
    for _ in range(loader.epoch_batches(0)):
        next(stream)
    with pytest.raises(ValueError, match="no such epoch"):
        next(stream)
    assert threading.active_count() == before


def test_impossible_positions_and_empty_corpora_are_errors() -> None:
    with pytest.raises(PolyheadError, match="none can follow number 1000"):
        take(Loader(some_corpus, CONFIG, seed=3), Position(0, 1000), 1)
    with pytest.raises(PolyheadError, match="no sentence pairs"):
        take(Loader(lambda epoch: corpus_of([], []), CONFIG, seed=3), Position(), 1)


def test_only_a_few_batches_are_made_ahead() -> None:
    asked: list[int] = []

    def corpus_for_epoch(epoch: int) -> EncodedCorpus:
        asked.append(epoch)
        return some_corpus(pairs=1)

    with closing(Loader(corpus_for_epoch, CONFIG, seed=3).stream(Position())) as stream:
        next(stream)
        threading.Event().wait(0.2)
    assert len(asked) <= 8
