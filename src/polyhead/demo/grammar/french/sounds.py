"""What happens where French words meet: elision (le animal → l'animal) and contraction (à le → au)."""

import unicodedata
from collections.abc import Sequence

_ELIDING = frozenset({"je", "me", "te", "se", "le", "la", "ne", "de", "que"})
_CONTRACTED = {("à", "le"): "au", ("à", "les"): "aux", ("de", "le"): "du", ("de", "les"): "des"}
# An h is mute unless listed here; nothing in a word's letters tells.
_ASPIRATED = ("hérisson", "hibou", "haie", "haut", "héros", "homard", "hangar", "haricot")


def begins_with_vowel(word: str) -> bool:
    """Tell whether a word counts as beginning with a vowel: école, homme, œuf, but not hérisson, not yaourt."""
    if word.startswith("h"):
        return not word.startswith(_ASPIRATED)
    first = unicodedata.normalize("NFD", word.casefold())[:1]
    return first in frozenset("aeiouœ")


def join(words: Sequence[str]) -> str:
    """Return the words as French writes them side by side, elided and contracted."""
    elided: list[str] = []
    for word in words:
        if elided and elided[-1] in _ELIDING and begins_with_vowel(word):
            elided[-1] = f"{elided[-1][:-1]}'{word}"
        else:
            elided.append(word)
    contracted: list[str] = []
    for word in elided:
        if contracted and (contracted[-1], word) in _CONTRACTED:
            contracted[-1] = _CONTRACTED[contracted[-1], word]
        else:
            contracted.append(word)
    return " ".join(contracted)
