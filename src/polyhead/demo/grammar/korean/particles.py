"""Particles, whose shape depends on the last letter of the word before them."""

from polyhead.demo.grammar.korean import hangul

# The shape after a consonant, and the shape after a vowel.
_ALTERNATING = {
    "은": ("은", "는"),
    "이": ("이", "가"),
    "을": ("을", "를"),
    "과": ("과", "와"),
    "으로": ("으로", "로"),
}
_INVARIABLE = frozenset({"에", "에서", "에게", "보다", "만큼", "의"})


def attach(word: str, particle: str) -> str:
    """Return the word with a particle, named by its shape after a consonant (은, 이, 을, 과, 으로, 에, 에서 …).

    Raises ValueError for an unknown particle or a word that doesn't end in Hangul.
    """
    final = hangul.final_of(word)
    if particle in _INVARIABLE:
        return word + particle
    if particle not in _ALTERNATING:
        raise ValueError(f"unknown particle: {particle!r}")
    after_consonant, after_vowel = _ALTERNATING[particle]
    counts_as_open = final == "" or (particle == "으로" and final == "ㄹ")
    return word + (after_vowel if counts_as_open else after_consonant)
