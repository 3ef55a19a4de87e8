"""Escapes can be undone, and traced texts know where their characters came from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.text import Normalisation, normalise
from polyhead.tokenizers.offsets import escape, escaped, normalised, unescape, unescaped_places

SIGNS = st.text(st.sampled_from("▁\ue58101a "), max_size=12)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text(
    st.sampled_from("eﬁİΣς\u0301\u0323\u1112\u1161\u11ab㎏ͅA "), max_size=8
)
FORMS: list[Normalisation] = ["none", "NFC", "NFKC", "nmt-NFC"]


@given(SIGNS | TEXT)
def test_escape_can_be_undone(text: str) -> None:
    assert "▁" not in escape(text)
    assert unescape(escape(text)) == text


@given(SIGNS)
def test_every_place_of_an_escaped_text_has_one_in_the_text(text: str) -> None:
    written = escape(text)
    places = unescaped_places(written)
    assert len(places) == len(written) + 1
    assert all(places[len(escape(text[:i]))] == i for i in range(len(text) + 1))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lowercase", [False, True])
@given(text=TEXT)
def test_a_traced_text_is_the_normalised_text(form: Normalisation, lowercase: bool, text: str) -> None:
    traced = escaped(normalised(text, form, lowercase))
    assert traced.text == escape(normalise(text, form, lowercase))
    assert len(traced.origins) == len(traced.text)
    assert all(0 <= start < end <= len(text) for start, end in traced.origins)
    starts = [start for start, _ in traced.origins]
    assert starts == sorted(starts)


def test_origins() -> None:
    traced = normalised("A e\u0301 ﬁ", "NFKC", True)
    assert traced.text == "a é fi"
    assert traced.origins == ((0, 1), (1, 2), (2, 4), (4, 5), (5, 6), (5, 6))
    assert traced.span(2, 3) == (2, 4)
    assert traced.span(6, 6) == (6, 6)


def test_a_mark_that_composes_across_another_keeps_its_neighbours_apart() -> None:
    traced = normalised("xa\u0334\u0301y", "NFC", False)  # the acute joins the a, over the tilde between them
    assert traced.text == "x\u00e1\u0334y"
    assert traced.origins == ((0, 1), (1, 4), (1, 4), (4, 5))
