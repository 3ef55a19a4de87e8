"""Equation 1 and its gradients for short sequences, in vectors of float32.

A head of a sentence fits in a core's own cache: its scores are made, turned into weights and used at once. Queries,
keys and values are read where the projections left them, and gradients are written where the projections want them.
Shapes: B sentences, H heads, T queries and S keys of a sentence, d numbers of a head: a multiple of WIDTH; T' and S'
are T and S rounded up to such a multiple.
"""

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.bounds import require
from polyhead.kernels.attention.ragged import Heads, HeadShape, Projected, Ragged, address_of, length, longest, sentence
from polyhead.kernels.attention.softmax import softmax_row, softmax_row_backward
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import identity
from polyhead.kernels.microkernels.simd import FLOAT_BYTES, WIDTH, LeftOperand, no_input, product_of, round_up
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES
from polyhead.kernels.packing.pack_float32 import pack_right_column_panel, pack_right_row_panel, transpose

Floats = NDArray[np.float32]
Workspace = NDArray[np.uint8]

_multiply = product_of(identity)


@kernel
def weights_bytes(ragged: Ragged, shape: HeadShape) -> int:
    """How many bytes of weights `forward` keeps."""
    total = 0
    for b in range(ragged.queries.shape[0] - 1):
        total += length(ragged.queries, b) * round_up(length(ragged.keys, b))
    return FLOAT_BYTES * shape.heads * total


@kernel
def forward_workspace_bytes(ragged: Ragged, shape: HeadShape) -> int:
    """How many bytes `forward` needs to work in."""
    return FLOAT_BYTES * 2 * round_up(longest(ragged)[1]) * shape.size


@kernel
def backward_workspace_bytes(ragged: Ragged, shape: HeadShape) -> int:
    """How many bytes `backward` needs to work in."""
    queries, keys = longest(ragged)
    queries, keys = round_up(queries), round_up(keys)
    return FLOAT_BYTES * (2 * (queries + keys) * shape.size + 3 * queries * keys)


@kernel
def forward(
    projected: Projected,
    ragged: Ragged,
    shape: HeadShape,
    scale: float,
    weights: int,
    context: Heads,
    workspace: Workspace,
) -> None:
    """Equation 1 → context. weights: the address where weights are kept for `backward`, of each sentence [H, T, S']."""
    (query, key, value), factor, work = projected, np.float32(scale), workspace.view(np.float32)
    require(shape.size % WIDTH == 0)
    for b in range(ragged.queries.shape[0] - 1):
        first, first_key, queries, keys = sentence(ragged, b)
        padded_keys = round_up(keys)
        transposed, values = work[: padded_keys * shape.size], work[padded_keys * shape.size :]
        stride = FLOAT_BYTES * padded_keys
        for h in range(shape.heads):
            _pack_transposed(address_of(key, first_key, h), key.stride, keys, shape.size, transposed)
            _pack_rows(address_of(value, first_key, h), value.stride, keys, shape.size, padded_keys, values)
            here = address_of(query, first, h)
            _matmul(here, query.stride, queries, transposed, shape.size, padded_keys, weights, stride)
            for t in range(queries):
                visible = min(t + 1, keys) if ragged.causal else keys
                softmax_row(weights + stride * t, padded_keys // WIDTH, visible, factor)
            out = address_of(context, first, h)
            _matmul(weights, stride, queries, values, padded_keys, shape.size, out, context.stride)
            weights += stride * queries


@kernel
def backward(
    d_context: Heads,
    projected: Projected,
    ragged: Ragged,
    shape: HeadShape,
    scale: float,
    weights: int,
    gradients: Projected,
    workspace: Workspace,
) -> None:
    """d_context, and the weights that `forward` kept → gradients, those of query, key and value."""
    (query, key, value), (d_query, d_key, d_value), size = projected, gradients, shape.size
    factor, work = np.float32(scale), workspace.view(np.float32)
    require(shape.size % WIDTH == 0)
    for b in range(ragged.queries.shape[0] - 1):
        first, first_key, queries, keys = sentence(ragged, b)
        padded_keys, padded_queries = round_up(keys), round_up(queries)
        transposed, key_rows = work, work[padded_keys * size :]
        query_rows = key_rows[padded_keys * size :]
        context_rows = query_rows[padded_queries * size :]
        d_weights = context_rows[padded_queries * size :]
        by_key = d_weights[padded_queries * padded_keys :]
        d_by_key = by_key[padded_queries * padded_keys :]
        stride, key_stride, d_scores = FLOAT_BYTES * padded_keys, FLOAT_BYTES * padded_queries, d_weights.ctypes.data
        for h in range(shape.heads):
            gradient = address_of(d_context, first, h)
            _pack_transposed(address_of(value, first_key, h), value.stride, keys, size, transposed)
            _pack_rows(address_of(key, first_key, h), key.stride, keys, size, padded_keys, key_rows)
            _pack_rows(address_of(query, first, h), query.stride, queries, size, padded_queries, query_rows)
            _pack_rows(gradient, d_context.stride, queries, size, padded_queries, context_rows)
            _matmul(gradient, d_context.stride, queries, transposed, size, padded_keys, d_scores, stride)
            for t in range(queries):
                softmax_row_backward(d_scores + stride * t, weights + stride * t, padded_keys // WIDTH, factor)
            out = address_of(d_query, first, h)
            _matmul(d_scores, stride, queries, key_rows, padded_keys, size, out, d_query.stride)
            _transpose_weights(weights, stride, queries, padded_keys, by_key.ctypes.data, key_stride)
            _transpose_weights(d_scores, stride, queries, padded_keys, d_by_key.ctypes.data, key_stride)
            left, out = by_key.ctypes.data, address_of(d_value, first_key, h)
            _matmul(left, key_stride, keys, context_rows, padded_queries, size, out, d_value.stride)
            left, out = d_by_key.ctypes.data, address_of(d_key, first_key, h)
            _matmul(left, key_stride, keys, query_rows, padded_queries, size, out, d_key.stride)
            weights += stride * queries


@kernel
def _pack_transposed(address: int, stride: int, rows: int, size: int, out: Floats) -> None:
    """Rows become the right operand's columns; up to a whole panel the last one is repeated, which nothing reads."""
    for first in range(0, rows, WIDTH):
        pack_right_row_panel(address + first * stride, stride, rows - first, size, out[first * size :].ctypes.data)


@kernel
def _pack_rows(address: int, stride: int, rows: int, size: int, padded: int, out: Floats) -> None:
    """Rows become the right operand's, up to `padded` of them with zeros behind the last."""
    for first in range(0, size, WIDTH):
        panel = out[first * padded : (first + WIDTH) * padded].reshape((padded, WIDTH))
        pack_right_column_panel(address + FLOAT_BYTES * first, stride, rows, panel)


@kernel
def _transpose_weights(x: int, stride: int, rows: int, columns: int, out: int, out_stride: int) -> None:
    """x [rows, columns] → its transpose; behind a row's last number there are others, which are multiplied by zeros."""
    for first in range(0, rows, WIDTH):
        for n in range(0, columns, WIDTH):
            here, there = x + first * stride + FLOAT_BYTES * n, out + n * out_stride + FLOAT_BYTES * first
            transpose(here, stride, rows - first, there, out_stride)


@kernel
def _matmul(
    left: int, stride: int, rows: int, panels: Floats, steps: int, columns: int, out: int, out_stride: int
) -> None:
    """left [rows, steps] times panels [.., steps, WIDTH] → out [rows, columns]; left and out are addresses."""
    operand = LeftOperand(left, stride, VECTOR_BYTES)
    for n in range(0, columns, WIDTH):
        panel = panels[n * steps :].ctypes.data
        _multiply(operand, rows, panel, steps, no_input(out), out + FLOAT_BYTES * n, out_stride)
