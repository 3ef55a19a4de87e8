"""The families of sentences and their shares of the corpus."""

from collections.abc import Callable
from random import Random

from polyhead.demo.grammar.clauses import Act, Clause, Sentence, number_of, person_of
from polyhead.demo.grammar.families import actions, contrasts, reasons, states
from polyhead.demo.grammar.families.referents import weighted

Sampler = Callable[[Random], Sentence]

FAMILIES: dict[str, Sampler] = {
    "profession": states.profession,
    "quality": states.quality,
    "comparison": states.comparison,
    "position": states.position,
    "existence": states.existence,
    "doing": actions.doing,
    "dealing": actions.dealing,
    "giving": actions.giving,
    "preference": actions.preference,
    "reason": reasons.reason,
    "contrast": contrasts.contrast,
}
SHARES = {
    "profession": 8,
    "quality": 8,
    "comparison": 7,
    "position": 4,
    "existence": 4,
    "doing": 9,
    "dealing": 18,
    "giving": 5,
    "preference": 7,
    "reason": 24,
    "contrast": 6,
}


def sample(rng: Random) -> Sentence:
    """Return a random sentence whose English says all that its translations need."""
    draw = FAMILIES[weighted(rng, SHARES)]
    meaning = draw(rng)
    while is_ambiguous(meaning):
        meaning = draw(rng)
    return meaning


def is_ambiguous(meaning: Sentence) -> bool:
    """Tell whether the English tense can't be read off: "they read the book" is present or past."""
    clause = getattr(meaning, "main", meaning)
    if not isinstance(clause, Clause) or not isinstance(clause.predicate, Act):
        return False
    act = clause.predicate
    shows_third_person = number_of(clause.subject) == "singular" and person_of(clause.subject) == 3
    looks_alike = act.verb.en_past == act.verb.en and not act.modal
    return looks_alike and clause.polarity != "not" and clause.tense in ("present", "past") and not shows_third_person
