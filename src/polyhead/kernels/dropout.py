"""Dropout whose mask is never stored: whether an element stays follows from its place and a seed."""

from typing import Any

import numpy as np

from polyhead.kernels.bfloat16 import Halves, rounded, widened
from polyhead.kernels.compile import kernel

_FIRST, _SECOND = np.uint32(0x7FEB352D), np.uint32(0x846CA68B)


def part_dropped(rate: float) -> int:
    """A rate below 1 → what part of 2³² it is, less than the whole."""
    return min(round(rate * 2**32), 2**32 - 1)


@kernel
def _mixed(bits: Any) -> Any:
    """32 bits, each of which depends on each of those given; a step of integer hashing (Wellons, hash prospector)."""
    bits = np.uint32(bits ^ np.uint32(bits >> np.uint32(16)))
    bits = np.uint32(bits * _FIRST)
    bits = np.uint32(bits ^ np.uint32(bits >> np.uint32(15)))
    bits = np.uint32(bits * _SECOND)
    return np.uint32(bits ^ np.uint32(bits >> np.uint32(16)))


@kernel
def _stays(place: Any, seed: Any, other: Any, dropped: Any) -> Any:
    """True with probability 1 - dropped / 2³²; the same for the same place and seeds."""
    return _mixed(np.uint32(_mixed(np.uint32(np.uint32(place) + seed)) ^ other)) >= dropped


@kernel
def drop(x: Halves, seed: Any, other: Any, dropped: Any, scale: Any, out: Halves) -> None:
    """out = scale · x where an element stays, else 0; x and out [N]."""
    for n in range(x.shape[0]):
        kept = scale if _stays(n, seed, other, dropped) else np.float32(0)
        out[n] = rounded(widened(x[n]) * kept)


@kernel
def add_dropped(residual: Halves, x: Halves, seed: Any, other: Any, dropped: Any, scale: Any, out: Halves) -> None:
    """out = residual + scale · x where an element stays, else residual; all [N]."""
    for n in range(x.shape[0]):
        kept = scale if _stays(n, seed, other, dropped) else np.float32(0)
        out[n] = rounded(widened(residual[n]) + widened(x[n]) * kept)
