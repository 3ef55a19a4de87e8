"""The Transformer's layers for translating: packed weights, no dropout, rows in place of a padded batch.

Shapes: R rows, D d_model, B sentences, W places, H heads, d = D / H, C columns, S source length.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from polyhead.engine.attention import CrossAttention, SelfAttention, cross_attention, self_attention
from polyhead.engine.places import Places
from polyhead.engine.projection import Activation, Pack, Projection
from polyhead.model.decoder import DecoderLayer
from polyhead.model.encoder import EncoderLayer
from polyhead.model.feed_forward import FeedForward, SwiGLU
from polyhead.model.sublayer import PostNorm, PreNorm

Sublayer = Callable[[Tensor, Callable[[Tensor], Tensor]], Tensor]
"""(x [R, D], function) → function(x) inside the residual and the norm; writes into what the function gives."""


@dataclass(frozen=True)
class Reach:
    """What one decoder layer looks at in a step."""

    places: Places
    fresh: Tensor
    """[2, B, H, W, d], where the new keys and values belong."""
    past: tuple[Tensor, Tensor]
    """Keys [B·H, d, C] and values [B·H, C, d], the new ones included."""
    ancestry: Tensor
    """[B·H, W, C], added to the scores."""
    memory: tuple[Tensor, Tensor]
    """Keys [B·H, d, S] and values [B·H, S, d]."""
    padding: Tensor
    """[B·H, 1, S], added to the memory's scores."""


@dataclass(frozen=True)
class PreparedEncoderLayer:
    """Self-attention and feed-forward."""

    attention: SelfAttention
    feed_forward: Projection
    attention_sublayer: Sublayer
    feed_forward_sublayer: Sublayer

    def __call__(self, x: Tensor, tokens: Places, hidden: Tensor) -> Tensor:
        """x [R, D], rows that are tokens, hidden [B·H, 1, W] → [R, D]."""
        x = self.attention_sublayer(x, lambda y: self.attention.look(y, tokens, hidden))
        return self.feed_forward_sublayer(x, self.feed_forward)


@dataclass(frozen=True)
class PreparedDecoderLayer:
    """Attention to the past, attention to the memory, feed-forward."""

    self_attention: SelfAttention
    cross_attention: CrossAttention
    feed_forward: Projection
    sublayers: tuple[Sublayer, Sublayer, Sublayer]

    def step(self, x: Tensor, reach: Reach) -> Tensor:
        """x [R, D], the newest token of every row → [R, D]."""
        first, second, third = self.sublayers
        r = reach
        x = first(x, lambda y: self.self_attention.step(y, r.places, r.fresh, r.past, r.ancestry))
        x = second(x, lambda y: self.cross_attention.look(y, r.places, r.memory, r.padding))
        return third(x, self.feed_forward)


@dataclass(frozen=True)
class PreparedFeedForward:
    """f(x W_1 + b_1) W_2 + b_2, the activation fused with the first product."""

    inner: Projection
    outer: Projection

    def __call__(self, x: Tensor) -> Tensor:
        return self.outer(self.inner(x))


@dataclass(frozen=True)
class PreparedSwiGLU:
    """(SiLU(x W) ⊙ x V) W_2."""

    inner: Projection
    outer: Projection

    def __call__(self, x: Tensor) -> Tensor:
        gate, value = self.inner(x).chunk(2, -1)
        return self.outer(nn.functional.silu(gate) * value)


def encoder_layer(layer: EncoderLayer, pack: Pack) -> PreparedEncoderLayer:
    """A trained layer, packed."""
    return PreparedEncoderLayer(
        self_attention(layer.self_attention, pack),
        feed_forward(layer.feed_forward, pack),
        sublayer(layer.self_attention_sublayer),
        sublayer(layer.feed_forward_sublayer),
    )


def decoder_layer(layer: DecoderLayer, pack: Pack) -> PreparedDecoderLayer:
    """A trained layer, packed."""
    return PreparedDecoderLayer(
        self_attention(layer.self_attention, pack),
        cross_attention(layer.cross_attention, pack),
        feed_forward(layer.feed_forward, pack),
        (
            sublayer(layer.self_attention_sublayer),
            sublayer(layer.cross_attention_sublayer),
            sublayer(layer.feed_forward_sublayer),
        ),
    )


ACTIVATIONS: dict[object, Activation] = {nn.functional.relu: "relu", nn.functional.gelu: "gelu"}


def has_prepared_form(layer: nn.Module) -> bool:
    """Whether this engine knows all parts of a layer: a new one may not have come here yet."""
    networks = [part for name, part in layer.named_children() if name == "feed_forward"]
    sublayers = [part for name, part in layer.named_children() if name.endswith("_sublayer")]
    known = [isinstance(part, SwiGLU) or _activation(part) is not None for part in networks]
    return all(known) and all(isinstance(part, PostNorm | PreNorm) for part in sublayers)


def feed_forward(module: nn.Module, pack: Pack) -> Projection:
    """A trained feed-forward network, packed. Raises TypeError for one without a prepared form."""

    def packed(linear: nn.Linear, activation: Activation = "none") -> Projection:
        return pack(linear.weight.detach(), linear.bias.detach(), activation)

    if isinstance(module, SwiGLU):
        return PreparedSwiGLU(packed(module.inner), packed(module.outer))
    activation = _activation(module)
    if isinstance(module, FeedForward) and activation is not None:
        return PreparedFeedForward(packed(module.inner, activation), packed(module.outer))
    raise TypeError(f"no prepared form of {type(module).__name__}")


def _activation(module: nn.Module) -> Activation | None:
    return ACTIVATIONS.get(module.activation) if isinstance(module, FeedForward) else None


def sublayer(module: nn.Module) -> Sublayer:
    """A trained residual sub-layer without its dropout. Raises TypeError for one without a prepared form."""
    if isinstance(module, PostNorm):
        return partial(_post, normalisation(module.norm))
    if isinstance(module, PreNorm):
        return partial(_pre, normalisation(module.norm))
    raise TypeError(f"no prepared form of {type(module).__name__}")


def normalisation(norm: nn.Module) -> Callable[[Tensor], Tensor]:
    """A LayerNorm as a function, or nothing where the stack ends without one."""
    if not isinstance(norm, nn.LayerNorm):
        return lambda x: x
    shape = norm.normalized_shape
    weight, bias = norm.weight.detach(), norm.bias.detach()
    return lambda x: torch.layer_norm(x, shape, weight, bias, norm.eps)


def _post(norm: Callable[[Tensor], Tensor], x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    return norm(function(x).add_(x))


def _pre(norm: Callable[[Tensor], Tensor], x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
    return function(norm(x)).add_(x)
