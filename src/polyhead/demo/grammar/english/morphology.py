"""English inflection by rule; irregular forms come from the dictionary entry."""

from polyhead.demo.grammar.words import Adjective, Noun, Verb

_VOWELS = "aeiou"
# Written vowels that are spoken as consonants, and mute h.
_A = ("uni", "use", "euro", "one")
_AN = ("honest", "hour", "heir")


def article(word: str) -> str:
    """Return the indefinite article before a word: "a" or "an"."""
    if word.startswith(_A):
        return "a"
    return "an" if word[0] in _VOWELS or word.startswith(_AN) else "a"


def plural(noun: Noun) -> str:
    """Return a noun's plural."""
    return noun.en_plural or _with_s(noun.en)


def third_person(verb: Verb) -> str:
    """Return the third person singular of a verb's present: "goes", "looks for"."""
    head, rest = _parts(verb.en)
    return {"have": "has"}.get(head, _with_s(head)) + rest


def past(verb: Verb) -> str:
    """Return a verb's past: "went", "looked for". An irregular past in the entry is that of its first word."""
    head, rest = _parts(verb.en)
    if verb.en_past:
        return verb.en_past + rest
    if head.endswith("e"):
        return head + "d" + rest
    if _ends_in_consonant_y(head):
        return head[:-1] + "ied" + rest
    return head + "ed" + rest


def comparative(adjective: Adjective) -> str:
    """Return an adjective's comparative: "bigger" or "more expensive"."""
    return adjective.en_comparative or f"more {adjective.en}"


def _with_s(word: str) -> str:
    if _ends_in_consonant_y(word):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _ends_in_consonant_y(word: str) -> bool:
    return word.endswith("y") and word[-2] not in _VOWELS


def _parts(phrase: str) -> tuple[str, str]:
    head, space, rest = phrase.partition(" ")
    return head, space + rest
