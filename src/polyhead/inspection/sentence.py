"""The two sentences of a trace as tokens, each with its place in the text."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from polyhead.bundle.bundle import Bundle
from polyhead.errors import PolyheadError
from polyhead.symbols import EOS, PAD, SOS, UNK
from polyhead.tokenizers.protocol import Token, Tokenizer


class EmptyText(PolyheadError):
    """A text is empty, so there is nothing to look at."""


class TooLong(PolyheadError):
    """A text has more tokens than the model takes in one piece, or more than one sentence."""


@dataclass(frozen=True, slots=True)
class ShownToken:
    """A token as a trace shows it: `text[start:end]`, both None for `<sos>`, `<eos>`, `<pad>` and language tags."""

    id: int
    piece: str
    start: int | None
    end: int | None
    unknown: bool

    def json(self) -> dict[str, Any]:
        """The token's fields by name, as values for JSON."""
        return asdict(self)


def shown(tokens: Sequence[Token]) -> tuple[ShownToken, ...]:
    """The tokens of a text, as a trace shows them."""
    return tuple(ShownToken(one.id, one.piece, one.start, one.end, one.id == UNK) for one in tokens)


SPACE_MARK = "▁"
"""sentencepiece's mark of a space, which begins a word."""


def labels(tokens: Sequence[ShownToken]) -> list[str]:
    """Tokens as pictures and the page name them, without the mark of a space.

    Where words come in pieces, a piece that continues a word begins with "·". A piece that is only a space is "␣".
    """
    in_pieces = any(token.piece.startswith(SPACE_MARK) for token in tokens)
    return [_label(token.piece, in_pieces) for token in tokens]


def _label(piece: str, in_pieces: bool) -> str:
    if in_pieces and piece[:1].isalnum():
        return f"·{piece}"
    return (piece.removeprefix(SPACE_MARK) or piece).replace(SPACE_MARK, "␣")


def special(token: int, tokenizer: Tokenizer) -> ShownToken:
    """A token that stands for no text."""
    return ShownToken(token, tokenizer.pieces([token])[0], None, None, unknown=False)


def source_tokens(bundle: Bundle, text: str, ids: Sequence[int], width: int) -> tuple[ShownToken, ...]:
    """What the encoder reads, `width` tokens: the tag, if there is one, the text's pieces, `<eos>`, then `<pad>`."""
    tokenizer = bundle.source_tokenizer
    spoken = shown(tokenizer.tokens(text))
    tags = [special(token, tokenizer) for token in ids[: len(ids) - len(spoken)]]
    padding = [special(PAD, tokenizer)] * (width - len(ids) - 1)
    return (*tags, *spoken, special(EOS, tokenizer), *padding)


def check_length(tokens: int, longest: int, side: str) -> None:
    """Raises TooLong for a sentence of more than `longest` tokens."""
    if tokens > longest:
        raise TooLong(f"this {side} has {tokens} tokens, the model takes {longest} at a time; look at one sentence")


@dataclass(frozen=True)
class Target:
    """What the decoder reads and what it writes: `tokens_out` is `tokens_in` shifted left by one."""

    text: str
    ids: tuple[int, ...]
    """The ids of the target's tokens, without `<sos>` and `<eos>`."""
    tokens_in: tuple[ShownToken, ...]
    tokens_out: tuple[ShownToken, ...]
    given: bool
    """Whether the user gave this translation; otherwise the model wrote it."""


def given_target(bundle: Bundle, text: str) -> Target:
    """A translation that the user gave."""
    return _target(bundle.target_tokenizer, text, bundle.target_tokenizer.tokens(text), given=True)


def written_target(bundle: Bundle, ids: Sequence[int]) -> Target:
    """A translation that the model wrote."""
    tokenizer = bundle.target_tokenizer
    return _target(tokenizer, tokenizer.decode(ids), tokenizer.decoded(ids), given=False)


def _target(tokenizer: Tokenizer, text: str, tokens: Sequence[Token], given: bool) -> Target:
    spoken = shown(tokens)
    return Target(
        text,
        tuple(token.id for token in tokens),
        (special(SOS, tokenizer), *spoken),
        (*spoken, special(EOS, tokenizer)),
        given,
    )
