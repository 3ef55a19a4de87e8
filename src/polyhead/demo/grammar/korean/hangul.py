"""Arithmetic on Hangul syllables: a precomposed syllable is 0xAC00 + (initial × 21 + vowel) × 28 + final."""

from typing import NamedTuple

INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
FINALS = ("", *"ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ")

_FIRST = 0xAC00
_LAST = 0xD7A3


class Syllable(NamedTuple):
    """The letters (compatibility jamo) of one syllable; `final` is empty for an open one."""

    initial: str
    vowel: str
    final: str


def split(character: str) -> Syllable:
    """Return the letters of one precomposed syllable. Raises ValueError for any other character."""
    if len(character) != 1 or not _FIRST <= ord(character) <= _LAST:
        raise ValueError(f"not a Hangul syllable: {character!r}")
    rest, final = divmod(ord(character) - _FIRST, len(FINALS))
    initial, vowel = divmod(rest, len(VOWELS))
    return Syllable(INITIALS[initial], VOWELS[vowel], FINALS[final])


def join(initial: str, vowel: str, final: str = "") -> str:
    """Return the syllable made of these letters. Raises ValueError for a letter that can't stand there."""
    place = INITIALS.index(initial) * len(VOWELS) + VOWELS.index(vowel)
    return chr(_FIRST + place * len(FINALS) + FINALS.index(final))


def final_of(word: str) -> str:
    """Return the final consonant of a word's last syllable, empty for an open one."""
    return split(word[-1:]).final


def vowel_of(word: str) -> str:
    """Return the vowel of a word's last syllable."""
    return split(word[-1:]).vowel


def with_final(word: str, final: str) -> str:
    """Return the word with the final consonant of its last syllable replaced (an empty one opens it)."""
    syllable = split(word[-1:])
    return word[:-1] + join(syllable.initial, syllable.vowel, final)


def with_vowel(word: str, vowel: str) -> str:
    """Return the word with the vowel of its last syllable replaced."""
    syllable = split(word[-1:])
    return word[:-1] + join(syllable.initial, vowel, syllable.final)
