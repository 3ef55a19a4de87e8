"""The log-probability of given translations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from polyhead.batch import Batch, collate, cut_by_length
from polyhead.decoding.ensemble import log_mean
from polyhead.decoding.length_penalty import LengthPenalty
from polyhead.decoding.scoring import score
from polyhead.decoding.searchable import Values, in_memory
from polyhead.errors import PolyheadError, counted
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.tokenizers.protocol import Tokenizer
from polyhead.translating.translation import Translation

BATCH_TOKENS = 4096
"""Source and target tokens scored together."""


def score_pairs(
    models: Sequence[Seq2SeqModel[Any]],
    tokenizer: Tokenizer,
    sources: Sequence[list[int]],
    targets: Sequence[str],
    longest: int,
    penalty: LengthPenalty,
) -> list[Translation]:
    """Each target as a translation of its source, with the score that a search with this penalty would give it.

    models: one, or those of an ensemble, on any devices; tokenizer: the targets'; longest: the most tokens of a side
    Raises PolyheadError for a pair that is longer and where the counts differ.
    """
    if len(sources) != len(targets):
        given = counted(len(targets), "translation")
        raise PolyheadError(f"{counted(len(sources), 'source text')}, but {given} to score")
    target_ids = [tokenizer.encode(text) for text in targets]
    for number, (source, target) in enumerate(zip(sources, target_ids, strict=True), 1):
        if max(len(source), len(target)) >= longest:
            raise PolyheadError(f"pair {number} is longer than the model's limit of {longest} tokens")
    results: list[Translation | None] = [None] * len(sources)
    lengths = [len(s) + len(t) + 2 for s, t in zip(sources, target_ids, strict=True)]
    for chunk in cut_by_length(lengths, BATCH_TOKENS):
        batch = collate([sources[i] for i in chunk], [target_ids[i] for i in chunk])
        for i, row in zip(chunk, scored(models, batch).tolist(), strict=True):
            each = row[: len(target_ids[i]) + 1]
            pieces = tuple(tokenizer.pieces(target_ids[i]))
            normalised = sum(each) / float(penalty(np.array(len(each), np.float64)))
            results[i] = Translation(targets[i], normalised, sum(each), pieces, tuple(each))
    return [result for result in results if result is not None]


def scored(models: Sequence[Seq2SeqModel[Any]], batch: Batch) -> Values:
    """log P [B, T] of a batch's targets, as `score` gives it; of several models, the logarithm of their mean P."""
    return log_mean([in_memory(score(model, batch.to(model.device))) for model in models])
