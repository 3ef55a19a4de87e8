"""Attention over encoder states: the lecture's formulas by hand, and the exchangeable core."""

import torch

from polyhead.model.config import RNNAttentionConfig
from polyhead.model.rnn_attention import DotProductAttention, RNNAttention, build_rnn_attention


def small() -> RNNAttention:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return build_rnn_attention(RNNAttentionConfig(d_model=6, hidden_size=8), 15, 15).eval()


def test_the_context_by_hand() -> None:
    generator = torch.Generator().manual_seed(1)
    query, memory = torch.randn(1, 2, 4, generator=generator), torch.randn(1, 3, 4, generator=generator)
    mask = torch.tensor([True, True, False])[None, None, None]
    found = DotProductAttention()(query, memory, mask)
    for t in range(2):
        weights = torch.stack([query[0, t] @ memory[0, i] for i in range(2)]).softmax(0)
        expected = weights[0] * memory[0, 0] + weights[1] * memory[0, 1]
        assert torch.allclose(found[0, t], expected, atol=1e-6)


def test_the_features_by_hand() -> None:
    model = small()
    memory = model.encode(torch.tensor([[4, 5, 6]]), torch.ones(1, 3, dtype=torch.bool))
    target = torch.tensor([[2, 7]])
    states, _ = model.decoder(model.target_embedding(target), model.bridge(memory.summary))
    weights = (states @ memory.states.transpose(1, 2)).softmax(-1)
    both = torch.cat([weights @ memory.states, states], -1)
    expected = torch.tanh(both @ model.combine.weight.T + model.combine.bias)
    assert torch.allclose(model.decode(target, memory), expected, atol=1e-6)


def test_no_key_at_all_gives_a_zero_context() -> None:
    found = DotProductAttention()(torch.ones(1, 2, 4), torch.ones(1, 3, 4), torch.zeros(1, 1, 1, 3, dtype=torch.bool))
    assert found.eq(0).all()


def test_the_core_sees_states_as_keys_and_values() -> None:
    model = small()
    source, mask = torch.tensor([[4, 5, 6]]), torch.ones(1, 3, dtype=torch.bool)
    seen: list[torch.Tensor] = []

    class Core(torch.nn.Module):
        def forward(
            self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor
        ) -> torch.Tensor:
            seen.extend((query, key, value, mask))
            return torch.zeros_like(query)

    model.cross_attention.core = Core()
    memory = model.encode(source, mask)
    model.decode(torch.tensor([[2, 7]]), memory)
    query, key, value, seen_mask = seen
    assert query.shape == (1, 1, 2, 8)
    assert torch.equal(key[:, 0], memory.states)
    assert torch.equal(value[:, 0], memory.states)
    assert seen_mask.shape == (1, 1, 1, 3)


def test_hidden_and_embedding_sizes_may_differ() -> None:
    model = small()
    memory = model.encode(torch.tensor([[4, 5, 6]]), torch.ones(1, 3, dtype=torch.bool))
    assert memory.states.shape == (1, 3, 8)
    assert model.decode(torch.tensor([[2, 7]]), memory).shape == (1, 2, 6)
