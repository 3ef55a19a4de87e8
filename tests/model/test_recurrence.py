"""The recurrent building blocks against PyTorch's own layers, sentence by sentence."""

from typing import Literal

import pytest
import torch

from polyhead.model.config import RecurrentConfig
from polyhead.model.recurrence import Bridge, RecurrentEncoder


@pytest.mark.parametrize("cell", ["lstm", "gru"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_the_final_state_is_each_sentences_own(cell: Literal["lstm", "gru"], bidirectional: bool) -> None:
    config = RecurrentConfig(cell=cell, bidirectional=bidirectional, d_model=5, hidden_size=6, num_layers=2)
    encoder = RecurrentEncoder(config).eval()
    x = torch.randn(3, 4, 5, generator=torch.Generator().manual_seed(0))
    lengths = torch.tensor([4, 2, 3])
    states, final = encoder(x, torch.arange(4) < lengths[:, None])
    assert len(final) == (2 if cell == "lstm" else 1)
    for row, length in enumerate([4, 2, 3]):
        outputs, _ = encoder.recurrence.layers(x[row : row + 1, :length])
        assert torch.allclose(states[row, :length], outputs[0], atol=1e-6)
        assert states[row, length:].eq(0).all()
        half = 3 if bidirectional else 6
        assert final[0].shape == (2, 3, 6)
        assert torch.allclose(final[0][-1, row, :half], outputs[0, -1, :half], atol=1e-6)
        if bidirectional:  # what is read last from right to left is the first word
            assert torch.allclose(final[0][-1, row, half:], outputs[0, 0, half:], atol=1e-6)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_a_row_without_tokens_is_zero(cell: Literal["lstm", "gru"]) -> None:
    encoder = RecurrentEncoder(RecurrentConfig(cell=cell, d_model=5, hidden_size=6))
    states, final = encoder(torch.ones(2, 4, 5), torch.tensor([[True], [False]]).expand(2, 4))
    assert states[1].eq(0).all()
    assert all(part[:, 1].eq(0).all() for part in final)
    assert states[0].ne(0).all()


def test_the_bridge() -> None:
    final = (torch.randn(2, 3, 6), torch.randn(2, 3, 6))
    straight = Bridge(RecurrentConfig(hidden_size=6, bidirectional=False))
    assert straight(final) is final
    bridge = Bridge(RecurrentConfig(hidden_size=6))
    hidden, cell = bridge(final)
    assert torch.allclose(hidden, torch.tanh(bridge.linears[0](final[0])))
    assert torch.allclose(cell, torch.tanh(bridge.linears[1](final[1])))
