"""DOCX: paragraphs are translated with their formats as codes; parts without a change stay byte for byte."""

import io
import struct
import tracemalloc
import zipfile
import zlib
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from polyhead.errors import DataError
from tests.formats.office import HEAD, W, archive, body, docx
from tests.formats.translators import (
    backwards,
    complain,
    copy,
    found,
    lose_codes,
    problems,
    say,
    shout,
    shuffle,
    translated,
)


def run(text, style=""):
    return f'<w:r>{style}<w:t xml:space="preserve">{text}</w:t></w:r>'


BOLD = "<w:rPr><w:b/></w:rPr>"
FRAME = "<w:drawing><w:txbxContent><w:p><w:r><w:t>inner</w:t></w:r></w:p></w:txbxContent></w:drawing>"

SHOUTED = [
    (run("a cat"), run("A CAT")),
    (f'<w:pPr><w:jc w:val="left"/></w:pPr>{run("a")}', f'<w:pPr><w:jc w:val="left"/></w:pPr>{run("A")}'),
    (run("a ") + '<w:proofErr w:type="spellStart"/><w:r w:rsidR="1"><w:t>cat</w:t></w:r>', run("A CAT")),
    (run("The ") + run("cat", BOLD) + run(" &amp; dog"), run("THE ") + run("CAT", BOLD) + run(" &amp; DOG")),
    (run("all of it", BOLD), run("ALL OF IT", BOLD)),
    ("<w:r><w:t>a</w:t><w:br/><w:t>b</w:t></w:r>", run("A") + "<w:r><w:br/></w:r>" + run("B")),
    ("<w:r><w:t>a</w:t><w:tab/><w:t>5</w:t></w:r>", run("A") + "<w:r><w:tab/></w:r>" + run("5")),
    (
        f'{run("see ")}<w:hyperlink w:anchor="x">{run("here", BOLD)}</w:hyperlink>{run(" now")}',
        f'{run("SEE ")}<w:hyperlink w:anchor="x">{run("HERE", BOLD)}</w:hyperlink>{run(" NOW")}',
    ),
    (
        f'{run("a note")}<w:r><w:footnoteReference w:id="2"/></w:r>{run(".")}',
        f'{run("A NOTE")}<w:r><w:footnoteReference w:id="2"/></w:r>{run(".")}',
    ),
    (f"<w:r>{FRAME}</w:r>", f"<w:r>{FRAME}</w:r>".replace("<w:t>inner", '<w:t xml:space="preserve">INNER')),
    (
        f"{run('out')}<w:r>{FRAME}</w:r>",
        f"{run('OUT')}<w:r>{FRAME}</w:r>".replace("<w:t>inner", '<w:t xml:space="preserve">INNER'),
    ),
    (
        f"<w:del><w:r><w:delText>old</w:delText></w:r></w:del>{run('new')}",
        f"<w:del><w:r><w:delText>old</w:delText></w:r></w:del>{run('NEW')}",
    ),
    (
        f"<w:sdt><w:sdtPr/><w:sdtContent>{run('a')}</w:sdtContent></w:sdt>",
        f"<w:sdt><w:sdtPr/><w:sdtContent>{run('A')}</w:sdtContent></w:sdt>",
    ),
    (run("5 %"), run("5 %")),
]


def mark(kind):
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


LINK = f'{mark("begin")}<w:r><w:instrText> HYPERLINK "x" </w:instrText></w:r>{mark("separate")}'
SHOUTED += [
    (f"{run('go ')}{LINK}{run('here', BOLD)}{mark('end')}", f"{run('GO ')}{LINK}{run('HERE', BOLD)}{mark('end')}"),
    (
        f"{run('page ')}{LINK.replace('HYPERLINK', 'PAGE')}{run('two')}{mark('end')}",
        f"{run('PAGE ')}{LINK.replace('HYPERLINK', 'PAGE')}{run('two')}{mark('end')}",
    ),
    (f"{mark('end')}{run('a')}{mark('begin')}", f"{mark('end')}{run('A')}{mark('begin')}"),
]


@pytest.mark.parametrize(("content", "expected"), SHOUTED)
def test_text_is_translated_and_formats_stay(content, expected):
    document = docx(f"<w:p>{content}</w:p>")
    assert body(translated(document, "x.docx", shout)) == f"<w:p>{expected}</w:p>"
    assert translated(document, "x.docx", copy) == document


def test_headers_notes_and_tables_are_translated_and_all_other_parts_stay():
    table = f"<w:tbl><w:tr><w:tc><w:p>{run('cell')}</w:p></w:tc></w:tr></w:tbl>"
    document = docx(table, header1=f"<w:p>{run('head')}</w:p>", footnotes=f"<w:p>{run('note')}</w:p>", styles="kept")
    written = translated(document, "x.docx", shout)
    assert [unit.name for unit in found(document, "x.docx")] == [
        "word/document.xml, paragraph 1",
        "word/footnotes.xml, paragraph 1",
        "word/header1.xml, paragraph 1",
    ]
    assert body(written) == table.replace("cell", "CELL")
    assert "HEAD" in body(written, "word/header1.xml")
    assert "NOTE" in body(written, "word/footnotes.xml")
    with zipfile.ZipFile(io.BytesIO(document)) as before, zipfile.ZipFile(io.BytesIO(written)) as after:
        assert after.namelist() == before.namelist()
        assert after.testzip() is None
        assert after.read("word/styles.xml") == before.read("word/styles.xml")


def test_a_paragraph_is_one_text_in_its_usual_format():
    (unit,) = found(docx(f"<w:p>{run('The ', BOLD)}{run('small cat')}</w:p>"), "x.docx")
    assert unit.marked.text == "The small cat"
    assert [(code.start, code.role, code.pair) for code in unit.marked.codes] == [(0, "open", 1), (4, "close", 1)]


def test_a_line_break_or_a_tab_ends_a_text():
    for name in ("br", "tab", "cr"):
        units = found(docx(f"<w:p><w:r><w:t>A</w:t><w:{name}/><w:t>B</w:t></w:r></w:p>"), "x.docx")
        assert [unit.marked.text for unit in units] == ["A", "B"]


def test_what_was_deleted_is_not_translated():
    content = f"<w:p><w:del><w:r>{FRAME}</w:r></w:del>{run('new')}</w:p>"
    assert body(translated(docx(content), "x.docx", shout)) == content.replace("new", "NEW")


def test_an_archive_without_a_change_is_not_written_anew():
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(docx("<w:p/>" * 500))) as old, zipfile.ZipFile(written, "w") as new:
        for info in old.infolist():
            new.writestr(info.filename, old.read(info), zipfile.ZIP_DEFLATED, compresslevel=1)
    assert translated(written.getvalue(), "x.docx", shout) == written.getvalue()


def test_a_doubtful_translation_is_not_shipped():
    document = docx(f"<w:p>{run('a')}</w:p><w:p>{run('b ')}{run('c', BOLD)}{run(' d')}</w:p>")
    assert translated(document, "x.docx", complain) == document
    assert body(translated(document, "x.docx", lose_codes)).startswith(f"<w:p>{run('A')}</w:p><w:p>{run('b ')}")
    assert (
        problems(document, "x.docx", complain)[1] == "line 2, word/document.xml, paragraph 2: the number 5 is missing"
    )


def test_python_docx_reads_what_is_written():
    module = pytest.importorskip("docx")
    written = translated(docx(f"<w:p>{run('The ')}{run('cat', BOLD)}{run('.')}</w:p><w:sectPr/>"), "x.docx", shout)
    (paragraph,) = module.Document(io.BytesIO(written)).paragraphs
    assert [(each.text, each.bold) for each in paragraph.runs] == [("THE ", None), ("CAT", True), (".", None)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "x.docx: it is no whole zip archive"),
        (b"PK\3\4 and so on", "x.docx: it is no whole zip archive"),
        (archive({"a.xml": "<a/>"}), "x.docx: there is no word/document.xml"),
        (archive({"word/document.xml": "<a>"}), "x.docx, word/document.xml:1: it is not well-formed XML"),
        (
            archive({"word/document.xml": '<!DOCTYPE a [<!ENTITY b "c">]><a/>'}),
            "x.docx, word/document.xml:1: its DOCTYPE",
        ),
        (docx("")[:-30], "x.docx: it is no whole zip archive"),
    ],
)
def test_what_is_no_document_is_refused(content, message):
    with pytest.raises(DataError, match=f"^{message}"):
        translated(content, "x.docx")


def test_what_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr("polyhead.formats.archive.LARGEST_ARCHIVE", 1000)
    with pytest.raises(DataError, match="unpacked it would be more than 1,000 bytes"):
        translated(docx("<w:p/>" * 200), "x.docx")
    monkeypatch.setattr("polyhead.formats.archive.LARGEST_ARCHIVE", 1 << 20)
    monkeypatch.setattr("polyhead.formats.archive.LARGEST_PART", 1000)
    with pytest.raises(DataError, match="its part word/document.xml has more than 1,000 bytes"):
        translated(docx("<w:p/>" * 200), "x.docx")


def announced(content, size, checksum=0):
    """An archive whose last part announces another size and checksum than it has."""
    changed = bytearray(content)
    for mark, crc, length in ((b"PK\3\4", 14, 22), (b"PK\1\2", 16, 24)):
        place = changed.rindex(mark)
        changed[place + crc : place + crc + 4] = checksum.to_bytes(4, "little")
        changed[place + length : place + length + 4] = size.to_bytes(4, "little")
    return bytes(changed)


@pytest.mark.parametrize("name", ["word/document.xml", "word/media/a.png"])
@pytest.mark.parametrize("checksum", [0, zlib.crc32(b" " * 100)])
def test_no_more_is_unpacked_than_an_archive_announces(name, checksum):
    files = {"word/document.xml": f"<w:document {W}><w:p>{run('a')}</w:p></w:document>"}
    bomb = announced(archive(files | {name: " " * (8 << 20)}), 100, checksum)
    tracemalloc.start()
    with pytest.raises(DataError) if name.endswith("xml") or not checksum else nullcontext():
        translated(bomb, "x.docx", shout)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


def test_a_damaged_picture_is_found_before_anything_is_translated():
    damaged = announced(docx(f"<w:p>{run('a')}</w:p>", **{"media/a": "a"}), 1)
    damaged = damaged.replace(b"word/media/a.xml", b"word/media/a.png")
    with pytest.raises(DataError, match=r"^x.docx: it is no whole zip archive \(Bad CRC-32.*a.png.*save it again"):
        translated(damaged, "x.docx", lambda texts: pytest.fail("it was translated"))


def test_a_part_beyond_all_files_is_damage():
    written, part = io.BytesIO(), zipfile.ZipInfo("word/document.xml")
    part.extra = struct.pack("<HHQ", 1, 8, 1 << 63)  # where the part begins, once the directory refers to this field
    with zipfile.ZipFile(written, "w") as made:
        made.writestr(part, "<a/>")
    content = bytearray(written.getvalue())
    place = content.rindex(b"PK\1\2") + 42
    content[place : place + 4] = b"\xff" * 4
    with pytest.raises(DataError, match="it is no whole zip archive"):
        translated(bytes(content), "x.docx")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_part_that_is_packed_as_no_document_is_refused(method):
    with pytest.raises(DataError, match="its part word/document.xml is not packed as documents are; save it again"):
        translated(archive({"word/document.xml": "<a/>"}, method), "x.docx")


def test_two_parts_of_one_name_are_refused():
    written = io.BytesIO(docx(""))
    with zipfile.ZipFile(written, "a") as made, pytest.warns(UserWarning, match="Duplicate name"):
        made.writestr("word/document.xml", "<a/>")
    with pytest.raises(DataError, match="two of its parts have one name"):
        translated(written.getvalue(), "x.docx")


CROSSING = [
    f"{run('a ')}{mark('begin')}<w:hyperlink>{run('b')}{mark('end')}{run(' c')}</w:hyperlink>{run(' d')}",
    f"{run('a ')}<w:ins>{run('b')}{mark('begin')}{run(' c')}</w:ins>{run(' d ')}{mark('end')}{run(' e')}",
    f"{mark('begin')}<w:ins>{run('a')}</w:ins>{run(' b ')}<w:ins>{run('c')}{mark('end')}{run(' d')}</w:ins>{run('e')}",
    f"<w:ins>{run('a')}{mark('begin')}</w:ins>{run('b')}<w:ins>{mark('end')}{run('c')}</w:ins>{run('d')}",
]


@pytest.mark.parametrize("content", CROSSING)
def test_a_field_that_crosses_a_container_leaves_the_document_well_formed(content):
    document = docx(f"<w:p>{content}</w:p>")
    assert translated(document, "x.docx", copy) == document
    for seed in range(10):
        written = body(translated(document, "x.docx", shuffle(seed)))
        etree.fromstring(f"<a {W}>{written}</a>")
        assert written.count("fldChar ") == 2


def test_containers_that_a_tab_cuts_are_closed_before_others_are_opened():
    tab = "<w:r><w:tab/></w:r>"
    content = f"<w:ins>{run('a')}{tab}{run('b')}</w:ins>{run(' and ')}<w:hyperlink>{run('c')}{tab}{run('d')}"
    document = docx(f"<w:p>{content}</w:hyperlink></w:p>")
    assert [code.content for code in found(document, "x.docx")[1].marked.codes] == ["</w:ins>", "<w:hyperlink>"]
    written = body(translated(document, "x.docx", backwards))
    assert f"{run('B AND C')}</w:ins><w:hyperlink>" in written
    etree.fromstring(f"<a {W}>{written}</a>")


PIECES = [
    run("a "),
    run("b", BOLD),
    run("5"),
    "<w:bookmarkStart w:id='1'/>",
    "<w:r><w:br/></w:r>",
    f"<w:r>{FRAME}</w:r>",
]
PIECES += [
    f"<w:hyperlink>{run('c')}{run('d', BOLD)}</w:hyperlink>",
    f"<w:ins>{run('e')}<w:r><w:tab/></w:r>{run('f')}</w:ins>",
    f"<w:smartTag>{run('g')}<w:r><w:br/></w:r>{mark('begin')}{run('h')}</w:smartTag>",
    LINK,
    mark("end"),
    "<w:r><w:tab/></w:r>",
    "<!-- e -->",
]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=6), max_size=3), st.integers(0, 1000))
def test_any_document_keeps_its_shape(paragraphs, seed):
    document = docx("".join(f"<w:p>{''.join(pieces)}</w:p>" for pieces in paragraphs))
    assert translated(document, "x.docx", copy) == document
    for translate in (shout, shuffle(seed), lose_codes, say("<&]]>\0\n")):
        written = body(translated(document, "x.docx", translate))
        etree.fromstring(f"{HEAD}<a {W}>{written}</a>".encode())
        for name in (
            "<w:p>",
            "bookmarkStart",
            "<w:br/>",
            "<w:tab/>",
            "fldChar ",
            "<w:drawing>",
            "<w:hyperlink>",
            "<!--",
        ):
            assert written.count(name) == body(document).count(name)


def test_the_language_that_word_checked_a_run_in_cuts_no_text():
    runs = '<w:r><w:t>dri</w:t></w:r><w:r><w:rPr><w:lang w:val="en-US"/></w:rPr><w:t>nks </w:t></w:r>'
    runs += "<w:r><w:rPr><w:b/><w:noProof/></w:rPr><w:t>te</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r>"
    written = body(translated(docx(f"<w:p>{runs}</w:p>"), "x.docx", shout))
    text = '<w:t xml:space="preserve">'
    assert written == (f"<w:p><w:r>{text}DRINKS </w:t></w:r><w:r><w:rPr><w:b/></w:rPr>{text}TEA</w:t></w:r></w:p>")


def test_a_sentence_goes_on_behind_a_line_break_in_its_midst():
    lines = "<w:r><w:t>The cat {}</w:t><w:br/><w:t>{} tea</w:t><w:tab/><w:t>now</w:t></w:r>"
    joined, apart = (docx(f"<w:p>{lines.format(*words)}</w:p>") for words in (("often", "drinks"), ("sleeps.", "no")))
    assert [unit.marked.text for unit in found(joined, "x.docx")] == ["The cat often drinks tea", "now"]
    assert [unit.marked.text for unit in found(apart, "x.docx")] == ["The cat sleeps.", "no tea", "now"]
    written = body(translated(joined, "x.docx", shout))
    texts = written.replace(' xml:space="preserve"', "").replace("</w:r><w:r>", "")
    assert texts == "<w:p><w:r><w:t>THE CAT OFTEN</w:t><w:br/><w:t>DRINKS TEA</w:t><w:tab/><w:t>NOW</w:t></w:r></w:p>"
    assert translated(joined, "x.docx", copy) == joined
