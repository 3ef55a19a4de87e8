"""Pairs on the disk are a sequence like any other."""

import random
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.data.readers import Pair
from polyhead.data.stored import texts as module
from polyhead.data.stored.texts import StoredPairs, TextWriter

TEXT = st.text(st.characters(codec=None, exclude_characters="\n") | st.sampled_from("ab \r\u2028é한\ud800"), max_size=9)
PAIRS = st.lists(st.builds(Pair, TEXT, TEXT, st.sampled_from([None, "fr", "pt-BR"]), TEXT), max_size=30)


def stored(directory, pairs, rows=None) -> StoredPairs:
    writer = TextWriter(directory)
    for start in range(0, len(pairs), 7):
        writer.add(pairs[start : start + 7])
    writer.close()
    return StoredPairs(directory, rows)


@given(PAIRS, st.data())
def test_they_are_what_was_written_however_they_are_asked_for(tmp_path_factory, pairs, data):
    directory = tmp_path_factory.mktemp("texts")
    rows = data.draw(st.none() | st.sets(st.integers(0, max(0, len(pairs) - 1))).map(sorted))
    rows = None if rows is None or not pairs else np.array(rows, np.int64)
    subject = stored(directory, pairs, rows)
    expected = pairs if rows is None else [pairs[row] for row in rows]
    assert len(subject) == len(expected)
    assert list(subject) == [subject[row] for row in range(len(subject))] == expected
    some = data.draw(st.slices(max(1, len(expected))))
    assert subject[some] == expected[some]
    assert [subject.origin(row) for row in range(len(pairs))] == [pair.origin for pair in pairs]


def test_what_isnt_there_is_an_index_error(tmp_path):
    subject = stored(tmp_path, [Pair("a", "b", None, "f:1")])
    assert subject[-1].source == "a"
    with pytest.raises(IndexError):
        subject[1]


def test_many_threads_read_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_TOGETHER", 5)
    monkeypatch.setattr(module, "_MOST", 1)  # let go of after every piece
    pairs = [Pair(f"source {number}", f"target {number}", None, f"f:{number}") for number in range(500)]
    subject, wrong = stored(tmp_path, pairs), []

    def read(seed: int) -> None:
        for row in random.Random(seed).choices(range(500), k=300):
            wrong.extend([row] if subject[row] != pairs[row] else [])

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_line_break_in_a_text_becomes_a_space(tmp_path):
    pairs = [Pair("a\nb", "c", "fr", "f:1\n2"), Pair("d", "e\n\nf", None, "")]
    assert [(pair.source, pair.target, pair.origin) for pair in stored(tmp_path, pairs)] == [
        ("a b", "c", "f:1 2"),
        ("d", "e f", ""),
    ]
