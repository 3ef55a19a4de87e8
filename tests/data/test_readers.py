"""Every reader gives the same pairs for the same corpus, and says what is wrong with a file and where."""

import bz2
import csv
import gzip
import io
import lzma
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from polyhead.corpora import compressed, text_lines
from polyhead.corpora.text_lines import read_text_lines, read_text_lines_of
from polyhead.data.readers import READERS, LinesConfig, Pair, PairsConfig, ReaderConfig, TsvConfig, read, read_all
from polyhead.errors import DataError, counted

Compress = Callable[[bytes], bytes]
COMPRESSORS: dict[str, Compress] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor(write_checksum=True).compress,
}
PAIRS = [("A dog\u2028runs.", "Ein Hund\u0085rennt."), ("", ""), (" two  spaces ", "\x1c\x0b개"), ("end", "Ende")]


def write(path: Path, data: bytes | str) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def write_lines(folder: Path, end: str = "\n", suffix: str = "", compress: Compress = bytes) -> LinesConfig:
    source = write(folder / f"a.en{suffix}", compress("".join(s + end for s, _ in PAIRS).encode()))
    target = write(folder / f"a.de{suffix}", compress("".join(t + end for _, t in PAIRS).encode()))
    return LinesConfig(source=source, target=target, target_language="de")


def write_tsv(folder: Path, end: str = "\n", suffix: str = "", compress: Compress = bytes) -> TsvConfig:
    data = "de\tsource\ttarget" + end + "".join(f"de\t{s}\t{t}{end}" for s, t in PAIRS)
    path = write(folder / f"a.tsv{suffix}", compress(data.encode()))
    return TsvConfig(path=path, source_column=1, target_column=2, language_column=0, header=True)


def write_pairs(folder: Path, end: str = "\n", suffix: str = "", compress: Compress = bytes) -> PairsConfig:
    text = io.StringIO()
    csv.writer(text, lineterminator=end).writerows([("de", "en"), *((target, source) for source, target in PAIRS)])
    path = write(folder / f"a.csv{suffix}", compress(text.getvalue().encode()))
    return PairsConfig(path=path, source_language="en", target_language="de")


WRITERS: dict[str, Callable[..., ReaderConfig]] = {"lines": write_lines, "tsv": write_tsv, "pairs": write_pairs}
BY_TIMES = "subtitles"
"""What this reader yields are no lines; `test_subtitles.py` tests it."""


def test_every_reader_is_tested() -> None:
    assert {*WRITERS, BY_TIMES} == set(READERS)


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("suffix", COMPRESSORS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_readers_agree(kind: str, suffix: str, end: str, tmp_path: Path) -> None:
    pairs = list(read(WRITERS[kind](tmp_path, end, suffix, COMPRESSORS[suffix])))
    assert [(pair.source, pair.target) for pair in pairs] == PAIRS
    assert {pair.target_language for pair in pairs} == {"de"}


def test_origins_name_file_and_line(tmp_path: Path) -> None:
    assert [pair.origin for pair in read(write_lines(tmp_path))][2] == f"{tmp_path / 'a.en'}:3"
    assert [pair.origin for pair in read(write_tsv(tmp_path))][2] == f"{tmp_path / 'a.tsv'}:4"


def test_several_corpora_follow_one_another(tmp_path: Path) -> None:
    configs: list[ReaderConfig] = [write_tsv(tmp_path), write_lines(tmp_path)]
    assert len(list(read_all(configs))) == 2 * len(PAIRS)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), max_size=5), min_size=1))
def test_any_lines_come_back(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.txt"
    write(path, "\ufeff" + "".join(line + "\n" for line in lines))
    assert list(read_text_lines(path)) == lines


def test_long_files_are_read_in_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyhead.corpora.compressed._CHUNK", 3)
    lines = ["", "a", "개고양이", "bc" * 10, "", "d"]
    for suffix, compress in COMPRESSORS.items():
        path = write(tmp_path / f"a{suffix}", compress("\n".join(lines).encode()))
        assert list(read_text_lines(path)) == lines


def test_frames_one_after_the_other_are_one_file(tmp_path: Path) -> None:
    for suffix, compress in COMPRESSORS.items():
        path = write(tmp_path / f"a{suffix}", compress(b"one\ntw") + compress(b"o\n"))
        assert list(read_text_lines(path)) == ["one", "two"]


@pytest.mark.parametrize(("sources", "targets", "line"), [(3, 5, 4), (5, 3, 4), (1, 2, 2)])
def test_counts_that_differ(sources: int, targets: int, line: int, tmp_path: Path) -> None:
    source, target = write(tmp_path / "a.en", "x\n" * sources), write(tmp_path / "a.de", "y\n" * targets)
    with pytest.raises(DataError) as raised:
        list(read(LinesConfig(source=source, target=target)))
    assert f"a.en has {counted(sources, 'line')} and" in str(raised.value)
    assert f"a.de has {targets}" in str(raised.value)
    assert raised.value.line == line
    assert raised.value.path == (source if sources > targets else target)  # where that line is


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_invalid_utf8(suffix: str, tmp_path: Path) -> None:
    path = write(tmp_path / f"a{suffix}", COMPRESSORS[suffix](b"fine\nbad \xe4 byte\n"))
    with pytest.raises(DataError, match=r":2: invalid UTF-8: byte 5 of the line is 0xE4"):
        list(read_text_lines(path))


def test_utf16_is_recognised(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="UTF-16"):
        list(read_text_lines(write(tmp_path / "a", "dog\n".encode("utf-16"))))


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_empty_file(suffix: str, tmp_path: Path) -> None:
    for data in (b"", COMPRESSORS[suffix](b"")):
        with pytest.raises(DataError, match="is empty"):
            list(read_text_lines(write(tmp_path / f"a{suffix}", data)))


def test_missing_file_and_directory(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        list(read_text_lines(tmp_path / "none"))
    with pytest.raises(DataError, match="directory"):
        list(read_text_lines(tmp_path))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_truncated_and_garbage_files(suffix: str, tmp_path: Path) -> None:
    whole = COMPRESSORS[suffix]("".join(f"line {i * i}\n" for i in range(5_000)).encode())
    harmed = (whole[:-1], whole[: len(whole) // 2], b"no archive at all", whole[:50] + b"\xff" * 50 + whole[100:])
    for data in harmed:
        with pytest.raises(DataError, match="damaged or incomplete"):
            list(read_text_lines(write(tmp_path / f"a{suffix}", data)))


def test_zst_without_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.zst", COMPRESSORS[".zst"](b"a\n"))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(DataError, match="pip install"):
        list(read_text_lines(path))


def test_too_few_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "a\tb\nonly one\n")
    with pytest.raises(DataError, match=r"a\.tsv:2: 1 tab-separated columns, but column 2"):
        list(read(TsvConfig(path=path)))


def test_languages_of_a_tsv_file(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "a\tb\tfr\nc\td\t\ne\tf\tno code\n")
    pairs = read(TsvConfig(path=path, language_column=2, target_language="ko"))
    assert next(pairs) == Pair("a", "b", "fr", f"{path}:1")
    assert next(pairs).target_language == "ko"
    with pytest.raises(DataError, match=":3: 'no code' in column 3"):
        next(pairs)


def test_the_kind_names_the_reader() -> None:
    adapter: TypeAdapter[ReaderConfig] = TypeAdapter(ReaderConfig)
    assert adapter.validate_python({"kind": "tsv", "path": "a.tsv"}) == TsvConfig(path=Path("a.tsv"))
    with pytest.raises(ValidationError, match="sauce"):
        adapter.validate_python({"kind": "lines", "sauce": "a.en", "target": "a.de"})
    with pytest.raises(ValidationError, match="pattern"):
        LinesConfig(source=Path("a"), target=Path("b"), target_language="not a code")


def test_a_line_without_an_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lines, "LONGEST_LINE", 1000)
    monkeypatch.setattr(compressed, "_CHUNK", 64)
    (tmp_path / "x").write_bytes(b"a" * 900 + b"\n" + b"b" * 900 + b"\n")
    assert [len(line) for line in read_text_lines(tmp_path / "x")] == [900, 900]
    (tmp_path / "x").write_bytes(b"a" * 900 + b"\n" + b"b" * 5000 + b"\n")
    with pytest.raises(DataError, match=r"x:2: this line has more than 1,000 bytes"):
        list(read_text_lines(tmp_path / "x"))


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_a_corpus_may_come_from_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")
    writer = threading.Thread(target=(tmp_path / "x").write_bytes, args=(b"a\nb\n",))
    writer.start()
    assert list(read_text_lines(tmp_path / "x")) == ["a", "b"]
    writer.join()


def test_lines_that_end_in_carriage_returns_alone_are_no_single_line(tmp_path):
    file = tmp_path / "old.en"
    file.write_bytes(b"one\rtwo\rthree\r")
    with pytest.raises(DataError, match=r"carriage returns alone; convert it first: tr"):
        list(read_text_lines(file))
    file.write_bytes(b"one\rstill one\r\n")
    assert list(read_text_lines(file)) == ["one\rstill one"]


@pytest.mark.parametrize("data", [b"a\nb\xffc\n", b"a\r\n\xe4", b"\xff\xfea\x00", b"a\rb\rc\r"])
def test_what_is_wrong_is_said_of_standard_input_as_of_a_file(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.en"
    path.write_bytes(data)
    said = []
    for lines, name in ((read_text_lines(path), str(path)), (read_text_lines_of(data, "stdin"), "stdin")):
        with pytest.raises(DataError) as raised:
            list(lines)
        said.append(str(raised.value).removeprefix(name))
    assert said[0] == said[1]


def test_standard_input_may_be_empty() -> None:
    assert list(read_text_lines_of(b"", "stdin")) == []
    assert list(read_text_lines_of("a\u2028b\u0085c\x0bd\rg\n\n".encode(), "stdin")) == ["a\u2028b\u0085c\x0bd\rg", ""]
    assert list(read_text_lines_of(b"\xef\xbb\xbfa\r\n\nb", "stdin")) == ["a", "", "b"]
