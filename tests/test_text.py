"""Normal forms, lines, words, sentences."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.text import Normalisation, normalise, pieces_within, spaces_and_unseen, words

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SENTENCE_LIKE = st.text(st.sampled_from("aB1 .,!?;:\n\t…。！？、，”\u0301\u200d안"), max_size=60)
FORMS: list[Normalisation] = ["none", "NFC", "NFKC", "nmt-NFC"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lowercase", [False, True])
@given(text=TEXT)
def test_normalising_twice_changes_nothing_more(form: Normalisation, lowercase: bool, text: str) -> None:
    once = normalise(text, form, lowercase)
    assert normalise(once, form, lowercase) == once


def test_normal_forms() -> None:
    assert normalise("e\u0301 ﬁ", "none") == "e\u0301 ﬁ"
    assert normalise("e\u0301 ﬁ", "NFC") == "é ﬁ"
    assert normalise("e\u0301 ﬁ", "NFKC") == "é fi"
    assert normalise("Ein HUND", "NFC", lowercase=True) == "ein hund"
    assert normalise("J\u030c", "NFC", lowercase=True) == "\u01f0"  # only the small letter has a composed form


@given(TEXT)
def test_words_are_what_white_space_separates(text: str) -> None:
    assert [text[start:end] for start, end in words(text)] == text.split()


@given(SENTENCE_LIKE, st.integers(min_value=3, max_value=30))
def test_every_piece_fits_and_they_join_to_the_text(text: str, limit: int) -> None:
    text = text.replace("\u0301", "").replace("\u200d", "")  # without marks no character is longer than 1
    pieces = pieces_within(text, lambda piece: len(piece) <= limit)
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= limit for piece in pieces)


def test_pieces_are_cut_at_the_best_places() -> None:
    def within(limit: int) -> list[str]:
        return pieces_within("First one, then two, then three. Last.", lambda piece: len(piece) <= limit)

    assert within(100) == ["First one, then two, then three. Last."]
    assert within(22) == ["First one, then two, ", "then three. Last."]
    assert within(15) == ["First one, ", "then two, ", "then three. ", "Last."]
    assert within(8) == ["First ", "one, ", "then ", "two, ", "then ", "three. ", "Last."]
    assert within(3)[:3] == ["Fir", "st ", "one"]


def test_combining_marks_stay_with_their_letter() -> None:
    assert pieces_within("e\u0301e\u0301", lambda piece: len(piece) <= 2) == ["e\u0301", "e\u0301"]


def test_more_marks_than_fit_are_pieces_of_their_own() -> None:
    letter = "e" + "\u0301" * 5
    assert pieces_within(f"a {letter} b", lambda piece: len(piece) <= 3) == ["a ", letter[:3], letter[3:], " ", "b"]
    assert pieces_within("a\u200da\ufe0f", lambda piece: len(piece) <= 2) == ["a\u200d", "a\ufe0f"]


def test_a_long_text_is_measured_few_times() -> None:
    asked = 0

    def fits(piece: str) -> bool:
        nonlocal asked
        asked += 1
        return len(piece) <= 500

    pieces_within("word " * 10_000, fits)
    assert asked < 3_000


@pytest.mark.parametrize(
    "text",
    [
        *("\u00a0two\u202fdogs", "two\u3000\t dogs ", "\ufefftwo\u0085dogs"),
        *("two\rdo\u00adgs", "t\u200bwo\x07 dogs\x00", "two\u2028dogs"),
    ],
)
def test_white_space_of_all_kinds_is_alike_and_what_nobody_sees_is_left_out(text):
    assert normalise(text, "nmt-NFC") == "two dogs"


@given(st.text(st.sampled_from("ab é\u0301\u00a0\u200b\u200d\t\n\u00ad\x00\u3000한\u1112\u1161")))
def test_the_parts_of_a_text_make_up_the_same_form(text):
    parts = list(spaces_and_unseen(text))
    assert "".join(text[start:end] for start, end, _ in parts) == text
    assert unicodedata.normalize("NFC", "".join(new for _, _, new in parts)) == normalise(text, "nmt-NFC")
