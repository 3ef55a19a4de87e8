"""Files of plain text."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import DataError
from polyhead.server.plain_files import translate_plain_file
from polyhead.translating.translation import Translation


def copied(texts):
    return [Translation(text, 0.0, 0.0, (), (), problems=("look",) if "!" in text else ()) for text in texts]


@given(st.text(st.characters(codec="utf-8"), max_size=40), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_what_is_copied_is_what_was_sent(text, encoding):
    if encoding == "utf-8" and text.startswith("\ufeff"):
        return
    content = text.encode(encoding)
    assert translate_plain_file(content, "a.txt", copied, "de", "en").content == content


def test_lines_are_translated_one_by_one():
    seen = []
    made = translate_plain_file(
        b"a!\r\n\r\nb\n", "a.txt", lambda texts: seen.extend(texts) or copied(texts), "de", None
    )
    assert seen == ["a!\r\n", "\r\n", "b\n"]
    assert made.problems == ("look",)


@pytest.mark.parametrize("content", [b"a\xff", codecs.BOM_UTF16_LE + b"a"])
def test_what_is_no_text_is_named(content):
    with pytest.raises(DataError, match=r"a\.txt: this is no text in UTF-"):
        translate_plain_file(content, "a.txt", copied, "de", None)
