"""The Transformer's layers for translating: packed weights, no dropout, rows in place of a padded batch.

Everything that runs at every step is compiled, and written in what TorchScript knows of Python.
Shapes: R rows, D d_model, B sentences, W places, H heads, d = D / H, C columns, S source length.
"""

from typing import Final

import torch
from torch import Tensor, nn

from polyhead.engine.attention import CrossAttention, SelfAttention
from polyhead.engine.places import Grid
from polyhead.engine.projection import Projection


class Normalisation(nn.Module):
    """A trained LayerNorm."""

    eps: Final[float]

    def __init__(self, norm: nn.LayerNorm) -> None:
        super().__init__()
        self.weight = norm.weight.detach()
        self.bias = norm.bias.detach()
        self.eps = norm.eps

    def forward(self, x: Tensor) -> Tensor:
        return torch.layer_norm(x, self.weight.shape, self.weight, self.bias, self.eps)


class Residual(nn.Module):
    """Around a sub-layer f: y = after(f(before(x)) + x)."""

    def __init__(self, before: nn.Module, after: nn.Module) -> None:
        super().__init__()
        self.before = before
        self.after = after

    def enter(self, x: Tensor) -> Tensor:
        """What the sub-layer sees."""
        return self.before(x)

    def leave(self, y: Tensor, x: Tensor) -> Tensor:
        """y, what the sub-layer gives, is written into."""
        return self.after(y.add_(x))


class PreparedEncoderLayer(nn.Module):
    """Self-attention and feed-forward."""

    def __init__(self, attention: SelfAttention, feed_forward: Projection, residuals: list[Residual]) -> None:
        super().__init__()
        self.attention = attention
        self.feed_forward = feed_forward
        self.first, self.second = residuals

    def forward(self, x: Tensor, grid: Grid, hidden: Tensor) -> Tensor:
        """x [R, D], rows that are tokens, hidden [B·H, 1, W] → [R, D]."""
        x = self.first.leave(self.attention.look(self.first.enter(x), grid, hidden), x)
        return self.second.leave(self.feed_forward(self.second.enter(x)), x)


class PreparedDecoderLayer(nn.Module):
    """Attention to the past, attention to the memory, feed-forward."""

    def __init__(
        self,
        self_attention: SelfAttention,
        cross_attention: CrossAttention,
        feed_forward: Projection,
        residuals: list[Residual],
    ) -> None:
        super().__init__()
        self.self_attention = self_attention
        self.cross_attention = cross_attention
        self.feed_forward = feed_forward
        self.first, self.second, self.third = residuals

    def forward(
        self,
        x: Tensor,
        grid: Grid,
        columns: Tensor,
        written: int,
        ancestry: Tensor,
        memory: tuple[Tensor, Tensor],
        padding: Tensor,
    ) -> Tensor:
        """x [R, D], the newest token of every row → [R, D]; for this layer what `PreparedDecoder` has for all."""
        x = self.first.leave(self.self_attention.step(self.first.enter(x), grid, columns, written, ancestry), x)
        key, value = memory
        x = self.second.leave(self.cross_attention.look(self.second.enter(x), grid, key, value, padding), x)
        return self.third.leave(self.feed_forward(self.third.enter(x)), x)


class PreparedEncoder(nn.Module):
    """All layers, and the norm after the last."""

    def __init__(self, layers: list[PreparedEncoderLayer], norm: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = norm

    def forward(self, x: Tensor, grid: Grid, hidden: Tensor) -> Tensor:
        """x [R, D], rows that are tokens, hidden [B·H, 1, W] → [R, D]."""
        for layer in self.layers:
            x = layer(x, grid, hidden)
        return self.norm(x)


class PreparedDecoder(nn.Module):
    """All layers, and the norm after the last."""

    def __init__(self, layers: list[PreparedDecoderLayer], norm: nn.Module) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = norm

    def forward(
        self,
        x: Tensor,
        grid: Grid,
        columns: list[Tensor],
        written: int,
        ancestry: Tensor,
        memory: list[tuple[Tensor, Tensor]],
        padding: Tensor,
    ) -> Tensor:
        """x [R, D], the newest token of every row → [R, D].

        columns: of each layer, [2, B·H, C, d] keys and values; the new ones are written before column `written`
        ancestry: [B·H, W, C'], added to the scores of the columns that count
        memory: of each layer, keys [B·H, d, S] and values [B·H, S, d]
        padding: [B·H, 1, S], added to the memory's scores
        """
        for i, layer in enumerate(self.layers):
            x = layer(x, grid, columns[i], written, ancestry, memory[i], padding)
        return self.norm(x)


class PreparedFeedForward(nn.Module):
    """f(x W_1 + b_1) W_2 + b_2, the activation fused with the first product."""

    def __init__(self, inner: Projection, outer: Projection) -> None:
        super().__init__()
        self.inner = inner
        self.outer = outer

    def forward(self, x: Tensor) -> Tensor:
        return self.outer(self.inner(x))


class PreparedSwiGLU(nn.Module):
    """(SiLU(x W) ⊙ x V) W_2."""

    def __init__(self, inner: Projection, outer: Projection) -> None:
        super().__init__()
        self.inner = inner
        self.outer = outer

    def forward(self, x: Tensor) -> Tensor:
        gate, value = self.inner(x).chunk(2, -1)
        return self.outer(nn.functional.silu(gate) * value)
