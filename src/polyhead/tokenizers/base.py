"""What all tokenizers share: the ids of specials and tags, and the file."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from pathlib import Path

from polyhead.errors import ModelError, shown
from polyhead.files import atomic_file
from polyhead.symbols import PAD, SPECIAL_PIECES, UNK
from polyhead.text import normalise, without_surrogates
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.tokenizers.protocol import Token
from polyhead.tokenizers.spm import Model


class BaseTokenizer(ABC):
    """A tokenizer over a sentencepiece model; the kinds differ in how text becomes ids and back."""

    def __init__(self, model: Model, config: TokenizerConfig) -> None:
        self._model = model
        self._config = config
        self._silent = frozenset(i for i in range(len(model.pieces)) if model.is_control(i)) | {PAD}
        tags = [i for i in sorted(self._silent) if i >= len(SPECIAL_PIECES)]
        self._tags = {model.pieces[i].removeprefix("<2").removesuffix(">"): i for i in tags}

    @property
    def config(self) -> TokenizerConfig:
        """The settings that the tokenizer was trained with."""
        return self._config

    @property
    def vocabulary_size(self) -> int:
        """How many ids there are."""
        return len(self._model.pieces)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have a tag."""
        return tuple(self._tags)

    def tag(self, language: str) -> int:
        """The id that asks for a target language. ModelError when the language has no tag."""
        if language in self._tags:
            return self._tags[language]
        known = ", ".join(self._tags) or "none: it was trained without language tags"
        raise ModelError(f"this model does not translate to {shown(language)}; its target languages: {known}")

    @classmethod
    def normal_form(cls, text: str, config: TokenizerConfig) -> str:
        """`text` as a tokenizer of this class and these settings reads it; half surrogate pairs become U+FFFD."""
        return normalise(without_surrogates(text), config.normalisation, config.lowercase)

    def normalise(self, text: str) -> str:
        """`text` in this tokenizer's normal form."""
        return self.normal_form(text, self._config)

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """The piece of each id."""
        return [self._model.pieces[i] for i in ids]

    def save(self, path: Path) -> None:
        """Write the vocabulary file, whole or not at all."""
        with atomic_file(path) as temporary:
            temporary.write_bytes(self._model.data)

    def encode_many(self, texts: Sequence[str]) -> list[list[int]]:
        """`encode` of each text."""
        return [self.encode(text) for text in texts]

    def sample(self, text: str) -> list[int]:
        """The ids of a text: a tokenizer has only one encoding of it, unless its class samples others."""
        return self.encode(text)

    def sample_many(self, texts: Sequence[str], seed: int) -> list[list[int]]:
        """`sample` of each text; the same for the same seed."""
        del seed
        return self.encode_many(texts)

    def decode_many(self, ids: Sequence[Sequence[int]]) -> list[str]:
        """`decode` of each list of ids."""
        return [self.decode(each) for each in ids]

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """The ids of a text."""

    @abstractmethod
    def decode(self, ids: Iterable[int]) -> str:
        """The text of some ids."""

    @abstractmethod
    def tokens(self, text: str) -> list[Token]:
        """`encode` with the place of each token in `text`."""

    @abstractmethod
    def decoded(self, ids: Sequence[int]) -> list[Token]:
        """The ids with the place of each in `decode(ids)`."""

    def _make_tokens(self, ids: Sequence[int], spans: Sequence[tuple[int, int]]) -> list[Token]:
        pieces = self._model.pieces
        return [Token(i, pieces[i], start, end) for i, (start, end) in zip(ids, spans, strict=True)]


def check_model(model: Model, config: TokenizerConfig) -> None:
    """Raises ValueError if the model is no tokenizer of polyhead's, or of another kind than its settings say."""
    if tuple(model.pieces[: len(SPECIAL_PIECES)]) != SPECIAL_PIECES:
        raise ValueError(f"its first pieces are {model.pieces[:4]}, not {list(SPECIAL_PIECES)}")
    spells_bytes = any(model.is_byte(i) for i in range(UNK, len(model.pieces)))
    if spells_bytes == (config.kind == "word"):
        raise ValueError(f"it is no vocabulary of kind {config.kind}")
