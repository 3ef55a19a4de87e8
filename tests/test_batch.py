"""Cutting sentences into batches."""

import torch
from hypothesis import given
from hypothesis import strategies as st

from polyhead.batch import collate, cut_by_length


@given(st.lists(st.integers(1, 40), max_size=60), st.integers(1, 100))
def test_every_row_is_in_one_batch_within_the_budget_longest_first(lengths: list[int], budget: int) -> None:
    batches = list(cut_by_length(lengths, budget))
    rows = [row for batch in batches for row in batch]
    assert rows == sorted(range(len(lengths)), key=lambda row: (-lengths[row], row))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[row] for row in batch) <= budget


@given(st.integers(1, 9), st.integers(1, 5))
def test_shares_are_the_batch_dealt_row_by_row(rows: int, shares: int) -> None:
    batch = collate([[5] * (i + 1) for i in range(rows)], [[6] * (i % 3) for i in range(rows)], range(rows))
    parts = batch.split(shares)
    assert len(parts) == min(rows, shares)
    order = [row for share in range(len(parts)) for row in range(share, rows, len(parts))]
    for name in ("source", "target_in", "target_out"):
        assert torch.equal(torch.cat([getattr(part, name) for part in parts]), getattr(batch, name)[order])
    assert sum((part.rows for part in parts), ()) == tuple(order)
    assert max(len(part.rows) for part in parts) - min(len(part.rows) for part in parts) <= 1
