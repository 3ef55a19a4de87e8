"""The settings of a tokenizer, and how large a vocabulary suits a corpus."""

from typing import Literal

from pydantic import Field

from polyhead.config import Config
from polyhead.limits import LARGEST_VOCABULARY
from polyhead.text import Normalisation

Kind = Literal["bpe", "unigram", "char", "word"]

# With so many pairs a shared vocabulary of so many pieces: 29,000 pairs have about 9,000, as is usual for Multi30k.
_USUAL_PAIRS, _USUAL_SIZE, _LARGEST_SIZE = 30_000, 9_000, 32_000
_BYTES_AND_SPECIALS = 260


class TokenizerConfig(Config):
    """How text becomes token ids."""

    kind: Kind = "bpe"
    """bpe (Sennrich et al. 2016), unigram (Kudo 2018), char, or word: what white space separates, with `<unk>`."""
    vocabulary_size: int | None = Field(default=None, ge=5, le=LARGEST_VOCABULARY)
    """How many pieces, specials and tags included; None: from the size of the corpus."""
    shared: bool = True
    """One vocabulary for source and target, or one for each."""
    normalisation: Normalisation = "NFC"
    """The Unicode normal form text is brought into: none, NFC, NFKC."""
    lowercase: bool = False
    """Make all text lower case, before training as before translating."""
    dropout: float = Field(default=0.0, ge=0.0, lt=1.0)
    """Subword regularisation in training: how likely a BPE merge is left out (Provilkov et al. 2020); 0 is off."""
    character_coverage: float = Field(default=0.9999, ge=0.98, le=1.0)
    """The share of the text whose characters get pieces of their own; rarer characters are spelled in bytes."""


def default_vocabulary_size(pairs: int, kind: Kind = "bpe", shared: bool = True, alphabet: int = 0) -> int:
    """How many pieces suit a corpus of so many sentence pairs.

    Up to 30,000 pairs the size grows as pairs^0.75 (1,000 → 704, 30,000 → 8,960): every piece must be seen often enough
    to be learnt. Beyond, as pairs^0.26, up to 32,000 at 4 million. Vocabularies of one language get 0.6 of that. A char
    vocabulary needs no more than its characters, and training takes no more. Multiples of 64 suit matrix products.

    alphabet: how many distinct characters the text has; subword vocabularies get room beyond these.
    """
    if kind == "char":
        return max(6_000, _BYTES_AND_SPECIALS + alphabet)
    size = _USUAL_SIZE * (pairs / _USUAL_PAIRS) ** (0.75 if pairs < _USUAL_PAIRS else 0.26)
    size = min(size, _LARGEST_SIZE) * (1.0 if shared else 0.6)
    if kind != "word":
        size = max(size, _BYTES_AND_SPECIALS + 1.5 * alphabet)
    return max(64, int(size) // 64 * 64)
