"""What a model reads of a text."""

import pytest

from polyhead.bundle.load import load_bundle
from polyhead.errors import ModelError, PolyheadError
from polyhead.inline.codes import Marked
from polyhead.translating.pieces import cut_into_pieces
from polyhead.translating.source import Limits, encode_source


@pytest.fixture
def bundle(toy_model):
    return load_bundle(toy_model)


def test_pieces_are_the_text_and_fit_the_model(bundle, toy):
    long = " ".join(toy.source(60, seed=1))
    texts = ["", *toy.source(3, seed=2), "  ", long]
    pieces = list(cut_into_pieces(bundle, [Marked(text) for text in texts], None, None, Limits.of([bundle])))
    assert sum(piece.text == 5 for piece in pieces) > 1
    for number, text in enumerate(texts):
        parts = [piece for piece in pieces if piece.text == number]
        assert all(text[slice(*part.place)] == part.content == part.content.strip() for part in parts)
        assert " ".join(part.content for part in parts) == text.strip()
        assert all(part.tokens == encode_source(bundle, part.content) for part in parts)
    assert max(len(piece.tokens) + 1 for piece in pieces) <= Limits.of([bundle]).source


def test_only_a_texts_first_piece_gets_its_prefix(bundle, toy):
    long = " ".join(toy.source(60, seed=1))
    first, *others = cut_into_pieces(bundle, [Marked(long)], None, [toy.target("bado")], Limits.of([bundle]))
    assert first.prefix == bundle.target_tokenizer.encode(toy.target("bado"))
    assert others
    assert not any(piece.prefix for piece in others)


def test_what_does_not_fit_is_said(bundle, toy):
    with pytest.raises(PolyheadError, match="1 text, but 2 target prefixes"):
        list(cut_into_pieces(bundle, [Marked("a")], None, ["b", "c"], Limits.of([bundle])))
    with pytest.raises(PolyheadError, match="prefix 1 is longer"):
        list(cut_into_pieces(bundle, [Marked("a")], None, ["bado " * 3000], Limits.of([bundle])))


def test_a_language_must_be_one_that_the_model_writes(bundle):
    named = bundle.config.model_copy(update={"target_languages": ("xb",), "tagged": False})
    with pytest.raises(ModelError, match="translates to xb, not to xc"):
        encode_source(type(bundle)(named, bundle.model, bundle.source_tokenizer, bundle.target_tokenizer), "a", "xc")


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("Bado kilu. Mera!", ["Bado kilu", "Mera"]),
        ("  Bado.\r\n\n\tMera. \n", ["Bado", "Mera"]),
        ("1. Bado\n2. Mera\n- 5 … 😀\n", ["Bado", "Mera"]),
        ("# Bado\n> > mera kilu\n* — Noti-pasu! “Bado”\n", ["Bado", "mera kilu", "Noti-pasu", "Bado"]),
        ("\u200b 12:30 – 5 €", []),
    ],
)
def test_sentences_with_letters_are_pieces_without_signs_that_training_had_not(bundle, text, contents):
    assert [
        piece.content for piece in cut_into_pieces(bundle, [Marked(text)], None, None, Limits.of([bundle]))
    ] == contents


def test_lines_are_pieces_for_a_model_that_has_learnt_several_sentences_at_a_time(bundle):
    def contents(split, share):
        config = bundle.config.model_copy(update={"several_sentences": share})
        changed = type(bundle)(config, bundle.model, bundle.source_tokenizer, bundle.target_tokenizer)
        pieces = cut_into_pieces(changed, [Marked("Bado. Mera.\nKilu.")], None, None, Limits.of([bundle]), split)
        return [piece.content for piece in pieces]

    assert contents("auto", None) == contents("auto", 0.02) == contents("sentence", 0.9) == ["Bado", "Mera", "Kilu"]
    assert contents("auto", 0.5) == contents("line", None) == contents("line", 0.0) == ["Bado. Mera", "Kilu"]


def test_a_text_whose_translation_has_a_prefix_is_one_piece(bundle, toy):
    prefix = [toy.target("bado")]
    (only,) = cut_into_pieces(bundle, [Marked("Bado. Mera.")], None, prefix, Limits.of([bundle]))
    assert only.content == "Bado. Mera"
