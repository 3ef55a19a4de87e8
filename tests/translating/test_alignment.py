"""Words aligned by attention."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.tokenizers.protocol import Token
from polyhead.translating.alignment import align_words, pharaoh, word_numbers


def tokens(text, *ends):
    starts = (0, *ends[:-1])
    return [Token(i, text[start:end], start, end) for i, (start, end) in enumerate(zip(starts, ends, strict=True))]


def test_tokens_belong_to_the_words_they_stand_in():
    text = "ab cd"
    assert word_numbers(tokens(text, 1, 2, 4, 5), text) == [0, 0, 1, 1]
    assert word_numbers(tokens(text, 3, 5), text) == [0, 1], "white space after a word belongs to it"
    assert word_numbers([Token(0, "▁", 0, 0), *tokens(text, 2, 5)], text) == [0, 0, 1]


def test_a_words_pieces_are_added_up():
    """The second target word looks at one piece of word 0 most, but at the two pieces of word 1 more."""
    source, target = tokens("a bc", 1, 3, 4), tokens("x y", 1, 3)
    weights = torch.tensor([[0.8, 0.1, 0.1], [0.4, 0.3, 0.3]])
    assert align_words(weights, source, target, "a bc", "x y") == ((0, 0), (1, 1))


def test_nothing_aligns_with_nothing():
    assert align_words(torch.zeros(0, 1), tokens("a", 1), [], "a", "") == ()
    assert align_words(torch.zeros(1, 0), [], tokens("a", 1), "", "a") == ()


def test_pharaoh():
    assert pharaoh(((0, 0), (2, 1))) == "0-0 2-1"
    assert pharaoh(()) == ""


@settings(max_examples=20)
@given(st.text(max_size=12), st.text(max_size=12))
def test_every_pair_names_words_that_exist(source_text, target_text):
    source = tokens(source_text, *range(1, len(source_text) + 1)) if source_text else []
    target = tokens(target_text, *range(1, len(target_text) + 1)) if target_text else []
    weights = torch.rand(len(target), len(source))
    for i, j in align_words(weights, source, target, source_text, target_text):
        assert i < max(1, len(source_text.split()))
        assert j < max(1, len(target_text.split()))
