"""Text ↔ token ids: BPE, unigram, character and word vocabularies, all of them models of sentencepiece.

`protocol` is what every tokenizer can do. Ids 0 to 3 are `<pad> <unk> <sos> <eos>`, then come the language tags
(`<2fr>`), then the pieces of text. Text in which such a word stands is text like any other. Each token knows its
place in the text, also where normalisation changed characters (`offsets`).

Normalisation is done here and not by sentencepiece, once for all kinds. Subword and character tokenizers lose no
character: one without a piece is spelled in bytes. Only `spm` talks to sentencepiece, and `serialised` looks at a
vocabulary file before sentencepiece reads it, since sentencepiece trusts what is written there. Training a vocabulary
takes one thread, because its result would depend on the number of threads.

Subword regularisation (`sampling`) draws segmentations that are the same for the same seed in every process, which
sentencepiece can't promise: `lattice` for unigram models, `merges` for BPE dropout. The merging is a compiled kernel
(`merge_kernel`), because a training beside it would wait for an interpreter that is busy with merging. The kernel is
imported where it is used, so that translating doesn't load it.

A new kind is a class and its line in `TOKENIZERS` (`build`).
"""

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
