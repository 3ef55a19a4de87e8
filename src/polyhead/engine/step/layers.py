"""All layers of a Transformer at once.

Numba compiles a function once for every kind of its arguments, and a constant, or a part of an array, is a kind of its
own: so numbers come in from outside, and whole arrays are passed as parts of themselves.

Shapes: R rows, L layers, D d_model, A the width of all heads.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.engine.step.activations import gate, gelu
from polyhead.kernels.attention.by_positions import Sight, attend
from polyhead.kernels.kernel import kernel
from polyhead.kernels.linear.packed import PackedWeights, multiply
from polyhead.kernels.threads.team import Board

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]
Places = NDArray[np.int32]


@kernel
def embed(tokens: Integers, positions: Integers, table: Floats, scale: float, added: Floats, x: Floats) -> int:
    """x [R, D] = scale · table[tokens] + added[positions], where tokens and positions have R numbers each.

    Returns the first row whose token or position is outside its table, or -1 if there is none; rows from it on are not
    written.
    """
    factor = np.float32(scale)
    for r in range(x.shape[0]):
        token, position = tokens[r], positions[r]
        if token < 0 or token >= table.shape[0] or position < 0 or position >= added.shape[0]:
            return r
        for i in range(x.shape[1]):
            x[r, i] = table[token, i] * factor + added[position, i]
    return -1


@kernel
def normalise(x: Floats, gain: Floats, bias: Floats, epsilon: float) -> None:
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
    before: bool
    """x + f(LN(x)) rather than LN(x + f(x))."""


@kernel
def _entered(x: Floats, around: Sublayers, layer: int, place: int) -> Floats:
    """What the sub-layer sees, [R, D]."""
    if not around.before:
        return x
    y = x.copy()
    normalise(y, around.gain[layer, place], around.bias[layer, place], around.epsilon)
    return y


@kernel
def _left(x: Floats, y: Floats, around: Sublayers, layer: int, place: int) -> None:
    """x becomes what the sub-layer, which gave y, passes on."""
    for r in range(x.shape[0]):
        for i in range(x.shape[1]):
            x[r, i] += y[r, i]
    if not around.before:
        normalise(x, around.gain[layer, place], around.bias[layer, place], around.epsilon)


RELU, GELU, SWIGLU = 0, 1, 2


class FeedForward(NamedTuple):
    """f(x W_1 + b_1) W_2 + b_2."""

    inner: PackedWeights
    """[F, D], where f is a ReLU cut off at 0; of SwiGLU [2·F, D], gates before values."""
    outer: PackedWeights
    """[D, F]."""
    function: int
    """RELU, GELU or SWIGLU."""
    size: int
    """F, which is d_ff."""
    place: int
    """Which of a layer's sub-layers it is."""


@kernel
def _feed_forward(x: Floats, network: FeedForward, around: Sublayers, layer: int, board: Board) -> None:
    rows, gated, y = x.shape[0], network.function == SWIGLU, np.empty_like(x)
    inner = np.empty((rows, 2 * network.size if gated else network.size), np.float32)
    multiply(_entered(x, around, layer, network.place), network.inner, layer, inner, board)
    if gated:
        values = np.empty((rows, network.size), np.float32)
        gate(inner, values)
        inner = values
    elif network.function == GELU:
        gelu(inner)
    multiply(inner, network.outer, layer, y, board)
    _left(x, y, around, layer, network.place)


class Attention(NamedTuple):
    """W^Q (times 1/√d_k), W^K and W^V as one product, or as two; W^O."""

    query: PackedWeights
    """Of self-attention [3·A, D], of cross-attention [A, D]; A is D with every head filled up to whole vectors."""
    output: PackedWeights
    """[D, A]."""
    heads: int
    width: int
    """A."""
    place: int
    """Which of a layer's sub-layers it is."""


@kernel
def _look(
    query: Floats, store: Floats, sight: Sight, attention: Attention, layer: int, y: Floats, board: Board
) -> None:
    """query [R, A], store [.., 2·A] → y [R, D]."""
    context = np.empty((query.shape[0], attention.width), np.float32)
    attend(query, store, sight, attention.heads, context)
    multiply(context, attention.output, layer, y, board)


class Norm(NamedTuple):
    """A LayerNorm of its own; of no numbers at all where there is none."""

    gain: Floats
    """[D]."""
    bias: Floats
    """[D]."""
    epsilon: float


@kernel
def _end(x: Floats, norm: Norm) -> None:
    if norm.gain.shape[0]:
        normalise(x, norm.gain, norm.bias, norm.epsilon)


class Encoder(NamedTuple):
    """All of its layers."""

    attention: Attention
    network: FeedForward
    around: Sublayers
    norm: Norm
    """After the last one."""


class Decoder(NamedTuple):
    """All of its layers."""

    itself: Attention
    across: Attention
    network: FeedForward
    around: Sublayers
    norm: Norm
    """After the last one."""


@kernel
def encode(x: Floats, sight: Sight, kept: Any, board: Board) -> None:
    """All layers: x [R, D], the tokens of some sentences, becomes their representation; an `Encoder` is kept."""
    attention, network, around, norm = kept.value
    rows, width, y = x.shape[0], attention.width, np.empty_like(x)
    for layer in range(around.gain.shape[0]):
        parts = np.empty((rows, 3 * width), np.float32)
        multiply(_entered(x, around, layer, attention.place), attention.query, layer, parts, board)
        _look(parts[:, :width], parts[:, width:], sight, attention, layer, y, board)
        _left(x, y, around, layer, attention.place)
        _feed_forward(x, network, around, layer, board)
    _end(x, norm)


@kernel
def remember(states: Floats, key_value: PackedWeights, memory: Floats, board: Board) -> None:
    """states [tokens, D] → memory [L, tokens, 2·A], every layer's keys and values."""
    for layer in range(memory.shape[0]):
        multiply(states, key_value, layer, memory[layer], board)


@kernel
def decode(
    x: Floats, past: Floats, places: Places, memory: Floats, source: Sight, queries: Floats, kept: Any, board: Board
) -> None:
    """All layers: x [R, D], the newest token of each row, becomes the features of the next one; a `Decoder` is kept.

    past [L, C, 2·A] keys and values; the new ones are written to those of `places` [R, t], where each row's are, the
    newest ones last and next to each other
    memory [L, tokens, 2·A]; `source` says which tokens are a row's sentence
    queries [N, R, A] is filled with what the cross-attention of the first N layers asked with, N ≤ L
    """
    itself, across, network, around, norm = kept.value
    rows, width, newest, y = x.shape[0], itself.width, places.shape[1] - 1, np.empty_like(x)
    seen = Sight(places, np.full(rows, places.shape[1], np.int32), np.arange(rows).astype(np.int32))
    for layer in range(around.gain.shape[0]):
        parts = np.empty((rows, 3 * width), np.float32)
        multiply(_entered(x, around, layer, itself.place), itself.query, layer, parts, board)
        for r in range(rows):
            for i in range(2 * width):
                past[layer, places[r, newest], i] = parts[r, width + i]
        _look(parts[:, :width], past[layer][:, : 2 * width], seen, itself, layer, y, board)
        _left(x, y, around, layer, itself.place)
        query = np.empty((rows, width), np.float32)
        multiply(_entered(x, around, layer, across.place), across.query, layer, query, board)
        if layer < queries.shape[0]:
            queries[layer] = query
        _look(query[:, :width], memory[layer][:, : 2 * width], source, across, layer, y, board)
        _left(x, y, around, layer, across.place)
        _feed_forward(x, network, around, layer, board)
    _end(x, norm)
