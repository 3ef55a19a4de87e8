"""Token embeddings."""

import pytest
import torch

from polyhead.model.embedding import Embedding, token_embedding
from polyhead.model.positions import NoPosition, SinusoidalAdd
from polyhead.symbols import PAD


def test_vectors_times_root_d_have_the_size_of_the_positional_encoding() -> None:
    weight = token_embedding(2000, 64).weight.detach()
    assert float(weight.std()) == pytest.approx(64**-0.5, rel=0.02)
    assert (weight[PAD] == 0).all()


def test_scales_by_root_d_model() -> None:
    tokens = token_embedding(20, 16)
    embedding = Embedding(tokens, NoPosition(16, 10), 0.0)
    ids = torch.tensor([[5, 6], [7, 5]])
    torch.testing.assert_close(embedding(ids), tokens.weight[ids] * 4)


def test_starts_at_any_position() -> None:
    embedding = Embedding(token_embedding(20, 16), SinusoidalAdd(16, 10), 0.0)
    ids = torch.randint(5, 20, (2, 8))
    torch.testing.assert_close(embedding(ids[:, 3:], start=3), embedding(ids)[:, 3:])


def test_drops_out_the_sum_of_token_and_position() -> None:
    """Section 5.4: dropout on the sums of the embeddings and the positional encodings."""
    embedding = Embedding(token_embedding(20, 16), SinusoidalAdd(16, 10), 0.5)
    ids = torch.randint(5, 20, (2, 8))
    dropped = embedding(ids)
    kept = dropped != 0
    assert 0.2 < float(kept.float().mean()) < 0.8
    torch.testing.assert_close(dropped[kept], 2 * embedding.eval()(ids)[kept])
