"""Whatever a file holds, it is read or refused in a sentence: never does anything else go wrong."""

import bz2
import gzip
import io
import json
import random
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import ipc, parquet

from polyhead.corpora import Wanted, languages_of, read_corpus
from polyhead.errors import PolyheadError
from tests.corpora.reading import tmx
from tests.corpora.test_parts import in_tar, in_zip
from tests.corpora.test_subtitles import srt

ROWS = [{"en": f"word {number}", "ko": f"낱말 {number}"} for number in range(20)]


def table(write: Callable[[pa.Table, io.BytesIO], None]) -> bytes:
    data = io.BytesIO()
    write(pa.table({"translation": ROWS, "en": [row["en"] for row in ROWS]}), data)
    return data.getvalue()


def write_arrow(columns: pa.Table, data: io.BytesIO) -> None:
    with ipc.new_file(data, columns.schema) as writer:
        writer.write_table(columns)


def write_stream(columns: pa.Table, data: io.BytesIO) -> None:
    with ipc.new_stream(data, columns.schema) as writer:
        writer.write_table(columns)


SEGMENT = '<trans-unit><source>a</source><target state="new">b</target></trans-unit>'
FILES = {
    "a.tmx": tmx(ROWS).encode(),
    "b.tmx": tmx(ROWS).replace("UTF-8", "UTF-16").encode("utf-16"),
    "a.xlf": f'<xliff><file source-language="en" target-language="ko">{SEGMENT * 5}</file></xliff>'.encode(),
    "b.xlf": b'<xliff version="2.0" srcLang="en" trgLang="ko"><file><unit><segment><source>a</source>'
    b"<target>b</target></segment></unit></file></xliff>",
    "a.po": b'msgid ""\nmsgstr "Language: ko\\nPlural-Forms: nplurals=2; plural=n!=1;\\n"\n\nmsgid "a"\n'
    b'msgid_plural "b"\nmsgstr[0] "c"\nmsgstr[1] "d"\n',
    "a.csv": b'en,ko\n"a ""b""",c\nd,e\n',
    "a.tsv": b"en\tko\na\tb\n",
    "a.jsonl": "".join(json.dumps({"translation": row}) + "\n" for row in ROWS).encode(),
    "a.json": json.dumps(ROWS).encode(),
    "a.parquet": table(lambda columns, data: parquet.write_table(columns, data)),
    "a.arrow": table(write_arrow),
    "b.arrow": table(write_stream),
    "a.zip": in_zip(),
    "a.tar": in_tar(),
    "a.tar.gz": gzip.compress(in_tar()),
    "a.csv.bz2": bz2.compress(b"en,ko\na,b\n"),
    "nothing": b"",
}


def read(path: Path) -> None:
    for wanted in (Wanted(), Wanted("en", "ko"), Wanted(columns=("en", "ko")), Wanted(columns=("1", "2"))):
        for reading in (lambda wanted=wanted: list(read_corpus(path, wanted)), lambda: languages_of(path, wanted)):  # noqa: B023
            try:
                reading()
            except PolyheadError as error:
                assert len(str(error)) < 300  # noqa: PT017


@pytest.mark.parametrize("name", FILES)
def test_whole_and_cut_off_files(tmp_path: Path, name: str) -> None:
    data = FILES[name]
    path = tmp_path / name
    for length in {*range(0, len(data), max(1, len(data) // 25)), len(data) - 1, len(data)}:
        path.write_bytes(data[: max(length, 0)])
        read(path)


@pytest.mark.parametrize("name", FILES)
def test_harmed_files(tmp_path: Path, name: str) -> None:
    draw = random.Random(name)
    path = tmp_path / name
    for _ in range(25):
        data = bytearray(FILES[name])
        for _ in range(draw.choice([1, 3, 30])):
            if data:
                data[draw.randrange(len(data))] = draw.randrange(256)
        path.write_bytes(data)
        read(path)


@pytest.mark.parametrize("name", [*(name for name in FILES if name.count(".") == 1), "a.srt", "a.en"])
@given(data=st.binary(max_size=60) | st.text(max_size=40).map(str.encode))
@example(data=b"\xff\xfe\x00")
@example(data=b"[]")
@example(data=b"{}\n[]")
@example(data=b'"\n"')
@example(data=b"\n")
def test_anything(tmp_path_factory: pytest.TempPathFactory, name: str, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(data)
    read(path)


def test_a_film_under_any_name(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_text(srt([(1, 2, "one")]), encoding="utf-8")
        read(tmp_path / name)
