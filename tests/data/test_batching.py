"""Every sentence once an epoch, within the budget, with little padding, the same for the same seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyhead.data.batching import BatchingConfig, Draw, batches
from polyhead.data.windows import Window

Lengths = NDArray[np.int64]
LENGTHS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), max_size=60)
CONFIGS = st.builds(
    BatchingConfig,
    max_tokens=st.integers(1, 300),
    max_sentences=st.none() | st.integers(1, 5),
    shuffle=st.booleans(),
)


def realistic(count: int, mean: float, seed: int = 0) -> tuple[Lengths, Lengths]:
    """Lengths as real corpora have them: log-normal, the target's about the source's."""
    random = np.random.default_rng(seed)
    sources = np.exp(random.normal(np.log(mean), 0.3, count))
    targets = sources * np.exp(random.normal(0.0, 0.17, count))
    return np.maximum(sources.astype(np.int64), 2), np.maximum(targets.astype(np.int64), 2)


@given(LENGTHS, CONFIGS, st.integers(0, 1000), st.integers(0, 3))
def test_every_sentence_once_and_within_budget(
    lengths: list[tuple[int, int]], config: BatchingConfig, seed: int, epoch: int
) -> None:
    sources, targets = np.array(lengths, np.int64).reshape(-1, 2).T
    drawn = batches(sources, targets, config, seed, Window(epoch))
    assert sorted(row for batch in drawn for row in batch.rows.tolist()) == list(range(len(lengths)))
    for batch in drawn:
        assert 0 < len(batch.rows) <= (config.max_sentences or len(lengths))
        assert len(batch.rows) == 1 or padded(batch) <= config.max_tokens
        assert sources[batch.rows].max() <= batch.source_width <= sources.max()
        assert targets[batch.rows].max() <= batch.target_width <= targets.max()


def padded(batch: Draw) -> int:
    return len(batch.rows) * (batch.source_width + batch.target_width)


@pytest.mark.parametrize(("budget", "mean"), [(2048, 15.0), (8192, 15.0), (8192, 25.0)])
@pytest.mark.parametrize("shuffle", [False, True])
def test_padding_is_little(budget: int, mean: float, shuffle: bool) -> None:
    sources, targets = realistic(29_000, mean)
    drawn = batches(sources, targets, BatchingConfig(max_tokens=budget, shuffle=shuffle), 1, Window())
    assert 1 - (sources.sum() + targets.sum()) / sum(padded(batch) for batch in drawn) < 0.13


@pytest.mark.parametrize("ratio", [0.6, 1.0, 1.7])
def test_shapes_are_few_and_return_every_epoch(ratio: float) -> None:
    sources, targets = realistic(29_000, 15.0)
    sources = np.maximum(np.round(sources * ratio).astype(np.int64), 1)

    def shapes(epoch: int) -> list[tuple[int, int, int]]:
        drawn = batches(sources, targets, BatchingConfig(), 1, Window(epoch))
        return [(len(batch.rows), batch.source_width, batch.target_width) for batch in drawn]

    first, later = set(shapes(0)), set(shapes(7))
    assert len(first) < 30
    assert len(later - first) <= 3  # the random first batch, the rest at the end


@pytest.mark.parametrize("ratio", [0.6, 1.0, 1.7])
def test_sides_of_different_lengths_are_not_padded_to_the_same(ratio: float) -> None:
    sources, targets = realistic(29_000, 15.0)
    sources = np.maximum(np.round(sources * ratio).astype(np.int64), 1)
    drawn = batches(sources, targets, BatchingConfig(), 1, Window())
    assert (sources.sum() + targets.sum()) / sum(padded(batch) for batch in drawn) > 0.84


def test_batches_are_full() -> None:
    sources, targets = realistic(29_000, 15.0)
    drawn = batches(sources, targets, BatchingConfig(), 1, Window())
    assert len(drawn) <= 1.16 * (sources.sum() + targets.sum()) / 8192 + 1


def test_the_same_seed_and_epoch_give_the_same() -> None:
    sources, targets = realistic(500, 10.0)
    config = BatchingConfig(max_tokens=400)

    def drawn(seed: int, epoch: int) -> list[list[int]]:
        return [batch.rows.tolist() for batch in batches(sources, targets, config, seed, Window(epoch))]

    assert drawn(1, 2) == drawn(1, 2)
    assert drawn(1, 2) != drawn(1, 3)
    assert drawn(1, 2) != drawn(2, 2)
    assert drawn(1, 2) != drawn(2, 1)


def test_batch_mates_change_from_epoch_to_epoch() -> None:
    sources, targets = realistic(5_000, 15.0)
    config = BatchingConfig(max_tokens=2048)
    first, second = (batches(sources, targets, config, 1, Window(epoch)) for epoch in (0, 2))
    where = np.empty(len(sources), np.int64)
    for number, batch in enumerate(second):
        where[batch.rows] = number
    together = [np.bincount(where[batch.rows]).max() / len(batch.rows) for batch in first]
    assert np.mean(together) < 0.8


def test_batches_come_in_random_order() -> None:
    sources, targets = realistic(2_000, 15.0)
    drawn = batches(sources, targets, BatchingConfig(max_tokens=512), 1, Window())
    longest = [int(targets[batch.rows].max()) for batch in drawn]
    assert abs(np.corrcoef(longest, np.arange(len(longest)))[0, 1]) < 0.5


def test_without_shuffling_batches_go_from_short_to_long() -> None:
    sources, targets = realistic(2_000, 15.0)
    config = BatchingConfig(max_tokens=512, shuffle=False)
    drawn = batches(sources, targets, config, 1, Window())
    again = batches(sources, targets, config, 9, Window(9))
    assert [batch.rows.tolist() for batch in drawn] == [batch.rows.tolist() for batch in again]
    means = [float(targets[batch.rows].mean()) for batch in drawn]
    assert means[0] < means[len(means) // 2] < means[-1]
