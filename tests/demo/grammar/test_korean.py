"""Hangul arithmetic, particles and conjugation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.demo.grammar.korean import conjugation, hangul
from polyhead.demo.grammar.korean.conjugation import finite, future, infinitive, negated, past, predicate
from polyhead.demo.grammar.korean.particles import attach

SYLLABLES = st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3)


@given(SYLLABLES)
def test_splitting_and_joining_are_inverse(syllable: str) -> None:
    assert hangul.join(*hangul.split(syllable)) == syllable


@given(SYLLABLES, st.sampled_from(hangul.FINALS))
def test_a_final_can_be_replaced_without_touching_the_rest(syllable: str, final: str) -> None:
    changed = hangul.with_final(syllable, final)
    assert hangul.final_of(changed) == final
    assert hangul.split(changed)[:2] == hangul.split(syllable)[:2]
    assert hangul.with_final(changed, hangul.final_of(syllable)) == syllable


@pytest.mark.parametrize("character", ["", "a", "ㄱ", "가나", "漢"])
def test_only_syllables_are_split(character: str) -> None:
    with pytest.raises(ValueError, match="not a Hangul syllable"):
        hangul.split(character)


@pytest.mark.parametrize(
    ("word", "particle", "expected"),
    [
        ("학생", "은", "학생은"),
        ("나", "은", "나는"),
        ("책", "이", "책이"),
        ("고양이", "이", "고양이가"),
        ("길", "을", "길을"),
        ("사과", "을", "사과를"),
        ("폴", "과", "폴과"),
        ("안나", "과", "안나와"),
        ("집", "으로", "집으로"),
        ("학교", "으로", "학교로"),
        ("교실", "으로", "교실로"),
        ("강아지", "보다", "강아지보다"),
    ],
)
def test_a_particle_listens_to_the_word_before_it(word: str, particle: str, expected: str) -> None:
    assert attach(word, particle) == expected


def test_an_unknown_particle_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown particle"):
        attach("책", "만세")


# Dictionary form, plain present, plain past, plain future.
VERBS = [
    ("걷다", "걷는다", "걸었다", "걸을 것이다"),
    ("듣다", "듣는다", "들었다", "들을 것이다"),
    ("닫다", "닫는다", "닫았다", "닫을 것이다"),
    ("받다", "받는다", "받았다", "받을 것이다"),
    ("돕다", "돕는다", "도왔다", "도울 것이다"),
    ("입다", "입는다", "입었다", "입을 것이다"),
    ("부르다", "부른다", "불렀다", "부를 것이다"),
    ("고르다", "고른다", "골랐다", "고를 것이다"),
    ("따르다", "따른다", "따랐다", "따를 것이다"),
    ("쓰다", "쓴다", "썼다", "쓸 것이다"),
    ("마시다", "마신다", "마셨다", "마실 것이다"),
    ("하다", "한다", "하였다", "할 것이다"),
    ("가다", "간다", "갔다", "갈 것이다"),
    ("오다", "온다", "왔다", "올 것이다"),
    ("보다", "본다", "보았다", "볼 것이다"),
    ("배우다", "배운다", "배웠다", "배울 것이다"),
    ("주다", "준다", "주었다", "줄 것이다"),
    ("보내다", "보낸다", "보냈다", "보낼 것이다"),
    ("되다", "된다", "되었다", "될 것이다"),
    ("쉬다", "쉰다", "쉬었다", "쉴 것이다"),
    ("짓다", "짓는다", "지었다", "지을 것이다"),
    ("웃다", "웃는다", "웃었다", "웃을 것이다"),
    ("살다", "산다", "살았다", "살 것이다"),
    ("열다", "연다", "열었다", "열 것이다"),
    ("먹다", "먹는다", "먹었다", "먹을 것이다"),
    ("찾다", "찾는다", "찾았다", "찾을 것이다"),
]
ADJECTIVES = [
    ("크다", "크다", "컸다", "클 것이다", "큰"),
    ("바쁘다", "바쁘다", "바빴다", "바쁠 것이다", "바쁜"),
    ("슬프다", "슬프다", "슬펐다", "슬플 것이다", "슬픈"),
    ("춥다", "춥다", "추웠다", "추울 것이다", "추운"),
    ("아름답다", "아름답다", "아름다웠다", "아름다울 것이다", "아름다운"),
    ("좁다", "좁다", "좁았다", "좁을 것이다", "좁은"),
    ("길다", "길다", "길었다", "길 것이다", "긴"),
    ("빠르다", "빠르다", "빨랐다", "빠를 것이다", "빠른"),
    ("하얗다", "하얗다", "하얬다", "하얄 것이다", "하얀"),
    ("빨갛다", "빨갛다", "빨갰다", "빨갈 것이다", "빨간"),
    ("좋다", "좋다", "좋았다", "좋을 것이다", "좋은"),
    ("많다", "많다", "많았다", "많을 것이다", "많은"),
    ("넓다", "넓다", "넓었다", "넓을 것이다", "넓은"),
    ("맛있다", "맛있다", "맛있었다", "맛있을 것이다", "맛있는"),
    ("피곤하다", "피곤하다", "피곤하였다", "피곤할 것이다", "피곤한"),
]


@pytest.mark.parametrize(("form", "present", "past_form", "future_form"), VERBS)
def test_verbs(form: str, present: str, past_form: str, future_form: str) -> None:
    verb = predicate(form)
    assert [finite(inflected, "plain") for inflected in (verb, past(verb), future(verb))] == [
        present,
        past_form,
        future_form,
    ]


@pytest.mark.parametrize(("form", "present", "past_form", "future_form", "before_noun"), ADJECTIVES)
def test_adjectives(form: str, present: str, past_form: str, future_form: str, before_noun: str) -> None:
    adjective = predicate(form, adjectival=True)
    assert [finite(inflected, "plain") for inflected in (adjective, past(adjective), future(adjective))] == [
        present,
        past_form,
        future_form,
    ]
    assert conjugation.adnominal(adjective, "ㄴ") == before_noun


@pytest.mark.parametrize(
    ("form", "adjectival", "present", "past_form"),
    [
        ("걷다", False, "걷지 않는다", "걷지 않았다"),
        ("크다", True, "크지 않다", "크지 않았다"),
        ("있다", True, "없다", "없었다"),
        ("맛있다", True, "맛있지 않다", "맛있지 않았다"),
    ],
)
def test_negation_keeps_verbs_and_adjectives_apart(form: str, adjectival: bool, present: str, past_form: str) -> None:
    core = negated(predicate(form, adjectival=adjectival))
    assert (finite(core, "plain"), finite(past(core), "plain")) == (present, past_form)


@pytest.mark.parametrize(
    ("form", "adjectival", "expected"),
    [("걷다", False, "걷습니다"), ("가다", False, "갑니다"), ("살다", False, "삽니다"), ("크다", True, "큽니다")],
)
def test_the_polite_register_has_its_own_endings(form: str, adjectival: bool, expected: str) -> None:
    assert finite(predicate(form, adjectival=adjectival), "polite") == expected


def test_modality() -> None:
    buy = predicate("사다")
    assert finite(conjugation.able(buy), "plain") == "살 수 있다"
    assert finite(negated(conjugation.able(buy)), "plain") == "살 수 없다"
    assert finite(conjugation.obliged(buy), "plain") == "사야 한다"
    assert finite(conjugation.wishing(buy, first_person=True), "plain") == "사고 싶다"
    assert finite(past(conjugation.wishing(buy, first_person=False)), "plain") == "사고 싶어 하였다"


def test_the_copula_joins_the_noun() -> None:
    assert conjugation.copula("학생", past=False, register="plain") == "학생이다"
    assert conjugation.copula("의사", past=False, register="plain") == "의사다"
    assert conjugation.copula("학생", past=True, register="plain") == "학생이었다"
    assert conjugation.copula("의사", past=True, register="polite") == "의사였습니다"
    assert finite(past(predicate("아니다", adjectival=True)), "plain") == "아니었다"


def test_only_dictionary_forms_are_conjugated() -> None:
    with pytest.raises(ValueError, match="not a dictionary form"):
        predicate("걸어")
    assert infinitive(predicate("걷다")) == "걸어"
