"""Conjugation: a predicate is a stem that is carried from form to form until an ending closes the sentence.

Negation, modality and tense map predicates to predicates: 걷 → 걷지 않 → 걷지 않았 → 걷지 않았다 is a composition.
Past forms of 하다 are the written 하여/하였다 throughout.
"""

from dataclasses import dataclass

from polyhead.demo.grammar.korean import hangul
from polyhead.demo.grammar.words import Register

# Which stems are irregular can't be seen from them. ㅂ stems are mostly irregular, ㄷ and ㅅ stems mostly regular.
_REGULAR_B = ("입", "잡", "좁", "뽑", "씹", "집", "접", "업", "수줍")
_IRREGULAR_D = ("걷", "듣", "묻", "싣", "깨닫")
_IRREGULAR_S = ("짓", "낫", "붓", "잇", "긋", "젓")
_REGULAR_REU = ("따르", "들르", "치르")
_BRIGHT = "ㅏㅑㅗ"
_FUSED = {"ㅏ": "ㅏ", "ㅓ": "ㅓ", "ㅐ": "ㅐ", "ㅔ": "ㅔ", "ㅕ": "ㅕ", "ㅣ": "ㅕ"}
_AFTER_LOST_H = {"ㅏ": "ㅐ", "ㅑ": "ㅒ", "ㅓ": "ㅔ", "ㅕ": "ㅖ"}
_FUSED_WITHOUT_ONSET = {"ㅗ": "ㅘ", "ㅜ": "ㅝ"}


@dataclass(frozen=True)
class Predicate:
    """A stem without 다. Adjectival ones (with 있다, 없다 and every past) end in -다 where verbs have -ㄴ다/는다."""

    stem: str
    adjectival: bool = False


def predicate(dictionary_form: str, *, adjectival: bool = False) -> Predicate:
    """Return the predicate of a dictionary form such as 걷다. Raises ValueError where the form doesn't end in 다."""
    if not dictionary_form.endswith("다") or len(dictionary_form) < 2:
        raise ValueError(f"not a dictionary form: {dictionary_form!r}")
    return Predicate(dictionary_form[:-1], adjectival)


def infinitive(predicate: Predicate) -> str:
    """Return the -아/어 form: 걷 → 걸어, 돕 → 도와, 부르 → 불러, 쓰 → 써, 하 → 하여."""
    stem = predicate.stem
    if stem.endswith("하"):
        return stem + "여"
    if stem.endswith("르") and not stem.endswith(_REGULAR_REU):
        doubled = hangul.with_final(stem[:-1], "ㄹ")
        return doubled + ("라" if hangul.vowel_of(doubled) in _BRIGHT else "러")
    if _loses_h(predicate):
        return hangul.with_vowel(hangul.with_final(stem, ""), _AFTER_LOST_H[hangul.vowel_of(stem)])
    if hangul.final_of(stem) == "ㅂ" and not stem.endswith(_REGULAR_B):
        return hangul.with_final(stem, "") + ("와" if stem.endswith(("돕", "곱")) else "워")
    if hangul.final_of(stem) == "" and hangul.vowel_of(stem) == "ㅡ":
        return _without_eu(stem)
    softened = before_vowel(predicate)
    vowel = "ㅏ" if hangul.vowel_of(stem) in _BRIGHT else "ㅓ"
    return (
        _fuse(stem, vowel) if softened == stem and hangul.final_of(stem) == "" else softened + hangul.join("ㅇ", vowel)
    )


def before_vowel(predicate: Predicate) -> str:
    """Return the stem as it stands before an ending that begins with 으: 걷 → 걸, 돕 → 도우, 짓 → 지, 하얗 → 하야."""
    stem = predicate.stem
    final = hangul.final_of(stem)
    if final == "ㄷ" and stem.endswith(_IRREGULAR_D):
        return hangul.with_final(stem, "ㄹ")
    if final == "ㅅ" and stem.endswith(_IRREGULAR_S):
        return hangul.with_final(stem, "")
    if final == "ㅂ" and not stem.endswith(_REGULAR_B):
        return hangul.with_final(stem, "") + "우"
    return hangul.with_final(stem, "") if _loses_h(predicate) else stem


def adnominal(predicate: Predicate, final: str) -> str:
    """Return the form before a noun: with "ㄴ" an adjective's (큰, 추운), with "ㄹ" that of the future (갈, 걸을)."""
    if final == "ㄴ" and predicate.stem.endswith(("있", "없")):
        return predicate.stem + "는"
    stem = before_vowel(predicate)
    # 걸을, 지을: the lost or changed consonant still counts as one.
    still_closed = hangul.final_of(predicate.stem) in ("ㄷ", "ㅅ") or hangul.final_of(stem) not in ("", "ㄹ")
    return stem + hangul.join("ㅇ", "ㅡ", final) if still_closed else hangul.with_final(stem, final)


def negated(predicate: Predicate) -> Predicate:
    """Return the negative: -지 않다; 있다 has its own negative, 없다."""
    if predicate.stem.endswith("있") and predicate.adjectival and predicate.stem[-2:] not in ("맛있", "미있"):
        return Predicate(predicate.stem[:-1] + "없", adjectival=True)
    return Predicate(predicate.stem + "지 않", predicate.adjectival)


def past(predicate: Predicate) -> Predicate:
    """Return the past: 걸었, 도왔, 하였."""
    return Predicate(hangul.with_final(infinitive(predicate), "ㅆ"), adjectival=True)


def future(predicate: Predicate) -> Predicate:
    """Return the future: 걸을 것이, 갈 것이."""
    return Predicate(adnominal(predicate, "ㄹ") + " 것이", adjectival=True)


def able(predicate: Predicate) -> Predicate:
    """Return the form for "can": -ㄹ 수 있다."""
    return Predicate(adnominal(predicate, "ㄹ") + " 수 있", adjectival=True)


def obliged(predicate: Predicate) -> Predicate:
    """Return the form for "must" and "should": -아/어야 하다."""
    return Predicate(infinitive(predicate) + "야 하")


def wishing(predicate: Predicate, *, first_person: bool) -> Predicate:
    """Return "want to": -고 싶다, which only the speaker can say of himself, or -고 싶어 하다 of others."""
    return (
        Predicate(predicate.stem + "고 싶", adjectival=True)
        if first_person
        else Predicate(predicate.stem + "고 싶어 하")
    )


def finite(predicate: Predicate, register: Register) -> str:
    """Return the sentence-final form: 걷는다, 크다, 간다 (plain) or 걷습니다, 큽니다, 갑니다 (polite)."""
    stem = predicate.stem
    open_stem = hangul.final_of(stem) in ("", "ㄹ")
    if register == "polite":
        return (hangul.with_final(stem, "ㅂ") + "니다") if open_stem else stem + "습니다"
    if predicate.adjectival:
        return stem + "다"
    return (hangul.with_final(stem, "ㄴ") + "다") if open_stem else stem + "는다"


def copula(noun: str, *, past: bool, register: Register) -> str:
    """Return "is/was a …": 학생이다, 의사다, 학생이었다, 의사였다; polite 학생입니다, 의사였습니다."""
    is_open = hangul.final_of(noun) == ""
    if past:
        return finite(Predicate(noun + ("였" if is_open else "이었"), adjectival=True), register)
    if register == "polite":
        return noun + "입니다"
    return noun + ("다" if is_open else "이다")


def _loses_h(predicate: Predicate) -> bool:
    return predicate.adjectival and hangul.final_of(predicate.stem) == "ㅎ" and not predicate.stem.endswith("좋")


def _without_eu(stem: str) -> str:
    """The -아/어 form of a stem that loses ㅡ; the vowel before decides: 바쁘 → 바빠, 슬프 → 슬퍼, 쓰 → 써."""
    before = stem[:-1].rstrip()
    has_bright_neighbour = stem[:-1] == before != "" and hangul.vowel_of(before) in _BRIGHT
    return hangul.with_vowel(stem, "ㅏ" if has_bright_neighbour else "ㅓ")


def _fuse(stem: str, vowel: str) -> str:
    """An open stem contracted with 아/어 where the spelling demands it: 가, 마셔, 와, 배워, but 보아, 주어, 쉬어."""
    last = hangul.split(stem[-1])
    if last.vowel in _FUSED and not stem.endswith("아니"):
        return hangul.with_vowel(stem, _FUSED[last.vowel])
    if last.initial == "ㅇ" and last.vowel in _FUSED_WITHOUT_ONSET:
        return hangul.with_vowel(stem, _FUSED_WITHOUT_ONSET[last.vowel])
    return stem + hangul.join("ㅇ", vowel)
