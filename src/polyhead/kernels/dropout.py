"""Dropout whose mask is never stored: whether an element stays follows from its place and a seed."""

from typing import Any

import numpy as np

from polyhead.kernels.kernel import kernel
from polyhead.kernels.numbers.formats import Numbers, as_float32, as_format_of, as_pairs, join_pair, split_pair

_FIRST, _SECOND, _LOWER = np.uint32(0x7FEB352D), np.uint32(0x846CA68B), np.uint32(0xFFFF)


def drop_threshold(rate: float, whole: int = 2**32) -> int:
    """A rate below 1 → how many out of `whole` values mean that an element is dropped, fewer than all of them."""
    return min(round(rate * whole), whole - 1)


@kernel
def _hash(place: Any, seed: Any, other: Any) -> Any:
    """32 bits, each of which depends on each bit of the place: integer hashing (Wellons, hash prospector).

    The second seed, `other`, comes in half way: else two seeds that differ little would give the same bits, only
    moved by a few places.
    """
    bits = np.uint32(np.uint32(place) + seed)
    bits = np.uint32(bits ^ np.uint32(bits >> np.uint32(16)))
    bits = np.uint32(bits * _FIRST)
    bits = np.uint32(bits ^ np.uint32(bits >> np.uint32(15)) ^ other)
    bits = np.uint32(bits * _SECOND)
    return np.uint32(bits ^ np.uint32(bits >> np.uint32(16)))


@kernel
def _mask_pair(place: Any, seed: Any, other: Any, dropped: Any, scale: Any) -> Any:
    """The factors of elements 2 · place and 2 · place + 1: each is 0 with probability dropped / 2¹⁶, else the scale."""
    bits = _hash(place, seed, other)
    first = scale if np.uint32(bits & _LOWER) >= dropped else np.float32(0)
    second = scale if np.uint32(bits >> np.uint32(16)) >= dropped else np.float32(0)
    return first, second


@kernel
def _drop_pair(two: Any, place: Any, seed: Any, other: Any, dropped: Any, scale: Any) -> Any:
    """A pair of elements after dropout."""
    (one, next_one), (factor, next_factor) = split_pair(two), _mask_pair(place, seed, other, dropped, scale)
    return join_pair(as_format_of(as_float32(one) * factor, one), as_format_of(as_float32(next_one) * next_factor, one))


@kernel
def _add_dropped_pair(kept: Any, two: Any, place: Any, seed: Any, other: Any, dropped: Any, scale: Any) -> Any:
    """A pair of elements after dropout, added to another pair."""
    (one, next_one), (factor, next_factor) = split_pair(two), _mask_pair(place, seed, other, dropped, scale)
    here, there = split_pair(kept)
    return join_pair(
        as_format_of(as_float32(here) + as_float32(one) * factor, one),
        as_format_of(as_float32(there) + as_float32(next_one) * next_factor, one),
    )


@kernel
def apply_dropout(x: Numbers, seed: Any, other: Any, dropped: Any, scale: Any, out: Numbers) -> None:
    """out = scale · x where an element stays, else 0; x and out [N]."""
    given, taken = as_pairs(x), as_pairs(out)
    for n in range(given.shape[0]):
        taken[n] = _drop_pair(given[n], n, seed, other, dropped, scale)
    if x.shape[0] % 2:
        last, (factor, _) = x.shape[0] - 1, _mask_pair(given.shape[0], seed, other, dropped, scale)
        out[last] = as_format_of(as_float32(x[last]) * factor, x[last])


@kernel
def apply_dropout_in_place(x: Numbers, seed: Any, other: Any, dropped: Any, scale: Any) -> None:
    """x [N] becomes scale · x where an element stays, else 0. No loop over two arrays that may be one is vectorised."""
    taken = as_pairs(x)
    for n in range(taken.shape[0]):
        taken[n] = _drop_pair(taken[n], n, seed, other, dropped, scale)
    if x.shape[0] % 2:
        last, (factor, _) = x.shape[0] - 1, _mask_pair(taken.shape[0], seed, other, dropped, scale)
        x[last] = as_format_of(as_float32(x[last]) * factor, x[last])


@kernel
def add_with_dropout(
    residual: Numbers, x: Numbers, seed: Any, other: Any, dropped: Any, scale: Any, out: Numbers
) -> None:
    """out = residual + scale · x where an element stays, else residual; all [N]."""
    kept, given, taken = as_pairs(residual), as_pairs(x), as_pairs(out)
    for n in range(given.shape[0]):
        taken[n] = _add_dropped_pair(kept[n], given[n], n, seed, other, dropped, scale)
    if x.shape[0] % 2:
        last, (factor, _) = x.shape[0] - 1, _mask_pair(given.shape[0], seed, other, dropped, scale)
        out[last] = as_format_of(as_float32(residual[last]) + as_float32(x[last]) * factor, x[last])
