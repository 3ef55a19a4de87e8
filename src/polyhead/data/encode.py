"""Pairs → token ids."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyhead.data.readers.pair import Pair
from polyhead.data.store import Corpus, EncodedCorpus, Ids, flatten, offsets_of
from polyhead.data.windows import Drawn, Window
from polyhead.tokenizers import Tokenizer

# So many sentences are lists of Python integers at a time; the rest are in arrays, a tenth of the size.
_CHUNK = 20_000


@dataclass(frozen=True)
class EncodingReport:
    """How a corpus came through encoding.

    too_long: pairs left out for having more tokens on a side than `max_tokens`
    example: where the first of them stands
    longest_source: tokens of the longest source kept, as the model reads it: with its tag and `<eos>`
    rows: [kept] which of the pairs were kept, in rising order
    """

    kept: int
    too_long: int
    example: str | None
    longest_source: int
    rows: NDArray[np.int64]


def encode(
    pairs: Sequence[Pair],
    source_tokenizer: Tokenizer,
    target_tokenizer: Tokenizer,
    tagged: bool,
    sampling_seed: int | None = None,
    max_tokens: int | None = None,
) -> tuple[EncodedCorpus, EncodingReport]:
    """The ids of each pair, in order, without those that are too long.

    tagged: begin each source with the tag of its target language, where it has one
    sampling_seed: sample segmentations with this seed (subword regularisation) in place of the best
    max_tokens: the most tokens on a side, tag and `<eos>` included; longer pairs are left out, never cut. A pair whose
        sample is too long gets its best segmentation.
    """
    sides: list[_Side] = [_Side([], []), _Side([], [])]
    kept: list[int] = []
    example = None
    for start in range(0, len(pairs), _CHUNK):
        chunk = pairs[start : start + _CHUNK]
        seeds = [None, None] if sampling_seed is None else _seeds(sampling_seed, start)
        sources = _ids([pair.source for pair in chunk], source_tokenizer, seeds[0], max_tokens)
        targets = _ids([pair.target for pair in chunk], target_tokenizer, seeds[1], max_tokens)
        if tagged:
            tags = [[source_tokenizer.tag(p.target_language)] if p.target_language else [] for p in chunk]
            sources = [tag + ids for tag, ids in zip(tags, sources, strict=True)]
        fitting = [i for i, both in enumerate(zip(sources, targets, strict=True)) if _fits(both, max_tokens)]
        if len(fitting) < len(chunk) and example is None:
            example = chunk[min(set(range(len(chunk))) - set(fitting))].origin
        kept += [start + i for i in fitting]
        sides[0].add([sources[i] for i in fitting], source_tokenizer.vocabulary_size)
        sides[1].add([targets[i] for i in fitting], target_tokenizer.vocabulary_size)
    corpus = EncodedCorpus(*sides[0].arrays(), *sides[1].arrays())
    longest = int(corpus.source_lengths.max(initial=0))
    return corpus, EncodingReport(len(kept), len(pairs) - len(kept), example, longest, np.array(kept, np.int64))


@dataclass(frozen=True)
class Encoder:
    """What makes token ids of pairs; see `encode`."""

    source: Tokenizer
    target: Tokenizer
    tagged: bool
    max_tokens: int | None = None

    def __call__(self, pairs: Sequence[Pair], sampling_seed: int | None = None) -> tuple[EncodedCorpus, EncodingReport]:
        """The ids of each pair, in order, without those that are too long."""
        return encode(pairs, self.source, self.target, self.tagged, sampling_seed, self.max_tokens)


def sampled_in_epochs(
    corpus: EncodedCorpus, pairs: Sequence[Pair], rows: NDArray[np.int64], encoder: Encoder, seed: int
) -> Callable[[int, int | None], Corpus]:
    """A function: an epoch, and how many epochs are sampled (None: all) → the epoch's corpus.

    Sampled are the sides whose tokenizer has a dropout above 0, anew from (seed, epoch). Each epoch has the same pairs
    in the same order.
    corpus: what `encoder` makes of `pairs` with the best segmentations
    rows: [N] which of the pairs are in the corpus
    """
    if not (encoder.source.config.dropout or encoder.target.config.dropout):
        return lambda epoch, sampled_epochs: corpus

    def in_epoch(epoch: int, sampled_epochs: int | None) -> Corpus:
        best = sampled_epochs is not None and epoch >= sampled_epochs
        return corpus if best else _Sampled(pairs, rows, encoder, seed)

    return in_epoch


@dataclass(frozen=True)
class _Sampled:
    """A corpus whose words are cut up anew for each window; only the text is kept."""

    pairs: Sequence[Pair]
    rows: NDArray[np.int64]
    encoder: Encoder
    seed: int

    def __len__(self) -> int:
        return len(self.rows)

    def within(self, window: Window) -> EncodedCorpus:
        """The pairs of a window, sampled."""
        some = self.pairs if window.rows is None else [self.pairs[int(row)] for row in self.rows[window.rows]]
        entropy = window.entropy(self.seed, Drawn.SEGMENTATIONS)
        return self.encoder(some, int(np.random.SeedSequence(entropy).generate_state(1)[0]))[0]


@dataclass(frozen=True)
class _Side:
    ids: list[Ids]
    lengths: list[NDArray[np.int64]]

    def add(self, sentences: Sequence[Sequence[int]], vocabulary_size: int) -> None:
        ids, lengths = flatten(sentences, vocabulary_size)
        self.ids.append(ids)
        self.lengths.append(lengths)

    def arrays(self) -> tuple[Ids, NDArray[np.int64]]:
        return np.concatenate(self.ids or [np.zeros(0, np.uint16)]), offsets_of(self.lengths)


def _ids(texts: list[str], tokenizer: Tokenizer, seed: int | None, max_tokens: int | None) -> list[list[int]]:
    if seed is None:
        return tokenizer.encode_many(texts)
    sampled = tokenizer.sample_many(texts, seed)
    if max_tokens is None:
        return sampled
    room = max_tokens - 2  # for the tag and <eos>
    return [ids if len(ids) <= room else tokenizer.encode(text) for ids, text in zip(sampled, texts, strict=True)]


def _fits(both: tuple[list[int], list[int]], max_tokens: int | None) -> bool:
    return max_tokens is None or all(len(ids) + 1 <= max_tokens for ids in both)


def _seeds(sampling_seed: int, start: int) -> list[int]:
    return [int(seed) for seed in np.random.SeedSequence([sampling_seed, start]).generate_state(2)]
