"""Equation 1 and its gradients for short sequences, in squares.

A head of a sentence fits in a core's own cache: its scores are made, turned into weights and used at once. Queries,
keys and values are read where the projections left them, and gradients written where those want them.
Shapes: B batch, H heads, T queries, S keys, d numbers of a head: a multiple of 32.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels import columns
from polyhead.kernels.kernel import kernel
from polyhead.kernels.squares import NUMBERS, SQUARE, mix, product, product_of_mixed, take, turn
from polyhead.kernels.tiles import BYTES, ROWS, close_tiles, open_tiles

Mask = NDArray[np.bool_]
Room = NDArray[np.uint8]


class Heads(NamedTuple):
    """Where the numbers of each head are, bfloat16: an address, and how many bytes lie between …"""

    place: int
    sentence: int
    """… two sentences,"""
    head: int
    """… two heads,"""
    row: int
    """… and two positions; the numbers of one follow each other."""


class Projected(NamedTuple):
    """What heads look with, at and for; or its gradients."""

    query: Heads
    key: Heads
    value: Heads


class Size(NamedTuple):
    """How much there is."""

    batch: int
    heads: int
    queries: int
    keys: int
    numbers: int
    """Of a head."""


class Squares(NamedTuple):
    """In how many squares that lies."""

    queries: int
    keys: int
    pieces: int
    """Of a head's numbers."""
    query_steps: int
    """Of a product that adds up over queries, 32 at a time;"""
    key_steps: int
    """… over keys."""
    pairs: int
    """Of keys."""


@kernel
def _in_squares(size: Size) -> Squares:
    queries, keys = (size.queries + ROWS - 1) // ROWS, (size.keys + ROWS - 1) // ROWS
    pieces, pairs = size.numbers // NUMBERS, (size.keys + 1) // 2
    return Squares(queries, keys, pieces, (queries + 1) // 2, (keys + 1) // 2, pairs)


@kernel
def bytes_of_weights(size: Size) -> int:
    """What `attend` keeps."""
    n = _in_squares(size)
    return size.batch * size.heads * n.queries * n.pairs * BYTES


@kernel
def _places_to_attend(n: Squares, turned: int) -> Any:
    """Where `attend` keeps what, from `turned` on, and where that ends."""
    rows = turned + n.pieces * n.queries * SQUARE
    mixed = rows + n.pieces * n.keys * SQUARE
    hidden = mixed + 2 * n.pieces * n.key_steps * SQUARE
    scores = hidden + n.queries * n.keys * SQUARE
    shares = scores + n.keys * SQUARE
    sums = shares + n.key_steps * SQUARE
    return turned, rows, mixed, hidden, scores, shares, sums, sums + 2 * SQUARE


@kernel
def _places_to_differentiate(n: Squares, turned: int) -> Any:
    """The same of `differentiate`."""
    rows = turned + n.pieces * n.queries * SQUARE
    keys = rows + n.pieces * n.keys * SQUARE
    queries = keys + 2 * n.pieces * n.key_steps * SQUARE
    contexts = queries + 2 * n.pieces * n.query_steps * SQUARE
    d_weights = contexts + 2 * n.pieces * n.query_steps * SQUARE
    by_key = d_weights + n.keys * SQUARE
    d_by_key = by_key + n.keys * n.query_steps * SQUARE
    d_scores = d_by_key + n.keys * n.query_steps * SQUARE
    shares = d_scores + n.key_steps * SQUARE
    sums = shares + n.key_steps * SQUARE
    return turned, rows, keys, queries, contexts, d_weights, by_key, d_by_key, d_scores, shares, sums, sums + 2 * SQUARE


@kernel
def room_to_attend(size: Size) -> int:
    """Bytes that `attend` works in."""
    return _places_to_attend(_in_squares(size), 0)[-1]


@kernel
def room_to_differentiate(size: Size) -> int:
    """Bytes that `differentiate` works in."""
    return _places_to_differentiate(_in_squares(size), 0)[-1]


@kernel
def attend(given: Projected, size: Size, mask: Mask, scale: float, weights: int, context: Heads, room: Room) -> None:
    """Equation 1; weights: where they are kept for the gradients, [B, H, T / 16, S / 2, 16] pairs.

    The mask has four dimensions, S and of the others as many as there are, or 1; a query that sees no key gets zeros.
    """
    query, key, value = given
    n, factor = _in_squares(size), np.float32(scale)
    room[:] = 0
    turned, rows, mixed, hidden, scores, shares, sums, _ = _places_to_attend(n, room.ctypes.data)
    hide = room[hidden - turned : scores - turned].view(np.float32)
    open_tiles(ROWS)
    for b in range(size.batch):
        for h in range(size.heads):
            if (b == 0 or mask.shape[0] > 1 or mask.shape[1] > 1) and (h == 0 or mask.shape[1] > 1):
                _hide(mask[min(b, mask.shape[0] - 1), min(h, mask.shape[1] - 1)], size, hide)
            _turn_all(_at(query, b, h), query.row, size.queries, n.pieces, turned)
            _take_all(_at(key, b, h), key.row, size.keys, n.pieces, rows)
            _mix_all(_at(value, b, h), value.row, size.keys, n.pieces, n.key_steps, mixed)
            for i in range(n.queries):
                here = weights + ((b * size.heads + h) * n.queries + i) * n.pairs * BYTES
                _products(rows, turned + i * n.pieces * SQUARE, n.keys, n.pieces, scores)
                columns.softmax(scores, factor, hidden + i * n.keys * SQUARE, n.pairs, here)
                _turn_pairs(here, n.pairs, n.key_steps, shares)
                out, left = _at(context, b, h) + ROWS * i * context.row, min(ROWS, size.queries - ROWS * i)
                _write_all(shares, SQUARE, mixed, n.pieces, n.key_steps, sums, out, context.row, left)
    close_tiles()


@kernel
def differentiate(
    d_context: Heads, given: Projected, size: Size, scale: float, weights: int, found: Projected, room: Room
) -> None:
    """The gradients of what `attend` was given → found."""
    (query, key, value), (d_query, d_key, d_value) = given, found
    n, factor = _in_squares(size), np.float32(scale)
    room[:] = 0
    places = _places_to_differentiate(n, room.ctypes.data)
    turned, rows, keys, queries, contexts, d_weights, by_key, d_by_key, d_scores, shares, sums, _ = places
    open_tiles(ROWS)
    for b in range(size.batch):
        for h in range(size.heads):
            gradient = _at(d_context, b, h)
            _turn_all(gradient, d_context.row, size.queries, n.pieces, turned)
            _take_all(_at(value, b, h), value.row, size.keys, n.pieces, rows)
            _mix_all(_at(key, b, h), key.row, size.keys, n.pieces, n.key_steps, keys)
            _mix_all(_at(query, b, h), query.row, size.queries, n.pieces, n.query_steps, queries)
            _mix_all(gradient, d_context.row, size.queries, n.pieces, n.query_steps, contexts)
            for i in range(n.queries):
                here = weights + ((b * size.heads + h) * n.queries + i) * n.pairs * BYTES
                _products(rows, turned + i * n.pieces * SQUARE, n.keys, n.pieces, d_weights)
                columns.differentiate(d_weights, here, factor, n.pairs, d_scores)
                place = i // 2 * n.keys * SQUARE + i % 2 * (BYTES // 2)
                columns.key_rows(here, n.pairs, by_key + place)
                columns.key_rows(d_scores, n.pairs, d_by_key + place)
                _turn_pairs(d_scores, n.pairs, n.key_steps, shares)
                out, left = _at(d_query, b, h) + ROWS * i * d_query.row, min(ROWS, size.queries - ROWS * i)
                _write_all(shares, SQUARE, keys, n.pieces, n.key_steps, sums, out, d_query.row, left)
            for j in range(n.keys):
                step, place, left = n.keys * SQUARE, j * SQUARE, min(ROWS, size.keys - ROWS * j)
                out = _at(d_value, b, h) + ROWS * j * d_value.row
                _write_all(by_key + place, step, contexts, n.pieces, n.query_steps, sums, out, d_value.row, left)
                out = _at(d_key, b, h) + ROWS * j * d_key.row
                _write_all(d_by_key + place, step, queries, n.pieces, n.query_steps, sums, out, d_key.row, left)
    close_tiles()


@kernel
def _at(heads: Heads, b: int, h: int) -> int:
    return heads.place + b * heads.sentence + h * heads.head


@kernel
def _hide(shown: Any, size: Size, hide: Any) -> None:
    """shown [T or 1, S] → hide [T / 16, S, 16], what is added to the scores."""
    keys, place = (size.keys + ROWS - 1) // ROWS * ROWS, 0
    for first in range(0, size.queries, ROWS):
        for s in range(keys):
            column = shown[:, min(s, size.keys - 1)]
            for t in range(first, first + ROWS):
                seen = s < size.keys and column[min(t, column.shape[0] - 1)]
                hide[place] = np.float32(0 if seen else columns.HIDDEN)
                place += 1


@kernel
def _take_all(place: int, row: int, rows: int, pieces: int, out: int) -> None:
    for first in range(0, rows, ROWS):
        for piece in range(pieces):
            take(place + first * row + piece * BYTES, row, rows - first, out)
            out += SQUARE


@kernel
def _turn_all(place: int, row: int, rows: int, pieces: int, out: int) -> None:
    for first in range(0, rows, ROWS):
        for piece in range(pieces):
            turn(place + first * row + piece * BYTES, row, rows - first, out)
            out += SQUARE


@kernel
def _mix_all(place: int, row: int, rows: int, pieces: int, steps: int, out: int) -> None:
    for piece in range(pieces):
        even = out + 2 * piece * steps * SQUARE
        mix(place + piece * BYTES, row, rows, even, even + steps * SQUARE)


@kernel
def _turn_pairs(pairs: int, count: int, steps: int, out: int) -> None:
    """Weights, a query's in a row. The last pair is repeated to the end of a square: what it is multiplied by is 0."""
    for step in range(steps):
        turn(pairs + step * SQUARE, BYTES, count - step * ROWS, out + step * SQUARE)


@kernel
def _products(rows: int, turned: int, keys: int, pieces: int, out: int) -> None:
    for j in range(keys):
        product(rows + j * pieces * SQUARE, SQUARE, turned, SQUARE, pieces, out + j * SQUARE)


@kernel
def _write_all(
    left: int, next_left: int, mixed: int, pieces: int, steps: int, sums: int, out: int, row: int, rows: int
) -> None:
    for piece in range(pieces):
        even = mixed + 2 * piece * steps * SQUARE
        odd = even + steps * SQUARE
        product_of_mixed(left, next_left, even, odd, steps, sums, out + piece * BYTES, row, rows)
