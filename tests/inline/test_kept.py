"""Codes that the model reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.inline.codes import Code, Marked
from polyhead.inline.find import find
from polyhead.inline.kept import places_of, put_in, take_out

KINDS = ("printf", "braces", "tags")


def out_and_in(source: str, translation: str, **places: int) -> str:
    """Takes out what is found in a source, and puts it into a translation at places."""
    rest, taken = take_out(find(source, KINDS))
    codes = tuple(Code(code.content, places[f"at{i}"], places[f"at{i}"]) for i, code in enumerate(rest.codes))
    return put_in(Marked(translation, codes), taken).written()


@pytest.mark.parametrize(
    ("source", "rest"),
    [
        ("You have %d messages", "You have messages"),
        ("%s is gone", "is gone"),
        ("Delete %s", "Delete"),
        ("Hello %s!", "Hello!"),
        ("{a} and {b}, {c}", "and,"),
        ("{n}px wide", "px wide"),
    ],
)
def test_what_is_taken_out_leaves_no_gap(source: str, rest: str) -> None:
    assert take_out(find(source, KINDS))[0].text == rest


def test_spaces_are_put_around_what_is_put_in() -> None:
    assert out_and_in("You have %d messages", "Sie haben Nachrichten", at0=10) == "Sie haben %d Nachrichten"
    assert out_and_in("You have %d messages", "메시지가 있습니다", at0=0) == "%d 메시지가 있습니다"
    assert out_and_in("Hello %s!", "Hallo!", at0=5) == "Hallo %s!"
    assert out_and_in("{n}px wide", "px breit", at0=0) == "{n}px breit"
    assert out_and_in("It is %s now", "现在是", at0=3) == "现在是%s"


def test_what_is_there_as_often_as_it_should_be_is_found() -> None:
    assert places_of(["%s", "{x}", "%s"], "a {x} %s %s") == [(6, 8), (2, 5), (9, 11)]
    assert places_of(["%s"], "nothing") is None
    assert places_of(["%s"], "%s %s") is None
    assert places_of(["100"], "1000 Euro") is None
    assert places_of(["%s", "{%s}"], "{%s} %s") == [(5, 7), (0, 4)]
    assert places_of([], "anything") == []


@given(st.text(st.sampled_from("ab 1.%s{x}!"), max_size=30))
def test_a_text_has_its_own_codes_and_what_is_taken_out_comes_back(text: str) -> None:
    marked = find(text, KINDS)
    rest, taken = take_out(marked)
    assert all(code.start == code.end <= len(rest.text) for code in rest.codes)
    assert [code.content for code in rest.codes] == [code.content for code in marked.codes]
    again = put_in(rest, taken)
    assert [again.text[code.start : code.end] for code in again.codes] == [each.text for each in taken]
    assert "".join(again.text.split()) == "".join(marked.text.split())
