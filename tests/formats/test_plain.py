"""Plain text: lines are units, and all between them stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import DataError
from tests.formats.translators import complain, copy, found, problems, say, shout, translated


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a dog\n", "A DOG\n"),
        ("  a dog \r\n\r\n\tb", "  A DOG \r\n\r\n\tB"),
        ("a\rb\n\n\n5\n", "A\rB\n\n\n5\n"),
        ("", ""),
    ],
)
def test_lines_are_translated_and_all_between_them_stays(content, expected):
    assert translated(content, "x.txt", shout) == expected


def test_a_translation_of_several_lines_becomes_one():
    assert translated("a\nb\n", "x.txt", say("c\n\nd")) == "c d\nc d\n"


def test_what_is_doubtful_is_not_shipped():
    assert translated("a\nb 5\n", "x.txt", complain) == "a\nb 5\n"
    assert problems("a\nb 5\n", "x.txt", complain)[1] == "line 2: the number 5 is missing"
    assert [unit.line for unit in found("a\n\nb", "x.txt", kind="text")] == [1, 3]


def test_bytes_that_are_no_text_are_refused_with_their_line():
    with pytest.raises(DataError, match=r"^x.txt:2: it is not UTF-8: byte 4 cannot be"):
        translated(b"a\n \xff", "x.txt")


@given(st.text(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]))
def test_a_copying_translator_gives_the_file_back(content, encoding):
    data = content.encode(encoding, "replace")
    try:
        assert translated(data, "x.txt", copy, kind="text") == data
    except DataError:
        assert encoding in ("utf-16-le", "utf-16-be"), "without a mark it may not be recognised"
