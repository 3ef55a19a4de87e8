"""Encodings: recognised, kept, and what is none is refused."""

from encodings.aliases import aliases

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import DataError
from polyhead.formats.encoding import decoded, unmarked_utf16

TEXTS = ["a dog\n", "고양이가 물을 마신다.\n" * 3, "Кот пьёт воду.\nDа", "猫が水を飲む。\n犬\n", "x"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-16-le", "utf-32"])
def test_texts_are_read_and_written_again(text, name):
    data = text.encode(name)
    read, encoding = decoded(data, "x")
    assert (read, encoding.encoded(read)) == (text, data)


@pytest.mark.parametrize("text", TEXTS)
def test_utf16_without_a_mark_is_recognised(text):
    assert unmarked_utf16(text.encode("utf-16-le")) == "utf-16-le"
    assert unmarked_utf16(text.encode("utf-16-be")) == "utf-16-be"
    assert unmarked_utf16(text.encode()) is None


@pytest.mark.parametrize("content", [b"a\0b\n\nc", b"", b"\0\0", b"\0a\0", "각\0나 ".encode(), b"\0" * 100])
def test_other_bytes_are_not_taken_for_it(content):
    assert unmarked_utf16(content) is None


@pytest.mark.parametrize(
    ("content", "declared", "message"),
    [
        (b"a\n\xff", None, "x:2: it is not UTF-8: byte 3 cannot be; save the file as UTF-8"),
        (b"\xff\xfea", None, "x:1: it is not UTF-16-LE"),
        (b"a", "klingon", "x: its encoding 'klingon' is not known"),
        (b"a", "rot13", "x: its encoding 'rot13' is not known"),
        (b"a", "utf-7\0", "x: its encoding"),
        (b"\xff", "ascii", "x:1: it is not ASCII"),
        (b"a", "idna", "x: its encoding 'idna' is not known; save the file as UTF-8"),
        (b"\\ud800", "unicode_escape", "x: its encoding"),
        (b"\\ud800", "Raw-Unicode-Escape", "x: its encoding"),
        (b"a", "punycode", "x: its encoding"),
        (b"+2AA-", "UTF7", "x: its encoding"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(content, declared, message):
    with pytest.raises(DataError, match=f"^{message}"):
        decoded(content, "x", declared)


@pytest.mark.parametrize("text", ["<각 \\udead\U0001f600 ~{+2AA-", "a"])
def test_every_encoding_that_is_believed_writes_every_text(text):
    for declared in sorted({*aliases, *aliases.values()}):
        try:
            read, encoding = decoded(text.encode("ascii", "xmlcharrefreplace"), "x", declared)
        except DataError:
            continue
        assert not any("\ud800" <= character <= "\udfff" for character in read)
        assert isinstance(encoding.encoded(text), bytes)


@given(st.binary(max_size=60), st.sampled_from([None, "latin-1", "utf-16", "euc-kr", "ascii"]))
def test_any_bytes_come_back_or_are_refused(content, declared):
    try:
        text, encoding = decoded(content, "x", declared)
    except DataError:
        return
    assert encoding.encoded(text) == content
