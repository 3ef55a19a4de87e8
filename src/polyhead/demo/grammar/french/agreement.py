"""Gender and number of French words, from their masculine singular."""

from dataclasses import dataclass

from polyhead.demo.grammar.clauses import Number
from polyhead.demo.grammar.french import TABLES
from polyhead.demo.grammar.french.sounds import begins_with_vowel
from polyhead.demo.grammar.tables import read
from polyhead.demo.grammar.words import Gender


@dataclass(frozen=True)
class _Forms:
    """The irregular forms of a word. A form that follows from the word by rule is empty."""

    word: str
    feminine: str = ""
    before_vowel: str = ""
    plural: str = ""


_IRREGULAR = read(TABLES / "irregular_words.tsv", _Forms)
# The first ending that fits decides.
_FEMININE_ENDINGS = (
    ("e", "e"), ("ien", "ienne"), ("teur", "trice"), ("eur", "eure"), ("er", "ère"), ("x", "se"), ("f", "ve"),
    ("el", "elle"),
)  # fmt: skip


def feminine(word: str) -> str:
    """Return the feminine of an adjective or a profession: grand → grande, acteur → actrice."""
    if given := _irregular(word).feminine:
        return given
    for ending, replacement in _FEMININE_ENDINGS:
        if word.endswith(ending):
            return word.removesuffix(ending) + replacement
    return word + "e"


def plural(word: str) -> str:
    """Return the plural of a noun or an adjective: cheval → chevaux, souris → souris."""
    if given := _irregular(word).plural:
        return given
    if word.endswith(("s", "x", "z")):
        return word
    if word.endswith("al"):
        return word.removesuffix("al") + "aux"
    return word + ("x" if word.endswith(("eau", "au", "eu", "chou", "bijou")) else "s")


def agree(word: str, gender: Gender, number: Number) -> str:
    """Return an adjective, a participle or a profession in the gender and number of what it is said of."""
    word = feminine(word) if gender == "f" else word
    return plural(word) if number == "plural" else word


def before_noun(adjective: str, gender: Gender, number: Number, noun: str) -> str:
    """Return an adjective as it stands before its noun: beau + arbre → bel."""
    given = _irregular(adjective).before_vowel
    if given and (gender, number) == ("m", "singular") and begins_with_vowel(noun):
        return given
    return agree(adjective, gender, number)


def _irregular(word: str) -> _Forms:
    return _IRREGULAR.get(word, _Forms(word))
