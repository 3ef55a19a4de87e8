"""The encoder: N × (self-attention, feed-forward) (section 3.1)."""

from collections.abc import Callable

from torch import Tensor, nn

from polyhead.model.attention import MultiHeadAttention


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network, each inside a residual sub-layer."""

    def __init__(
        self, attention: MultiHeadAttention, feed_forward: nn.Module, sublayer: Callable[[], nn.Module]
    ) -> None:
        super().__init__()
        self.self_attention = attention
        self.feed_forward = feed_forward
        self.self_attention_sublayer = sublayer()
        self.feed_forward_sublayer = sublayer()

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x [B, S, D], mask [B, 1, 1, S] → [B, S, D]."""

        def attend(y: Tensor) -> Tensor:
            return self.self_attention(y, y, mask)

        x = self.self_attention_sublayer(x, attend)
        return self.feed_forward_sublayer(x, self.feed_forward)


class Encoder(nn.Module):
    """The stack of layers, with the final normalisation where pre-norm needs one."""

    def __init__(self, layers: list[EncoderLayer], norm: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = norm

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x [B, S, D], mask [B, 1, 1, S] → [B, S, D]."""
        for layer in self.layers:
            x = layer(x, mask)
        return self.norm(x)
