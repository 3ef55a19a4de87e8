"""Cutting sentences into batches."""

from dataclasses import replace

import torch
from hypothesis import given
from hypothesis import strategies as st

from polyhead.batch import collate, cut_by_length
from polyhead.symbols import EOS
from tests.devices import on_any_device


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


@given(st.lists(st.integers(0, 6), min_size=1, max_size=9))
def test_elsewhere_a_batch_knows_where_its_real_target_tokens_stand(lengths: list[int]) -> None:
    """So that nobody there counts a mask, which the device "meta" couldn't."""
    batch = collate([[5]] * len(lengths), [[6] * length for length in lengths])
    sent = batch.to("meta")
    assert {tensor.device.type for tensor in (sent.source, sent.target_in, sent.target_out, sent.places)} == {"meta"}
    assert sent.real(sent.target_out).shape == (sum(lengths) + len(lengths),)
    places = batch.target_mask.flatten().nonzero()[:, 0]
    features = torch.randn(*batch.target_out.shape, 3)
    assert torch.equal(replace(batch, places=places).real(features), batch.real(features))
    assert batch.to("cpu").places is None


@on_any_device
def test_a_batch_arrives_as_it_was(device: str) -> None:
    batch = collate([[5, 6], [7]], [[8], [9, 10, 11]], (3, 4))
    sent = batch.to(device)
    for name in ("source", "target_in", "target_out"):
        assert getattr(sent, name).device.type == device
        assert torch.equal(getattr(sent, name).cpu(), getattr(batch, name))
    assert sent.rows == (3, 4)
    assert sent.real(sent.target_out).tolist() == [8, EOS, 9, 10, 11, EOS]
