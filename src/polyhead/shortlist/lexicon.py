"""Which target pieces translate which source pieces: IBM model 1 (Brown et al. 1993, section 4.1).

A plain count of what stands together is all about frequent pieces, which stand beside everything. Here a target piece
is explained by one source piece of its sentence, or by none (NULL), and expectation-maximisation finds out by which.
NULL has the number of `<pad>`, which stands in no text. A piece counts once in a sentence.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyhead.data.store import EncodedCorpus, Ids, Offsets
from polyhead.symbols import PAD

Integers = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Lexicon:
    """P(target piece | source piece) wherever both stood in one sentence pair; ordered by source, the likeliest first.

    All fields are [entries].
    """

    sources: Integers
    targets: Integers
    probabilities: Numbers


@dataclass(frozen=True)
class _Incidences:
    """Every source piece of a pair beside every target piece of it, target by target."""

    keys: Integers
    """[incidences] int64: source · V + target."""
    starts: Integers
    """[target pieces in all pairs], where each one's incidences begin."""


def learn_lexicon(corpus: EncodedCorpus, target_vocabulary: int, iterations: int, budget: int) -> Lexicon:
    """The lexicon after `iterations` rounds of EM from uniform probabilities; the same for the same corpus.

    budget: the most incidences (source piece, target piece, pair) to learn from; of a corpus that has more, pairs at
        even distances are taken. An incidence takes 40 bytes.
    """
    incidences = _incidences(corpus, target_vocabulary, budget)
    entries, places = np.unique(incidences.keys, return_inverse=True)
    sources, targets = np.divmod(entries, target_vocabulary)
    lengths = np.diff(np.append(incidences.starts, len(incidences.keys)))
    probabilities = np.ones(len(entries))
    for _ in range(iterations):
        shares = probabilities[places]
        shares /= np.repeat(np.add.reduceat(shares, incidences.starts), lengths)
        counts = np.bincount(places, shares, len(entries))
        probabilities = counts / np.bincount(sources, counts)[sources]
    order = np.lexsort((targets, -probabilities, sources))
    return Lexicon(sources[order], targets[order], probabilities[order])


def _incidences(corpus: EncodedCorpus, target_vocabulary: int, budget: int) -> _Incidences:
    source, source_starts = _sets(corpus.source_ids, corpus.source_offsets, and_null=True)
    target, target_starts = _sets(corpus.target_ids, corpus.target_offsets, and_null=False)
    source_sizes, target_sizes = np.diff(source_starts), np.diff(target_starts)
    stride = max(1, -(-int(source_sizes @ target_sizes) // budget))
    chosen = np.arange(len(corpus)) % stride == 0
    pairs = np.repeat(np.arange(len(corpus)), target_sizes)
    taken = chosen[pairs]
    target, pairs = target[taken], pairs[taken]
    lengths = source_sizes[pairs]
    starts = np.cumsum(lengths) - lengths
    beside = np.arange(int(lengths.sum())) + np.repeat(source_starts[pairs] - starts, lengths)
    return _Incidences(source[beside] * target_vocabulary + np.repeat(target, lengths), starts)


def _sets(ids: Ids, offsets: Offsets, and_null: bool) -> tuple[Integers, Integers]:
    """The distinct pieces of each sentence, with NULL if `and_null`, and the offsets where each sentence begins."""
    sentences = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    pieces = ids.astype(np.int64)
    if and_null:
        sentences = np.concatenate([np.arange(len(offsets) - 1), sentences])
        pieces = np.concatenate([np.full(len(offsets) - 1, PAD, np.int64), pieces])
    size = int(pieces.max(initial=0)) + 1
    sentences, pieces = np.divmod(np.unique(sentences * size + pieces), size)
    return pieces, np.concatenate([[0], np.cumsum(np.bincount(sentences, minlength=len(offsets) - 1))])
