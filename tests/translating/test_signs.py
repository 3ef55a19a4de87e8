"""Punctuation that a model has never seen."""

import pytest

from polyhead.tokenizers.build import train
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.translating.signs import without_unknown_signs

SENTENCES = ["the cat drinks, doesn't it", "a dog - and the cat"] * 5


@pytest.mark.parametrize("kind", ["bpe", "unigram", "char"])
@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("the cat drinks.", "the cat drinks"),
        ("«the dog» ?!", "the dog"),
        ("(the cat) drinks", "the cat) drinks"),
        ("the cat", "the cat"),
        ("the cat drinks 猫", "the cat drinks 猫"),
        ("the cat drinks\u00a0…", "the cat drinks"),
    ],
)
def test_unknown_signs_at_the_ends_are_not_read(kind, text, read):
    tokenizer = train(SENTENCES, TokenizerConfig(kind=kind), 320)
    start, end = without_unknown_signs(text, (0, len(text)), tokenizer)
    assert text[start:end] == read


def test_signs_belong_to_words_where_words_are_tokens():
    tokenizer = train(SENTENCES, TokenizerConfig(kind="word"), 320)
    assert without_unknown_signs("the cat drinks.", (0, 15), tokenizer) == (0, 15)


def test_known_signs_are_read():
    tokenizer = train([f"{each}." for each in SENTENCES], TokenizerConfig(), 320)
    text = "the cat drinks."
    assert without_unknown_signs(text, (0, len(text)), tokenizer) == (0, len(text))
