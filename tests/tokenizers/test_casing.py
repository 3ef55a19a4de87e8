"""Text in capitals."""

import pytest

from polyhead.tokenizers.build import train
from polyhead.tokenizers.casing import as_it_was, case_of, usual
from polyhead.tokenizers.config import TokenizerConfig

SENTENCES = [
    "The cat drinks water in Paris.",
    "A dog and the cat see Anna.",
    "I see the dog drinks in the water.",
    "Anna and I drink water in Paris.",
]


@pytest.fixture(scope="module")
def tokenizer():
    return train(SENTENCES * 5, TokenizerConfig(), 360)


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("THE CAT DRINKS", "upper"),
        ("The Cat Drinks", "title"),
        ("The cat drinks", None),
        ("the cat drinks", None),
        ("The Cat", None),
        ("NATO", None),
        ("고양이가 물을 마신다", None),
        ("12 345 678!", None),
        ("", None),
    ],
)
def test_which_casing_a_text_has(text, case):
    assert case_of(text) == case


def test_words_get_the_casing_that_training_had(tokenizer):
    assert usual("ANNA AND THE CAT SEE PARIS.", "upper", tokenizer) == "Anna and the cat see Paris."
    assert usual("The Dog And Anna Drink Water", "title", tokenizer) == "The dog and Anna drink water"
    assert usual("THE DOG AND I SEE WATER", "upper", tokenizer) == "The dog and I see water"


def test_a_text_that_is_known_as_it_is_stays_so():
    known = train([each.upper() for each in SENTENCES * 5], TokenizerConfig(), 360)
    assert usual("ANNA AND THE CAT SEE PARIS.", "upper", known) is None
    lower = train(SENTENCES * 5, TokenizerConfig(lowercase=True), 340)
    assert usual("ANNA AND THE CAT SEE PARIS.", "upper", lower) is None


def test_a_text_is_as_long_as_it_was(tokenizer):
    assert usual("ANNA İİİ", "upper", tokenizer) in (None, "Anna İİİ")


def test_a_translation_gets_the_casing_of_its_source():
    assert as_it_was("die Katze trinkt.", "upper") == "DIE KATZE TRINKT."
    assert as_it_was("die Katze l'eau trinkt.", "title") == "Die Katze L'eau Trinkt."
    assert as_it_was("고양이", "upper") == "고양이"
