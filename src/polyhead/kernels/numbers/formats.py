"""Numbers of bfloat16 or of float32, in kernels that are the same for both: which it is, is known when they compile."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.compiler import WITHIN, overload, types
from polyhead.kernels.kernel import kernel
from polyhead.kernels.numbers import bfloat16
from polyhead.kernels.numbers.bfloat16 import pack_pair, to_float32, unpack_pair

Numbers = NDArray[Any]
"""An array of bfloat16, seen as integers of 16 bits, or of float32."""

_in_kernels = partial(overload, strict=False, jit_options=WITHIN)
"""Decorates what a function is in kernels, by its arguments' kinds; the signatures differ, in annotations alone."""


def as_float32(number: Any) -> Any:
    """A number of either format as float32."""
    return number if number.dtype == np.float32 else to_float32(number)


@_in_kernels(as_float32)
def _as_float32(number: Any) -> Callable[[Any], Any]:
    return (lambda number: number) if number == types.float32 else (lambda number: to_float32(number))


def as_format_of(value: Any, like: Any) -> Any:
    """A float32 in the format of another number."""
    return value if like.dtype == np.float32 else bfloat16.to_bfloat16(value)


@_in_kernels(as_format_of)
def _as_format_of(value: Any, like: Any) -> Callable[[Any, Any], Any]:
    if like == types.float32:
        return lambda value, like: np.float32(value)
    return lambda value, like: bfloat16.to_bfloat16(value)


@kernel
def round_all(values: NDArray[np.float32], out: Numbers) -> None:
    """values [N] → out [N], in its format."""
    for n in range(values.shape[0]):
        out[n] = as_format_of(values[n], out[n])


def as_pairs(x: Numbers) -> Any:
    """The numbers of x [N] without an odd last one, two beside each other seen as one integer."""
    return x[: x.shape[0] // 2 * 2].view(np.uint64 if x.dtype == np.float32 else np.uint32)


@_in_kernels(as_pairs)
def _as_pairs(x: Any) -> Callable[[Any], Any]:
    if x.dtype == types.float32:
        return lambda x: x[: x.shape[0] // 2 * 2].view(np.uint64)
    return lambda x: x[: x.shape[0] // 2 * 2].view(np.uint32)


def split_pair(two: Any) -> tuple[Any, Any]:
    """The two numbers of a pair."""
    return _split_floats(two) if two.dtype == np.uint64 else unpack_pair(two)


@_in_kernels(split_pair)
def _split_pair(two: Any) -> Callable[[Any], Any]:
    return (lambda two: _split_floats(two)) if two == types.uint64 else (lambda two: unpack_pair(two))


def join_pair(one: Any, other: Any) -> Any:
    """The inverse of `split_pair`."""
    return _join_floats(one, other) if one.dtype == np.float32 else pack_pair(one, other)


@_in_kernels(join_pair)
def _join_pair(one: Any, other: Any) -> Callable[[Any, Any], Any]:
    if one == types.float32:
        return lambda one, other: _join_floats(one, other)
    return lambda one, other: pack_pair(one, other)


@kernel
def _split_floats(two: Any) -> tuple[Any, Any]:
    return np.uint32(two).view(np.float32), np.uint32(two >> np.uint64(32)).view(np.float32)


@kernel
def _join_floats(one: Any, other: Any) -> Any:
    lower, upper = np.float32(one).view(np.uint32), np.float32(other).view(np.uint32)
    return np.uint64(lower) | np.uint64(upper) << np.uint64(32)
