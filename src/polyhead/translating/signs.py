"""Punctuation that a model has never seen: at the ends of a sentence it stays where it is, unread."""

import unicodedata
from functools import lru_cache

from polyhead.text import Span
from polyhead.tokenizers.protocol import Tokenizer


def without_unknown_signs(text: str, span: Span, tokenizer: Tokenizer) -> Span:
    """A sentence's place in a text, without the punctuation at its ends that the tokenizer has no piece for.

    Its bytes have embeddings that were never trained: of `The cat drinks.` a model whose training text had no full
    stops makes nonsense. White space between such signs and the sentence is outside, too.
    """
    start, end = span
    while end > start and (text[end - 1].isspace() or not _is_known(text[end - 1], tokenizer)):
        end -= 1
    while start < end and (text[start].isspace() or not _is_known(text[start], tokenizer)):
        start += 1
    return start, end


@lru_cache(maxsize=4096)
def _is_known(sign: str, tokenizer: Tokenizer) -> bool:
    if not unicodedata.category(sign).startswith("P") or tokenizer.config.kind == "word":
        return True  # to a word its signs belong
    ids = tokenizer.encode(f"a{sign}")
    return not any(len(piece) == len("<0x2E>") and piece.startswith("<0x") for piece in tokenizer.pieces(ids))
