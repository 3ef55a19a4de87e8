"""Translations that contain what they have to, whatever the model writes."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.decoding.hypothesis import Hypothesis
from polyhead.inline.codes import Code, Marked
from polyhead.inline.find import find
from polyhead.model.config import TransformerConfig
from polyhead.translating.pieces import cut_with_codes
from polyhead.translating.protected import Protection
from polyhead.translating.source import Limits
from polyhead.translating.translation import Translation, join_all, with_taken
from tests.small import small_bundle

KINDS = ("tags", "printf", "braces", "entities", "escapes")
BUNDLE = small_bundle(
    TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=8, d_ff=8, num_heads=2), targets=["xb"]
)


def translated(texts: Sequence[Marked], model: Callable[[str], str]) -> list[Translation]:
    """By a model that writes what a function says, and looks at the places that its words come from."""
    encode = BUNDLE.target_tokenizer.encode
    given, whole, taken = cut_with_codes(BUNDLE, texts, None, None, Limits.of([BUNDLE]))

    def search(pieces):
        written = [tuple(encode(model(piece.content))) for piece in pieces]
        return [[Hypothesis(tokens, -1.0, -1.0, (-1.0,) * len(tokens), True)] for tokens in written]

    def look(sources, targets):
        found = []
        for source, target in zip(sources, targets, strict=True):
            places = np.linspace(0, len(source) - 1, len(target) + 1).round().astype(int)
            found.append(np.eye(len(source) + 1, dtype=np.float32)[places])
        return found

    pieces, _, ranked = Protection(BUNDLE, search, look).run(given)
    joined = join_all(whole, pieces, ranked)
    return [with_taken(each, taken[i]) if i in taken else each for i, each in enumerate(joined)]


def of(text: str, model: Callable[[str], str]) -> Translation:
    return translated([find(text, KINDS)], model)[0]


def test_a_code_that_the_model_copies_stays_where_it_wrote_it():
    found = of("you have {n} cats", lambda text: "katzen {n} haben sie")
    assert found.marked.written() == "katzen {n} haben sie"
    assert [code.content for code in found.codes] == ["{n}"]


@pytest.mark.parametrize("written", ["sie haben katzen", "sie haben { n } katzen", "sie {n} haben {n} katzen"])
def test_a_code_that_is_missing_or_doubled_is_taken_out_and_put_in(written):
    asked = []

    def model(text: str) -> str:
        asked.append(text)
        return written if "{n}" in text else "sie haben katzen"

    assert of("you have {n} cats", model).marked.written() == "sie haben {n} katzen"
    assert asked == ["you have {n} cats", "you have cats"]


def test_tags_are_placed_and_nothing_of_them_is_read():
    found = of("<p>you have <b>cats</b></p>", lambda text: text.upper())
    assert found.marked.written() == "<p>YOU HAVE <b>CATS</b></p>"


def test_sentences_of_nothing_but_codes_are_not_translated():
    assert of("{a}: %s <b>12</b>", lambda text: 1 / 0).marked.written() == "{a}: %s <b>12</b>"


def test_an_address_comes_back_as_it_is():
    found = of("see www.a.example/b?c=1 now", lambda text: text.replace("www", "vvv"))
    assert found.text == "see www.a.example/b?c=1 now"
    assert found.codes == ()


def test_a_number_that_became_another_is_put_right():
    found = of("<b>in 2018</b> he had 3 cats {x}", lambda text: text.replace("2018", "2016").replace("he", "erer"))
    assert found.marked.written() == "<b>in 2018</b> erer had 3 cats {x}"
    assert found.problems == ()


def test_numbers_stay_where_the_rest_is_translated_anew():
    def model(text: str) -> str:
        return text if "{x}" not in text and "345" in text else "der mann hat viele katzen"

    found = of("the man {x} has 345 cats 7", model)
    assert found.text.count("345") == found.text.count("{x}") == 1


def test_a_number_that_is_missing_is_put_in():
    found = of("he had 345 cats", lambda text: text.replace("345 ", "").replace("345", ""))
    assert found.text == "he had 345 cats"
    assert found.problems == ()


def test_a_code_that_a_sentence_end_would_cut_is_whole():
    found = of("you have {Mr. Smith. Or not.} cats. so it is.", lambda text: text.upper())
    assert found.marked.written().count("{Mr. Smith. Or not.}") == 1
    assert "YOU HAVE" in found.text


PARTS = st.sampled_from(
    [
        *("a cat ", "drinks", " water", ". ", "The dog", "<b>", "</b>", "<i>", "</i>", "<br>", "%s", "{n}", " 2018 "),
        *("&amp;", "\n", r"\n", "www.a.example", "다 ", "水。", " - ", "!", "a@b.example", "12"),
    ]
)
MODELS: list[Callable[[str], str]] = [
    str,
    str.upper,
    lambda text: "x y",
    lambda text: " ".join(text.split()[::-1]),
]


@given(
    st.lists(PARTS, max_size=14),
    st.sampled_from(MODELS),
)
def test_every_code_comes_back_once_in_whatever_the_model_writes(parts: list[str], model: Callable[[str], str]) -> None:
    text = find("".join(parts), KINDS)
    (found,) = translated([text], model)
    assert sorted(code.content for code in found.codes) == sorted(code.content for code in text.codes)
    assert all(found.text[code.start : code.end] == _read(text, code) for code in found.codes)
    ends = [(code.start, code.end) for code in found.codes]
    assert ends == sorted(ends)
    assert all(stop <= start for (_, stop), (start, _) in pairwise(ends))
    assert found.text.count("www.a.example") >= text.text.count("www.a.example")


def _read(text: Marked, code: Code) -> str:
    return next(text.text[each.start : each.end] for each in text.codes if each.content == code.content)


@given(st.lists(PARTS, max_size=14))
def test_a_model_that_copies_leaves_everything_as_it_is(parts: list[str]) -> None:
    text = re.sub("  +", " ", "".join(parts))  # of these the tokenizer makes one
    assert of(text, str).marked.written() == text


def test_capitals_that_the_model_does_not_know_are_put_back_around_codes():
    asked = []

    def model(text: str) -> str:
        asked.append(text)
        return text.replace("Bado", "ga ß")

    text = "BADO KILU <b>MERA</b> {Name}."
    assert of(text, model).marked.written() == "GA SS KILU <b>MERA</b> {Name}."
    assert asked == ["Bado kilu mera {Name}."]


@pytest.mark.parametrize(
    ("source", "written", "ended"),
    [
        ("bado kilu.", "ga ki", "ga ki."),
        ("bado kilu.", "ga ki!", "ga ki!"),
        ("bado kilu.", "\u732b", "\u732b\u3002"),
        ("bado kilu", "ga ki", "ga ki"),
    ],
)
def test_the_sign_that_ends_a_sentence_ends_its_translation(source, written, ended):
    assert of(f"{source} <b>Bado</b> {source}", lambda text: written).text.endswith(ended)


def test_a_text_in_capitals_that_only_its_usual_casing_makes_short_enough_is_one_sentence():
    asked = []

    def model(text: str) -> str:
        asked.append(text)
        return text

    assert of("BADO KILU MERA NOTI PASU ROVI", model).text == "BADO KILU MERA NOTI PASU ROVI"
    assert asked == ["Bado kilu mera noti pasu rovi"]
