"""An epoch has each pair as often as its weight says, from (seed, epoch) alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.data.batching import BatchingConfig
from polyhead.data.loader import Loader, Position
from polyhead.data.store import EncodedCorpus, flatten, offsets_of
from polyhead.data.weighting import rows_of_window, weighted
from polyhead.data.windows import Window

WEIGHTS = st.lists(st.sampled_from([0.01, 0.1, 0.5, 1.0, 1.5, 2.0, 3.25]), min_size=1, max_size=80)


def encoded(sentences) -> EncodedCorpus:
    ids, lengths = flatten(sentences, 300)
    offsets = offsets_of([lengths])
    return EncodedCorpus(ids, offsets, ids, offsets)


@given(WEIGHTS, st.integers(0, 3), st.integers(0, 3))
def test_no_row_is_there_less_or_more_often_than_its_weight_allows(weights, seed, epoch):
    rows = rows_of_window(np.array(weights), seed, Window(epoch))
    assert np.array_equal(rows, np.sort(rows))
    assert len(rows) > 0
    times = np.bincount(rows, minlength=len(weights))
    assert np.all(times >= np.floor(weights))
    assert np.all(times <= np.ceil(weights))
    for weight in set(weights) if sum(weights) > 1 else ():
        of_it = np.array(weights) == weight
        assert abs(times[of_it].sum() - weight * of_it.sum()) < 1
    assert np.array_equal(rows, rows_of_window(np.array(weights), seed, Window(epoch)))


def test_half_of_the_pairs_is_another_half_in_every_epoch_and_for_every_seed():
    weights = np.full(100, 0.5)
    drawn = [tuple(rows_of_window(weights, seed, Window(epoch))) for seed in (1, 2) for epoch in range(20)]
    assert {len(rows) for rows in drawn} == {50}
    assert len(set(drawn)) == 40
    seen = np.bincount(np.concatenate([rows_of_window(weights, 1, Window(epoch)) for epoch in range(400)]))
    assert seen.min() > 150
    assert seen.max() < 250


def test_a_share_of_less_than_a_pair_is_there_now_and_then():
    weights = np.array([1.0, 0.1])
    there = sum(1 in rows_of_window(weights, 5, Window(epoch)) for epoch in range(1000))
    assert 70 < there < 130


@given(st.lists(st.lists(st.integers(4, 299), max_size=6), min_size=1, max_size=20), st.data())
def test_rows_of_a_corpus_are_its_sentences(sentences, data):
    rows = np.array(data.draw(st.lists(st.integers(0, len(sentences) - 1), max_size=30)), np.int64)
    taken = encoded(sentences).take(rows)
    assert [taken.source(row).tolist() for row in range(len(taken))] == [sentences[row] for row in rows]
    assert taken.target_ids.dtype == np.uint16


def test_many_rows_are_copied_in_parts(monkeypatch: pytest.MonkeyPatch):
    corpus = encoded([[number, number + 1][: number % 3] for number in range(4, 60)])
    rows = np.array([3, 3, 0, 55, 7, 1, 2, 9])
    whole = corpus.take(rows)
    monkeypatch.setattr("polyhead.data.store._ROWS", 3)
    parts = corpus.take(rows)
    assert np.array_equal(whole.source_ids, parts.source_ids)


def test_the_loader_gives_an_epoch_its_pairs_from_any_position():
    pairs = encoded([[row + 4] for row in range(40)])
    corpus = weighted(lambda epoch, sampled: pairs, np.repeat([2.0, 0.5], 20), seed=3)
    loader = Loader(lambda epoch: corpus(epoch, None), BatchingConfig(max_tokens=24), seed=3)
    stream, seen = loader.stream(Position()), []
    after = Position()
    positions = []
    while after.epoch < 2:
        after, batch = next(stream)
        positions.append(after)
        seen.append(batch.source.tolist())
    stream.close()
    first = [row[0] for batch in seen[: loader.epoch_batches(0)] for row in batch]
    assert sorted(first) == sorted(int(row) + 4 for row in rows_of_window(np.repeat([2.0, 0.5], 20), 3, Window()))
    again = loader.stream(positions[4])
    assert next(again)[1].source.tolist() == seen[5]
    again.close()
