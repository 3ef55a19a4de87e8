"""The English verb group: forms of "to be", do-support, modal verbs, contractions."""

from polyhead.demo.grammar.clauses import Clause, Modal, Polarity, number_of, person_of
from polyhead.demo.grammar.english import morphology
from polyhead.demo.grammar.words import Verb

_CONTRACTED = {"will not": "won't", "cannot": "can't", "am not": "am not"}


def be(clause: Clause, *, contracted: bool) -> str:
    """Return the form of "to be" in a clause: "is", "wasn't", "will never be", "should be"."""
    plural, person = number_of(clause.subject) == "plural", person_of(clause.subject)
    match clause.tense:
        case "present":
            finite = "are" if plural or person == 2 else "am" if person == 1 else "is"
        case "past":
            finite = "were" if plural or person == 2 else "was"
        case "future":
            return f"{_negate('will', clause.polarity, contracted=contracted)} be"
        case "should":
            return f"{_negate('should', clause.polarity, contracted=contracted)} be"
    return _negate(finite, clause.polarity, contracted=contracted)


def full(verb: Verb, clause: Clause, *, contracted: bool, modal: Modal | None = None, frequency: str = "") -> str:
    """Return a full verb in a clause: "sleeps", "often slept", "doesn't want to sleep", "will never sleep"."""
    adverb = "never" if clause.polarity == "never" else frequency
    before = f"{adverb} " if adverb else ""
    polarity: Polarity = "not" if clause.polarity == "not" else "positive"
    match modal, clause.tense:
        case "can", tense:
            auxiliary = _negate("can" if tense == "present" else "could", polarity, contracted=contracted)
            return f"{auxiliary} {before}{verb.en}"
        case "must", "present":
            return f"must {before}{verb.en}"
        case "must", _:
            return f"{before}had to {verb.en}"
        case "want", _:
            return f"{_supported(Verb('want', '', ''), clause, polarity, before, contracted=contracted)} to {verb.en}"
        case None, _:
            return _supported(verb, clause, polarity, before, contracted=contracted)


def _supported(verb: Verb, clause: Clause, polarity: Polarity, before: str, *, contracted: bool) -> str:
    """A verb without modal, with "do" or "will" where it needs them."""
    third = number_of(clause.subject) == "singular" and person_of(clause.subject) == 3
    if clause.tense == "future":
        return f"{_negate('will', polarity, contracted=contracted)} {before}{verb.en}"
    if polarity == "not":
        auxiliary = "did" if clause.tense == "past" else "does" if third else "do"
        return f"{_negate(auxiliary, polarity, contracted=contracted)} {before}{verb.en}"
    if clause.tense == "past":
        return before + morphology.past(verb)
    return before + (morphology.third_person(verb) if third else verb.en)


def _negate(auxiliary: str, polarity: Polarity, *, contracted: bool) -> str:
    if polarity == "positive":
        return auxiliary
    if polarity == "never":
        return f"{auxiliary} never"
    written = "cannot" if auxiliary == "can" else f"{auxiliary} not"
    return _CONTRACTED.get(written, f"{auxiliary}n't") if contracted else written
