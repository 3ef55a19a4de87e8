"""From the abstract sentence to French: lower case, no final stop, as in « je suis étudiant »."""

import re

from polyhead.demo.grammar.clauses import (
    Act,
    BeAt,
    Because,
    BeCompared,
    BeProfession,
    BeQuality,
    Clause,
    Contrast,
    Degree,
    Existence,
    NounPhrase,
    Prefer,
    Pronoun,
    Relation,
    Sentence,
)
from polyhead.demo.grammar.french import agreement, nouns
from polyhead.demo.grammar.french.sounds import join
from polyhead.demo.grammar.french.verbs import Agreement, agreement_of, stative_group, verb_group
from polyhead.demo.grammar.words import Adjective, Place

_DEGREES: dict[Degree, list[str]] = {"": [], "too": ["trop"], "very": ["très"]}
_COMPARISON: dict[Relation, str] = {"more": "plus", "less": "moins", "equal": "aussi"}
_PREFERENCE: dict[Relation, str] = {"more": "plus", "less": "moins", "equal": "autant"}
_SYNTHETIC = {"bon": "meilleur", "mauvais": "pire"}
_REASON_PRONOUN = re.compile(r"\bparce qu['’](ils|elles|il|elle)\b")


def sentence(meaning: Sentence) -> str:
    """Return the French sentence."""
    match meaning:
        case Clause():
            return join(_clause(meaning))
        case Existence():
            return join(_existence(meaning))
        case Because():
            return join([*_clause(meaning.main), "parce", "que", *_clause(meaning.reason)])
        case Contrast():
            return f"{join(_clause(meaning.first))}, mais {join(_clause(meaning.second))}"


def pronoun_of(sentence: str) -> str | None:
    """Return the third-person pronoun that opens the because-clause of a French sentence, or None without one."""
    found = _REASON_PRONOUN.search(sentence)
    return found.group(1) if found else None


def _clause(clause: Clause) -> list[str]:
    subject = agreement_of(clause.subject)
    return [*nouns.subject(clause.subject), *_predicate(clause, subject)]


def _predicate(clause: Clause, subject: Agreement) -> list[str]:
    tense, polarity = clause.tense, clause.polarity
    match clause.predicate:
        case BeProfession(noun):
            form = agreement.agree(noun.fr, subject.gender, subject.number)
            return [*stative_group("être", subject, tense, polarity), form]
        case BeQuality(adjective, degree):
            verb = stative_group("avoir" if adjective.fr_avoir else "être", subject, tense, polarity)
            return [*verb, *_DEGREES[degree], _agreeing(adjective, subject)]
        case BeCompared(adjective, relation, standard):
            verb = stative_group("être", subject, tense, polarity)
            return [*verb, *_compared(adjective, relation, subject), "que", *nouns.phrase(standard)]
        case BeAt(position, landmark):
            return [*stative_group("être", subject, tense, polarity), *nouns.phrase(landmark, preposition=position.fr)]
        case Prefer():
            verb = verb_group(clause.predicate.verb, subject, tense, polarity)
            return [*verb, *_preference(clause.predicate)]
        case Act():
            return _action(clause.predicate, clause, subject)


def _agreeing(adjective: Adjective, subject: Agreement) -> str:
    return adjective.fr if adjective.fr_avoir else agreement.agree(adjective.fr, subject.gender, subject.number)


def _compared(adjective: Adjective, relation: Relation, subject: Agreement) -> list[str]:
    if relation == "more" and adjective.fr in _SYNTHETIC:
        return [agreement.agree(_SYNTHETIC[adjective.fr], subject.gender, subject.number)]
    return [_COMPARISON[relation], _agreeing(adjective, subject)]


def _preference(predicate: Prefer) -> list[str]:
    liked = nouns.phrase(predicate.liked, generic=True)
    if predicate.relation is None:
        return [*liked, *nouns.phrase(predicate.other, generic=True, preposition="à")]
    return [*liked, _PREFERENCE[predicate.relation], "que", *nouns.phrase(predicate.other, generic=True)]


def _action(act: Act, clause: Clause, subject: Agreement) -> list[str]:
    verb, thing = act.verb, act.object
    pronoun = thing if isinstance(thing, Pronoun) and not verb.fr_preposition else None
    words = verb_group(
        verb,
        subject,
        clause.tense,
        clause.polarity,
        object_pronoun=pronoun,
        modal=act.modal,
        frequency=act.frequency.fr if act.frequency else "",
    )
    if thing and not pronoun:
        negated = clause.polarity != "positive" and not verb.fr_preposition
        words += nouns.phrase(thing, generic=verb.generic, negated=negated, preposition=verb.fr_preposition)
    if act.recipient:
        words += nouns.phrase(act.recipient, preposition="à")
    if act.manner:
        words += [act.manner.fr]
    if act.place:
        words += _place(act.place)
    return words + ([act.time.fr] if act.time else [])


def _existence(meaning: Existence) -> list[str]:
    verb = stative_group("avoir", Agreement(3, "singular", "m"), meaning.tense, meaning.polarity)
    thing = nouns.phrase(meaning.thing, negated=meaning.polarity != "positive")
    # « il y a », « il n'y a pas »: y stands before the verb, after ne, which it elides.
    verb = ["n'y", *verb[1:]] if verb[0] == "ne" else ["y", *verb]
    return ["il", *verb, *thing, *_place(meaning.place)]


def _place(place: Place) -> list[str]:
    return nouns.phrase(NounPhrase(place.noun), preposition=place.fr_preposition)
