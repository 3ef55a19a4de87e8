"""What a model reads of a text: a language tag, where it has tags, and tokens, so many at a time."""

from collections.abc import Sequence
from dataclasses import dataclass

from polyhead.bundle.bundle import Bundle
from polyhead.decoding.rules import Forbid, Rule
from polyhead.errors import ModelError, shown
from polyhead.tokenizers.protocol import Tokenizer


@dataclass(frozen=True)
class Limits:
    """The most tokens that a model reads and writes at a time."""

    source: int
    """The most tokens of one piece of source, tag and `<eos>` included: positions beyond were never trained."""
    target: int
    """The most tokens of a translation, `<eos>` included."""

    @staticmethod
    def of(bundles: Sequence[Bundle]) -> "Limits":
        """The lowest limits of one or more models: all models of an ensemble read and write the same tokens."""
        target = min(bundle.config.model.max_length for bundle in bundles)
        trained = [bundle.config.longest_source for bundle in bundles if bundle.config.longest_source is not None]
        return Limits(min(target, *trained), target) if trained else Limits(target, target)


_ASKED = "--to (in Python: target_language)"


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
        raise ModelError(f"this model writes several languages; name one of {', '.join(known)} with {_ASKED}")
    if target_language not in known:
        message = f"this model does not translate to {shown(target_language)}"
        raise ModelError(f"{message}; name one of {', '.join(known)} with {_ASKED}")
    return [bundle.source_tokenizer.tag(target_language)]


def encode_source(bundle: Bundle, text: str, target_language: str | None = None) -> list[int]:
    """The ids the model reads: the language tag, where it has tags, and the tokens; without `<eos>`."""
    return [*language_tag(bundle, target_language), *bundle.source_tokenizer.encode(text)]


def rules_of(tokenizer: Tokenizer) -> list[Rule]:
    """The rules of every search that writes with this tokenizer: no language tag is ever written."""
    tags = tuple(tokenizer.tag(language) for language in tokenizer.languages)
    return [Forbid(tags)] if tags else []
