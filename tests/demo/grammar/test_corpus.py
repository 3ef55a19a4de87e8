"""The corpus as a whole: its sizes, its splits, what makes it learnable and what makes it a fair test."""

from collections import Counter
from random import Random

import pytest

from polyhead.demo.grammar import DemoCorpus, Example, generate, pronoun_of
from polyhead.demo.grammar.clauses import Act, Clause, Polarity, Pronoun, Tense
from polyhead.demo.grammar.english import realise as english
from polyhead.demo.grammar.families import FAMILIES, SHARES, is_ambiguous
from polyhead.demo.grammar.french import realise as french
from polyhead.demo.grammar.korean import realise as korean
from polyhead.demo.grammar.lexicon import situations
from polyhead.demo.grammar.lexicon.verbs import VERBS

LECTURE = {
    ("I am a student", "fr"): "je suis étudiant",
    ("I am a student", "ko"): "나는 학생이다",
    ("The animal didn't cross the street because it was too tired", "fr"): (
        "l'animal n'a pas traversé la rue parce qu'il était trop fatigué"
    ),
    ("The animal didn't cross the street because it was too tired", "ko"): (
        "그 동물은 길을 건너지 않았다. 왜냐하면 그것은 너무 피곤하였기 때문이다"
    ),
    ("The animal didn't cross the street because it was too wide", "fr"): (
        "l'animal n'a pas traversé la rue parce qu'elle était trop large"
    ),
    ("The animal didn't cross the street because it was too wide", "ko"): (
        "그 동물은 길을 건너지 않았다. 왜냐하면 그것은 너무 넓었기 때문이다"
    ),
    ("I like cats more than dogs", "fr"): "j'aime les chats plus que les chiens",
    ("I like cats more than dogs", "ko"): "나는 강아지보다 고양이가 더 좋다",
    ("I like dogs more than cats", "fr"): "j'aime les chiens plus que les chats",
    ("I like dogs more than cats", "ko"): "나는 고양이보다 강아지가 더 좋다",
    ("The Law will never be perfect, but its application should be just", "fr"): (
        "la loi ne sera jamais parfaite, mais son application devrait être juste"
    ),
    ("The Law will never be perfect, but its application should be just", "ko"): (
        "그 법은 결코 완벽하지 않을 것이다. 하지만 그 적용은 공정하여야 한다"
    ),
}


@pytest.fixture(scope="module")
def corpus() -> DemoCorpus:
    return generate(train_size=12_000)


def _spelled_out(source: str) -> str:
    """Undo what style alone changes in an English sentence."""
    words = source.replace(",", "").replace("won't", "will not").replace("can't", "cannot")
    return words.replace("n't", " not")


def test_the_sizes_are_those_asked_for(corpus: DemoCorpus) -> None:
    for split, size in ((corpus.train, 12_000), (corpus.dev, 500), (corpus.test, 2_000)):
        assert Counter(example.language for example in split) == {"fr": size, "ko": size}
    assert len(corpus.coreference) == 400


def test_the_lecture_comes_out_word_for_word(corpus: DemoCorpus) -> None:
    found = {(example.source, example.language): example.target for example in corpus.lecture}
    assert LECTURE.items() <= found.items()


def test_no_two_splits_share_a_sentence_or_its_target(corpus: DemoCorpus) -> None:
    splits = (corpus.train, corpus.dev, corpus.test, corpus.lecture, corpus.coreference)
    sources = [{_spelled_out(example.source) for example in split} for split in splits]
    targets = [{example.target for example in split} for split in splits]
    for collections in (sources, targets):
        assert sum(map(len, collections)) == len(set[str]().union(*collections))


def test_a_split_says_nothing_twice(corpus: DemoCorpus) -> None:
    for split in (corpus.train, corpus.dev, corpus.test):
        sources = [_spelled_out(example.source) for example in split if example.language == "fr"]
        assert len(sources) == len(set(sources))


def test_every_word_of_the_held_out_sentences_was_seen(corpus: DemoCorpus) -> None:
    def words(*splits: tuple[Example, ...]) -> set[str]:
        return {word for split in splits for example in split for word in example.source.replace(",", "").split()}

    assert words(corpus.lecture) <= words(corpus.train)
    assert len(words(corpus.test, corpus.dev, corpus.coreference) - words(corpus.train)) <= 3


@pytest.mark.parametrize("family", FAMILIES)
def test_an_english_sentence_has_one_translation(family: str) -> None:
    rng, seen = Random(3), dict[str, tuple[str, str]]()
    for _ in range(800):
        meaning = FAMILIES[family](rng)
        if not is_ambiguous(meaning):
            source = english.sentence(meaning, english.Style())
            translation = (french.sentence(meaning), korean.sentence(meaning, "plain"))
            assert seen.setdefault(source, translation) == translation


@pytest.mark.parametrize(
    ("subject", "tense", "polarity", "expected"),
    [
        (Pronoun(3, "plural"), "past", "positive", True),
        (Pronoun(3, "plural"), "present", "never", True),
        (Pronoun(3, "plural"), "past", "not", False),
        (Pronoun(3, "plural"), "future", "positive", False),
        (Pronoun(3, "singular"), "past", "positive", False),
    ],
)
def test_a_tense_that_can_not_be_read_off_is_ambiguous(
    subject: Pronoun, tense: Tense, polarity: Polarity, expected: bool
) -> None:
    assert is_ambiguous(Clause(subject, Act(VERBS["read"]), tense, polarity)) is expected


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_well_formed(family: str) -> None:
    rng = Random(4)
    for _ in range(200):
        meaning = FAMILIES[family](rng)
        for text in (
            english.sentence(meaning, english.Style()),
            french.sentence(meaning),
            korean.sentence(meaning, "plain"),
            korean.sentence(meaning, "polite"),
        ):
            assert text == " ".join(text.split())
            assert not text.endswith(".")


def test_families_and_shares_name_the_same() -> None:
    assert FAMILIES.keys() == SHARES.keys()


def test_coreference_can_not_be_solved_by_habit(corpus: DemoCorpus) -> None:
    pronouns = Counter(pronoun_of(example.target) for example in corpus.coreference)
    assert pronouns == {"il": 200, "elle": 200}


def test_an_adjective_points_to_the_subject_or_to_the_object_never_to_both() -> None:
    every = situations.OF_ANIMALS + situations.OF_PEOPLE
    of_subjects = {adjective for one in every for adjective in one.subject_hindered + one.subject_driven}
    of_objects = {adjective for one in every for adjective in one.object_hinders + one.object_attracts}
    assert of_subjects.isdisjoint(of_objects)


def test_training_shows_il_and_elle_about_as_often(corpus: DemoCorpus) -> None:
    with_it = [example for example in corpus.train if example.language == "fr" and " because it " in example.source]
    pronouns = Counter(pronoun_of(example.target) for example in with_it)
    assert set(pronouns) == {"il", "elle"}
    assert 0.4 < pronouns["il"] / len(with_it) < 0.6


def test_the_seed_decides_everything() -> None:
    assert generate(7, 300, 50, 50) == generate(7, 300, 50, 50)
    assert generate(7, 300, 50, 50) != generate(8, 300, 50, 50)


def test_held_out_splits_do_not_depend_on_the_amount_of_training() -> None:
    small, large = generate(5, 10, 50, 100), generate(5, 500, 50, 100)
    assert (small.test, small.dev, small.coreference) == (large.test, large.dev, large.coreference)


def test_the_register_changes_korean_alone() -> None:
    plain, polite = generate(2, 200, 20, 20), generate(2, 200, 20, 20, register="polite")
    assert [example for example in plain.train if example.language == "fr"] == [
        example for example in polite.train if example.language == "fr"
    ]
    endings = {example.target[-1] for example in polite.train if example.language == "ko"}
    assert endings == {"다"}
    assert all(example.target.endswith("니다") for example in polite.train if example.language == "ko")
    targets = {(example.source, example.language): example.target for example in polite.lecture}
    assert targets["I am a student", "ko"] == "저는 학생입니다"
    assert targets["I like cats more than dogs", "ko"] == "저는 강아지보다 고양이가 더 좋습니다"


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        generate(train_size=-1)
