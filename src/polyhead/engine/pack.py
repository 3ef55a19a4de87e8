"""Trained weights → the layout and the precision that the kernels want.

Shapes: N outputs and K inputs of a linear map, L layers, H heads, d = D / H.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from polyhead.hardware import may_use_tiles
from polyhead.kernels.arrays import aligned
from polyhead.kernels.linear import packed_float32, packed_int8
from polyhead.kernels.linear.packed import PackedWeights
from polyhead.kernels.llvm import LANES
from polyhead.kernels.microkernels.amx import ROW_BYTES
from polyhead.kernels.microkernels.registers import MAX_LEVEL, PANEL
from polyhead.model.levels import levels
from polyhead.model.trained import Floats

FOUR = 4
"""How many bytes one lane multiplies: the number of inputs must be a multiple of it."""
DIGITS = 2 if MAX_LEVEL == 255 else 1
"""Bytes of an input that is not to be rounded noticeably. Without VNNI two would cost more than 8-bit products gain."""
LinearMap = tuple[Floats, Floats | None]
"""Weight [N, K] and bias [N] of a linear map."""


class Pack(Protocol):
    """A function that packs one linear map of each layer, all of the same size, asking for one after the other."""

    def __call__(
        self,
        maps: Sequence[Callable[[], LinearMap]],
        done: Callable[[], None],
        least: float = -np.inf,
        digits: int = DIGITS,
    ) -> PackedWeights:
        """Packs the maps and calls `done` after each; outputs below `least` will be cut off.

        digits: bytes that inputs have if they are rounded at all; one where rounding may be seen.
        """
        ...


def pack_int8(
    maps: Sequence[Callable[[], LinearMap]], done: Callable[[], None], least: float = -np.inf, digits: int = DIGITS
) -> packed_int8.Int8Weights:
    """Packs maps as 8-bit weights. K is a multiple of four."""
    layers, panels, inputs = _size(maps)
    packed = packed_int8.Int8Weights(
        aligned.zeros((layers, panels, inputs // FOUR, PANEL, FOUR), np.int8),
        np.zeros((layers, panels * PANEL), np.float32),
        np.zeros((layers, panels * PANEL), np.float32),
        np.zeros((layers, panels * PANEL), np.float32),
        least,
        digits,
        in_tiles=may_use_tiles() and inputs % ROW_BYTES == 0,
    )
    for layer, panel, part, rows, bias in _panels(maps, done):
        whole, scale = levels(rows)
        packed.weight[layer, panel, :, : len(rows)] = whole.reshape(len(rows), -1, FOUR).swapaxes(0, 1)
        packed.scale[layer, part], packed.bias[layer, part] = scale, bias
        packed.total[layer, part] = scale * whole.sum(1, dtype=np.int32)
    return packed


def pack_float32(
    maps: Sequence[Callable[[], LinearMap]], done: Callable[[], None], least: float = -np.inf, digits: int = DIGITS
) -> packed_float32.Float32Weights:
    """Packs maps in float32, without rounding; `digits` means nothing here."""
    layers, panels, inputs = _size(maps)
    weight = aligned.zeros((layers, panels, inputs, PANEL), np.float32)
    packed = packed_float32.Float32Weights(weight, np.zeros((layers, panels * PANEL), np.float32), least)
    for layer, panel, part, rows, bias in _panels(maps, done):
        packed.weight[layer, panel, :, : len(rows)] = rows.T
        packed.bias[layer, part] = bias
    return packed


def _size(maps: Sequence[Callable[[], LinearMap]]) -> tuple[int, int, int]:
    """How many layers there are, how many panels in each, and K."""
    outputs, inputs = maps[0]()[0].shape
    return len(maps), -(-outputs // PANEL), inputs


def _panels(
    maps: Sequence[Callable[[], LinearMap]], done: Callable[[], None]
) -> Iterator[tuple[int, int, slice, NDArray[np.float32], NDArray[np.float32] | float]]:
    """Each panel's layer, number, outputs, their weights [≤ PANEL, K] and biases; one at a time keeps copies small."""
    for layer, ask in enumerate(maps):
        weight, bias = ask()
        for panel in range(-(-len(weight) // PANEL)):
            part = slice(panel * PANEL, min((panel + 1) * PANEL, len(weight)))
            yield layer, panel, part, weight[part], 0.0 if bias is None else bias[part]
        del weight, bias
        done()


def head_width(d_model: int, heads: int) -> int:
    """A head's d rounded up to whole vectors."""
    return -(-(d_model // heads) // LANES) * LANES


def pad_heads(weight: Floats, heads: int) -> Floats:
    """weight [H·d, …] → [H·d', …], zeros where a head ends before its last vector does."""
    spare = head_width(len(weight), heads) - len(weight) // heads
    if not spare:
        return weight
    apart = weight.reshape(heads, -1, *weight.shape[1:])
    filled = np.pad(apart, [(0, 0), (0, spare)] + [(0, 0)] * (weight.ndim - 1))
    return filled.reshape(-1, *weight.shape[1:])


def stacked_norms(layers: Iterable[Sequence[tuple[Floats, Floats]]]) -> tuple[Floats, Floats]:
    """Gain and bias of the S norms of each layer → gains and biases [L, S, D]."""
    together = np.array([list(norms) for norms in layers])
    return np.ascontiguousarray(together[:, :, 0]), np.ascontiguousarray(together[:, :, 1])
