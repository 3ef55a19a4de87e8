"""From the abstract sentence to Korean: an inner full stop between two clauses, none at the end.

As in 그 동물은 길을 건너지 않았다. 왜냐하면 그것은 너무 피곤하였기 때문이다.
"""

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
    Polarity,
    Prefer,
    Referent,
    Relation,
    Sentence,
    Tense,
    person_of,
)
from polyhead.demo.grammar.korean import conjugation
from polyhead.demo.grammar.korean.conjugation import Predicate, predicate
from polyhead.demo.grammar.korean.nouns import phrase
from polyhead.demo.grammar.korean.particles import attach
from polyhead.demo.grammar.words import Adjective, Register, Verb

_DEGREES: dict[Degree, str] = {"": "", "too": "너무", "very": "아주"}
_STANDARDS: dict[Relation, tuple[str, str]] = {"more": ("보다", "더"), "less": ("보다", "덜"), "equal": ("만큼", "")}
# A verb of feeling → the adjective that stands for it where the speaker tells of himself.
_FEELINGS = {"좋아하다": "좋다", "싫어하다": "싫다"}


def sentence(meaning: Sentence, register: Register) -> str:
    """Return the Korean sentence."""
    match meaning:
        case Clause():
            return _clause(meaning, register)
        case Existence():
            return _existence(meaning, register)
        case Because():
            because = "때문입니다" if register == "polite" else "때문이다"
            return f"{_clause(meaning.main, register)}. 왜냐하면 {_reason(meaning.reason, register)} {because}"
        case Contrast():
            return f"{_clause(meaning.first, register)}. 하지만 {_clause(meaning.second, register)}"


def _clause(clause: Clause, register: Register) -> str:
    if isinstance(clause.predicate, BeProfession):
        return _profession(clause.subject, clause.predicate, clause.tense, clause.polarity, register)
    words, core = _predicate(clause, register)
    closed = conjugation.finite(_inflected(core, clause.tense, clause.polarity), register)
    return _spaced(_topic(clause.subject, register), _never(clause.polarity), *words, closed)


def _reason(clause: Clause, register: Register) -> str:
    words, core = _predicate(clause, register)
    nominal = _inflected(core, clause.tense, clause.polarity).stem + "기"
    return _spaced(_topic(clause.subject, register), _never(clause.polarity), *words, nominal)


def _inflected(core: Predicate, tense: Tense, polarity: Polarity) -> Predicate:
    core = core if polarity == "positive" else conjugation.negated(core)
    match tense:
        case "present":
            return core
        case "past":
            return conjugation.past(core)
        case "future":
            return conjugation.future(core)
        case "should":
            return conjugation.obliged(core)


def _predicate(clause: Clause, register: Register) -> tuple[list[str], Predicate]:
    """The words between subject and predicate, and the predicate before negation and tense."""
    match clause.predicate:
        case BeQuality(adjective, degree):
            is_mild = degree == "very" and clause.polarity != "positive"
            return _graded(adjective, "그다지" if is_mild else _DEGREES[degree])
        case BeCompared(adjective, relation, standard):
            particle, more = _STANDARDS[relation]
            words, core = _graded(adjective, more)
            return [attach(phrase(standard, register, role="topic"), particle), *words], core
        case BeAt(position, landmark):
            return [phrase(landmark, register), attach(position.ko, "에")], predicate("있다", adjectival=True)
        case Prefer():
            return _preference(clause.predicate, clause.subject, register)
        case Act():
            return _action(clause.predicate, clause, register)
        case BeProfession():
            raise ValueError("a reason is never a profession here: its nominal form isn't built")


def _graded(adjective: Adjective, degree: str) -> tuple[list[str], Predicate]:
    """An adjective with its degree, which stands behind the adjective's own subject if there is one: 키가 더 크다."""
    own_subject, space, head = adjective.ko.rpartition(" ")
    if space and own_subject.endswith(("이", "가")):
        return [own_subject, degree], predicate(head, adjectival=True)
    return [degree], predicate(adjective.ko, adjectival=True)


def _profession(subject: Referent, what: BeProfession, tense: Tense, polarity: Polarity, register: Register) -> str:
    noun = what.noun.ko
    topic = _spaced(_topic(subject, register), _never(polarity))
    if tense in ("future", "should"):
        # "will be a student" is said as "will become a student".
        core = _inflected(predicate("되다"), tense, polarity)
        return _spaced(topic, attach(noun, "이"), conjugation.finite(core, register))
    if polarity == "positive":
        return _spaced(topic, conjugation.copula(noun, past=tense == "past", register=register))
    core = _inflected(predicate("아니다", adjectival=True), tense, "positive")
    return _spaced(topic, attach(noun, "이"), conjugation.finite(core, register))


def _preference(prefer: Prefer, subject: Referent, register: Register) -> tuple[list[str], Predicate]:
    particle, more = _STANDARDS[prefer.relation] if prefer.relation else ("보다", "")
    standard, liked = attach(phrase(prefer.other, register), particle), phrase(prefer.liked, register)
    feeling = _FEELINGS.get(prefer.verb.ko)
    if feeling and person_of(subject) == 1:
        return [standard, attach(liked, "이"), more], predicate(feeling, adjectival=True)
    return [standard, attach(liked, "을"), more], predicate(prefer.verb.ko)


def _action(act: Act, clause: Clause, register: Register) -> tuple[list[str], Predicate]:
    words = [act.time.ko if act.time else "", act.frequency.ko if act.frequency else ""]
    if act.place:
        words.append(attach(act.place.noun.ko, "에서"))
    if act.recipient:
        words.append(attach(phrase(act.recipient, register, owner=clause.subject), "에게"))
    if act.object:
        words.append(attach(phrase(act.object, register, owner=clause.subject), act.verb.ko_particle))
    words.append(act.manner.ko if act.manner else "")
    return words, _verb(act, act.verb, clause)


def _verb(act: Act, verb: Verb, clause: Clause) -> Predicate:
    core = predicate(verb.ko, adjectival=verb.ko_adjectival)
    match act.modal:
        case None:
            return core
        case "can":
            return conjugation.able(core)
        case "must":
            return conjugation.obliged(core)
        case "want":
            return conjugation.wishing(core, first_person=person_of(clause.subject) == 1)


def _existence(meaning: Existence, register: Register) -> str:
    core = _inflected(predicate("있다", adjectival=True), meaning.tense, meaning.polarity)
    thing = attach(phrase(meaning.thing, register), "이")
    return _spaced(attach(meaning.place.noun.ko, "에"), thing, conjugation.finite(core, register))


def _topic(subject: Referent, register: Register) -> str:
    return attach(phrase(subject, register, role="topic"), "은")


def _never(polarity: Polarity) -> str:
    return "결코" if polarity == "never" else ""


def _spaced(*words: str) -> str:
    return " ".join(word for word in words if word)
