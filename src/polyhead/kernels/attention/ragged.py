"""Sentences without padding, as attention's kernels see them: the rows of one follow those of the one before."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel

Starts = NDArray[np.int64]
"""[B + 1]: the first row of each sentence, and the first one behind them all."""


class Ragged(NamedTuple):
    """A query sees the keys of its own sentence."""

    queries: Starts
    keys: Starts
    ahead: bool
    """Those behind its own place, too."""


class Heads(NamedTuple):
    """Where the numbers of each head are, an address, and how many bytes lie between …"""

    place: int
    head: int
    """… two heads"""
    row: int
    """… and two rows; the numbers of one follow each other."""


class Projected(NamedTuple):
    """What heads look with, at and for; or its gradients."""

    query: Heads
    key: Heads
    value: Heads


class Width(NamedTuple):
    """Of a row."""

    heads: int
    numbers: int
    """Of a head."""


@kernel
def length(starts: Starts, b: int) -> int:
    """Rows of a sentence."""
    return starts[b + 1] - starts[b]


@kernel
def sentence(ragged: Ragged, b: int) -> Any:
    """Its first row on either side, and its rows."""
    return ragged.queries[b], ragged.keys[b], length(ragged.queries, b), length(ragged.keys, b)


@kernel
def longest(ragged: Ragged) -> Any:
    """Rows of a sentence as long as any, on either side."""
    queries = keys = 0
    for b in range(ragged.queries.shape[0] - 1):
        queries, keys = max(queries, length(ragged.queries, b)), max(keys, length(ragged.keys, b))
    return queries, keys


@kernel
def place_of(heads: Heads, row: int, h: int) -> int:
    """The address of a head's numbers."""
    return heads.place + row * heads.row + h * heads.head
