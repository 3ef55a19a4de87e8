"""Rows times a panel in registers, as translating multiplies: whole numbers to the bit, others against float64."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from polyhead.hardware import cpu_features
from polyhead.kernels.arrays.tensors import as_bfloat16s
from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.registers import (
    HAS_BFLOAT16_DOT,
    MAX_LEVEL,
    MR,
    PANEL,
    bfloat16_microkernel,
    float32_microkernel,
    int8_microkernel,
)
from polyhead.kernels.microkernels.row_counts import switch_on_count

ROWS = range(MR, 0, -1)
_in_float32, _in_bfloat16 = switch_on_count(float32_microkernel, ROWS), bfloat16_microkernel(MR)
_in_int8 = switch_on_count(int8_microkernel, ROWS)


@kernel
def _float32(rows: int, x: Any, weight: Any, start: Any, out: Any) -> None:
    _in_float32(
        rows, x.ctypes.data, x.strides[0], weight.ctypes.data, weight.shape[0], start.ctypes.data, out.ctypes.data
    )


@kernel
def _int8(rows: int, x: Any, weight: Any, start: Any, out: Any) -> None:
    _in_int8(rows, x.ctypes.data, x.strides[0], weight.ctypes.data, weight.shape[0], start.ctypes.data, out.ctypes.data)


@kernel
def _bfloat16(x: Any, weight: Any, start: Any, out: Any) -> None:
    _in_bfloat16(x.ctypes.data, x.strides[0], weight.ctypes.data, weight.shape[0], start.ctypes.data, out.ctypes.data)


def room(rows: int, dtype: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """For a result, with a row behind it that nobody may write to."""
    whole = np.full((rows + 1, PANEL), 7, dtype)
    return whole, whole[:-1]


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("inputs", [1, 2, 65])
def test_float32(rows: int, inputs: int) -> None:
    draw = np.random.default_rng(inputs)
    x, weight, start = (draw.normal(size=size).astype(np.float32) for size in ((rows, inputs), (inputs, PANEL), PANEL))
    whole, out = room(rows, np.float32)
    _float32(rows, x, weight, start, out)
    np.testing.assert_allclose(out, x.astype(float) @ weight + start, atol=2e-5)
    assert (whole[-1] == 7).all()


@pytest.mark.skipif("avx2" not in cpu_features(), reason="this CPU multiplies no bytes in vectors")
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("steps", [1, 2, 33])
@pytest.mark.parametrize("largest", [False, True])
def test_int8(rows: int, steps: int, largest: bool) -> None:
    """The largest products of all too: where two are first added in 16 bits, they fit."""
    draw = np.random.default_rng(steps)
    x = draw.integers(MAX_LEVEL if largest else 0, MAX_LEVEL + 1, (rows, 4 * steps)).astype(np.uint8)
    weight = draw.integers(-127, 128, (PANEL, 4 * steps)).astype(np.int8)
    if largest:
        weight[: PANEL // 2], weight[PANEL // 2 :] = 127, -127
    start, (whole, out) = draw.integers(-(2**20), 2**20, PANEL).astype(np.int32), room(rows, np.int32)
    _int8(rows, x, np.ascontiguousarray(weight.reshape(PANEL, steps, 4).transpose(1, 0, 2)), start, out)
    assert (out == x.astype(int) @ weight.T.astype(int) + start).all()
    assert (whole[-1] == 7).all()


@pytest.mark.skipif(not HAS_BFLOAT16_DOT, reason="this CPU doesn't multiply bfloat16 in vectors")
@pytest.mark.parametrize("pairs", [1, 40])
def test_bfloat16(pairs: int) -> None:
    x, weight = torch.randn(MR, 2 * pairs).bfloat16(), torch.randn(2 * pairs, PANEL).bfloat16()
    start, (whole, out) = np.random.default_rng(0).normal(size=PANEL).astype(np.float32), room(MR, np.float32)
    packed = weight.view(pairs, 2, PANEL).transpose(1, 2).contiguous()
    _bfloat16(as_bfloat16s(x), as_bfloat16s(packed), start, out)
    np.testing.assert_allclose(out, (x.double() @ weight.double()).numpy() + start, atol=2e-5)
    assert (whole[-1] == 7).all()
