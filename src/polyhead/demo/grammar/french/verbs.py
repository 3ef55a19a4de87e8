"""The French verb group: negation, object pronouns, auxiliaries and modal verbs around the verb, in their order."""

from dataclasses import dataclass

from polyhead.demo.grammar.clauses import (
    Modal,
    Number,
    Person,
    Polarity,
    Pronoun,
    Referent,
    Tense,
    gender_of,
    number_of,
    person_of,
)
from polyhead.demo.grammar.french import agreement
from polyhead.demo.grammar.french.conjugation import FrenchTense, conjugate, participle, takes_etre
from polyhead.demo.grammar.french.nouns import clitic
from polyhead.demo.grammar.words import Gender, Verb

_NEGATION: dict[Polarity, list[str]] = {"positive": [], "not": ["pas"], "never": ["jamais"]}
_MODALS: dict[Modal, str] = {"can": "pouvoir", "must": "devoir", "want": "vouloir"}
_REFLEXIVE = {(1, "singular"): "me", (2, "singular"): "te", (1, "plural"): "nous", (2, "plural"): "vous"}
_STATIVE_TENSES: dict[Tense, FrenchTense] = {
    "present": "présent",
    "past": "imparfait",
    "future": "futur",
    "should": "conditionnel",
}


@dataclass(frozen=True)
class Agreement:
    """What a French verb or adjective takes over from its subject."""

    person: Person
    number: Number
    gender: Gender

    @property
    def slot(self) -> int:
        """The place 0–5 in a conjugation table: je, tu, il, nous, vous, ils."""
        return self.person - 1 + (3 if self.number == "plural" else 0)


def agreement_of(subject: Referent) -> Agreement:
    """Return what a verb or an adjective takes over from this subject."""
    return Agreement(person_of(subject), number_of(subject), gender_of(subject))


def stative_group(infinitive: str, subject: Agreement, tense: Tense, polarity: Polarity) -> list[str]:
    """Return « est », « n'était pas », « devrait être »: a verb of state with its negation, unelided."""
    if tense == "should":
        finite = conjugate("devoir", "conditionnel", subject.slot)
        return [*_negate([finite], polarity), infinitive]
    if tense == "past" and polarity == "never":
        # What never was is seen as a whole: « n'a jamais été ».
        return [*_negate([conjugate("avoir", "présent", subject.slot)], polarity), participle(infinitive)]
    return _negate([conjugate(infinitive, _STATIVE_TENSES[tense], subject.slot)], polarity)


def verb_group(
    verb: Verb,
    subject: Agreement,
    tense: Tense,
    polarity: Polarity,
    *,
    object_pronoun: Pronoun | None = None,
    modal: Modal | None = None,
    frequency: str = "",
) -> list[str]:
    """Return the verb with everything that clusters around it: « ne l' ai jamais vue », « veut se reposer »."""
    reflexive, infinitive, complement = _parts(verb.fr)
    pronoun = [_reflexive(subject)] if reflexive else [clitic(object_pronoun)] if object_pronoun else []
    adverb = [frequency] if frequency else []
    if modal:
        finite = conjugate(_MODALS[modal], _STATIVE_TENSES[tense], subject.slot)
        return [*_negate([finite], polarity), *adverb, *pronoun, infinitive, *complement]
    if tense == "past" and not (verb.stative and polarity != "never"):
        with_etre = reflexive or takes_etre(infinitive)
        auxiliary = conjugate("être" if with_etre else "avoir", "présent", subject.slot)
        form = _participle(infinitive, subject if with_etre else None, object_pronoun)
        return [*_negate([*pronoun, auxiliary], polarity), *adverb, form, *complement]
    finite = conjugate(infinitive, _STATIVE_TENSES[tense], subject.slot)
    return [*_negate([*pronoun, finite], polarity), *adverb, *complement]


def _negate(finite: list[str], polarity: Polarity) -> list[str]:
    return finite if polarity == "positive" else ["ne", *finite, *_NEGATION[polarity]]


def _participle(infinitive: str, subject: Agreement | None, object_pronoun: Pronoun | None) -> str:
    """The past participle: with être it agrees with the subject, with avoir only with an object before it."""
    form = participle(infinitive)
    if subject:
        return agreement.agree(form, subject.gender, subject.number)
    return agreement.agree(form, object_pronoun.gender, object_pronoun.number) if object_pronoun else form


def _parts(lemma: str) -> tuple[bool, str, list[str]]:
    """Split « se reposer » and « avoir besoin » into reflexive or not, infinitive, complement."""
    reflexive = lemma.startswith(("se ", "s'"))
    infinitive, *complement = lemma.removeprefix("se ").removeprefix("s'").split()
    return reflexive, infinitive, complement


def _reflexive(subject: Agreement) -> str:
    return _REFLEXIVE.get((subject.person, subject.number), "se")
