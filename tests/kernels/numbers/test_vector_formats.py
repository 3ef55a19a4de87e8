"""Vectors in memory as bfloat16 or float32 and in registers as float32, against PyTorch."""

import math
from typing import Any

import pytest
import torch

from polyhead.kernels.arrays.tensors import as_array
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, ANY, COUNT, LANES, Code, instructions
from polyhead.kernels.numbers.formats import Numbers
from polyhead.kernels.numbers.vector_formats import VECTOR_BYTES, format_of, magnitude_as_float32, magnitudes

FORMATS = [torch.bfloat16, torch.float32]


@instructions(ANY, ANY, ADDRESS, ADDRESS, COUNT)
def _convert(code: Code, x: Any, out: Any, given: Any, taken: Any, vectors: Any) -> None:
    """From one array's format to the other's."""
    one, other = map(format_of, code.kinds[:2])
    with code.loop(vectors) as index:
        numbers = one.load(code, given, code.builder.mul(index, code.i64(one.size * LANES)))
        other.store(code, numbers, taken, code.builder.mul(index, code.i64(other.size * LANES)))


@instructions(ANY, ADDRESS, result="float32")
def _largest(code: Code, x: Any, given: Any) -> Any:
    """The largest magnitude in VECTOR_BYTES."""
    builder = code.builder
    found = magnitudes(code, code.kinds[0], given, code.i64(0))

    def larger(one: Any, other: Any) -> Any:
        return builder.select(builder.icmp_unsigned(">", one, other), one, other)

    return magnitude_as_float32(code, code.reduce(found, larger))


@kernel
def _converted(x: Numbers, out: Numbers) -> float:
    _convert(x, out, x.ctypes.data, out.ctypes.data, x.shape[0] // LANES)
    return _largest(x, x.ctypes.data)


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
def test_from_each_format_to_the_other(dtype: torch.dtype) -> None:
    other = FORMATS[1 - FORMATS.index(dtype)]
    x, out = (torch.randn(5 * LANES) * 3).to(dtype), torch.empty(5 * LANES, dtype=other)
    largest = _converted(as_array(x), as_array(out))
    assert torch.equal(out, x.to(other))
    assert largest == x[: VECTOR_BYTES // x.itemsize].abs().max()


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
@pytest.mark.parametrize("place", [0, LANES - 1, 2 * LANES - 1])
def test_the_largest_magnitude_is_no_number_if_one_is_none(place: int, dtype: torch.dtype) -> None:
    """Of VECTOR_BYTES alone."""
    x = torch.ones(2 * LANES, dtype=dtype)
    x[place] = -math.nan
    found = _converted(as_array(x), as_array(torch.empty(2 * LANES, dtype=FORMATS[1 - FORMATS.index(dtype)])))
    assert math.isnan(found) == (place < VECTOR_BYTES // x.itemsize)
