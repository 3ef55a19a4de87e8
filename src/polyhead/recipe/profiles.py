"""What the languages of a corpus look like, for the server to know them by."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from polyhead.data.readers.pair import Pair
from polyhead.data.statistics import evenly
from polyhead.ngrams import Profile, profile_of

LOOKED_AT = 2_500
"""Texts of each language that are looked at, at even distances. By the first three words of sentences that were held
out, 99.2 % of four languages' are known after so many texts, 99.3 % after 10,000, which takes four times as long."""
_PAIRS = 200_000
"""How many pairs of a large corpus are looked through for texts of all its languages."""
_LONGEST = 1_000
"""Characters of each text that are looked at."""


def profiles_of(pairs: Sequence[Pair], source_language: str | None) -> Mapping[str, Profile]:
    """Language code → the language's profile, for the languages that are known and have enough text.

    source_language: the language of all source texts; None where they are in several, each of which is a target too
    """
    pairs = evenly(pairs, _PAIRS)
    counts = Counter(language for language, _ in _texts(pairs, source_language))
    seen, some = Counter[str](), dict[str, list[str]]()
    for language, text in _texts(pairs, source_language):
        if seen[language] % max(1, counts[language] // LOOKED_AT) == 0:
            some.setdefault(language, []).append(text[:_LONGEST])
        seen[language] += 1
    found = {language: profile_of(each) for language, each in some.items()}
    return {language: profile for language, profile in found.items() if profile is not None}


def _texts(pairs: Iterable[Pair], source_language: str | None) -> Iterator[tuple[str, str]]:
    """Every text whose language is known."""
    for pair in pairs:
        if source_language is not None:
            yield source_language, pair.source
        if pair.target_language is not None:
            yield pair.target_language, pair.target
