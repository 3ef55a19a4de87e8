"""Token embeddings: token → R^D, times √D, plus its position (sections 3.4 and 3.5)."""

import math

from torch import Tensor, nn

from polyhead.model.dropout import Dropout
from polyhead.model.positions import Places
from polyhead.symbols import PAD


class Embedding(nn.Module):
    """tokens [B, T] int64 → [B, T, D]; `tokens` may share its weight with another embedding or the output."""

    def __init__(self, tokens: nn.Embedding, positions: nn.Module, dropout: float) -> None:
        super().__init__()
        self.tokens = tokens
        self.positions = positions
        self.dropout = Dropout(dropout)
        self.scale = math.sqrt(tokens.embedding_dim)

    def forward(self, tokens: Tensor, start: int = 0) -> Tensor:
        return self.at(slice(start, start + tokens.size(1)), tokens)

    def at(self, places: Places, tokens: Tensor) -> Tensor:
        """places: the positions of the tokens, a slice T long or [N] int64; tokens [B, T] or [N] int64 → [.., D]."""
        return self.dropout(self.positions(self.tokens(tokens) * self.scale, places))


def token_embedding(vocabulary_size: int, d_model: int) -> nn.Embedding:
    """Vectors of variance 1/D, so that times √D they match the positional encoding's size; `<pad>` is zero."""
    embedding = nn.Embedding(vocabulary_size, d_model, padding_idx=PAD)
    nn.init.normal_(embedding.weight, std=d_model**-0.5)
    nn.init.zeros_(embedding.weight[PAD])
    return embedding
