"""The memory's rows."""

import pytest
import torch

from polyhead.model.state import Memory


@pytest.mark.parametrize("rows", [[0, 1, 2], [2, 0], [1, 1, 1, 0], []])
def test_select_picks_repeats_reorders_and_drops_rows(rows: list[int]) -> None:
    memory = Memory(torch.randn(3, 4, 5), torch.rand(3, 4) < 0.5, (torch.randn(2, 3, 5), torch.randn(2, 3, 5)))
    picked = memory.select(torch.tensor(rows, dtype=torch.int64))
    assert picked.states.shape == (len(rows), 4, 5)
    for new, old in enumerate(rows):
        assert torch.equal(picked.states[new], memory.states[old])
        assert torch.equal(picked.mask[new], memory.mask[old])
        for part, whole in zip(picked.summary, memory.summary, strict=True):
            assert torch.equal(part[:, new], whole[:, old])
