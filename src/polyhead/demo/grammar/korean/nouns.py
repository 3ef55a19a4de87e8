"""Korean noun phrases and pronouns.

A definite noun carries 그 where the sentence is about it or compares with it; elsewhere Korean leaves it bare, as in
그 동물은 길을 건너지 않았다. -들 marks the plural of definite nouns, though not of things that are merely acted on.
"""

from typing import Literal

from polyhead.demo.grammar.clauses import Name, NounPhrase, Pair, Pronoun, Referent
from polyhead.demo.grammar.korean import conjugation
from polyhead.demo.grammar.korean.particles import attach
from polyhead.demo.grammar.words import Adjective, Register

Role = Literal["topic", "other"]

_PRONOUNS: dict[Register, dict[tuple[int, str], str]] = {
    "plain": {(1, "singular"): "나", (2, "singular"): "너", (1, "plural"): "우리", (2, "plural"): "너희"},
    "polite": {(1, "singular"): "저", (2, "singular"): "당신", (1, "plural"): "저희", (2, "plural"): "여러분"},
}
_POSSESSIVES: dict[Register, dict[tuple[int, str], str]] = {
    "plain": {(1, "singular"): "내", (2, "singular"): "네", (1, "plural"): "우리", (2, "plural"): "너희"},
    "polite": {(1, "singular"): "제", (2, "singular"): "당신의", (1, "plural"): "저희", (2, "plural"): "여러분의"},
}


def phrase(referent: Referent, register: Register, *, role: Role = "other", owner: Referent | None = None) -> str:
    """Return a referent without particle.

    `owner` is the subject of the clause: what belongs to the very person it names is 자기 …, not 그의 ….
    """
    match referent:
        case Pronoun():
            return _pronoun(referent, register)
        case Name():
            return referent.ko
        case Pair():
            first, second = phrase(referent.first, register, role=role), phrase(referent.second, register, role=role)
            return f"{attach(first, '과')} {second}"
        case NounPhrase():
            words = [
                _determiner(referent, register, role, owner),
                _adnominal(referent.adjective) if referent.adjective else "",
                referent.noun.ko + ("들" if _is_marked_plural(referent, role) else ""),
            ]
            return " ".join(word for word in words if word)


def _is_marked_plural(noun_phrase: NounPhrase, role: Role) -> bool:
    if noun_phrase.number == "singular" or noun_phrase.determiner == "bare":
        return False
    is_plain_thing = noun_phrase.noun.being == "thing" and noun_phrase.determiner == "the"
    return role == "topic" or not is_plain_thing


def _determiner(noun_phrase: NounPhrase, register: Register, role: Role, owner: Referent | None) -> str:
    match noun_phrase.determiner:
        case "the":
            return "그" if role == "topic" else ""
        case "this":
            return "이"
        case "that":
            return "저"
        case "possessive":
            possessor = noun_phrase.possessor or Pronoun(3, "singular")
            return _possessive(possessor, register, is_kin=noun_phrase.noun.kin, is_owner=possessor == owner)
        case "a" | "bare":
            return ""


def _possessive(possessor: Pronoun, register: Register, *, is_kin: bool, is_owner: bool) -> str:
    if is_kin and possessor.person == 1:
        return _POSSESSIVES[register][1, "plural"]  # 우리 어머니: one's family is shared
    if possessor.person != 3:
        return _POSSESSIVES[register][possessor.person, possessor.number]
    if possessor.being != "person":
        return "그"
    return "자기" if is_owner and possessor.number == "singular" else f"{_pronoun(possessor, register)}의"


def _pronoun(pronoun: Pronoun, register: Register) -> str:
    if pronoun.person != 3:
        return _PRONOUNS[register][pronoun.person, pronoun.number]
    if pronoun.being != "person":
        return "그것들" if pronoun.number == "plural" else "그것"
    return "그들" if pronoun.number == "plural" else {"m": "그", "f": "그녀"}[pronoun.gender]


def _adnominal(adjective: Adjective) -> str:
    if adjective.ko_adnominal:
        return adjective.ko_adnominal
    return conjugation.adnominal(conjugation.predicate(adjective.ko, adjectival=True), "ㄴ")
