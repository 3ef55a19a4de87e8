"""Which models can stand side by side in an ensemble, and with which shortlist."""

from collections.abc import Sequence

from polyhead.bundle.bundle import Bundle
from polyhead.errors import ModelError
from polyhead.shortlist.by_language import AnyShortlist


def check_together(bundles: Sequence[Bundle], shortlist: AnyShortlist | None = None) -> None:
    """Raises ModelError where the models of an ensemble do not read and write the same tokens in the same languages.

    Also raises ModelError for a shortlist of other vocabularies than those of the models.
    """
    first, *others = bundles
    for number, other in enumerate(others, 2):
        _check_companion(other, first, number)
    if shortlist is not None:
        _check_shortlist(shortlist, first)


def _check_companion(other: Bundle, first: Bundle, number: int) -> None:
    if other.config.tokenizer != first.config.tokenizer or _pieces(other) != _pieces(first):
        raise ModelError("the models of an ensemble must share their vocabularies; these don't")
    if other.config.tagged != first.config.tagged:
        tagged, plain = (1, number) if first.config.tagged else (number, 1)
        raise ModelError(
            f"model {tagged} of the ensemble has tags that name the target language and model {plain} has none: "
            "they do not read the same sources"
        )
    for verb, mine, its in zip(("read", "write"), _languages(first), _languages(other), strict=True):
        if mine and its and mine != its:
            raise ModelError(
                f"the models of an ensemble must {verb} the same languages; the first one's: {_listed(mine)}, "
                f"those of model {number}: {_listed(its)}"
            )


def _check_shortlist(shortlist: AnyShortlist, bundle: Bundle) -> None:
    """Raises ModelError for a shortlist of other vocabularies, whose numbers would be other pieces or none at all."""
    of_shortlist = shortlist.source_vocabulary, shortlist.target_vocabulary
    of_model = bundle.config.source_vocabulary, bundle.config.target_vocabulary
    if of_shortlist != of_model:
        raise ModelError(
            f"this shortlist is for vocabularies of {of_shortlist[0]} and {of_shortlist[1]} pieces, but the model's "
            f"have {of_model[0]} and {of_model[1]}; make it again with `polyhead shortlist`"
        )


def _languages(bundle: Bundle) -> tuple[set[str], set[str]]:
    """The languages that a model reads and those that it writes; empty sets where they are not known."""
    return set(bundle.config.source_languages), set(bundle.config.target_languages)


def _listed(languages: set[str]) -> str:
    return ", ".join(sorted(languages))


def _pieces(bundle: Bundle) -> list[list[str]]:
    """The pieces of a model's source vocabulary and of its target vocabulary, by number."""
    tokenizers = (bundle.source_tokenizer, bundle.target_tokenizer)
    return [tokenizer.pieces(range(tokenizer.vocabulary_size)) for tokenizer in tokenizers]
