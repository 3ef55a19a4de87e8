"""Sentences without padding, as attention's kernels see them: the rows of one follow those of the one before."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel

Starts = NDArray[np.int64]
"""[B + 1]: the first row of each sentence, and the first one behind them all."""


class Ragged(NamedTuple):
    """Which rows are a sentence's: a query sees the keys of its own sentence."""

    queries: Starts
    """Where the queries of each sentence begin."""
    keys: Starts
    """Where the keys and values of each sentence begin."""
    causal: bool
    """Whether a query sees no key behind its own position."""


class Heads(NamedTuple):
    """Where a matrix [rows, heads, numbers] lies in memory; the numbers of a head follow each other."""

    address: int
    """The address of its first number."""
    head_stride: int
    """Bytes between two heads of a row."""
    stride: int
    """Bytes between two rows."""


class Projected(NamedTuple):
    """Queries, keys and values of all heads, or the gradients of these."""

    query: Heads
    key: Heads
    value: Heads


class HeadShape(NamedTuple):
    """How a row is divided into heads."""

    heads: int
    """How many heads it has."""
    size: int
    """How many numbers a head has."""


@kernel
def length(starts: Starts, b: int) -> int:
    """How many rows a sentence has."""
    return starts[b + 1] - starts[b]


@kernel
def sentence(ragged: Ragged, b: int) -> Any:
    """A sentence's first query and first key, and how many queries and keys it has."""
    return ragged.queries[b], ragged.keys[b], length(ragged.queries, b), length(ragged.keys, b)


@kernel
def longest(ragged: Ragged) -> Any:
    """The most queries and the most keys that a sentence has."""
    queries = keys = 0
    for b in range(ragged.queries.shape[0] - 1):
        queries, keys = max(queries, length(ragged.queries, b)), max(keys, length(ragged.keys, b))
    return queries, keys


@kernel
def address_of(heads: Heads, row: int, h: int) -> int:
    """The address of the numbers of head `h` in a row."""
    return heads.address + row * heads.stride + h * heads.head_stride
