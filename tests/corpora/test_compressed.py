"""Decompressing on the way, and refusing what grows beyond all measure."""

import bz2
import errno
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable

import pytest
import zstandard

from polyhead.corpora import compressed
from polyhead.corpora.compressed import as_file, chunks, read_head, seekable
from polyhead.corpora.member import Member
from polyhead.corpora.text_lines import read_text_lines
from polyhead.errors import DataError
from tests.corpora.conftest import Write
from tests.corpora.reading import pairs, refusal, tmx
from tests.corpora.test_parts import in_tar, in_zip

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
TEXT = "".join(f"line {n * n}\n" for n in range(3_000)).encode()


@pytest.mark.parametrize("suffix", COMPRESSORS)
@pytest.mark.parametrize("named", [True, False])
def test_by_the_ending_or_by_the_beginning(write: Write, suffix: str, named: bool) -> None:
    member = Member.of(write(f"a{suffix if named else '.en'}", COMPRESSORS[suffix](TEXT)))
    assert b"".join(chunks(member)) == TEXT
    assert read_head(member, 10) == TEXT[:10]
    for opened in (as_file, seekable):
        with opened(member) as file:
            assert file.read(7) + file.read() == TEXT


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_damage_is_said_wherever_the_format_is_named(write: Write, suffix: str) -> None:
    data = COMPRESSORS[suffix](TEXT)
    for name in (f"a{suffix}", "a.en"):
        with pytest.raises(DataError, match=rf"a\S*: this {suffix} file is damaged or incomplete"):
            list(chunks(Member.of(write(name, data[: len(data) // 2]))))


@pytest.mark.parametrize("text", [b"BZh is how it begins\n", b"BZh91\n", b"B\n"])
def test_text_that_begins_like_a_compressed_file_is_text(write: Write, text: bytes) -> None:
    assert b"".join(chunks(Member.of(write("a.en", text)))) == text


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that small files reach."""
    monkeypatch.setattr(compressed, "UNDOUBTED_EXPANSION", 1 << 16)
    monkeypatch.setattr(compressed, "_CHUNK", 1 << 12)


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_bombs_are_refused(write: Write, suffix: str) -> None:
    path = write(f"a.csv{suffix}", COMPRESSORS[suffix](b"en,ko\n" + b"a,b\n" * 1_000_000))
    assert "decompressed it is more than 200 times as large" in refusal(path)
    with pytest.raises(DataError, match="200 times"):
        list(read_text_lines(path))


@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("inner", ["a.csv", "a.csv.gz", "a.parquet"])
def test_bombs_in_archives_are_refused(write: Write, inner: str) -> None:
    data = b"en,ko\n" + b"a,b\n" * 1_000_000
    bomb = in_zip({inner: gzip.compress(data) if inner.endswith(".gz") else data})
    said = refusal(write("a.zip", bomb))
    assert f"a.zip/{inner}: decompressed it is more than 200 times" in said


@pytest.mark.usefixtures("strict")
def test_a_small_text_that_packs_well_is_no_bomb(write: Write) -> None:
    text = tmx([{"en": "one", "ko": "하나"}] * 700).encode()
    assert len(text) < 1 << 16
    assert len(pairs(write("a.tmx.bz2", bz2.compress(text)))) == 700


def test_a_full_disk_is_said(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    path = write("a.tar.gz", gzip.compress(in_tar()))
    monkeypatch.setattr(compressed, "TemporaryFile", Full)
    assert "cannot be unpacked into a temporary file: No space left on device" in refusal(path)


def test_a_member_that_is_larger_than_it_says_is_refused(write: Write) -> None:
    data = bytearray(in_zip({"a.csv": b"en,ko\n" + b"word,word\n" * 1000}))
    for mark, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = data.index(mark) + offset
        data[place : place + 4] = (50).to_bytes(4, "little")
    assert "a.zip" in refusal(write("a.zip", bytes(data)))


def test_no_piece_of_a_zst_file_becomes_enormous(write: Write) -> None:
    path = write("a.csv.zst", zstandard.ZstdCompressor().compress(bytes(200 << 20)))
    assert path.stat().st_size < 10_000
    pieces = chunks(Member.of(path))
    assert max(len(piece) for piece in pieces) <= 33 << 20


def test_zst_files_of_several_frames(write: Write) -> None:
    frame = COMPRESSORS[".zst"](TEXT)
    assert b"".join(chunks(Member.of(write("a.zst", frame + frame)))) == TEXT + TEXT
    for data in (frame[:-1], frame + frame[:-1], frame + b"junk"):
        with pytest.raises(DataError, match=r"this \.zst file is damaged or incomplete"):
            list(chunks(Member.of(write("a.zst", data))))


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_members_that_are_not_unpacked_piece_by_piece_are_refused(write: Write, compression: int) -> None:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        archive.writestr("a.csv", "en,ko\na,b\n")
        archive.writestr("README", "this one is not asked for", zipfile.ZIP_DEFLATED)
    said = refusal(write("a.zip", data.getvalue()))
    assert said.endswith("a.zip/a.csv: this is compressed in a way that isn't known here; unpack it yourself")
