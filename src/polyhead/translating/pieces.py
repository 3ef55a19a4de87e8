"""Texts → what a model reads at a time: tagged, tokenized, split where they are longer than it has learnt to read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyhead.bundle.bundle import Bundle
from polyhead.errors import ModelError, PolyheadError
from polyhead.text import pieces_within
from polyhead.translating.translation import Piece, first_word


@dataclass(frozen=True)
class Limits:
    """The most tokens that a model reads and writes at a time."""

    source: int
    """Of one piece of source, tag and `<eos>` included: positions beyond were never trained."""
    target: int
    """Of a translation, `<eos>` included."""

    @staticmethod
    def of(bundles: Sequence[Bundle]) -> "Limits":
        """What none of these models, at least one, exceeds: of an ensemble, every model reads and writes the same."""
        target = min(bundle.config.model.max_length for bundle in bundles)
        trained = [bundle.config.longest_source for bundle in bundles if bundle.config.longest_source is not None]
        return Limits(min(target, *trained), target) if trained else Limits(target, target)


def language_tag(bundle: Bundle, target_language: str | None) -> list[int]:
    """The tag that names the target language, for a model that has tags; else nothing.

    Raises ModelError for a language that the model doesn't write, or where one must be named.
    """
    known = bundle.config.target_languages
    if not bundle.config.tagged:
        if target_language is not None and known and target_language not in known:
            raise ModelError(f"this model translates to {known[0]}, not to {target_language}")
        return []
    if target_language is None:
        raise ModelError(f"this model writes several languages; name one of {', '.join(known)}")
    return [bundle.source_tokenizer.tag(target_language)]


def encode_source(bundle: Bundle, text: str, target_language: str | None = None) -> list[int]:
    """The ids the model reads: the language tag, where it has tags, and the tokens; without `<eos>`."""
    return [*language_tag(bundle, target_language), *bundle.source_tokenizer.encode(text)]


def cut_into_pieces(
    bundle: Bundle,
    texts: Sequence[str],
    target_language: str | None,
    prefixes: Sequence[str] | None,
    limits: Limits,
) -> Iterator[Piece]:
    """The texts, split where they are longer than a source may be; blank texts have no piece.

    A single character is read even where it is longer than any source in training was. Raises ModelError for a language
    that the model doesn't write, PolyheadError for prefixes that don't fit and for a character of more tokens than the
    model has positions.
    """
    tag = language_tag(bundle, target_language)
    encode = bundle.source_tokenizer.encode
    room, most = limits.source - len(tag) - 1, limits.target - len(tag) - 1
    given = _encode_prefixes(bundle, texts, prefixes, limits.target)
    encoded = bundle.source_tokenizer.encode_many(texts)
    for number, (text, tokens, prefix) in enumerate(zip(texts, encoded, given, strict=True)):
        whole = len(tokens) <= room
        parts = [text] if whole else pieces_within(text, lambda part: len(encode(part)) <= room)
        start = 0
        for part in parts:
            if part.strip():
                content = part if whole else part.rstrip()
                ids = tokens if whole else encode(content)
                if len(ids) > most:
                    raise PolyheadError(
                        f"text {number + 1} has a character of {len(ids)} tokens, {content[:1]!r}; the model reads "
                        f"{max(most, 0)} at a time, so leave it out or use a model with a larger max_length"
                    )
                space = part[len(content) :]
                yield Piece(number, content, space, first_word(text, start), [*tag, *ids], prefix, start)
                prefix = []
            start += len(part)


def _encode_prefixes(
    bundle: Bundle, texts: Sequence[str], prefixes: Sequence[str] | None, limit: int
) -> list[list[int]]:
    """The tokens that each text's translation must begin with, fewer than the limit."""
    if prefixes is None:
        return [[] for _ in texts]
    if len(prefixes) != len(texts):
        raise PolyheadError(f"{len(texts)} texts, but {len(prefixes)} target prefixes")
    encoded = bundle.target_tokenizer.encode_many(prefixes)
    for number, tokens in enumerate(encoded, 1):
        if len(tokens) >= limit:
            raise PolyheadError(f"prefix {number} is longer than the model's limit of {limit} tokens")
    return encoded
