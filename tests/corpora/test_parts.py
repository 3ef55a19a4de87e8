"""Directories, patterns and archives of all kinds of files; nothing of an archive is written under its name."""

import bz2
import errno
import gzip
import io
import lzma
import os
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import zstandard

from polyhead.corpora import Wanted, languages_of
from tests.corpora.conftest import Write
from tests.corpora.reading import pairs, refusal, tmx, units
from tests.corpora.test_subtitles import srt

FILES: Mapping[str, bytes] = {
    "corpus/README": b"This is no corpus.\n",
    "corpus/a.tmx": tmx([{"en": "one", "ko": "하나"}]).encode(),
    "corpus/b.csv.gz": gzip.compress("en,ko\ntwo,둘\n".encode()),
    "corpus/c.en-ko.en": b"three\nfour\n",
    "corpus/c.en-ko.ko": "셋\n넷\n".encode(),
    "corpus/c.en-ko.ids": b"1\n2\n",
    "corpus/d.en.srt": srt([(1, 2, "five")]).encode(),
    "corpus/d.ko.srt": srt([(1, 2, "다섯")]).encode(),
    "corpus/info.json": b"{}",
    "corpus/notes.docx": b"PK\x03\x04...",
}
EXPECTED = [("one", "하나"), ("two", "둘"), ("three", "셋"), ("four", "넷"), ("five", "다섯")]


def in_zip(files: Mapping[str, bytes] = FILES) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def in_tar(files: Mapping[str, bytes] = FILES) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


ARCHIVES: dict[str, Callable[[], bytes]] = {
    "a.zip": in_zip,
    "a.tar": in_tar,
    "a.tar.gz": lambda: gzip.compress(in_tar()),
    "a.tgz": lambda: gzip.compress(in_tar()),
    "a.tar.bz2": lambda: bz2.compress(in_tar()),
    "a.txz": lambda: lzma.compress(in_tar()),
    "a.tar.zst": lambda: zstandard.ZstdCompressor().compress(in_tar()),
    "archive": in_zip,
    "another": in_tar,
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_archives(write: Write, tmp_path: Path, name: str) -> None:
    path = write(name, ARCHIVES[name]())
    assert pairs(path) == pairs(path, "en", "ko") == EXPECTED
    assert pairs(path, "ko", "en") == [(target, source) for source, target in EXPECTED]
    assert units(path)[0].place.startswith(f"{path}/corpus/a.tmx:")
    assert languages_of(path, Wanted()) == ("en", "ko")
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_directories_and_patterns(write: Write, tmp_path: Path) -> None:
    for name, data in FILES.items():
        write(name, data)
    write("corpus/.hidden/e.tmx", tmx([{"en": "hidden", "ko": "숨은"}]))
    assert pairs(tmp_path / "corpus") == EXPECTED
    assert pairs(tmp_path / "corpus" / "*") == EXPECTED
    assert pairs(tmp_path / "**" / "[ab].*") == EXPECTED[:2]
    assert "no file has a name of this pattern" in refusal(tmp_path / "*.po")
    assert "none of its 1 files holds sentence pairs" in refusal(tmp_path / "corpus" / "*.[ij][dn]*")
    write("more/x.zip", in_zip({"y.tmx": FILES["corpus/a.tmx"]}))
    assert pairs(tmp_path / "more" / "*.zip") == EXPECTED[:1]


def test_a_folder_that_cannot_be_read_is_said(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, data in FILES.items():
        write(name, data)
    write("corpus/locked/e.tmx", tmx([{"en": "six", "ko": "여섯"}]))
    scandir = os.scandir

    def refusing(path: str) -> object:
        if Path(path).name == "locked":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert "corpus/locked: it cannot be read: Permission denied" in refusal(tmp_path / "corpus").replace(os.sep, "/")


def test_three_aligned_languages_are_chosen_among(write: Write, tmp_path: Path) -> None:
    for code, text in (("en", "one\n"), ("fr", "un\n"), ("ko", "하나\n")):
        write(f"set/a.{code}", text)
    assert pairs(tmp_path / "set", "fr", "ko") == [("un", "하나")]
    assert "there are texts in en, fr, ko" in refusal(tmp_path / "set")


def test_aligned_files_in_an_archive_that_are_not_aligned(write: Write) -> None:
    path = write("a.zip", in_zip({"a.en": b"one\ntwo\n", "a.ko": "하나\n".encode()}))
    assert "a.zip/a.en:2: the files are not aligned" in refusal(path)


def test_errors_name_archive_file_and_line(write: Write) -> None:
    path = write("a.zip", in_zip({"x/a.tmx": tmx([{"en": "one", "ko": "하나"}])[:-60].encode()}))
    assert f"{path}/x/a.tmx:" in refusal(path)
    assert "no well-formed XML" in refusal(path)


def harmed(data: bytes) -> bytes:
    return data[: len(data) // 2]


def locked() -> bytes:
    """An archive that says of its files that they are encrypted."""
    data = bytearray(in_zip({"a.tmx": FILES["corpus/a.tmx"]}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.zip", harmed(in_zip()), "archive is damaged or incomplete"),
        ("a.zip", b"nonsense", "archive is damaged or incomplete"),
        ("a.tar", b"nonsense" * 100, "archive is damaged or incomplete"),
        ("a.tar.gz", harmed(gzip.compress(in_tar())), "damaged or incomplete"),
        ("a.zip", in_zip({"README": b"x"}), "none of its 1 files holds sentence pairs by its name (.tmx, .xlf"),
        ("a.zip", locked(), "has a password"),
        ("a.zip", in_zip({"b.zip": in_zip()}), "none of its 1 files holds"),
        ("a.zip", b"", "archive is damaged"),
    ],
)
def test_what_is_wrong_with_an_archive(write: Write, name: str, data: bytes, said: str) -> None:
    assert said in refusal(write(name, data))


def test_a_harmed_member_is_said(write: Write) -> None:
    data = bytearray(in_zip({"a.tmx": tmx([{"en": f"word {n}", "ko": f"{n}"} for n in range(500)]).encode()}))
    data[200:260] = b"\xff" * 60
    assert "damaged or incomplete" in refusal(write("a.zip", bytes(data)))


def test_a_name_before_a_member_that_is_no_utf8_is_said(write: Write) -> None:
    data = in_zip({"ä.tmx": FILES["corpus/a.tmx"]})
    name = "ä.tmx".encode()
    path = write("a.zip", data.replace(name, b"\xff" * 2 + name[2:], 1))
    assert "this archive is damaged or incomplete" in refusal(path)


def test_of_files_of_one_name_in_an_archive_the_last_one_counts(write: Write) -> None:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in (("a.en", b"old\n"), ("a.ko", b"x\n"), ("a.en", b"new\n"), ("a.ko", b"y\n")):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    assert pairs(write("a.tar", data.getvalue())) == [("new", "y")]


def test_names_that_lead_elsewhere_lead_nowhere(write: Write, tmp_path: Path) -> None:
    content = FILES["corpus/a.tmx"]
    names = ["../out.tmx", "/tmp/polyhead-out.tmx", "a/../../b.tmx"]
    for make, name in ((in_zip, "a.zip"), (in_tar, "a.tar")):
        assert len(pairs(write(f"deep/{name}", make(dict.fromkeys(names, content))))) == 3
    assert not Path("/tmp/polyhead-out.tmx").exists()
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["a.tar", "a.zip", "deep"]


def test_links_and_devices_in_a_tar_are_passed_over(write: Write) -> None:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for kind, name in ((tarfile.SYMTYPE, "a.tmx"), (tarfile.LNKTYPE, "b.tmx"), (tarfile.FIFOTYPE, "c.tmx")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    assert "none of its 0 files" in refusal(write("a.tar", data.getvalue()))


def test_a_member_without_a_name_is_passed_over(write: Write) -> None:
    data = in_zip({"Q.tmx": b"x", "a.tmx": FILES["corpus/a.tmx"]}).replace(b"Q.tmx", b"\0.tmx")
    assert pairs(write("a.zip", data)) == EXPECTED[:1]


@pytest.mark.skipif(os.name != "posix", reason="sparse files as GNU tar writes them")
def test_sparse_files_in_a_tar_are_passed_over(write: Write) -> None:
    info = tarfile.TarInfo("a.csv")
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[156:157] = tarfile.GNUTYPE_SPARSE
    header[483:495] = b"77777777777\0"  # the size that it has when it is unpacked
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header[:512])
    assert "none of its 0 files" in refusal(write("a.tar", bytes(header) + bytes(1024)))


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("nothing.tmx", None, "there is no such file"),
        ("a.docx", b"PK\x03\x04", "this is a Word document, of which no sentence pairs can be read"),
        ("a.en", b"one\n", "the kind of this file isn't known; known are .tmx, .xlf, .po, .csv"),
        ("a.en.srt", b"1\n", "give both with --source and --target"),
    ],
)
def test_files_that_hold_no_pairs(write: Write, tmp_path: Path, name: str, data: bytes | None, said: str) -> None:
    if data is not None:
        write(name, data)
    assert said in refusal(tmp_path / name)


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
@pytest.mark.parametrize("name", ["a.tmx", "a", "a.zip"])
def test_a_pipe_is_refused_instead_of_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    assert "this is no regular file" in refusal(tmp_path / name)
    assert "this is no regular file" in refusal(Path("/dev/zero"))


def test_a_file_without_an_ending_is_known_by_its_beginning(write: Write) -> None:
    text = tmx([{"en": "one", "ko": "하나"}])
    for data in (text.encode(), text.replace("UTF-8", "UTF-16").encode("utf-16"), gzip.compress(text.encode())):
        assert pairs(write("memory", data)) == EXPECTED[:1]
    assert pairs(write("messages", 'msgid "one"\nmsgstr "하나"\n')) == EXPECTED[:1]
