"""What the model looked at while it wrote the translations of pieces, and the word alignments read from that.

Shapes: T tokens of a translation, S tokens of a piece.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.batch import collate, cut_by_length
from polyhead.bundle.bundle import Bundle
from polyhead.decoding.hypothesis import Hypothesis
from polyhead.engine.cross_attention import cross_attention
from polyhead.engine.kernel_engine import KernelEngine
from polyhead.errors import ModelError
from polyhead.extras import needing_extra
from polyhead.model.config import TransformerConfig
from polyhead.tokenizers.protocol import Token
from polyhead.translating.alignment import Alignment, align_words
from polyhead.translating.translation import Piece, Translation

BATCH_TOKENS = 4096
"""Padded tokens, of sources and translations, that are looked at together."""
Floats = NDArray[np.float32]
Tokens = Sequence[Sequence[int]]
Attending = Callable[[Tokens, Tokens], list[Floats]]
"""Sources and their translations as tokens → the attention weights of each pair, with `<eos>` on both sides."""


def attending(bundle: Bundle, engine: Any) -> Attending:
    """What gives attention weights: the kernel engine where it translates, else the model as PyTorch modules.

    The function returned raises ModelError for a model without attention and for weights that have been overwritten.
    """
    config = bundle.config.model
    if isinstance(engine, KernelEngine) and isinstance(config, TransformerConfig):
        layer = config.alignment_layer

        def by_kernels(sources: Tokens, targets: Tokens) -> list[Floats]:
            return cross_attention(engine, sources, targets, layer)

        return by_kernels

    def by_modules(sources: Tokens, targets: Tokens) -> list[Floats]:
        with needing_extra("word alignment of such a model"):
            from polyhead.model.recording import weights_of

        bundle.check()
        site = bundle.model.alignment_site
        if site is None:
            raise ModelError(f"a {config.kind} model has no attention to read alignments from")
        batch = collate(sources, targets).to(bundle.model.device)
        heads: Any = weights_of(bundle.model, site, batch)
        return list(heads.mean(1).float().cpu().numpy())

    return by_modules


def attended(attending: Attending, pieces: Sequence[Piece], outputs: Tokens) -> list[Floats]:
    """Pieces and their translations' tokens → the attention weights of each, [≥ T, ≥ S], the tag included."""
    found: list[Floats] = [np.empty((0, 0), np.float32)] * len(pieces)
    lengths = [len(piece.tokens) + len(output) + 2 for piece, output in zip(pieces, outputs, strict=True)]
    for chunk in cut_by_length(lengths, BATCH_TOKENS):
        weights = attending([pieces[i].tokens for i in chunk], [outputs[i] for i in chunk])
        for i, each in zip(chunk, weights, strict=True):
            found[i] = each
    return found


def tokens_of(
    bundle: Bundle, piece: Piece, output: Sequence[int], weights: Floats
) -> tuple[Floats, list[Token], list[Token]]:
    """The attention weights [T, S] between a piece's tokens and its translation's, and the tokens of both."""
    source, target = bundle.source_tokenizer.tokens(piece.content), bundle.target_tokenizer.decoded(output)
    tag = len(piece.tokens) - len(source)
    return weights[: len(target), tag : tag + len(source)], source, target


def align_pieces(bundle: Bundle, attending: Attending, pieces: Sequence[Piece], outputs: Tokens) -> list[Alignment]:
    """The word alignment of each piece with the tokens of its translation. Raises what `attending` does."""
    return [
        align_words(*tokens_of(bundle, piece, output, weights), piece.content, bundle.target_tokenizer.decode(output))
        for piece, output, weights in zip(pieces, outputs, attended(attending, pieces, outputs), strict=True)
    ]


def with_alignments(
    bundle: Bundle,
    attending: Attending,
    pieces: tuple[Sequence[Piece], Sequence[Piece]],
    found: Sequence[Sequence[Hypothesis]],
    translated: Sequence[Sequence[Translation]],
) -> list[list[Translation]]:
    """The n-best list of each piece, and the hypotheses that it was made of → the n-best lists with word alignments.

    pieces: as they stand in their texts, and as they were searched
    """
    repeated = [piece for piece, hypotheses in zip(pieces[1], found, strict=True) for _ in hypotheses]
    outputs = [each.tokens for hypotheses in found for each in hypotheses]
    alignments = zip(align_pieces(bundle, attending, repeated, outputs), outputs, strict=True)
    return [
        [_aligned(bundle, given, piece, each, *next(alignments)) for each in ranked]
        for given, piece, ranked in zip(*pieces, translated, strict=True)
    ]


def _aligned(
    bundle: Bundle, given: Piece, piece: Piece, translation: Translation, alignment: Alignment, output: Sequence[int]
) -> Translation:
    """The translation with its word alignment, whose word numbers count what was taken out of the piece, too."""
    if piece.taken:
        read = _places(piece.content, given.content)
        written = _places(bundle.target_tokenizer.decode(output), translation.text)
        alignment = tuple((read[i], written[j]) for i, j in alignment)
    return replace(translation, alignment=alignment)


def _places(part: str, whole: str) -> list[int]:
    """The number that each word of a text has in a longer text, which has all of these words in the same order."""
    numbers, number, words = list[int](), 0, whole.split()
    for word in part.split():
        while number < len(words) - 1 and word not in words[number]:
            number += 1
        numbers.append(number)
    return numbers
