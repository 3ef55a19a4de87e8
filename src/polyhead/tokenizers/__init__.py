"""Text ↔ token ids: BPE, unigram, character and word vocabularies, all by sentencepiece."""

from polyhead.tokenizers.build import TOKENIZERS, load, train
from polyhead.tokenizers.config import Kind, TokenizerConfig, default_vocabulary_size
from polyhead.tokenizers.protocol import Token, Tokenizer

__all__ = [
    "TOKENIZERS",
    "Kind",
    "Token",
    "Tokenizer",
    "TokenizerConfig",
    "default_vocabulary_size",
    "load",
    "train",
]
