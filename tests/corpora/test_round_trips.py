"""Whatever pairs a format's own writer writes come back equal, in order, both ways."""

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import polib
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import ipc, parquet

from polyhead.corpora.unit import one_line
from tests.corpora.reading import pairs, tmx

Both = tuple[str, str]


def write_tmx(path: Path, rows: Sequence[Both]) -> None:
    path.write_bytes(tmx([{"en": source, "ko": target} for source, target in rows]).encode())


def write_csv(path: Path, rows: Sequence[Both]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([("ko", "en"), *((target, source) for source, target in rows)])
    path.write_bytes(text.getvalue().encode())


def write_tsv(path: Path, rows: Sequence[Both]) -> None:
    path.write_bytes("".join(f"{source}\t{target}\n" for source, target in [("en", "ko"), *rows]).encode())


def write_jsonl(path: Path, rows: Sequence[Both]) -> None:
    path.write_bytes("".join(json.dumps({"translation": {"en": a, "ko": b}}) + "\n" for a, b in rows).encode())


def write_parquet(path: Path, rows: Sequence[Both]) -> None:
    parquet.write_table(pa.table({"en": [a for a, _ in rows], "ko": [b for _, b in rows]}), path)


def write_arrow(path: Path, rows: Sequence[Both]) -> None:
    table = pa.table({"translation": [{"ko": b, "en": a} for a, b in rows]})
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)


def write_po(path: Path, rows: Sequence[Both]) -> None:
    file = polib.POFile(wrapwidth=40)
    file.metadata = {"Content-Type": "text/plain; charset=UTF-8", "Language": "ko"}
    # A context for each, as a message may come only once in a file.
    file.extend(polib.POEntry(msgid=a, msgstr=b, msgctxt=str(number)) for number, (a, b) in enumerate(rows))
    file.save(str(path))


WRITERS: dict[str, Callable[[Path, Sequence[Both]], None]] = {
    "a.tmx": write_tmx,
    "a.csv": write_csv,
    "a.tsv": write_tsv,
    "a.jsonl": write_jsonl,
    "a.parquet": write_parquet,
    "a.arrow": write_arrow,
    "a.po": write_po,
}
WITHOUT_BREAKS = {"a.tsv"}
"""Formats in which a text has no line breaks and no tabs."""
STRIPPED = {"a.tmx"}
"""Formats in which white space at the ends comes from how the file is laid out."""

# What XML can hold: no control characters but TAB and line breaks, no surrogates, no non-characters.
character = st.characters(
    exclude_categories=["Cs", "Cc", "Cn"], include_characters="\t\n\r", exclude_characters="\ufeff\ufffe\uffff"
)
text = st.text(character, min_size=1, max_size=12).filter(str.strip)
rows = st.lists(st.tuples(text, text), min_size=1, max_size=6)


@pytest.mark.parametrize("name", WRITERS)
@given(rows=rows)
def test_pairs_come_back_equal(tmp_path_factory: pytest.TempPathFactory, name: str, rows: list[Both]) -> None:
    if name in WITHOUT_BREAKS:
        rows = [(" ".join(a.split()), " ".join(b.split())) for a, b in rows]
    path = tmp_path_factory.mktemp("corpus") / name
    WRITERS[name](path, rows)
    expected = [(one_line(a), one_line(b)) for a, b in rows]
    if name in STRIPPED:
        expected = [(a.strip(), b.strip()) for a, b in expected]
    assert pairs(path, "en", "ko") == expected
    assert pairs(path, "ko", "en") == [(b, a) for a, b in expected]


def test_white_space_around_a_line_break_goes_with_it() -> None:
    assert one_line(" a  b \t\r\n\n  c\n") == "a  b c"
    assert one_line(" a  b ") == " a  b "


@given(st.text())
def test_one_line_is_one_line_and_keeps_every_word(text: str) -> None:
    line = one_line(text)
    assert "\n" not in line
    assert "\r" not in line
    assert line.split() == text.split()
    assert one_line(line) == line
