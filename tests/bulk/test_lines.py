"""Lines of a shard, translated one by one."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.bulk.lines import cut_lines, translate_lines
from polyhead.errors import DataError

PATH = Path("texts.txt")
TEXTS = st.lists(
    st.sampled_from(["\n", "\r\n", "\ufeff", "a", " b", "가", "\u2028", "\x85", "\x0c", "\0"]), max_size=40
).map("".join)


@given(TEXTS, st.integers(1, 5))
def test_shards_translated_and_joined_are_the_whole_file_translated(tmp_path_factory, text: str, lines: int) -> None:
    path = tmp_path_factory.mktemp("lines") / "texts.txt"
    path.write_bytes(text.encode())
    cutting = cut_lines(path, lines)
    seen: list[str] = []

    def translate(given):
        seen.extend(given)
        return [f"{line}!" for line in given]

    data = path.read_bytes()
    edges = [*cutting.cuts, (cutting.end, cutting.lines)]
    same = [translate_lines(data[a:b], list, path, before) for (a, before), (b, _) in pairwise(edges)]
    assert b"".join(same) == data
    done = [translate_lines(data[a:b], translate, path, before) for (a, before), (b, _) in pairwise(edges)]
    assert len(seen) == cutting.lines - (text == "\ufeff")
    assert b"".join(done) == (translate_lines(data, translate, path, 0) if data else b"")
    assert b"".join(done).count(b"\n") == data.count(b"\n")


def test_ends_of_lines_and_a_byte_order_mark_stay() -> None:
    seen: list[str] = []

    def translate(lines):
        seen.extend(lines)
        return [line.upper() for line in lines]

    data = "\ufeffa\r\nb\n\nc\rd\ne\r".encode()
    assert translate_lines(data, translate, PATH, 0) == "\ufeffA\r\nB\n\nC\rD\nE\r".encode()
    assert seen == ["a", "b", "", "c\rd", "e"]


def test_a_line_break_in_a_translation_becomes_a_space() -> None:
    assert translate_lines(b"a\nb", lambda lines: ["x\ny"] * len(lines), PATH, 0) == b"x y\nx y"


def test_a_line_that_is_not_utf_8_is_named() -> None:
    with pytest.raises(DataError, match=r"texts\.txt:102: invalid UTF-8: byte 3 of the line is 0xFF"):
        translate_lines(b"a\nbc\xff\n", list, PATH, 100)


def test_lines_that_end_in_carriage_returns_alone_are_refused() -> None:
    with pytest.raises(DataError, match="carriage returns alone"):
        translate_lines(b"a\rb\rc", list, PATH, 0)


def test_a_translator_that_loses_a_line_is_found_out() -> None:
    with pytest.raises(ValueError, match="given 2 lines and gave back 1"):
        translate_lines(b"a\nb\n", lambda lines: lines[:1], PATH, 0)
