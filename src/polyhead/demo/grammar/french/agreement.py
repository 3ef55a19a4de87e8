"""Gender and number of French words, from their masculine singular."""

from polyhead.demo.grammar.clauses import Number
from polyhead.demo.grammar.french.sounds import begins_with_vowel
from polyhead.demo.grammar.words import Gender

_FEMININES = {
    "beau": "belle", "nouveau": "nouvelle", "vieux": "vieille", "blanc": "blanche", "frais": "fraîche", "sec": "sèche",
    "long": "longue", "gros": "grosse", "bas": "basse", "bon": "bonne", "gentil": "gentille", "doux": "douce",
    "inquiet": "inquiète", "complet": "complète", "médecin": "médecin", "vendeur": "vendeuse",
    "serveur": "serveuse", "chanteur": "chanteuse", "danseur": "danseuse", "coiffeur": "coiffeuse",
    "chercheur": "chercheuse", "public": "publique",
}  # fmt: skip
# The first ending that fits decides.
_FEMININE_ENDINGS = (
    ("e", "e"), ("ien", "ienne"), ("teur", "trice"), ("eur", "eure"), ("er", "ère"), ("x", "se"), ("f", "ve"),
    ("el", "elle"),
)  # fmt: skip
_BEFORE_VOWEL = {"beau": "bel", "nouveau": "nouvel", "vieux": "vieil"}
_PLURALS = {"festival": "festivals", "bleu": "bleus", "œil": "yeux"}


def feminine(word: str) -> str:
    """Return the feminine of an adjective or a profession: grand → grande, acteur → actrice."""
    if word in _FEMININES:
        return _FEMININES[word]
    for ending, replacement in _FEMININE_ENDINGS:
        if word.endswith(ending):
            return word.removesuffix(ending) + replacement
    return word + "e"


def plural(word: str) -> str:
    """Return the plural of a noun or an adjective: cheval → chevaux, souris → souris."""
    if word in _PLURALS:
        return _PLURALS[word]
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
    if (gender, number) == ("m", "singular") and adjective in _BEFORE_VOWEL and begins_with_vowel(noun):
        return _BEFORE_VOWEL[adjective]
    return agree(adjective, gender, number)
