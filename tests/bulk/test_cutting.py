"""Where files of lines are cut."""

import hashlib
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.bulk.cutting import cut
from polyhead.errors import DataError

PATH = Path("texts.txt")


def pieces_of(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


@given(
    st.lists(st.sampled_from([b"\n", b"a", b"\r\n", b"bb\n", "가".encode(), b"c" * 9]), max_size=60).map(b"".join),
    st.integers(1, 7),
    st.integers(1, 9),
    st.integers(1, 30),
)
def test_shards_are_all_of_a_file_cut_after_line_feeds(data: bytes, lines: int, size: int, most_bytes: int) -> None:
    found = cut(pieces_of(data, size), lines, PATH, most_bytes)
    assert found.sha256 == hashlib.sha256(data).hexdigest()
    assert found.end == len(data)
    assert found.lines == len(data.split(b"\n")) - (data.endswith(b"\n") or not data)
    edges = [*found.cuts, (found.end, found.lines)]
    shards = [data[start:end] for (start, _), (end, _) in pairwise(edges)]
    assert b"".join(shards) == data
    for shard, ((_, before), (_, after)) in zip(shards, pairwise(edges), strict=True):
        assert shard
        assert after - before == shard.count(b"\n") + (not shard.endswith(b"\n")) <= lines
        assert len(shard) < most_bytes or b"\n" not in shard[most_bytes - 1 : -1]
    assert all(shard.endswith(b"\n") for shard in shards[:-1])


def test_a_line_without_an_end_is_refused(monkeypatch) -> None:
    monkeypatch.setattr("polyhead.bulk.cutting.LONGEST_LINE", 10)
    with pytest.raises(DataError, match=r"texts\.txt:2: this line has more than 10 bytes"):
        cut([b"a\n", b"b" * 6, b"b" * 6], 2, PATH)
