"""Numbers rounded to bfloat16 in kernels, one by one and in vectors, against PyTorch's own rounding."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray
from torch import Tensor

from polyhead.kernels.arrays.tensors import as_bfloat16s, as_floats
from polyhead.kernels.compiler import intrinsic, typed
from polyhead.kernels.dropout import add_with_dropout
from polyhead.kernels.kernel import kernel
from polyhead.kernels.llvm import ADDRESS, COUNT, LANES, V16F32, Code
from polyhead.kernels.numbers.bfloat16 import pack_pairs, to_bfloat16, to_bfloat16s
from polyhead.kernels.numbers.formats import round_all
from polyhead.kernels.numbers.vector_formats import format_of
from polyhead.kernels.packing.pack_bfloat16 import unpack

Floats = NDArray[np.float32]
Round = Callable[[Floats], Tensor]
"""Numbers float32, a multiple of 2 · LANES of them → the same in bfloat16."""

LOWER = 0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF
"""Lower halves of a float32: a number of bfloat16, little more, and around the middle between two of them."""


def every_upper_half() -> Floats:
    """Both signs: zeros, denormals, all exponents, those that overflow, infinities, and NaN of all kinds."""
    upper = np.arange(1 << 16, dtype=np.uint32) << 16
    return (upper[:, None] | np.array(LOWER, np.uint32)).ravel().view(np.float32)


def _vectors(write: Callable[[Code, list[Any], Any, Any], None]) -> Any:
    """The kernel that takes two vectors at a time: write(code, two vectors, an address, a pair's number)."""

    @intrinsic
    def two(typing_context: Any, values: Any, count: Any, out: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            values, count, out = arguments
            code = Code(builder)

            def one(index: Any, nothing: list[Any]) -> list[Any]:
                place = builder.mul(index, code.i64(8 * LANES))
                given = [code.load(V16F32, values, builder.add(place, code.i64(4 * LANES * n))) for n in range(2)]
                write(code, given, out, index)
                return nothing

            code.fori_loop(count, [], one)
            return context.get_dummy_value()

        return typed("void", ADDRESS, COUNT, ADDRESS), generate

    @kernel
    def over_all(values: Any, out: Any) -> None:
        two(values.ctypes.data, values.shape[0] // (2 * LANES), out.ctypes.data)

    return over_all


def _write_shorts(code: Code, two: list[Any], out: Any, index: Any) -> None:
    for n, vector in enumerate(two):
        place = code.builder.add(code.builder.mul(index, code.i64(4 * LANES)), code.i64(2 * LANES * n))
        code.store(to_bfloat16s(code, vector), out, place)


def _write_pairs(code: Code, two: list[Any], out: Any, index: Any) -> None:
    code.store(pack_pairs(code, *two), out, code.builder.mul(index, code.i64(4 * LANES)))


_shorts, _pairs = _vectors(_write_shorts), _vectors(_write_pairs)


@intrinsic
def _store_vectors(typing_context: Any, values: Any, count: Any, out: Any) -> Any:
    """By the format of an array."""
    kept = format_of(out)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        values, count, out = arguments
        code, place = Code(builder), context.make_array(signature.args[2])(context, builder, out).data
        to = builder.ptrtoint(place, values.type)

        def one(index: Any, nothing: list[Any]) -> list[Any]:
            vector = code.load(V16F32, values, builder.mul(index, code.i64(4 * LANES)))
            kept.store(code, vector, to, builder.mul(index, code.i64(kept.size * LANES)))
            return nothing

        code.fori_loop(count, [], one)
        return context.get_dummy_value()

    return typed("void", ADDRESS, COUNT, out), generate


@kernel
def _stored(values: Any, out: Any) -> None:
    _store_vectors(values.ctypes.data, values.shape[0] // LANES, out)


def in_vectors(values: Floats) -> Tensor:
    return by(_shorts, values)


def by_its_format(values: Floats) -> Tensor:
    return by(_stored, values)


def beside_each_other(values: Floats) -> Tensor:
    """Of two vectors the numbers come in turn."""
    return by(_pairs, values).view(-1, LANES, 2).transpose(1, 2).flatten()


def in_a_loop(values: Floats) -> Tensor:
    return by(round_all, values)


def as_a_products_sums(values: Floats) -> Tensor:
    """Less 0: what takes a panel's sums as they are."""
    sums, out = torch.from_numpy(values).view(1, -1, 64), torch.empty(64, len(values) // 64, dtype=torch.bfloat16)
    unpack(as_floats(sums), np.zeros(len(values) // 64, np.float32), as_bfloat16s(out))
    return out.t().flatten()


def by(kernel: Callable[[Floats, Any], None], values: Floats) -> Tensor:
    out = torch.empty(len(values), dtype=torch.bfloat16)
    kernel(values, as_bfloat16s(out))
    return out


WAYS: tuple[Round, ...] = in_vectors, beside_each_other, by_its_format, in_a_loop, as_a_products_sums


def assert_rounded(found: Tensor, values: Floats) -> None:
    """To the bit, signs of zeros included; a NaN may be any."""
    expected = torch.from_numpy(values).to(torch.bfloat16)
    assert torch.equal(found.isnan(), expected.isnan())
    kept = ~expected.isnan()
    assert torch.equal(found[kept].view(torch.int16), expected[kept].view(torch.int16))


@pytest.mark.parametrize("way", WAYS)
def test_numbers_of_every_size_are_rounded_as_pytorch_rounds_them(way: Round) -> None:
    values = every_upper_half()
    assert_rounded(way(values), values)


@given(arrays.arrays(np.uint32, 64, elements=st.integers(0, 2**32 - 1)))
def test_any_numbers_are_rounded_alike_in_every_form(bits: NDArray[np.uint32]) -> None:
    values = bits.view(np.float32)
    for way in WAYS:
        assert_rounded(way(values), values)
    assert_rounded(torch.tensor([to_bfloat16(each) for each in values]).to(torch.uint16).view(torch.bfloat16), values)


@pytest.mark.parametrize("exponent", [0, 1, 127, 254])
def test_a_sum_that_dropout_adds_is_rounded_once(exponent: int) -> None:
    """Two numbers of one exponent: of half of all such sums the exact one lies in the middle between two numbers."""
    mantissas = torch.arange(1 << 7, dtype=torch.int16)
    x, y = (
        (exponent << 7 | each).flatten().view(torch.bfloat16)
        for each in torch.meshgrid(mantissas, mantissas, indexing="ij")
    )
    out = torch.empty_like(x)
    add_with_dropout(
        as_bfloat16s(x), as_bfloat16s(y), np.uint32(1), np.uint32(2), np.uint32(0), np.float32(1), as_bfloat16s(out)
    )
    assert_rounded(out, (x.float() + y.float()).numpy())
