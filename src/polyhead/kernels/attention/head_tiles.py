"""Heads packed into tiles, in the orders in which attention's products read them; a tile has 16 rows of 64 bytes.

`address` is that of the first row of a sentence in one head, and `stride` the bytes between two rows. A row's numbers
lie in `width` tiles beside each other.
"""

from typing import Any

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import ROW_BYTES, ROWS
from polyhead.kernels.microkernels.tiles import TILE_BYTES, copy_tile, interleave_tiles, transpose_tile


@kernel
def steps_of(pairs: int) -> int:
    """How many tiles hold so many pairs, whose products are added up."""
    return (pairs + ROWS - 1) // ROWS


def _packer(pack_tile: Any) -> Any:
    """The kernel that packs rows, 16 of them and 64 bytes of each at a time → out [rows / 16, width] tiles."""

    @kernel
    def pack(address: int, stride: int, rows: int, width: int, out: int) -> None:
        for first in range(0, rows, ROWS):
            for piece in range(width):
                pack_tile(address + first * stride + piece * ROW_BYTES, stride, rows - first, out)
                out += TILE_BYTES

    return pack


pack_rows, pack_transposed = _packer(copy_tile), _packer(transpose_tile)
"""`pack_rows` packs rows as a left operand. `pack_transposed` packs rows whose numbers are added up as a right operand,
with pairs of a row's numbers transposed."""


@kernel
def pack_interleaved(address: int, stride: int, rows: int, width: int, out: int) -> None:
    """Rows that are added up as a right operand → out [width, 2, rows / 32] tiles: even columns, then odd ones."""
    steps = steps_of((rows + 1) // 2)
    for piece in range(width):
        even = out + 2 * piece * steps * TILE_BYTES
        interleave_tiles(address + piece * ROW_BYTES, stride, rows, even, even + steps * TILE_BYTES)


@kernel
def transpose_weights(pairs: int, count: int, out: int) -> None:
    """`count` rows of weights, a pair of keys in each and 16 queries across → out, a query in each row.

    The last pair is repeated to the end of a tile: what it is multiplied by is 0.
    """
    for step in range(steps_of(count)):
        transpose_tile(pairs + step * TILE_BYTES, ROW_BYTES, count - step * ROWS, out + step * TILE_BYTES)
