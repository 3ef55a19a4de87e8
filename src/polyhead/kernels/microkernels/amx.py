"""Products on a core's unit for matrices (AMX), which multiplies tiles: 16 rows of 64 bytes.

Weights lie as they do for the products in vectors (registers.py): a tile is 16 steps of a quarter of a panel. Where the
CPU has no such unit these functions can be compiled too: `open_tiles` and `close_tiles` then do nothing, and
`int8_tile_product` must not be called.
"""

from typing import Any

from polyhead.hardware import TILES, cpu_features
from polyhead.kernels.compiler import ir
from polyhead.kernels.llvm import ADDRESS, COUNT, I8, I32, LANES, Code, instructions
from polyhead.kernels.microkernels.registers import PANEL, PANEL_VECTORS

ROWS = 16
"""How many rows a tile has."""
ROW_BYTES = 64
"""How many bytes a row of a tile has."""
_CONFIGURATION = [1, *[0] * 15, *[ROW_BYTES, 0] * 8, *[0] * 16, *[ROWS] * 8, *[0] * 8]
"""Palette 1: eight tiles, all of their full size (Intel's manual, LDTILECFG)."""
_ROWS_OF = 48
"""The byte of the configuration at which the tiles' numbers of rows begin."""
_LEFT = PANEL_VECTORS
"""The tile that holds rows: those before it hold accumulators, those behind it weights."""
HAS_AMX = cpu_features() >= TILES


def tile_number(number: int) -> Any:
    """The number of a tile, as an instruction takes it."""
    return ir.Constant(I8, number)


class Tiles:
    """Writes instructions on tiles, or nothing where the CPU has none."""

    def __init__(self, code: Code) -> None:
        self.code = code

    def do(self, name: str, *arguments: Any) -> None:
        if HAS_AMX:
            self.code.call(f"llvm.x86.{name}", ir.VoidType(), *arguments)

    def move(self, name: str, tile: int, address: Any, stride: Any) -> None:
        self.do(name, tile_number(tile), self.code.builder.inttoptr(address, I8.as_pointer()), stride)


@instructions(COUNT)
def open_tiles(code: Code, rows: Any) -> None:
    """Configures a thread's tiles, of so many rows, ROWS at most; to be called before the thread uses them."""
    builder = code.builder
    kind = ir.ArrayType(I8, ROW_BYTES)
    memory = builder.alloca(kind)
    builder.store(ir.Constant(kind, _CONFIGURATION), memory)
    rows = builder.trunc(rows, I8)
    for tile in range(_LEFT + 1):
        here = builder.gep(memory, [ir.Constant(I32, number) for number in (0, _ROWS_OF + tile)])
        builder.store(rows, here)
    Tiles(code).do("ldtilecfg", builder.bitcast(memory, I8.as_pointer()))


@instructions()
def close_tiles(code: Code) -> None:
    """Releases a thread's tiles; to be called after use, as a thread whose tiles are in use is slower to switch."""
    Tiles(code).do("tilerelease")


@instructions(ADDRESS, COUNT, ADDRESS, COUNT, ADDRESS, COUNT)
def int8_tile_product(code: Code, x: Any, stride: Any, weight: Any, steps: Any, out: Any, out_stride: Any) -> None:
    """(x, its row's bytes, weight, steps, out, its row's bytes): out[r, n] = Σ_k x[r, k] weight[n, k], a panel's n.

    A step takes 4 bytes of each row and of each output, unsigned times signed ones, sums in int32. x [ROWS, steps · 4
    bytes], weight [steps, PANEL, 4 bytes], out [ROWS, PANEL]. Steps are a multiple of 16.
    """
    builder = code.builder
    tiles = Tiles(code)
    quarters = [code.i64(4 * LANES * across) for across in range(PANEL_VECTORS)]
    for across in range(PANEL_VECTORS):
        tiles.do("tilezero", tile_number(across))
    with code.loop(builder.udiv(steps, code.i64(LANES))) as index:
        tiles.move("tileloadd64", _LEFT, builder.add(x, builder.mul(index, code.i64(ROW_BYTES))), stride)
        here = builder.add(weight, builder.mul(index, code.i64(LANES * 4 * PANEL)))
        for across, quarter in enumerate(quarters):
            right = _LEFT + 1 + across % 3
            tiles.move("tileloadd64", right, builder.add(here, quarter), code.i64(4 * PANEL))
            tiles.do("tdpbusd", tile_number(across), tile_number(_LEFT), tile_number(right))
    for across, quarter in enumerate(quarters):
        tiles.move("tilestored64", across, builder.add(out, quarter), out_stride)
