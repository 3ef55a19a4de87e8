"""Short fingerprints of texts: eight bytes stand for a sentence where only sameness counts.

They find repeated pairs, sentences to hold out and pairs known from training in little memory. Of ten million different
texts two have the same fingerprint once in 400,000 corpora; then one pair too many counts as repeated.
"""

from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from polyhead.data.readers.pair import Pair

Digests = NDArray[np.uint64]
Number = TypeVar("Number", bound=np.generic)
_BYTES = 8
_AT_A_TIME = 1 << 20
"""Digests that are looked at together."""
_IN_A_SORT = 1 << 22
"""Digests that are sorted together, to find equal ones."""


def digests_of(texts: Iterable[str]) -> Digests:
    """[N] the digest of each text."""
    each = (blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_BYTES).digest() for text in texts)
    return np.frombuffer(b"".join(each), np.dtype("<u8")).astype(np.uint64)


def digests_of_pairs(pairs: Iterable[Pair]) -> Digests:
    """[N] the digest of each pair; pairs with the same source, target and target language have the same digest."""
    return digests_of(f"{pair.source}\n{pair.target}\n{pair.target_language or ''}" for pair in pairs)


def digests_of_content(pairs: Iterable[Pair]) -> Digests:
    """[N] the digest of each pair's content; it is the same if only case, white space or target language differ."""
    return digests_of("\n".join(" ".join(side.casefold().split()) for side in (p.source, p.target)) for p in pairs)


def which_repeat(digests: Digests, considered: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[N] whether the same digest came before, among those that are considered.

    digests: [N], which may be a mapped file: it is never copied as a whole
    """
    repeats = np.zeros(len(digests), np.bool_)
    parts = 1 + len(digests) // _IN_A_SORT
    for part in range(parts):
        rows = np.concatenate(
            [
                start + np.flatnonzero(considered[start : start + len(some)] & (some % np.uint64(parts) == part))
                for start, some in in_parts(digests)
            ]
        ).astype(np.int64)
        found = digests[rows]
        order = np.argsort(found, kind="stable")
        same = found[order[1:]] == found[order[:-1]]
        repeats[rows[order[1:][same]]] = True
    return repeats


def rows_among(digests: Digests, wanted: Digests) -> NDArray[np.int64]:
    """The rows, in rising order, whose digest is one of those that are wanted."""
    known = np.unique(wanted)
    found = [start + np.flatnonzero(_are_in(some, known)) for start, some in in_parts(digests)]
    return np.concatenate(found).astype(np.int64)


def in_parts(digests: NDArray[Number]) -> Iterator[tuple[int, NDArray[Number]]]:
    """Where each part of the array begins, and the part; of an empty array one empty part."""
    for start in range(0, max(1, len(digests)), _AT_A_TIME):
        yield start, digests[start : start + _AT_A_TIME]


def _are_in(digests: Digests, known: Digests) -> NDArray[np.bool_]:
    """[N] whether each digest is one of the known ones, which are sorted."""
    if not len(known):
        return np.zeros(len(digests), np.bool_)
    places = np.minimum(np.searchsorted(known, digests), len(known) - 1)
    return known[places] == digests
