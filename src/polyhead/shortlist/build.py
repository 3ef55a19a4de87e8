"""From parallel text to a shortlist."""

import numpy as np
from pydantic import Field

from polyhead.config import Config
from polyhead.data.store import EncodedCorpus
from polyhead.errors import PolyheadError
from polyhead.limits import LARGEST_VOCABULARY, MOST_COUNTED
from polyhead.shortlist.lexicon import Integers, learn_lexicon
from polyhead.shortlist.shortlist import Shortlist
from polyhead.symbols import EOS, SPECIAL_PIECES
from polyhead.tokenizers.protocol import Tokenizer


class ShortlistConfig(Config):
    """How long the lists are and how they are found."""

    best: int = Field(default=60, ge=0, le=LARGEST_VOCABULARY)
    """How many of a source piece's likeliest translations are kept."""
    frequent: int = Field(default=200, ge=0, le=LARGEST_VOCABULARY)
    """How many of the most frequent target pieces (of a language) every sentence (into it) gets besides."""
    iterations: int = Field(default=4, ge=1, le=1_000)
    """Rounds of expectation-maximisation of IBM model 1."""
    budget: int = Field(default=25_000_000, ge=1, le=MOST_COUNTED)
    """The most (source piece, target piece, pair) to learn from, 40 bytes each; of more, pairs at even distances."""


def build_shortlist(
    corpus: EncodedCorpus, source_tokenizer: Tokenizer, target_tokenizer: Tokenizer, config: ShortlistConfig
) -> Shortlist:
    """The shortlist that a corpus gives: beside each source piece, the target pieces that most likely translate it.

    A source piece that is a target piece too is in its own row: names and numbers stay what they are.
    corpus: encoded by the two tokenizers, with tags if the model reads them. Raises PolyheadError if it has no text.
    """
    if not len(corpus.source_ids) or not len(corpus.target_ids):
        raise PolyheadError("there is no sentence pair to find a shortlist in")
    sizes = source_tokenizer.vocabulary_size, target_tokenizer.vocabulary_size
    rows = [
        _likeliest(corpus, sizes, config),
        _most_frequent(corpus, source_tokenizer, sizes[1], config.frequent),
        _same_on_both_sides(source_tokenizer, target_tokenizer),
    ]
    # Once each, by source, then by target: an entry is a number.
    sources, targets = np.divmod(np.unique(np.concatenate([s * sizes[1] + t for s, t in rows])), sizes[1])
    offsets = np.searchsorted(sources, np.arange(sizes[0] + 1)).astype(np.int64)
    fixed = len(SPECIAL_PIECES) + len(target_tokenizer.languages)
    return Shortlist(offsets, targets.astype(np.int32), fixed, sizes[1])


def _likeliest(corpus: EncodedCorpus, sizes: tuple[int, int], config: ShortlistConfig) -> tuple[Integers, Integers]:
    """The best entries of the lexicon for each source piece."""
    lexicon = learn_lexicon(corpus, sizes[1], config.iterations, config.budget)
    firsts = np.searchsorted(lexicon.sources, np.arange(sizes[0]))
    ranks = np.arange(len(lexicon.sources)) - firsts[lexicon.sources]
    kept = (ranks < config.best) & (lexicon.sources >= len(SPECIAL_PIECES))
    return lexicon.sources[kept], lexicon.targets[kept]


def _most_frequent(
    corpus: EncodedCorpus, source_tokenizer: Tokenizer, target_vocabulary: int, count: int
) -> tuple[Integers, Integers]:
    """The target pieces that occur most: beside each language's tag; for a model without tags, beside `<eos>`."""
    tags = [source_tokenizer.tag(language) for language in source_tokenizer.languages] or [EOS]
    firsts = corpus.source_ids[np.minimum(corpus.source_offsets[:-1], max(len(corpus.source_ids) - 1, 0))]
    of_pair = np.repeat(firsts, np.diff(corpus.target_offsets))
    rows: list[tuple[Integers, Integers]] = []
    for tag in tags:
        ids = corpus.target_ids if tag == EOS else corpus.target_ids[of_pair == tag]
        occurrences = np.bincount(ids, minlength=target_vocabulary)
        best = np.argsort(-occurrences, kind="stable")[: min(count, np.count_nonzero(occurrences))]
        rows.append((np.full(len(best), tag), best))
    return np.concatenate([tag for tag, _ in rows]), np.concatenate([best for _, best in rows])


def _same_on_both_sides(source_tokenizer: Tokenizer, target_tokenizer: Tokenizer) -> tuple[Integers, Integers]:
    """Pieces of text that both vocabularies have."""
    pieces = target_tokenizer.pieces(range(target_tokenizer.vocabulary_size))
    targets = {piece: number for number, piece in enumerate(pieces)}
    sources = source_tokenizer.pieces(range(source_tokenizer.vocabulary_size))
    first = len(SPECIAL_PIECES) + len(source_tokenizer.languages)
    both = [(number, targets[piece]) for number, piece in enumerate(sources) if number >= first and piece in targets]
    array = np.array(both, np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]
