"""Punctuation that a model has never seen: at the ends of a sentence it stays where it is, unread."""

import unicodedata
from functools import lru_cache

from polyhead.text import Span
from polyhead.tokenizers.protocol import Tokenizer

ENDS = {".": "\u3002", "!": "\uff01", "?": "\uff1f"}
"""Signs that end sentences, and what they are behind Chinese and Japanese characters."""
_ALL_ENDS = frozenset((*ENDS, *ENDS.values()))


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


def without_second_end(translation: str, text: str, end: int) -> str:
    """A sentence's translation without a sign at its end, if the sign that the model did not read ends it, too.

    text, end: what is translated, and where in it the sentence ends that the model read. Of `A dog runs!` a model that
    knows no exclamation mark reads `A dog runs` and may write `Ein Hund rennt.`, which the mark then follows.
    """
    has_both = text[end : end + 1] in _ALL_ENDS and translation[-1:] in _ALL_ENDS
    return translation[:-1] if has_both and text[end - 1] not in _ALL_ENDS else translation


@lru_cache(maxsize=4096)
def _is_known(sign: str, tokenizer: Tokenizer) -> bool:
    if not unicodedata.category(sign).startswith("P") or tokenizer.config.kind == "word":
        return True  # to a word its signs belong
    ids = tokenizer.encode(f"a{sign}")
    return not any(len(piece) == len("<0x2E>") and piece.startswith("<0x") for piece in tokenizer.pieces(ids))
