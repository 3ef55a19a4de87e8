"""CTranslate2: `translate_batch`, which sorts by length and shares batches out among its workers."""

from collections.abc import Sequence
from typing import Any

import ctranslate2
import sentencepiece

from plain_translation import EXTRA_TOKENS, serve_translation

OPTIONS = ("compute_type", "inter_threads", "intra_threads")


class CTranslate2:
    """A loaded model."""

    def __init__(self, model: str, vocabulary: str, setting: dict[str, Any]) -> None:
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=vocabulary)
        self.translator = ctranslate2.Translator(model, device="cpu", **{name: setting[name] for name in OPTIONS})

    def translate(self, sentences: Sequence[str], beam_size: int, batch: int | None) -> list[str]:
        """`batch` sentences at most are decoded together."""
        tokens = self.pieces.encode(list(sentences), out_type=str)
        found = self.translator.translate_batch(
            tokens,
            beam_size=beam_size,
            length_penalty=1.0,
            max_batch_size=batch or 0,
            max_decoding_length=max(map(len, tokens)) + EXTRA_TOKENS,
            return_scores=False,
        )
        return self.pieces.decode([result.hypotheses[0] for result in found])


if __name__ == "__main__":
    serve_translation(CTranslate2)
