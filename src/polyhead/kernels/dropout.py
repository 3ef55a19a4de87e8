"""Dropout whose mask is never stored: whether an element stays follows from its place and a seed."""

from typing import Any

import numpy as np

from polyhead.kernels.kernel import kernel
from polyhead.kernels.numbers.formats import Numbers, apart, in_pairs, real, rounded, together

_FIRST, _SECOND, _LOWER = np.uint32(0x7FEB352D), np.uint32(0x846CA68B), np.uint32(0xFFFF)


def part_dropped(rate: float, whole: int = 2**32) -> int:
    """A rate below 1 → what part of so many it is, less than all of them."""
    return min(round(rate * whole), whole - 1)


@kernel
def _mixed(place: Any, seed: Any, other: Any) -> Any:
    """32 bits, each of which depends on each bit of the place: integer hashing (Wellons, hash prospector).

    The second seed comes in half way: else places that lie behind each other under one seed would, under another that
    differs little, do so again.
    """
    bits = np.uint32(np.uint32(place) + seed)
    bits = np.uint32(bits ^ np.uint32(bits >> np.uint32(16)))
    bits = np.uint32(bits * _FIRST)
    bits = np.uint32(bits ^ np.uint32(bits >> np.uint32(15)) ^ other)
    bits = np.uint32(bits * _SECOND)
    return np.uint32(bits ^ np.uint32(bits >> np.uint32(16)))


@kernel
def _factors(place: Any, seed: Any, other: Any, dropped: Any, scale: Any) -> Any:
    """Of elements 2 · place and 2 · place + 1: 0 with probability dropped / 2¹⁶, else the scale."""
    bits = _mixed(place, seed, other)
    first = scale if np.uint32(bits & _LOWER) >= dropped else np.float32(0)
    second = scale if np.uint32(bits >> np.uint32(16)) >= dropped else np.float32(0)
    return first, second


@kernel
def _dropped(two: Any, place: Any, seed: Any, other: Any, dropped: Any, scale: Any) -> Any:
    """A pair of elements after dropout."""
    (one, next_one), (first, second) = apart(two), _factors(place, seed, other, dropped, scale)
    return together(rounded(real(one) * first, one), rounded(real(next_one) * second, one))


@kernel
def _added(kept: Any, two: Any, place: Any, seed: Any, other: Any, dropped: Any, scale: Any) -> Any:
    """A pair of elements after dropout, added to another pair."""
    (one, next_one), (first, second) = apart(two), _factors(place, seed, other, dropped, scale)
    here, there = apart(kept)
    return together(rounded(real(here) + real(one) * first, one), rounded(real(there) + real(next_one) * second, one))


@kernel
def drop(x: Numbers, seed: Any, other: Any, dropped: Any, scale: Any, out: Numbers) -> None:
    """out = scale · x where an element stays, else 0; x and out [N]."""
    given, taken = in_pairs(x), in_pairs(out)
    for n in range(given.shape[0]):
        taken[n] = _dropped(given[n], n, seed, other, dropped, scale)
    if x.shape[0] % 2:
        last = x.shape[0] - 1
        out[last] = rounded(real(x[last]) * _factors(given.shape[0], seed, other, dropped, scale)[0], x[last])


@kernel
def drop_in_place(x: Numbers, seed: Any, other: Any, dropped: Any, scale: Any) -> None:
    """The same where x is not wanted any more: no loop over two arrays that may be one is vectorised."""
    taken = in_pairs(x)
    for n in range(taken.shape[0]):
        taken[n] = _dropped(taken[n], n, seed, other, dropped, scale)
    if x.shape[0] % 2:
        last = x.shape[0] - 1
        x[last] = rounded(real(x[last]) * _factors(taken.shape[0], seed, other, dropped, scale)[0], x[last])


@kernel
def add_dropped(residual: Numbers, x: Numbers, seed: Any, other: Any, dropped: Any, scale: Any, out: Numbers) -> None:
    """out = residual + scale · x where an element stays, else residual; all [N]."""
    kept, given, taken = in_pairs(residual), in_pairs(x), in_pairs(out)
    for n in range(given.shape[0]):
        taken[n] = _added(kept[n], given[n], n, seed, other, dropped, scale)
    if x.shape[0] % 2:
        last, (first, _) = x.shape[0] - 1, _factors(given.shape[0], seed, other, dropped, scale)
        out[last] = rounded(real(residual[last]) + real(x[last]) * first, x[last])
