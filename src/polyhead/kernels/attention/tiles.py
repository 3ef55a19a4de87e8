"""Equation 1 and its gradients for short sequences, in squares.

A head of a sentence fits in a core's own cache: its scores are made, turned into weights and used at once. Queries,
keys and values are read where the projections left them, and gradients written where those want them. There is no
padding: the rows of a sentence follow those of the one before.
Shapes: B sentences, H heads, T queries and S keys of a sentence, d numbers of a head: a multiple of 32.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.attention import columns
from polyhead.kernels.attention.ragged import Heads, Projected, Ragged, Width, length, longest, place_of
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import BYTES, ROWS, close_tiles, open_tiles
from polyhead.kernels.microkernels.tiles import NUMBERS, SQUARE, mix, product, product_of_mixed, take, transpose

Workspace = NDArray[np.uint8]


class Squares(NamedTuple):
    """How many squares a head of a sentence takes."""

    queries: int
    keys: int
    pieces: int
    """How many squares beside each other hold the numbers of a head."""
    query_pairs: int
    key_pairs: int


@kernel
def _in_squares(queries: int, keys: int, numbers: int) -> Squares:
    rows, columns_ = (queries + ROWS - 1) // ROWS, (keys + ROWS - 1) // ROWS
    return Squares(rows, columns_, numbers // NUMBERS, (queries + 1) // 2, (keys + 1) // 2)


@kernel
def _steps(pairs: int) -> int:
    """How many squares hold so many pairs, whose products are added up."""
    return (pairs + ROWS - 1) // ROWS


@kernel
def _sentence(ragged: Ragged, b: int, numbers: int) -> Squares:
    return _in_squares(length(ragged.queries, b), length(ragged.keys, b), numbers)


@kernel
def _longest(ragged: Ragged, numbers: int) -> Squares:
    """The squares of a sentence that has as many queries and keys as any."""
    queries, keys = longest(ragged)
    return _in_squares(queries, keys, numbers)


@kernel
def bytes_of_weights(ragged: Ragged, width: Width) -> int:
    """How many bytes of weights `attend` keeps."""
    total = 0
    for b in range(ragged.queries.shape[0] - 1):
        total += _bytes_of_weights(_sentence(ragged, b, width.numbers))
    return width.heads * total


@kernel
def _bytes_of_weights(n: Squares) -> int:
    """How many of them are those of one head of a sentence."""
    return n.queries * n.key_pairs * BYTES


@kernel
def _places_to_attend(n: Squares, transposed: int) -> Any:
    """The addresses of what `attend` works in, from `transposed` on, and the one behind it."""
    rows = transposed + n.pieces * n.queries * SQUARE
    mixed = rows + n.pieces * n.keys * SQUARE
    hidden = mixed + 2 * n.pieces * _steps(n.key_pairs) * SQUARE
    scores = hidden + n.queries * n.keys * SQUARE
    shares = scores + n.keys * SQUARE
    sums = shares + _steps(n.key_pairs) * SQUARE
    return transposed, rows, mixed, hidden, scores, shares, sums, sums + 2 * SQUARE


@kernel
def _places_to_differentiate(n: Squares, transposed: int) -> Any:
    """The addresses of what `differentiate` works in, from `transposed` on, and the one behind it."""
    rows = transposed + n.pieces * n.queries * SQUARE
    keys = rows + n.pieces * n.keys * SQUARE
    queries = keys + 2 * n.pieces * _steps(n.key_pairs) * SQUARE
    contexts = queries + 2 * n.pieces * _steps(n.query_pairs) * SQUARE
    d_weights = contexts + 2 * n.pieces * _steps(n.query_pairs) * SQUARE
    by_key = d_weights + n.keys * SQUARE
    d_by_key = by_key + n.keys * _steps(n.query_pairs) * SQUARE
    d_scores = d_by_key + n.keys * _steps(n.query_pairs) * SQUARE
    shares = d_scores + _steps(n.key_pairs) * SQUARE
    sums = shares + _steps(n.key_pairs) * SQUARE
    end = sums + 2 * SQUARE
    return transposed, rows, keys, queries, contexts, d_weights, by_key, d_by_key, d_scores, shares, sums, end


@kernel
def workspace_to_attend(ragged: Ragged, width: Width) -> int:
    """How many bytes `attend` works in."""
    return _places_to_attend(_longest(ragged, width.numbers), 0)[-1]


@kernel
def workspace_to_differentiate(ragged: Ragged, width: Width) -> int:
    """How many bytes `differentiate` works in."""
    return _places_to_differentiate(_longest(ragged, width.numbers), 0)[-1]


@kernel
def attend(
    projected: Projected, ragged: Ragged, width: Width, scale: float, weights: int, context: Heads, workspace: Workspace
) -> None:
    """Equation 1; weights: where they are kept for the gradients, of each sentence [H, T / 16, S / 2, 16] pairs."""
    (query, key, value), factor = projected, np.float32(scale)
    open_tiles(ROWS)
    for b in range(ragged.queries.shape[0] - 1):
        n, queries, keys = _sentence(ragged, b, width.numbers), length(ragged.queries, b), length(ragged.keys, b)
        transposed, rows, mixed, hidden, scores, shares, sums, end = _places_to_attend(n, workspace.ctypes.data)
        workspace[: end - transposed] = 0
        _hide(queries, keys, ragged.ahead, workspace[hidden - transposed : scores - transposed].view(np.float32))
        for h in range(width.heads):
            _transpose_all(place_of(query, ragged.queries[b], h), query.row, queries, n.pieces, transposed)
            _take_all(place_of(key, ragged.keys[b], h), key.row, keys, n.pieces, rows)
            _mix_all(place_of(value, ragged.keys[b], h), value.row, keys, n.pieces, mixed)
            for i in range(n.queries):
                here = weights + i * n.key_pairs * BYTES
                _products(rows, transposed + i * n.pieces * SQUARE, keys, n.pieces, scores)
                columns.softmax(scores, factor, hidden + i * n.keys * SQUARE, n.key_pairs, here)
                _transpose_pairs(here, n.key_pairs, shares)
                out, left = place_of(context, ragged.queries[b] + ROWS * i, h), min(ROWS, queries - ROWS * i)
                _write_all(shares, SQUARE, mixed, n.pieces, n.key_pairs, sums, out, context.row, left)
            weights += _bytes_of_weights(n)
    close_tiles()


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
    (query, key, value), (d_query, d_key, d_value), factor = projected, found, np.float32(scale)
    open_tiles(ROWS)
    for b in range(ragged.queries.shape[0] - 1):
        n, count, keys_ = _sentence(ragged, b, width.numbers), length(ragged.queries, b), length(ragged.keys, b)
        places = _places_to_differentiate(n, workspace.ctypes.data)
        transposed, rows, keys, queries, contexts, d_weights, by_key, d_by_key, d_scores, shares, sums, end = places
        workspace[: end - transposed] = 0
        for h in range(width.heads):
            gradient = place_of(d_context, ragged.queries[b], h)
            _transpose_all(gradient, d_context.row, count, n.pieces, transposed)
            _take_all(place_of(value, ragged.keys[b], h), value.row, keys_, n.pieces, rows)
            _mix_all(place_of(key, ragged.keys[b], h), key.row, keys_, n.pieces, keys)
            _mix_all(place_of(query, ragged.queries[b], h), query.row, count, n.pieces, queries)
            _mix_all(gradient, d_context.row, count, n.pieces, contexts)
            for i in range(n.queries):
                here = weights + i * n.key_pairs * BYTES
                _products(rows, transposed + i * n.pieces * SQUARE, keys_, n.pieces, d_weights)
                columns.differentiate(d_weights, here, factor, n.key_pairs, d_scores)
                place = i // 2 * n.keys * SQUARE + i % 2 * (BYTES // 2)
                columns.key_rows(here, n.key_pairs, by_key + place)
                columns.key_rows(d_scores, n.key_pairs, d_by_key + place)
                _transpose_pairs(d_scores, n.key_pairs, shares)
                out, left = place_of(d_query, ragged.queries[b] + ROWS * i, h), min(ROWS, count - ROWS * i)
                _write_all(shares, SQUARE, keys, n.pieces, n.key_pairs, sums, out, d_query.row, left)
            for j in range(n.keys):
                step, place, left = n.keys * SQUARE, j * SQUARE, min(ROWS, keys_ - ROWS * j)
                out = place_of(d_value, ragged.keys[b] + ROWS * j, h)
                _write_all(by_key + place, step, contexts, n.pieces, n.query_pairs, sums, out, d_value.row, left)
                out = place_of(d_key, ragged.keys[b] + ROWS * j, h)
                _write_all(d_by_key + place, step, queries, n.pieces, n.query_pairs, sums, out, d_key.row, left)
            weights += _bytes_of_weights(n)
    close_tiles()


@kernel
def _hide(queries: int, keys: int, ahead: bool, hide: Any) -> None:
    """→ hide [T / 16, S, 16], what is added to the scores: query t sees no key from `keys` on, nor one ahead of t."""
    squares, place = (keys + ROWS - 1) // ROWS * ROWS, 0
    for first in range(0, queries, ROWS):
        for s in range(squares):
            for t in range(first, first + ROWS):
                seen = s < keys and (ahead or s <= t)
                hide[place] = np.float32(0 if seen else columns.HIDDEN)
                place += 1


@kernel
def _take_all(place: int, row: int, rows: int, pieces: int, out: int) -> None:
    for first in range(0, rows, ROWS):
        for piece in range(pieces):
            take(place + first * row + piece * BYTES, row, rows - first, out)
            out += SQUARE


@kernel
def _transpose_all(place: int, row: int, rows: int, pieces: int, out: int) -> None:
    for first in range(0, rows, ROWS):
        for piece in range(pieces):
            transpose(place + first * row + piece * BYTES, row, rows - first, out)
            out += SQUARE


@kernel
def _mix_all(place: int, row: int, rows: int, pieces: int, out: int) -> None:
    steps = _steps((rows + 1) // 2)
    for piece in range(pieces):
        even = out + 2 * piece * steps * SQUARE
        mix(place + piece * BYTES, row, rows, even, even + steps * SQUARE)


@kernel
def _transpose_pairs(pairs: int, count: int, out: int) -> None:
    """Weights, a query's in a row. The last pair is repeated to the end of a square: what it is multiplied by is 0."""
    for step in range(_steps(count)):
        transpose(pairs + step * SQUARE, BYTES, count - step * ROWS, out + step * SQUARE)


@kernel
def _products(rows: int, transposed: int, keys: int, pieces: int, out: int) -> None:
    for j in range((keys + ROWS - 1) // ROWS):
        left = min(ROWS, keys - ROWS * j)
        product(rows + j * pieces * SQUARE, SQUARE, left, transposed, SQUARE, ROWS * pieces, out + j * SQUARE)


@kernel
def _write_all(
    left: int, next_left: int, mixed: int, pieces: int, pairs: int, sums: int, out: int, row: int, rows: int
) -> None:
    steps = _steps(pairs)
    for piece in range(pieces):
        even = mixed + 2 * piece * steps * SQUARE
        odd = even + steps * SQUARE
        product_of_mixed(left, next_left, even, odd, pairs, sums, out + piece * BYTES, row, rows)
