"""The settings of a tokenizer, and how large a vocabulary suits a corpus."""

from typing import Literal

from pydantic import Field

from polyhead.config import Config
from polyhead.limits import LARGEST_VOCABULARY
from polyhead.text import Normalisation

Kind = Literal["bpe", "unigram", "char", "word"]

_USUAL_TOKENS, _USUAL_SIZE, _LARGEST_SIZE = 860_000, 10_000, 32_000
_PIECES_A_WORD = 0.75
_BYTES_AND_SPECIALS = 260


class TokenizerConfig(Config):
    """How text becomes token ids."""

    kind: Kind = "bpe"
    """bpe (Sennrich et al. 2016), unigram (Kudo 2018), char, or word: what white space separates, with `<unk>`."""
    vocabulary_size: int | None = Field(default=None, ge=5, le=LARGEST_VOCABULARY)
    """How many pieces, specials and tags included; None: from the size of the corpus."""
    shared: bool = True
    """Whether source and target share one vocabulary; if not, each has its own."""
    normalisation: Normalisation = "nmt-NFC"
    """The normal form text is brought into: none, NFC, NFKC, or nmt-NFC, where white space of all kinds is alike."""
    lowercase: bool = False
    """Make all text lower case, before training as before translating."""
    dropout: float = Field(default=0.0, ge=0.0, lt=1.0)
    """Subword regularisation in training: how likely a BPE merge is left out (Provilkov et al. 2020); 0 is off."""
    character_coverage: float = Field(default=0.9999, ge=0.98, le=1.0)
    """The share of the text whose characters get pieces of their own; rarer characters are spelled in bytes."""


def default_vocabulary_size(
    tokens: float, word_types: int, characters: int = 0, kind: Kind = "bpe", shared: bool = True
) -> int:
    """How many pieces suit a corpus.

    Up to the size of Multi30k (29,000 pairs, some 860,000 tokens) the number grows as tokens^0.53 and is 10,000 there:
    every piece must be seen often enough to be learnt. Beyond, it grows as tokens^0.26, up to 32,000. A text of few
    words, which are seen again and again, needs no more than a share of their number. Vocabularies of one language get
    0.6 of that. A char vocabulary needs no more than its characters. Multiples of 8 suit matrix products.

    tokens: about how many the corpus has, both sides together
    word_types: how many different words; of Chinese and Japanese, about as many as `CorpusStatistics` counts
    characters: how many different characters; subword vocabularies get room beyond these
    """
    if kind == "char":
        return max(6_000, _BYTES_AND_SPECIALS + characters)
    share = tokens / _USUAL_TOKENS
    size = min(_USUAL_SIZE * share ** (0.53 if share < 1 else 0.26), _LARGEST_SIZE)
    if kind != "word":
        size = max(min(size, _PIECES_A_WORD * word_types), _BYTES_AND_SPECIALS + 1.5 * characters)
    return max(64, int(size * (1.0 if shared else 0.6)) // 8 * 8)
