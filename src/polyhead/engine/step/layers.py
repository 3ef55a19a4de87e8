"""The kernels of a Transformer's encoder and decoder, each of which runs all layers in one call.

Numba compiles a function once for every kind of its arguments, and a constant, or a slice of an array, is a kind of its
own: so numbers come in as arguments, and a whole array is passed as a slice of itself where others pass slices.

Shapes: R rows, L layers, D d_model, A the width of all heads.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.engine.step.activations import gate, gelu
from polyhead.kernels.attention.by_positions import VisibleKeys, attend
from polyhead.kernels.kernel import kernel
from polyhead.kernels.linear.packed import PackedWeights, multiply
from polyhead.kernels.threads.team import Board

Floats = NDArray[np.float32]
NodeNumbers = NDArray[np.int32]


@kernel
def layer_norm(x: Floats, gain: Floats, bias: Floats, epsilon: float) -> None:
    """LayerNorm (Ba et al. 2016) of every row of x [R, D]."""
    size = np.float32(x.shape[1])
    for r in range(x.shape[0]):
        mean = np.float32(0)
        for i in range(x.shape[1]):
            mean += x[r, i]
        mean /= size
        variance = np.float32(0)
        for i in range(x.shape[1]):
            variance += (x[r, i] - mean) * (x[r, i] - mean)
        factor = np.float32(1) / np.sqrt(variance / size + np.float32(epsilon))
        for i in range(x.shape[1]):
            x[r, i] = (x[r, i] - mean) * factor * gain[i] + bias[i]


class Sublayers(NamedTuple):
    """The residual connections and norms around S sub-layers of each of L layers."""

    gain: Floats
    """[L, S, D]."""
    bias: Floats
    """[L, S, D]."""
    epsilon: float
    pre_norm: bool
    """Whether a sub-layer is x + f(LN(x)) rather than LN(x + f(x))."""


@kernel
def _sublayer_input(x: Floats, sublayers: Sublayers, layer: int, sublayer: int) -> Floats:
    """What a sub-layer reads, [R, D]: x or, with pre-norm, its LayerNorm."""
    if not sublayers.pre_norm:
        return x
    y = x.copy()
    layer_norm(y, sublayers.gain[layer, sublayer], sublayers.bias[layer, sublayer], sublayers.epsilon)
    return y


@kernel
def _add_and_norm(x: Floats, y: Floats, sublayers: Sublayers, layer: int, sublayer: int) -> None:
    """x becomes x + y, where y is what a sub-layer gave, and without pre-norm the LayerNorm of that."""
    for r in range(x.shape[0]):
        for i in range(x.shape[1]):
            x[r, i] += y[r, i]
    if not sublayers.pre_norm:
        layer_norm(x, sublayers.gain[layer, sublayer], sublayers.bias[layer, sublayer], sublayers.epsilon)


RELU, GELU, SWIGLU = 0, 1, 2


class FeedForward(NamedTuple):
    """A feed-forward network: f(x W_1 + b_1) W_2 + b_2."""

    inner: PackedWeights
    """W_1 [F, D], whose outputs are cut off at 0 where f is a ReLU; of SwiGLU [2·F, D], gates before values."""
    outer: PackedWeights
    """W_2 [D, F]."""
    function: int
    """RELU, GELU or SWIGLU."""
    size: int
    """F, which is d_ff."""
    sublayer: int
    """Which of a layer's sub-layers the feed-forward network is, from 0."""


@kernel
def _feed_forward(x: Floats, feed_forward: FeedForward, sublayers: Sublayers, layer: int, board: Board) -> None:
    rows, gated, y = x.shape[0], feed_forward.function == SWIGLU, np.empty_like(x)
    inner = np.empty((rows, 2 * feed_forward.size if gated else feed_forward.size), np.float32)
    multiply(_sublayer_input(x, sublayers, layer, feed_forward.sublayer), feed_forward.inner, layer, inner, board)
    if gated:
        values = np.empty((rows, feed_forward.size), np.float32)
        gate(inner, values)
        inner = values
    elif feed_forward.function == GELU:
        gelu(inner)
    multiply(inner, feed_forward.outer, layer, y, board)
    _add_and_norm(x, y, sublayers, layer, feed_forward.sublayer)


class Attention(NamedTuple):
    """The weights of an attention; W^K and W^V of cross-attention are not here, but in `project_memory`'s product."""

    query: PackedWeights
    """W^Q (times 1/√d_k) of cross-attention [A, D], or also W^K and W^V of self-attention [3·A, D]; A is D with every
    head filled up to whole vectors."""
    output: PackedWeights
    """W^O [D, A]."""
    heads: int
    width: int
    """A, the width of all heads."""
    sublayer: int
    """Which of a layer's sub-layers the attention is, from 0."""


@kernel
def _attend(
    query: Floats, keys_values: Floats, visible: VisibleKeys, attention: Attention, layer: int, y: Floats, board: Board
) -> None:
    """query [R, A], keys_values [.., 2·A] → y [R, D]."""
    context = np.empty((query.shape[0], attention.width), np.float32)
    attend(query, keys_values, visible, attention.heads, context)
    multiply(context, attention.output, layer, y, board)


class Norm(NamedTuple):
    """The LayerNorm after the last layer; its arrays are empty where there is none."""

    gain: Floats
    """[D]."""
    bias: Floats
    """[D]."""
    epsilon: float


@kernel
def _final_norm(x: Floats, norm: Norm) -> None:
    if norm.gain.shape[0]:
        layer_norm(x, norm.gain, norm.bias, norm.epsilon)


class Encoder(NamedTuple):
    """All layers of an encoder."""

    attention: Attention
    feed_forward: FeedForward
    sublayers: Sublayers
    norm: Norm
    """The norm after the last layer."""


class Decoder(NamedTuple):
    """All layers of a decoder."""

    self_attention: Attention
    cross_attention: Attention
    feed_forward: FeedForward
    sublayers: Sublayers
    norm: Norm
    """The norm after the last layer."""


@kernel
def encode(x: Floats, visible: VisibleKeys, pinned: Any, board: Board) -> None:
    """Runs all layers of a pinned `Encoder`: x [R, D], the tokens of some sentences, becomes their representation."""
    attention, feed_forward, sublayers, norm = pinned.value
    rows, width, y = x.shape[0], attention.width, np.empty_like(x)
    for layer in range(sublayers.gain.shape[0]):
        parts = np.empty((rows, 3 * width), np.float32)
        multiply(_sublayer_input(x, sublayers, layer, attention.sublayer), attention.query, layer, parts, board)
        _attend(parts[:, :width], parts[:, width:], visible, attention, layer, y, board)
        _add_and_norm(x, y, sublayers, layer, attention.sublayer)
        _feed_forward(x, feed_forward, sublayers, layer, board)
    _final_norm(x, norm)


@kernel
def project_memory(states: Floats, key_value: PackedWeights, memory: Floats, board: Board) -> None:
    """states [tokens, D] → memory [L, tokens, 2·A], every layer's keys and values."""
    for layer in range(memory.shape[0]):
        multiply(states, key_value, layer, memory[layer], board)


@kernel
def decode(
    x: Floats,
    past: Floats,
    nodes: NodeNumbers,
    memory: Floats,
    source: VisibleKeys,
    queries: Floats,
    pinned: Any,
    board: Board,
) -> None:
    """Runs all layers of a pinned `Decoder`: x [R, D], each row's newest token, becomes the features of the next one.

    past [L, C, 2·A] holds the keys and values of nodes; nodes [R, t] lists each row's nodes, to the last of which the
    new keys and values are written; the last nodes of all rows lie next to each other
    memory [L, tokens, 2·A]; `source` says which tokens are a row's sentence
    queries [N, R, A] is filled with what the cross-attention of the first N layers asked with, N ≤ L
    """
    self_attention, cross_attention, feed_forward, sublayers, norm = pinned.value
    rows, width, newest, y = x.shape[0], self_attention.width, nodes.shape[1] - 1, np.empty_like(x)
    visible = VisibleKeys(nodes, np.full(rows, nodes.shape[1], np.int32), np.arange(rows).astype(np.int32))
    for layer in range(sublayers.gain.shape[0]):
        parts = np.empty((rows, 3 * width), np.float32)
        multiply(
            _sublayer_input(x, sublayers, layer, self_attention.sublayer), self_attention.query, layer, parts, board
        )
        for r in range(rows):
            for i in range(2 * width):
                past[layer, nodes[r, newest], i] = parts[r, width + i]
        _attend(parts[:, :width], past[layer][:, : 2 * width], visible, self_attention, layer, y, board)
        _add_and_norm(x, y, sublayers, layer, self_attention.sublayer)
        query = np.empty((rows, width), np.float32)
        normed = _sublayer_input(x, sublayers, layer, cross_attention.sublayer)
        multiply(normed, cross_attention.query, layer, query, board)
        if layer < queries.shape[0]:
            queries[layer] = query
        _attend(query[:, :width], memory[layer][:, : 2 * width], source, cross_attention, layer, y, board)
        _add_and_norm(x, y, sublayers, layer, cross_attention.sublayer)
        _feed_forward(x, feed_forward, sublayers, layer, board)
    _final_norm(x, norm)
