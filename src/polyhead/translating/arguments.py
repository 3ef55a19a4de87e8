"""What a caller in Python may get wrong, told in a sentence before any work begins."""

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import cast, get_args

from pydantic import ValidationError

from polyhead.decoding.config import BeamConfig, SearchConfig
from polyhead.errors import PolyheadError, shown
from polyhead.inline.codes import Marked
from polyhead.text import without_surrogates


def check_texts(texts: object, name: str = "translate()") -> list[str]:
    """A list of texts, without halves of surrogate pairs, which no file can hold.

    name: what messages call the function that takes them. Raises TypeError for a single text, and for what is no text.
    """
    if isinstance(texts, str | bytes):
        raise TypeError(f"{name} takes a list of texts; put a single text in brackets: [text]")
    if not isinstance(texts, Iterable):
        raise TypeError(f"{name} takes a list of texts, not what is {_kind(texts)}")
    found = list(cast("Iterable[object]", texts))
    return [check_text(text, f"{name}: text {number}") for number, text in enumerate(found, 1)]


def check_marked(texts: object) -> list[Marked]:
    """A list of texts, with inline codes or without. Raises TypeError as `check_texts` does."""
    if isinstance(texts, Iterable) and not isinstance(texts, str | bytes):
        found = list(cast("Iterable[object]", texts))
        plain = check_texts([each.text if isinstance(each, Marked) else each for each in found])
        return [
            Marked(text, each.codes if isinstance(each, Marked) else ())
            for text, each in zip(plain, found, strict=True)
        ]
    return [Marked(text) for text in check_texts(texts)]


def check_text(text: object, name: str) -> str:
    """A text, without halves of surrogate pairs. Raises TypeError for what is no text."""
    if not isinstance(text, str):
        raise TypeError(f"{name} is {_kind(text)}; it must be a str")
    return without_surrogates(text)


def check_choice(value: object, choices: object, name: str) -> None:
    """Raises PolyheadError for a value that is none of the choices, which are a Literal type."""
    known: Sequence[object] = get_args(choices)
    if value not in known:
        raise PolyheadError(f"{name} = {shown(value)}: choose from {', '.join(map(str, known))}")


def check_count(value: object, name: str) -> None:
    """Raises PolyheadError where a number is not whole, or not above 0."""
    if not isinstance(value, int) or value < 1:
        raise PolyheadError(f"{name} = {shown(value)}: a whole number above 0 is needed")


def search_within(limit: int, config: SearchConfig, beam_size: int | None, n_best: int | None) -> SearchConfig:
    """Settings with another beam, if one is asked for, that allow no translation above `limit` tokens.

    Raises PolyheadError for a beam that can't be had, and where a translation would have to be longer than it may be.
    """
    for number, name in ((beam_size, "beam_size"), (n_best, "n_best")):
        if number is not None:
            check_count(number, name)
    return _search_within(limit, cast("Hashable", config), beam_size, n_best)  # as all frozen settings are


@lru_cache(maxsize=64)  # checking settings takes longer than all else that stands around the search of a sentence
def _search_within(limit: int, config: SearchConfig, beam_size: int | None, n_best: int | None) -> SearchConfig:
    if isinstance(config, BeamConfig) and (beam_size is not None or n_best is not None):
        best = n_best if n_best is not None else config.n_best
        size = max(beam_size, best) if beam_size is not None else max(config.beam_size, best)
        config = _with_beam(config, size, best)
    longest = limit if config.max_length is None else min(limit, config.max_length)
    if config.max_length is not None and config.min_length > config.max_length:
        raise PolyheadError(
            f"min_length = {config.min_length}, but no translation may have more than {config.max_length} tokens"
        )
    return config.model_copy(update={"max_length": longest})


def _with_beam(config: BeamConfig, size: int, best: int) -> BeamConfig:
    try:
        return BeamConfig.model_validate({**config.model_dump(), "beam_size": size, "n_best": best})
    except ValidationError as error:
        problem = error.errors()[0]
        key = ".".join(map(str, problem["loc"]))
        raise PolyheadError(f"{key} = {shown(problem['input'])}: {problem['msg']}") from None


def _kind(value: object) -> str:
    return "None" if value is None else f"of the type {type(value).__name__}"
