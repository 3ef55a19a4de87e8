"""Files are recognised by name and content, and what is given where lines are expected is named."""

import bz2
import gzip
import io
import lzma
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import PolyheadError
from polyhead.formats.kinds import FORMATS
from polyhead.formats.other_kinds import OTHERS
from polyhead.formats.readers import READERS
from polyhead.formats.recognising import instead_of_lines, kind_of, recognise
from tests.formats.office import archive, docx, odt


def tar():
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as made:
        made.addfile(tarfile.TarInfo("a"))
    return written.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 1016
CONTENTS = [
    ("html", b"\n<!DOCTYPE html><p>a"),
    ("html", "<html><p>a".encode("utf-16")),
    ("xliff", b'<?xml version="1.0"?><!-- c --><xliff version="1.2">'),
    ("xliff", '<x:xliff version="2.0">'.encode("utf-16-le")),
    ("tmx", b'<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4">'),
    ("po", b'# c\nmsgid ""\nmsgstr ""\n"Language: ko\\n"\n'),
    ("srt", b"\xef\xbb\xbf1\r\n00:00:01,000 --> 00:00:02,000\r\na"),
    ("vtt", b"WEBVTT\n\n00:01.000 --> 00:02.000\na"),
    ("json", b'{\n "a": "b"}'),
    ("json", b'[{"a": 1}]'),
    ("docx", docx("")),
    ("odt", odt("")),
    ("xml", b'<?xml version="1.0"?><a/>'),
    ("doc", OLE + "WordDocument".encode("utf-16-le")),
    ("locked", OLE + "EncryptedPackage".encode("utf-16-le")),
    ("gzip", gzip.compress(b"a", mtime=0)),
    ("bzip2", bz2.compress(b"a")),
    ("xz", lzma.compress(b"a")),
    ("zip", archive({"a.txt": "a"})),
    ("xlsx", archive({"xl/workbook.xml": "a"})),
    ("ods", archive({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"})),
    ("tar", tar()),
    ("parquet", b"PAR1\x15\x04\x15"),
    ("pdf", b"%PDF-1.7"),
]


@pytest.mark.parametrize(("kind", "content"), CONTENTS)
def test_content_alone_tells_the_kind(kind, content):
    assert recognise("file", content) == kind


@pytest.mark.parametrize("kind", FORMATS)
def test_names_tell_the_kind(kind):
    for suffix in FORMATS[kind].suffixes:
        if kind not in ("docx", "odt"):
            assert kind_of(f"FILE{suffix.upper()}", b"a") == kind


@pytest.mark.parametrize(
    "text",
    [
        "a dog\n",
        "[1] Smith 2020 says\n",
        "{x} y\n",
        "<p>a</p>\n",
        "1\n2\n3\n",
        "msgid is a word\n",
        '"quoted"\n',
        "BZh and PAR1\n",
        'A message is written so:\nmsgid "a"\nmsgstr "b"\n',
        "<p>A page begins with <html>, a memory with <tmx>.</p>\n",
        "",
        "고양이가 물을 마신다.\n",
    ],
)
def test_plain_text_is_taken_for_nothing_else(text):
    assert recognise("file", text.encode()) is None
    assert instead_of_lines("file", text.encode()) is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_a_byte_order_mark_is_not_said_to_be_missing(encoding):
    text = "\ufeffa dog\n" if encoding != "utf-16" else "a dog\n"
    assert instead_of_lines("file", text.encode(encoding)) is None


def test_content_speaks_against_a_name():
    assert recognise("x.json", gzip.compress(b"{}", mtime=0)) == "gzip"
    with pytest.raises(PolyheadError, match=r"^x\.po: it is compressed with gzip, .*; unpack it first"):
        kind_of("x.po", gzip.compress(b"a", mtime=0))


@pytest.mark.parametrize(
    ("name", "content"), [("x.docx", OLE), ("x", OLE + b"\5" + "EncryptedPackage".encode("utf-16-le"))]
)
def test_a_document_with_a_password_is_not_said_to_be_an_old_one(name, content):
    with pytest.raises(PolyheadError, match=f"^{name}: it is a document with a password, .*; save it without one$"):
        kind_of(name, content)


@pytest.mark.parametrize(("name", "content"), [("x.doc", OLE), ("x.docx", OLE + "WordDocument".encode("utf-16-le"))])
def test_an_old_document_is_not_said_to_have_a_password(name, content):
    with pytest.raises(PolyheadError, match=f"^{name}: it is an old Word, .*; save it as .docx or .odt$"):
        kind_of(name, content)


def test_what_is_unknown_is_asked_for():
    with pytest.raises(PolyheadError, match="neither its name nor its content says what it is; .*: .html, .po, .xlf,"):
        kind_of("file", b"a dog")


@pytest.mark.parametrize("name", ["train.en", "x/test.de", "corpus.en-de.DE", "dev.pt_BR", "dev.zh-Hans", "a.yue"])
@pytest.mark.parametrize("content", [b"", b"a dog\n", "ein Hör\n".encode("latin-1"), "a dog\n".encode("utf-16")])
def test_text_in_a_file_whose_name_ends_in_a_language_is_plain_text(name, content):
    assert kind_of(name, content) == "text"


@pytest.mark.parametrize(
    ("kind", "name", "content"),
    [
        ("html", "index.html.de", b"<p>a"),
        ("md", "README.ko.md", b"# a"),
        ("md", "README.md.ko", b"# a"),
        ("po", "de.po", b"a"),
        ("po", "messages.de", b'msgid "a"\nmsgstr ""\n'),
        ("docx", "letter.docx.fr", docx("")),
    ],
)
def test_a_language_in_a_name_hides_no_format(kind, name, content):
    assert kind_of(name, content) == kind


@pytest.mark.parametrize("name", ["lib.so", "x.bin", "x.en"])
def test_a_language_at_the_end_of_a_name_makes_no_text_of_other_bytes(name):
    with pytest.raises(PolyheadError, match="neither its name nor its content says what it is"):
        kind_of(name, b"\x7fELF\2\1\1\0\0\0")
    with pytest.raises(PolyheadError, match="compressed with gzip"):
        kind_of(name, gzip.compress(b"a", mtime=0))


@pytest.mark.parametrize("name", ["x.tok", "x.src", "x.csv", "x.log", "README", ".en", "x."])
def test_other_endings_say_nothing(name):
    assert recognise(name, b"a dog\n") is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b'msgid "a"\nmsgstr ""\n',
            "its format is PO and POT (gettext), not lines of text; .*: polyhead translate MODEL f",
        ),
        (
            "a dog\nb\n".encode("utf-16-le"),
            "it is UTF-16LE without a byte order mark; convert it: iconv -f UTF-16LE -t UTF-8",
        ),
        ("a dog\nb\n".encode("utf-16-be"), "it is UTF-16BE without"),
        (gzip.compress(b"a", mtime=0), "it is compressed with gzip, not lines of text; unpack it first, or .* .gz"),
        (bz2.compress(b"a"), "it is compressed with bzip2, not lines of text; unpack it first: bunzip2"),
        (docx("<w:p/>"), r"its format is DOCX \(Word\), not lines of text"),
        (b"PAR1\x15", "it is a Parquet table, not lines of text"),
    ],
)
def test_what_is_given_where_lines_are_expected_is_named(content, message):
    import re

    assert re.match(message.replace("(gettext)", r"\(gettext\)"), instead_of_lines("f", content) or "")


def test_every_format_has_a_reader():
    assert READERS.keys() == FORMATS.keys()


def test_every_kind_that_is_recognised_has_a_format_or_advice():
    kinds = {kind for kind, _ in CONTENTS}
    assert kinds <= FORMATS.keys() | OTHERS.keys()


@given(st.binary(max_size=200), st.sampled_from(["x", "x.docx", "x.po"]))
def test_anything_is_recognised_or_not(content, name):
    for beginning in (content, b"PK\3\4" + content, b"<" + content):
        assert recognise(name, beginning) in {None, *FORMATS, *OTHERS}
        instead_of_lines(name, beginning)
