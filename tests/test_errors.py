import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import PolyheadError, counted, shortened, shown
from polyhead.limits import LONGEST_MESSAGE


@given(st.text(max_size=2000), st.integers(10, 300))
def test_a_text_is_never_longer_than_it_may_be(text: str, most: int) -> None:
    assert len(shortened(text, most)) <= most


@given(st.text(st.characters(exclude_categories=("Cc", "Cs")), max_size=100))
def test_a_short_text_stays_as_it_is(text: str) -> None:
    assert shortened(text, 100) == text


def test_of_a_long_text_both_ends_stay() -> None:
    assert shortened("a" * 100 + "b" * 1000 + "c" * 100, 103) == "a" * 50 + " … " + "c" * 50


def test_what_would_drive_a_terminal_is_shown_instead() -> None:
    assert shortened("a\x1b[2J\x9b\ud800\nb") == "a\\x1b[2J\\x9b\\ud800\nb"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x", "'x'"),
        (True, "True"),
        (12, "12"),
        pytest.param(10**10_000, "an enormous number", id="enormous"),
        ({"a": 1}, "a table"),
        ([1] * 10**5, "a list"),
        (None, "None"),
        (1.5, "1.5"),
    ],
)
def test_values_as_messages_quote_them(value: object, words: str) -> None:
    assert shown(value) == words


@given(st.text(max_size=500))
def test_quoted_text_is_short(text: str) -> None:
    assert len(shown(text)) <= 60


def test_no_error_is_long() -> None:
    assert len(str(PolyheadError("x" * 10**6))) == LONGEST_MESSAGE


def test_one_thing_is_counted_in_the_singular() -> None:
    assert [counted(number, "pair") for number in (0, 1, 2, 12345)] == ["0 pairs", "1 pair", "2 pairs", "12,345 pairs"]
    assert [counted(number, "hypothesis", "hypotheses") for number in (1, 2)] == ["1 hypothesis", "2 hypotheses"]
