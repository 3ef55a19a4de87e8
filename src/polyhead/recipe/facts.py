"""What is known of a training text once all of it has been read, so that it needn't be read again to know it."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polyhead.data.readers import Pair, in_chunks
from polyhead.data.statistics import CorpusStatistics, Counted
from polyhead.data.suspicions import TrainingSuspicions
from polyhead.data.weighting import Weights

_AT_A_TIME = 10_000
"""Pairs that are looked at at a time."""


@dataclass(frozen=True)
class Facts:
    """What is known of the pairs to learn from."""

    sha256: str
    """The `fingerprint` of the pairs."""
    languages: tuple[str, ...]
    """The target languages that occur, sorted."""
    unnamed: str | None
    """Where the first pair stands that names no target language; None: all name one."""
    statistics: CorpusStatistics
    suspicions: tuple[str, ...]
    """Sentences about what may be wrong with the pairs."""

    @classmethod
    def of(cls, pairs: Sequence[Pair], weights: Weights | None) -> "Facts":
        """The facts of `pairs`, of which an epoch has each as often as `weights` [N] says; None: once.

        The pairs are read once, some at a time, as they may be more than memory holds.
        """
        digest, counted, suspicions = hashlib.sha256(), Counted(), TrainingSuspicions()
        languages, unnamed = set[str](), list[str]()
        for some in in_chunks(pairs, _AT_A_TIME):
            digest.update(_written(some))
            counted.add(some)
            suspicions.add(some)
            languages |= {pair.target_language for pair in some if pair.target_language}
            unnamed += [pair.origin for pair in some if not pair.target_language][: 1 - len(unnamed)]
        return cls(
            sha256=digest.hexdigest(),
            languages=tuple(sorted(languages)),
            unnamed=unnamed[0] if unnamed else None,
            statistics=counted.statistics(len(pairs), weights),
            suspicions=tuple(suspicions.sentences()),
        )


def fingerprint(pairs: Iterable[Pair]) -> str:
    """SHA-256 of sources, targets and target languages, in order."""
    digest = hashlib.sha256()
    for pair in pairs:
        digest.update(_written([pair]))
    return digest.hexdigest()


def _written(pairs: Iterable[Pair]) -> bytes:
    # No text has a line break in it, so no two corpora become the same bytes. JSON can bring half a surrogate pair.
    lines = (f"{pair.source}\n{pair.target}\n{pair.target_language or ''}\n" for pair in pairs)
    return "".join(lines).encode("utf-8", "surrogatepass")
