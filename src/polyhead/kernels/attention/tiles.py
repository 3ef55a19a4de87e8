"""Equation 1 and its gradients for short sequences, in tiles of 16 × 16 pairs of bfloat16.

A head of a sentence fits in a core's own cache: its scores are made, turned into weights and used at once. Queries,
keys and values are read where the projections left them, and gradients are written where the projections want them.
There is no padding: the rows of a sentence follow those of the one before.
Shapes: B sentences, H heads, T queries and S keys of a sentence, d numbers of a head: a multiple of 32.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.arrays.bounds import require
from polyhead.kernels.attention import softmax_tiles
from polyhead.kernels.attention.head_tiles import (
    pack_interleaved,
    pack_rows,
    pack_transposed,
    steps_of,
    transpose_weights,
)
from polyhead.kernels.attention.ragged import Heads, HeadShape, Projected, Ragged, address_of, length, longest
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import ROW_BYTES, ROWS, close_tiles, open_tiles
from polyhead.kernels.microkernels.epilogue import BLOCK
from polyhead.kernels.microkernels.tiles import TILE_BYTES, TILE_NUMBERS, interleaved_product, tile_product

Workspace = NDArray[np.uint8]


class TileCounts(NamedTuple):
    """How many tiles a head of a sentence takes."""

    queries: int
    keys: int
    width: int
    """How many tiles beside each other hold the numbers of a head."""
    query_pairs: int
    key_pairs: int


@kernel
def _tile_counts(queries: int, keys: int, numbers: int) -> TileCounts:
    rows, columns = (queries + ROWS - 1) // ROWS, (keys + ROWS - 1) // ROWS
    return TileCounts(rows, columns, numbers // TILE_NUMBERS, (queries + 1) // 2, (keys + 1) // 2)


@kernel
def _sentence(ragged: Ragged, b: int, numbers: int) -> TileCounts:
    return _tile_counts(length(ragged.queries, b), length(ragged.keys, b), numbers)


@kernel
def _longest(ragged: Ragged, numbers: int) -> TileCounts:
    """The tiles of a sentence that has as many queries and keys as any."""
    queries, keys = longest(ragged)
    return _tile_counts(queries, keys, numbers)


@kernel
def weights_bytes(ragged: Ragged, shape: HeadShape) -> int:
    """How many bytes of weights `forward` keeps."""
    total = 0
    for b in range(ragged.queries.shape[0] - 1):
        total += _weights_bytes_of(_sentence(ragged, b, shape.size))
    return shape.heads * total


@kernel
def _weights_bytes_of(n: TileCounts) -> int:
    """How many bytes the weights of one head of a sentence have."""
    return n.queries * n.key_pairs * ROW_BYTES


@kernel
def _forward_layout(n: TileCounts, transposed: int) -> Any:
    """The addresses of what `forward` works in, from `transposed` on, and the address behind it all."""
    rows = transposed + n.width * n.queries * TILE_BYTES
    interleaved = rows + n.width * n.keys * TILE_BYTES
    mask = interleaved + 2 * n.width * steps_of(n.key_pairs) * TILE_BYTES
    scores = mask + n.queries * n.keys * TILE_BYTES
    shares = scores + n.keys * TILE_BYTES
    sums = shares + steps_of(n.key_pairs) * TILE_BYTES
    return transposed, rows, interleaved, mask, scores, shares, sums, sums + 2 * TILE_BYTES


@kernel
def _backward_layout(n: TileCounts, transposed: int) -> Any:
    """The addresses of what `backward` works in, from `transposed` on, and the address behind it all."""
    rows = transposed + n.width * n.queries * TILE_BYTES
    keys = rows + n.width * n.keys * TILE_BYTES
    queries = keys + 2 * n.width * steps_of(n.key_pairs) * TILE_BYTES
    contexts = queries + 2 * n.width * steps_of(n.query_pairs) * TILE_BYTES
    d_weights = contexts + 2 * n.width * steps_of(n.query_pairs) * TILE_BYTES
    by_key = d_weights + n.keys * TILE_BYTES
    d_by_key = by_key + n.keys * steps_of(n.query_pairs) * TILE_BYTES
    d_scores = d_by_key + n.keys * steps_of(n.query_pairs) * TILE_BYTES
    shares = d_scores + steps_of(n.key_pairs) * TILE_BYTES
    sums = shares + steps_of(n.key_pairs) * TILE_BYTES
    end = sums + 2 * TILE_BYTES
    return transposed, rows, keys, queries, contexts, d_weights, by_key, d_by_key, d_scores, shares, sums, end


@kernel
def forward_workspace_bytes(ragged: Ragged, shape: HeadShape) -> int:
    """How many bytes `forward` works in."""
    return _forward_layout(_longest(ragged, shape.size), 0)[-1]


@kernel
def backward_workspace_bytes(ragged: Ragged, shape: HeadShape) -> int:
    """How many bytes `backward` works in."""
    return _backward_layout(_longest(ragged, shape.size), 0)[-1]


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
    """Equation 1 → context. weights: the address to keep each sentence's, [H, T / 16, S / 2, 16] pairs."""
    (query, key, value), factor = projected, np.float32(scale)
    require(shape.size % BLOCK == 0)
    open_tiles(ROWS)
    for b in range(ragged.queries.shape[0] - 1):
        n, queries, keys = _sentence(ragged, b, shape.size), length(ragged.queries, b), length(ragged.keys, b)
        transposed, rows, interleaved, mask, scores, shares, sums, end = _forward_layout(n, workspace.ctypes.data)
        workspace[: end - transposed] = 0
        _write_mask(queries, keys, ragged.causal, workspace[mask - transposed : scores - transposed].view(np.float32))
        for h in range(shape.heads):
            pack_transposed(address_of(query, ragged.queries[b], h), query.stride, queries, n.width, transposed)
            pack_rows(address_of(key, ragged.keys[b], h), key.stride, keys, n.width, rows)
            pack_interleaved(address_of(value, ragged.keys[b], h), value.stride, keys, n.width, interleaved)
            for i in range(n.queries):
                here = weights + i * n.key_pairs * ROW_BYTES
                _score_tiles(rows, transposed + i * n.width * TILE_BYTES, keys, n.width, scores)
                softmax_tiles.softmax(scores, factor, mask + i * n.keys * TILE_BYTES, n.key_pairs, here)
                transpose_weights(here, n.key_pairs, shares)
                out, left = address_of(context, ragged.queries[b] + ROWS * i, h), min(ROWS, queries - ROWS * i)
                _write_products(shares, TILE_BYTES, interleaved, n.width, n.key_pairs, sums, out, context.stride, left)
            weights += _weights_bytes_of(n)
    close_tiles()


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
    (query, key, value), (d_query, d_key, d_value), factor = projected, gradients, np.float32(scale)
    require(shape.size % BLOCK == 0)
    open_tiles(ROWS)
    for b in range(ragged.queries.shape[0] - 1):
        n, count, keys_ = _sentence(ragged, b, shape.size), length(ragged.queries, b), length(ragged.keys, b)
        places = _backward_layout(n, workspace.ctypes.data)
        transposed, rows, keys, queries, contexts, d_weights, by_key, d_by_key, d_scores, shares, sums, end = places
        workspace[: end - transposed] = 0
        for h in range(shape.heads):
            gradient = address_of(d_context, ragged.queries[b], h)
            pack_transposed(gradient, d_context.stride, count, n.width, transposed)
            pack_rows(address_of(value, ragged.keys[b], h), value.stride, keys_, n.width, rows)
            pack_interleaved(address_of(key, ragged.keys[b], h), key.stride, keys_, n.width, keys)
            pack_interleaved(address_of(query, ragged.queries[b], h), query.stride, count, n.width, queries)
            pack_interleaved(gradient, d_context.stride, count, n.width, contexts)
            for i in range(n.queries):
                here = weights + i * n.key_pairs * ROW_BYTES
                _score_tiles(rows, transposed + i * n.width * TILE_BYTES, keys_, n.width, d_weights)
                softmax_tiles.softmax_backward(d_weights, here, factor, n.key_pairs, d_scores)
                offset = i // 2 * n.keys * TILE_BYTES + i % 2 * (ROW_BYTES // 2)
                softmax_tiles.key_rows(here, n.key_pairs, by_key + offset)
                softmax_tiles.key_rows(d_scores, n.key_pairs, d_by_key + offset)
                transpose_weights(d_scores, n.key_pairs, shares)
                out, left = address_of(d_query, ragged.queries[b] + ROWS * i, h), min(ROWS, count - ROWS * i)
                _write_products(shares, TILE_BYTES, keys, n.width, n.key_pairs, sums, out, d_query.stride, left)
            for j in range(n.keys):
                step, offset, left = n.keys * TILE_BYTES, j * TILE_BYTES, min(ROWS, keys_ - ROWS * j)
                out = address_of(d_value, ragged.keys[b] + ROWS * j, h)
                _write_products(
                    by_key + offset, step, contexts, n.width, n.query_pairs, sums, out, d_value.stride, left
                )
                out = address_of(d_key, ragged.keys[b] + ROWS * j, h)
                _write_products(d_by_key + offset, step, queries, n.width, n.query_pairs, sums, out, d_key.stride, left)
            weights += _weights_bytes_of(n)
    close_tiles()


@kernel
def _write_mask(queries: int, keys: int, causal: bool, mask: Any) -> None:
    """→ mask [T / 16, S, 16], added to the scores: query t sees no key from `keys` on and, if causal, none behind t."""
    padded_keys, index = (keys + ROWS - 1) // ROWS * ROWS, 0
    for first in range(0, queries, ROWS):
        for s in range(padded_keys):
            for t in range(first, first + ROWS):
                visible = s < keys and (s <= t or not causal)
                mask[index] = np.float32(0 if visible else softmax_tiles.MASKED)
                index += 1


@kernel
def _score_tiles(rows: int, transposed: int, keys: int, width: int, out: int) -> None:
    for j in range((keys + ROWS - 1) // ROWS):
        left = min(ROWS, keys - ROWS * j)
        tile_product(
            rows + j * width * TILE_BYTES, TILE_BYTES, left, transposed, TILE_BYTES, ROWS * width, out + j * TILE_BYTES
        )


@kernel
def _write_products(
    left: int, next_left: int, interleaved: int, width: int, pairs: int, sums: int, out: int, stride: int, rows: int
) -> None:
    steps = steps_of(pairs)
    for piece in range(width):
        even = interleaved + 2 * piece * steps * TILE_BYTES
        odd = even + steps * TILE_BYTES
        interleaved_product(left, next_left, even, odd, pairs, sums, out + piece * ROW_BYTES, stride, rows)
