"""From the abstract sentence to English: a capital at the beginning, no final stop, as in "I am a student"."""

from dataclasses import dataclass

from polyhead.demo.grammar.clauses import (
    Act,
    BeAt,
    Because,
    BeCompared,
    BeProfession,
    BeQuality,
    Clause,
    Contrast,
    Existence,
    NounPhrase,
    Prefer,
    Relation,
    Sentence,
    number_of,
)
from polyhead.demo.grammar.english import morphology, nouns, verbs
from polyhead.demo.grammar.words import Place

_PREFERENCE: dict[Relation, str] = {"more": "more than", "less": "less than", "equal": "as much as"}


@dataclass(frozen=True)
class Style:
    """Two ways of writing the same English sentence: "didn't" or "did not", a comma before "but" or none."""

    contracted: bool = True
    comma: bool = True


def sentence(meaning: Sentence, style: Style) -> str:
    """Return the English sentence."""
    match meaning:
        case Clause():
            text = _clause(meaning, style)
        case Existence():
            text = _existence(meaning, style)
        case Because():
            text = f"{_clause(meaning.main, style)} because {_clause(meaning.reason, style)}"
        case Contrast():
            comma = "," if style.comma else ""
            text = f"{_clause(meaning.first, style)}{comma} but {_clause(meaning.second, style)}"
    return text[0].upper() + text[1:]


def _clause(clause: Clause, style: Style) -> str:
    return f"{nouns.subject(clause.subject)} {_predicate(clause, style)}"


def _predicate(clause: Clause, style: Style) -> str:
    match clause.predicate:
        case Act():
            return _action(clause.predicate, clause, style)
        case Prefer():
            verb = verbs.full(clause.predicate.verb, clause, contracted=style.contracted)
            return f"{verb} {_preference(clause.predicate)}"
        case BeProfession(noun):
            plural = number_of(clause.subject) == "plural"
            complement = morphology.plural(noun) if plural else f"{morphology.article(noun.en)} {noun.en}"
        case BeQuality(adjective, degree):
            complement = f"{degree} {adjective.en}".strip()
        case BeCompared():
            complement = _compared(clause.predicate)
        case BeAt(position, landmark):
            complement = f"{position.en} {nouns.phrase(landmark)}"
    return f"{verbs.be(clause, contracted=style.contracted)} {complement}"


def _compared(predicate: BeCompared) -> str:
    standard = nouns.phrase(predicate.standard)
    match predicate.relation:
        case "more":
            return f"{morphology.comparative(predicate.adjective)} than {standard}"
        case "less":
            return f"less {predicate.adjective.en} than {standard}"
        case "equal":
            return f"as {predicate.adjective.en} as {standard}"


def _preference(predicate: Prefer) -> str:
    linked = "to" if predicate.relation is None else _PREFERENCE[predicate.relation]
    return f"{nouns.phrase(predicate.liked)} {linked} {nouns.phrase(predicate.other)}"


def _action(act: Act, clause: Clause, style: Style) -> str:
    frequency = act.frequency.en if act.frequency else ""
    words = [verbs.full(act.verb, clause, contracted=style.contracted, modal=act.modal, frequency=frequency)]
    if act.object:
        words.append(nouns.phrase(act.object))
    if act.recipient:
        words.append(f"to {nouns.phrase(act.recipient)}")
    if act.manner:
        words.append(act.manner.en)
    if act.place:
        words.append(_place(act.place))
    if act.time:
        words.append(act.time.en)
    return " ".join(words)


def _existence(meaning: Existence, style: Style) -> str:
    thing = nouns.phrase(meaning.thing)
    if meaning.polarity != "positive" and meaning.thing.determiner == "bare":
        thing = f"any {thing}"
    clause = Clause(meaning.thing, BeProfession(meaning.thing.noun), meaning.tense, meaning.polarity)
    return f"there {verbs.be(clause, contracted=style.contracted)} {thing} {_place(meaning.place)}"


def _place(place: Place) -> str:
    return f"{place.en_preposition} {nouns.phrase(NounPhrase(place.noun))}"
