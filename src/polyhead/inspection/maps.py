"""The cross-attention of one translation, from a single teacher-forced pass."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyhead.batch import collate
from polyhead.errors import ModelError, PolyheadError
from polyhead.model.recording import record_pass
from polyhead.symbols import EOS_PIECE
from polyhead.translator import Translation, Translator


@dataclass(frozen=True)
class CrossAttention:
    """How each written token looked at the source.

    weights: [L, H, T, S] float32, layer by layer; row t belongs to the token rows[t] that was then predicted
    """

    translation: Translation
    weights: NDArray[np.float32]
    rows: list[str]
    columns: list[str]


def cross_attention(translator: Translator, text: str, *, target_language: str | None = None) -> CrossAttention:
    """Translates `text` and records every layer's and head's cross-attention.

    Raises ModelError for a model without attention, PolyheadError for an empty text or one too long for one piece.
    """
    if not text.strip():
        raise PolyheadError("there is nothing to look at in an empty text")
    bundle = translator.bundle
    site = bundle.model.alignment_site
    if site is None:
        raise ModelError(f"a {bundle.config.model.kind} model has no attention to look at")
    source = translator.encode_source(text, target_language)
    if len(source) + 1 > translator.longest_source:
        raise PolyheadError(
            f"this text has {len(source) + 1} tokens, the model reads {translator.longest_source} at a time; "
            "look at one sentence"
        )
    translation = translator.translate([text], target_language=target_language)[0]
    target = bundle.target_tokenizer.encode(translation.text)
    batch = collate([source], [target])
    maps = record_pass(bundle.model, batch)
    ending = site.rpartition(".")[2]
    weights = np.stack([maps[name][0][0].numpy() for name in maps if name.rpartition(".")[2] == ending])
    rows = [*bundle.target_tokenizer.pieces(target), EOS_PIECE]
    columns = [*bundle.source_tokenizer.pieces(source), EOS_PIECE]
    return CrossAttention(translation, weights, rows, columns)
