"""A unit for matrices (AMX) in software, for a process of its own: `python -m pytest -p tests.emulated_amx …`.

Nearly every machine lacks one. With this plugin kernels are compiled as for a CPU that has one, and each instruction on
tiles is a call of a function here, after Intel's description of it. Sums of bfloat16 are made in float32, a product
after the other; the order in which a CPU adds is its own. For one thread: all have the same tiles.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import carray, cfunc, types

from polyhead import hardware

hardware._instructions = lambda: frozenset(hardware.NAMES)
hardware.may_use_tiles = lambda: True

from polyhead.kernels import code  # noqa: E402 (what the CPU has is asked for when kernels are imported)
from polyhead.kernels.code import by_numba  # noqa: E402
from polyhead.kernels.compiler import ir  # noqa: E402
from polyhead.kernels.llvm import I64  # noqa: E402
from polyhead.kernels.microkernels.amx import Tiles  # noqa: E402

code.is_supported = lambda: False  # the functions' addresses are this process's: no machine code is kept
by_numba.let_keep = lambda *_: None

TILES, ROWS, BYTES = 8, 16, 64
_state = np.zeros((TILES, ROWS, BYTES), np.uint8)
_shapes = np.zeros((TILES, 2), np.int64)
"""Rows of each tile, and bytes in each of them."""
_AT, _SHAPES_AT = _state.ctypes.data, _shapes.ctypes.data
_POINTER, _STRIDE = types.CPointer(types.uint8), types.int64
EMULATED: dict[str, Any] = {}


@numba.extending.intrinsic
def _pointer(_: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.voidptr(types.int64), generate


@numba.njit
def _tile(number: int) -> Any:
    return carray(_pointer(_AT), (TILES, ROWS, BYTES), np.uint8)[number]


@numba.njit
def _shape(number: int) -> Any:
    return carray(_pointer(_SHAPES_AT), (TILES, 2), np.int64)[number]


def _instruction(arguments: int) -> Callable[[Any], Any]:
    def decorate(function: Any) -> Any:
        EMULATED[function.__name__] = cfunc(types.void(*[types.int64] * arguments), nopython=True)(function)
        return function

    return decorate


@_instruction(1)
def ldtilecfg(place: int) -> None:
    given = carray(_pointer(place), (BYTES,), np.uint8)
    for tile in range(TILES):
        shape = _shape(tile)
        shape[0], shape[1] = given[48 + tile], given[16 + 2 * tile]
        _tile(tile)[:] = 0


@_instruction(0)
def tilerelease() -> None:
    for tile in range(TILES):
        _shape(tile)[:] = 0


@_instruction(1)
def tilezero(tile: int) -> None:
    _tile(tile)[:] = 0


@_instruction(3)
def tileloadd64(tile: int, place: int, stride: int) -> None:
    rows, size = _shape(tile)
    to = _tile(tile)
    to[:] = 0
    for row in range(rows):
        to[row, :size] = carray(_pointer(place + row * stride), (size,), np.uint8)


EMULATED["tileloaddt164"] = EMULATED["tileloadd64"]


@_instruction(3)
def tilestored64(tile: int, place: int, stride: int) -> None:
    rows, size = _shape(tile)
    for row in range(rows):
        carray(_pointer(place + row * stride), (size,), np.uint8)[:] = _tile(tile)[row, :size]


@_instruction(3)
def tdpbf16ps(out: int, left: int, right: int) -> None:
    rows, size = _shape(out)
    sums, x, y = _tile(out).view(np.float32), _tile(left).view(np.uint16), _tile(right).view(np.uint16)
    for row in range(rows):
        for pair in range(_shape(left)[1] // 4):
            for column in range(size // 4):
                for number in range(2):
                    one = np.uint32(np.uint32(x[row, 2 * pair + number]) << np.uint32(16)).view(np.float32)
                    other = np.uint32(np.uint32(y[pair, 2 * column + number]) << np.uint32(16)).view(np.float32)
                    sums[row, column] += one * other


@_instruction(3)
def tdpbusd(out: int, left: int, right: int) -> None:
    rows, size = _shape(out)
    sums, x, y = _tile(out).view(np.int32), _tile(left), _tile(right).view(np.int8)
    for row in range(rows):
        for four in range(_shape(left)[1] // 4):
            for column in range(size // 4):
                for number in range(4):
                    sums[row, column] += np.int32(x[row, 4 * four + number]) * np.int32(y[four, 4 * column + number])


def _do(self: Tiles, name: str, *arguments: Any) -> None:
    """Calls an instruction's function here; all of its arguments are numbers of 64 bits."""
    builder = self.code.builder
    numbers = [
        builder.ptrtoint(each, I64) if isinstance(each.type, ir.PointerType) else builder.zext(each, I64)
        for each in arguments
    ]
    kind = ir.FunctionType(ir.VoidType(), [I64] * len(numbers))
    function = builder.inttoptr(ir.Constant(I64, EMULATED[name].address), kind.as_pointer())
    builder.call(function, numbers)


Tiles.do = _do
