"""Windows are random samples of a corpus that together are the whole of it, and every position can be gone on from."""

from contextlib import closing
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.batch import Batch
from polyhead.data.batching import BatchingConfig
from polyhead.data.encode import Encoder, sampled_in_epochs
from polyhead.data.loader import OF_A_WINDOW, Loader, Position
from polyhead.data.readers import Pair
from polyhead.data.store import EncodedCorpus, flatten, offsets_of
from polyhead.data.weighting import weighted
from polyhead.data.windows import RUN, window_of
from polyhead.errors import PolyheadError
from polyhead.symbols import PAD
from polyhead.tokenizers import TokenizerConfig, train


def numbered(pairs: int) -> EncodedCorpus:
    """A corpus of sentences of several lengths whose first id says which pair it is."""
    lengths = np.random.default_rng(1).integers(1, 12, pairs)
    ids, of_each = flatten([[pair + 10, *[5] * int(length)] for pair, length in enumerate(lengths)], 70_000)
    offsets = offsets_of([of_each])
    return EncodedCorpus(ids, offsets, ids, offsets)


def of_epoch(loader: Loader, epoch: int) -> list[int]:
    """The pairs of an epoch in the order in which they are learnt from."""
    seen: list[int] = []
    with closing(loader.stream(Position(epoch))) as stream:
        for after, batch in stream:
            seen += [int(first) - 10 for first in batch.source[:, 0]]
            if after.epoch > epoch:
                return seen
    return seen


@given(st.integers(0, 5000), st.integers(1, 3000), st.integers(0, 9), st.integers(0, 9), st.booleans())
def test_the_windows_of_an_epoch_have_each_pair_once(pairs, size, seed, epoch, shuffle):
    first = window_of(pairs, size, seed, epoch, 0, shuffle=shuffle)
    windows = [window_of(pairs, size, seed, epoch, number, shuffle=shuffle) for number in range(first.count)]
    rows = [np.arange(pairs) if each.rows is None else each.rows for each in windows]
    assert np.array_equal(np.sort(np.concatenate(rows)), np.arange(pairs))
    assert all(np.all(np.diff(some) > 0) for some in rows)
    assert max(map(len, rows)) <= max(size, RUN)
    assert [each.is_last for each in windows] == [False] * (first.count - 1) + [True]
    assert len(window_of(pairs, size, seed, epoch, first.count, shuffle=shuffle).rows) == 0


def test_an_epoch_has_each_pair_once_whatever_the_window():
    corpus = numbered(3000)
    for window in (None, 64, 500, 2999, 3000):
        loader = Loader(lambda epoch: corpus, BatchingConfig(max_tokens=512, window=window), seed=4)
        for epoch in (0, 3):
            assert sorted(of_epoch(loader, epoch)) == list(range(3000))


def test_a_window_that_has_the_whole_corpus_changes_no_batch():
    corpus = numbered(700)
    whole, windowed = (
        Loader(lambda epoch: corpus, BatchingConfig(max_tokens=256, window=window), seed=4) for window in (None, 700)
    )
    assert of_epoch(whole, 2) == of_epoch(windowed, 2)


def test_a_pairs_place_in_an_epoch_says_nothing_about_its_place_in_the_file():
    pairs = 40_000
    corpus = numbered(pairs)
    for window in (None, 4096):
        loader = Loader(lambda epoch: corpus, BatchingConfig(max_tokens=2048, window=window), seed=4)
        orders = [np.array(of_epoch(loader, epoch)) for epoch in (0, 1)]
        places = [np.argsort(order) for order in orders]
        # Of independent orders the correlation has a standard deviation of 1/√(runs in a row), here below 0.04.
        assert abs(np.corrcoef(places[0], np.arange(pairs))[0, 1]) < 0.12
        assert abs(np.corrcoef(places[0], places[1])[0, 1]) < 0.12
        # The pair that is learnt next to one in a batch is not its neighbour in the file.
        assert np.mean(np.abs(np.diff(orders[0])) < RUN) < 0.05


def test_without_shuffling_windows_follow_each_other_as_their_pairs_do():
    corpus = numbered(640)
    loader = Loader(lambda epoch: corpus, BatchingConfig(max_tokens=256, window=128, shuffle=False), seed=4)
    order = of_epoch(loader, 0)
    assert [min(order[start : start + 128]) for start in range(0, 640, 128)] == list(range(0, 640, 128))


def windowed_loaders() -> dict[str, Loader]:
    corpus = numbered(1000)
    config = BatchingConfig(max_tokens=400, window=200)
    heavy = weighted(lambda epoch, sampled: corpus, np.repeat([2.0, 0.3], 500), seed=3)
    texts = [f"the {number} dogs of {number % 7} towns" for number in range(500)]
    tokenizer = train(texts, TokenizerConfig(dropout=0.3), 320)
    pairs = [Pair(text, text, None, "") for text in texts]
    encoder = Encoder(tokenizer, tokenizer, False, max_tokens=40)
    encoded, report = encoder(pairs)
    sampled = sampled_in_epochs(encoded, pairs, report.rows, encoder, seed=3)
    return {
        "plain": Loader(lambda epoch: corpus, config, seed=3),
        "weighted": Loader(lambda epoch: heavy(epoch, None), config, seed=3),
        "sampled": Loader(lambda epoch: sampled(epoch, None), config, seed=3),
    }


def taken(loader: Loader, start: Position, count: int) -> list[tuple[Position, Batch]]:
    with closing(loader.stream(start)) as stream:
        return list(islice(stream, count))


@pytest.mark.parametrize("kind", ["plain", "weighted", "sampled"])
def test_a_run_goes_on_bit_by_bit_from_every_position(kind):
    whole = taken(windowed_loaders()[kind], Position(), 150)
    assert whole[-1][0].epoch >= 1
    assert any(position.batch > OF_A_WINDOW for position, _ in whole)
    keys = [(position.epoch, position.batch) for position, _ in whole]
    assert keys == sorted(set(keys))
    for start in range(0, 140, 11):
        resumed = taken(windowed_loaders()[kind], whole[start][0], 9)
        expected = whole[start + 1 : start + 10]
        assert [position for position, _ in resumed] == [position for position, _ in expected]
        for (_, one), (_, other) in zip(resumed, expected, strict=True):
            assert one.rows == other.rows
            assert one.source.equal(other.source)
            assert one.target_out.equal(other.target_out)


def test_weights_hold_within_windows():
    corpus = numbered(1000)
    weights = np.repeat([2.0, 0.5], 500)
    heavy = weighted(lambda epoch, sampled: corpus, weights, seed=3)
    loader = Loader(lambda epoch: heavy(epoch, None), BatchingConfig(max_tokens=400, window=200), seed=3)
    times = sum(np.bincount(of_epoch(loader, epoch), minlength=1000) for epoch in range(20))
    assert np.all(times[:500] == 40)
    assert abs(times[500:].mean() - 10) < 0.2
    assert times[500:].max() < 20


def test_words_are_cut_up_anew_in_every_epoch_and_window():
    loader = windowed_loaders()["sampled"]
    epochs = []
    for epoch in (0, 1):
        batches = taken(loader, Position(epoch), loader.epoch_batches(epoch))
        epochs.append(sorted(tuple(row[row != PAD].tolist()) for _, batch in batches for row in batch.source))
    assert len(epochs[0]) == len(epochs[1]) == 500
    assert epochs[0] != epochs[1]


@pytest.mark.parametrize("batch", [1000, 99 * OF_A_WINDOW])
def test_a_position_that_no_window_has_is_an_error(batch):
    for loader in windowed_loaders().values():
        with pytest.raises(PolyheadError, match=f"none can follow number {batch}"):
            taken(loader, Position(0, batch), 1)
