"""What is known of a training text once all of it has been read, so that it needn't be read again to know it."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polyhead.data.readers import Pair
from polyhead.data.statistics import CorpusStatistics
from polyhead.data.stored.texts import StoredPairs
from polyhead.data.suspicions import of_training
from polyhead.data.weighting import Weights


@dataclass(frozen=True)
class Facts:
    """Of the pairs to learn from."""

    sha256: str
    """`fingerprint` of them."""
    languages: tuple[str, ...]
    """The target languages that occur, sorted."""
    unnamed: str | None
    """Where the first pair stands that names no target language; None: all name one."""
    statistics: CorpusStatistics
    suspicions: tuple[str, ...]
    """Sentences about what may be wrong with them."""

    @classmethod
    def of(cls, pairs: Sequence[Pair], weights: Weights | None) -> "Facts":
        """Those of `pairs`, of which an epoch has each as often as `weights` [N] says; None: once."""
        languages = {pair.target_language for pair in pairs}
        without = (pair.origin for pair in pairs if not pair.target_language)
        return cls(
            sha256=fingerprint(pairs),
            languages=tuple(sorted(filter(None, languages))),
            unnamed=None if all(languages) else next(without),
            statistics=CorpusStatistics.of(pairs, weights),
            suspicions=tuple(of_training(pairs)),
        )


def fingerprint(pairs: Iterable[Pair]) -> str:
    """SHA-256 of sources, targets and target languages, in order."""
    digest = hashlib.sha256()
    for piece in pairs.written() if isinstance(pairs, StoredPairs) else map(_written, pairs):
        digest.update(piece)
    return digest.hexdigest()


def _written(pair: Pair) -> bytes:
    # No text has a line break in it, so no two corpora become the same bytes. JSON can bring half a surrogate pair.
    return f"{pair.source}\n{pair.target}\n{pair.target_language or ''}\n".encode("utf-8", "surrogatepass")
