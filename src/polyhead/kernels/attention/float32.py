"""Equation 1 and its gradients for short sequences, in vectors of float32.

A head of a sentence fits in a core's own cache: its scores are made, turned into weights and used at once. Queries,
keys and values are read where the projections left them, and gradients written where those want them.
Shapes: B sentences, H heads, T queries and S keys of a sentence, d numbers of a head: a multiple of WIDTH, as T' and S'
are, which are the next ones.
"""

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.attention.ragged import Heads, Projected, Ragged, Width, length, longest, place_of, sentence
from polyhead.kernels.attention.softmax import differentiate_row, softmax_row
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.epilogue import unchanged
from polyhead.kernels.microkernels.simd import LINE, NUMBER, WIDTH, LeftOperand, filled_up, no_input, product_of
from polyhead.kernels.packing.pack_float32 import copy_panel, transpose, transpose_panel

Floats = NDArray[np.float32]
Workspace = NDArray[np.uint8]

_multiply = product_of(unchanged)


@kernel
def bytes_of_weights(ragged: Ragged, width: Width) -> int:
    """How many bytes of weights `attend` keeps."""
    total = 0
    for b in range(ragged.queries.shape[0] - 1):
        total += length(ragged.queries, b) * filled_up(length(ragged.keys, b))
    return NUMBER * width.heads * total


@kernel
def workspace_to_attend(ragged: Ragged, width: Width) -> int:
    """How many bytes `attend` needs to work in."""
    return NUMBER * 2 * filled_up(longest(ragged)[1]) * width.numbers


@kernel
def workspace_to_differentiate(ragged: Ragged, width: Width) -> int:
    """How many bytes `differentiate` needs to work in."""
    queries, keys = longest(ragged)
    queries, keys = filled_up(queries), filled_up(keys)
    return NUMBER * (2 * (queries + keys) * width.numbers + 3 * queries * keys)


@kernel
def attend(
    projected: Projected, ragged: Ragged, width: Width, scale: float, weights: int, context: Heads, workspace: Workspace
) -> None:
    """Equation 1; weights: where they are kept for the gradients, of each sentence [H, T, S']."""
    (query, key, value), factor, free = projected, np.float32(scale), workspace.view(np.float32)
    for b in range(ragged.queries.shape[0] - 1):
        first, first_key, queries, keys = sentence(ragged, b)
        whole = filled_up(keys)
        transposed, values = free[: whole * width.numbers], free[whole * width.numbers :]
        row = NUMBER * whole
        for h in range(width.heads):
            _transpose_all(place_of(key, first_key, h), key.row, keys, width.numbers, transposed)
            _copy_all(place_of(value, first_key, h), value.row, keys, width.numbers, whole, values)
            left = LeftOperand(place_of(query, first, h), query.row, LINE)
            _times(left, queries, transposed, width.numbers, whole, weights, row)
            for t in range(queries):
                seen = keys if ragged.ahead else min(t + 1, keys)
                softmax_row(weights + row * t, whole // WIDTH, seen, factor)
            out = place_of(context, first, h)
            _times(LeftOperand(weights, row, LINE), queries, values, whole, width.numbers, out, context.row)
            weights += row * queries


@kernel
def differentiate(
    d_context: Heads,
    projected: Projected,
    ragged: Ragged,
    width: Width,
    scale: float,
    weights: int,
    found: Projected,
    workspace: Workspace,
) -> None:
    """The gradients of query, key and value → found."""
    (query, key, value), (d_query, d_key, d_value), numbers = projected, found, width.numbers
    factor, free = np.float32(scale), workspace.view(np.float32)
    for b in range(ragged.queries.shape[0] - 1):
        first, first_key, queries, keys = sentence(ragged, b)
        whole, whole_queries = filled_up(keys), filled_up(queries)
        transposed, of_keys = free, free[whole * numbers :]
        of_queries = of_keys[whole * numbers :]
        of_contexts = of_queries[whole_queries * numbers :]
        d_weights = of_contexts[whole_queries * numbers :]
        by_key = d_weights[whole_queries * whole :]
        d_by_key = by_key[whole_queries * whole :]
        row, key_row, d_scores = NUMBER * whole, NUMBER * whole_queries, d_weights.ctypes.data
        for h in range(width.heads):
            gradient = place_of(d_context, first, h)
            _transpose_all(place_of(value, first_key, h), value.row, keys, numbers, transposed)
            _copy_all(place_of(key, first_key, h), key.row, keys, numbers, whole, of_keys)
            _copy_all(place_of(query, first, h), query.row, queries, numbers, whole_queries, of_queries)
            _copy_all(gradient, d_context.row, queries, numbers, whole_queries, of_contexts)
            _times(LeftOperand(gradient, d_context.row, LINE), queries, transposed, numbers, whole, d_scores, row)
            for t in range(queries):
                differentiate_row(d_scores + row * t, weights + row * t, whole // WIDTH, factor)
            out = place_of(d_query, first, h)
            _times(LeftOperand(d_scores, row, LINE), queries, of_keys, whole, numbers, out, d_query.row)
            _transpose_square(weights, row, queries, whole, by_key.ctypes.data, key_row)
            _transpose_square(d_scores, row, queries, whole, d_by_key.ctypes.data, key_row)
            left = LeftOperand(by_key.ctypes.data, key_row, LINE)
            _times(left, keys, of_contexts, whole_queries, numbers, place_of(d_value, first_key, h), d_value.row)
            left = LeftOperand(d_by_key.ctypes.data, key_row, LINE)
            _times(left, keys, of_queries, whole_queries, numbers, place_of(d_key, first_key, h), d_key.row)
            weights += row * queries


@kernel
def _transpose_all(place: int, row: int, rows: int, numbers: int, out: Floats) -> None:
    """Rows become the right operand's columns; up to a whole panel the last one is repeated, which nothing reads."""
    for first in range(0, rows, WIDTH):
        transpose_panel(place + first * row, row, rows - first, numbers, out[first * numbers :].ctypes.data)


@kernel
def _copy_all(place: int, row: int, rows: int, numbers: int, whole: int, out: Floats) -> None:
    """Rows become the right operand's, up to `whole` of them with zeros behind the last."""
    for first in range(0, numbers, WIDTH):
        panel = out[first * whole : (first + WIDTH) * whole].reshape((whole, WIDTH))
        copy_panel(place + NUMBER * first, row, rows, panel)


@kernel
def _transpose_square(x: int, row: int, rows: int, columns: int, out: int, out_row: int) -> None:
    """x [rows, columns] → its transpose; behind a row's last number there are others, which are multiplied by zeros."""
    for first in range(0, rows, WIDTH):
        for n in range(0, columns, WIDTH):
            transpose(x + first * row + NUMBER * n, row, rows - first, out + n * out_row + NUMBER * first, out_row)


@kernel
def _times(left: LeftOperand, rows: int, panels: Floats, steps: int, columns: int, out: int, out_row: int) -> None:
    """left [rows, steps] times panels [columns / WIDTH, steps, WIDTH] → out [rows, columns]."""
    for n in range(0, columns, WIDTH):
        _multiply(left, rows, panels[n * steps :].ctypes.data, steps, no_input(out), out + NUMBER * n, out_row)
