"""English noun phrases and pronouns."""

from polyhead.demo.grammar.clauses import Name, NounPhrase, Pair, Pronoun, Referent
from polyhead.demo.grammar.english import morphology

_FIRST_AND_SECOND = {
    (1, "singular"): ("I", "me", "my"),
    (2, "singular"): ("you", "you", "your"),
    (1, "plural"): ("we", "us", "our"),
    (2, "plural"): ("you", "you", "your"),
}
_THIRD = {"m": ("he", "him", "his"), "f": ("she", "her", "her")}
_NEUTER = ("it", "it", "its")
_PLURAL = ("they", "them", "their")


def subject(referent: Referent) -> str:
    """Return a referent as the subject of a clause, in mid-sentence spelling."""
    return _forms(referent)[0] if isinstance(referent, Pronoun) else phrase(referent)


def phrase(referent: Referent) -> str:
    """Return a referent as an object or after a preposition."""
    match referent:
        case Pronoun():
            return _forms(referent)[1]
        case Name():
            return referent.text
        case Pair():
            return f"{phrase(referent.first)} and {phrase(referent.second)}"
        case NounPhrase():
            return _noun_phrase(referent)


def _noun_phrase(noun_phrase: NounPhrase) -> str:
    plural = noun_phrase.number == "plural"
    noun = morphology.plural(noun_phrase.noun) if plural else noun_phrase.noun.en
    words = f"{noun_phrase.adjective.en} {noun}" if noun_phrase.adjective else noun
    match noun_phrase.determiner:
        case "the":
            return f"the {words}"
        case "a":
            return f"{morphology.article(words)} {words}"
        case "bare":
            return words
        case "this":
            return f"{'these' if plural else 'this'} {words}"
        case "that":
            return f"{'those' if plural else 'that'} {words}"
        case "possessive":
            return f"{_forms(noun_phrase.possessor or Pronoun(3, 'singular'))[2]} {words}"


def _forms(pronoun: Pronoun) -> tuple[str, str, str]:
    """The subject, object and possessive form of a pronoun."""
    if pronoun.person != 3:
        return _FIRST_AND_SECOND[pronoun.person, pronoun.number]
    if pronoun.number == "plural":
        return _PLURAL
    return _THIRD[pronoun.gender] if pronoun.being == "person" else _NEUTER
