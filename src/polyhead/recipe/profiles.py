"""What the languages of a corpus look like, for the server to know them by."""

from collections.abc import Mapping, Sequence

from polyhead.data.readers.pair import Pair
from polyhead.data.statistics import evenly
from polyhead.ngrams import Profile, profile_of

LOOKED_AT = 10_000
"""Texts of each language that are looked at, at even distances."""
_LANGUAGES = 20
"""Of a large corpus only so many pairs for each of these are looked at, so that enough are of any language."""
_LONGEST = 1_000
"""Characters of each that are."""


def profiles_of(pairs: Sequence[Pair], source_language: str | None) -> Mapping[str, Profile]:
    """Language code → its profile, of those whose name is known and that have enough text.

    source_language: of all source texts; None where they are in several, each of which is a target too
    """
    pairs = evenly(pairs, LOOKED_AT * _LANGUAGES)
    texts: dict[str, list[str]] = {}
    if source_language is not None:
        texts[source_language] = [pair.source for pair in pairs]
    for pair in pairs:
        if pair.target_language is not None:
            texts.setdefault(pair.target_language, []).append(pair.target)
    found = {language: profile_of(_some(each)) for language, each in texts.items()}
    return {language: profile for language, profile in found.items() if profile is not None}


def _some(texts: Sequence[str]) -> list[str]:
    return [text[:_LONGEST] for text in texts[:: max(1, len(texts) // LOOKED_AT)]]
