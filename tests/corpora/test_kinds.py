"""Files of a known kind are recognised where lines are expected, and what to do is said."""

import io
import zipfile

import pytest

from polyhead.corpora.kinds import kind_by_content, kind_by_name
from polyhead.corpora.text_lines import read_text_lines
from polyhead.data.readers import LinesConfig, read
from polyhead.errors import DataError
from tests.corpora.conftest import Write
from tests.corpora.reading import tmx
from tests.corpora.test_parts import in_tar, in_zip
from tests.corpora.test_subtitles import srt


def office(*names: str, mime: str | None = None) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        if mime is not None:
            archive.writestr("mimetype", mime)
        for name in names:
            archive.writestr(name, "x")
    return data.getvalue()


TEXT = tmx([{"en": "one", "ko": "하나"}])
RECOGNISED = {
    "a TMX file": TEXT.encode(),
    "a TMX file ": TEXT.replace("UTF-8", "UTF-16").encode("utf-16"),
    "a TMX file  ": b"\xef\xbb\xbf\r\n<!-- a\nb --><tmx>",
    "an XLIFF file": b'<xliff version="2.0">',
    "a PO file": b'# German\n#\n\n#, fuzzy\nmsgid ""\nmsgstr ""\n',
    "a PO file ": b'msgctxt "menu"\nmsgid "a"\n',
    "a file of subtitles": srt([(1, 2, "one")]).encode(),
    "a file of subtitles ": srt([(1, 2, "one")], "\r\n").encode("utf-8-sig"),
    "a Parquet file": b"PAR1\x15",
    "an Arrow file": b"ARROW1\0\0",
    "a zip archive": in_zip(),
    "a tar archive": in_tar(),
    "a Word document": office("[Content_Types].xml", "_rels/.rels", "word/document.xml"),
    "a spreadsheet": office("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml"),
    "an OpenDocument text": office("content.xml", mime="application/vnd.oasis.opendocument.text"),
    "a PDF document": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "an old Word, Excel or PowerPoint document": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "a document with a password": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
    "UTF-16 without a byte order mark": "one\ntwo\n".encode("utf-16-le"),
    "UTF-16 without a byte order mark ": "one\ntwo\n".encode("utf-16-be"),
}


@pytest.mark.parametrize("title", RECOGNISED)
def test_recognised_where_lines_are_expected(write: Write, title: str) -> None:
    with pytest.raises(DataError) as raised:
        list(read_text_lines(write("a.en", RECOGNISED[title])))
    assert f"a.en: this is {title.strip()}, where a sentence a line is expected; " in str(raised.value)


@pytest.mark.parametrize(
    ("title", "advice"),
    [
        ("a TMX file", "read it with --pairs"),
        ("a Word document", "save it as text"),
        ("a file of subtitles", "both be .srt"),
    ],
)
def test_what_to_do_is_said(title: str, advice: str) -> None:
    kind = kind_by_content(RECOGNISED[title])
    assert kind is not None
    assert advice in kind.refusal


@pytest.mark.parametrize(
    "text",
    [
        "<b>A dog</b> runs.\n",
        "<?xml version='1.0'?> begins an XML file.\n",
        "A <tmx> tag.\n",
        "1\n2\n3\n",
        "# A heading\nmsgid is a word of gettext.\n",
        "1\n00:00:01 is a time\n",
        "PK\n",
        "a,b\n",
        "개\n",
        "",
        "\n",
        "A\0B\n",
    ],
)
def test_lines_are_lines(text: str) -> None:
    assert kind_by_content(text.encode()) is None


def test_json_lines_are_no_sentences(write: Write) -> None:
    path = write("a.jsonl", '{"en": "one", "ko": "하나"}\n')
    with pytest.raises(DataError, match="this is a JSON Lines file, where a sentence a line is expected"):
        list(read(LinesConfig(source=path, target=path)))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.TMX", "tmx"),
        ("a.tmx.gz", "tmx"),
        ("a.b/c.xliff.zst", "xliff"),
        ("a.tar.bz2", "tar"),
        ("a.tgz", "tar"),
        ("a.pot", "po"),
        ("a.gz", None),
        ("tmx", None),
        ("a.en", None),
    ],
)
def test_kinds_by_name(name: str, kind: str | None) -> None:
    found = kind_by_name(name)
    assert (found.name if found else None) == kind
