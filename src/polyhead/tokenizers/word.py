"""Words as white space separates them, the vocabulary of the first neural translators."""

from collections.abc import Iterable, Sequence

from polyhead.symbols import UNK
from polyhead.text import without_surrogates, words
from polyhead.tokenizers.base import BaseTokenizer
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.tokenizers.offsets import normalised, unescape
from polyhead.tokenizers.protocol import Token
from polyhead.tokenizers.spm import Model

UNKNOWN = "⁇"


class WordTokenizer(BaseTokenizer):
    """One id a word; a word outside the vocabulary is `<unk>`, and comes back as "⁇". White space becomes one space."""

    def __init__(self, model: Model, config: TokenizerConfig) -> None:
        super().__init__(model, config)
        # sentencepiece would make one <unk> of neighbouring unknown words.
        self._ids = {unescape(piece.removeprefix("▁")): i for i, piece in enumerate(model.pieces) if piece[0] == "▁"}
        self._words = {i: word for word, i in self._ids.items()}

    @classmethod
    def normal_form(cls, text: str, config: TokenizerConfig) -> str:
        """The words in this tokenizer's normal form, one space between them."""
        return " ".join(super().normal_form(text, config).split())

    def encode(self, text: str) -> list[int]:
        """The ids of a text."""
        return [self._ids.get(word, UNK) for word in self.normalise(text).split()]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of some ids."""
        return " ".join(self._words.get(i, UNKNOWN) for i in ids if i not in self._silent)

    def tokens(self, text: str) -> list[Token]:
        """`encode` with the place of each word in `text`."""
        traced = normalised(without_surrogates(text), self.config.normalisation, self.config.lowercase)
        spans = words(traced.text)
        ids = [self._ids.get(traced.text[start:end], UNK) for start, end in spans]
        return self._make_tokens(ids, [traced.span(*span) for span in spans])

    def decoded(self, ids: Sequence[int]) -> list[Token]:
        """The ids with the place of each in `decode(ids)`."""
        spans: list[tuple[int, int]] = []
        at = 0
        for i in ids:
            if i in self._silent:
                spans.append((at, at))
                continue
            start = at + 1 if at else 0
            at = start + len(self._words.get(i, UNKNOWN))
            spans.append((start, at))
        return self._make_tokens(ids, spans)
