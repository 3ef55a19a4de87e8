"""Word alignments of translated pieces, read from the model's attention."""

from collections.abc import Sequence
from dataclasses import replace

from polyhead.batch import collate, cut_by_length
from polyhead.bundle.bundle import Bundle
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.errors import ModelError
from polyhead.model.recording import weights_of
from polyhead.translating.alignment import Alignment, align_words
from polyhead.translating.translation import Piece, Translation

BATCH_TOKENS = 4096
"""Padded tokens of both sides looked at together."""


def with_alignments(
    bundle: Bundle,
    pieces: Sequence[Piece],
    found: Sequence[Sequence[Hypothesis]],
    translated: Sequence[Sequence[Translation]],
) -> list[list[Translation]]:
    """The n-best list of each piece, and the hypotheses that it was made of → the same with word alignments.

    Raises what `align_pieces` does.
    """
    repeated = [piece for piece, hypotheses in zip(pieces, found, strict=True) for _ in hypotheses]
    alignments = iter(align_pieces(bundle, repeated, [each.tokens for hypotheses in found for each in hypotheses]))
    return [[replace(each, alignment=next(alignments)) for each in ranked] for ranked in translated]


def align_pieces(bundle: Bundle, pieces: Sequence[Piece], outputs: Sequence[Sequence[int]]) -> list[Alignment]:
    """The word alignment of each piece with the tokens of its translation, from one teacher-forced pass.

    Raises ModelError for a model without attention and for weights that have been overwritten.
    """
    bundle.check()
    site = bundle.model.alignment_site
    if site is None:
        raise ModelError(f"a {bundle.config.model.kind} model has no attention to read alignments from")
    alignments: list[Alignment] = [()] * len(pieces)
    lengths = [len(piece.tokens) + len(output) + 2 for piece, output in zip(pieces, outputs, strict=True)]
    for chunk in cut_by_length(lengths, BATCH_TOKENS):
        batch = collate([pieces[i].tokens for i in chunk], [outputs[i] for i in chunk])
        heads = weights_of(bundle.model, site, batch)
        for row, i in enumerate(chunk):
            source = bundle.source_tokenizer.tokens(pieces[i].content)
            target = bundle.target_tokenizer.decoded(outputs[i])
            tag = len(pieces[i].tokens) - len(source)
            weights = heads[row].mean(0)[: len(target), tag : tag + len(source)].float().cpu().numpy()
            text = bundle.target_tokenizer.decode(outputs[i])
            alignments[i] = align_words(weights, source, target, pieces[i].content, text)
    return alignments
