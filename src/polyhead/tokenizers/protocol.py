"""What every tokenizer can do."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from polyhead.tokenizers.config import TokenizerConfig


@dataclass(frozen=True, slots=True)
class Token:
    """One token and where it stands: `text[start:end]`, in characters of the text that the tokenizer was asked about.

    Where normalisation changed a character, the span covers all that it was made from; the bytes of one character each
    have that character's span. A token that stands for nothing visible (a special, a lone space mark) may have an empty
    span. White space before a word belongs to the space mark "▁" of its piece and is within the span, except that the
    mark before the first word stands for nothing.
    """

    id: int
    piece: str
    start: int
    end: int


class Tokenizer(Protocol):
    """Text ↔ token ids. Ids 0–3 are `symbols.SPECIAL_PIECES`, then the language tags, then the pieces of text."""

    @property
    def config(self) -> TokenizerConfig:
        """The settings that the tokenizer was trained with; with the saved file, all that `load` needs."""
        ...

    @property
    def vocabulary_size(self) -> int:
        """How many ids there are, specials and tags included."""
        ...

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that have a tag."""
        ...

    def tag(self, language: str) -> int:
        """The id that asks for a target language. ModelError, naming the known languages, when this one has no tag."""
        ...

    def normalise(self, text: str) -> str:
        """`text` in this tokenizer's normal form: what `decode(encode(text))` gives."""
        ...

    def encode(self, text: str) -> list[int]:
        """The ids of a text: no `<sos>`, `<eos>` or tag. Words like "<2fr>" in it are text like any other."""
        ...

    def encode_many(self, texts: Sequence[str]) -> list[list[int]]:
        """`encode` of each text, faster."""
        ...

    def sample(self, text: str) -> list[int]:
        """One of the possible encodings, at random (subword regularisation); `encode` where there is only one."""
        ...

    def sample_many(self, texts: Sequence[str], seed: int) -> list[list[int]]:
        """`sample` of each text; the same for the same seed, whatever was sampled before or is sampled elsewhere."""
        ...

    def decode(self, ids: Iterable[int]) -> str:
        """The text of some ids; specials and tags stand for nothing, except `<unk>`, which gives "⁇"."""
        ...

    def decode_many(self, ids: Sequence[Sequence[int]]) -> list[str]:
        """`decode` of each list of ids, faster."""
        ...

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """The piece of each id, as in the vocabulary: "▁" marks a space."""
        ...

    def tokens(self, text: str) -> list[Token]:
        """`encode` with the place of each token in `text`."""
        ...

    def decoded(self, ids: Sequence[int]) -> list[Token]:
        """The ids with the place of each in `decode(ids)`."""
        ...

    def save(self, path: Path) -> None:
        """Write the vocabulary file (a sentencepiece model)."""
        ...
