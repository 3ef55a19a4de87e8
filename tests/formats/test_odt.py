"""ODT: paragraphs and headings are translated with their formats as codes."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from polyhead.errors import DataError
from tests.formats.office import HEAD, MANIFEST, NAMES, TEXT, archive, body, docx, odt
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

NOTE = "<text:note><text:note-body><text:p>note</text:p></text:note-body></text:note>"
SHOUTED = [
    ("<text:h>title</text:h>", "<text:h>TITLE</text:h>"),
    (
        '<text:p>the <text:span text:style-name="B">cat</text:span> &amp; dog</text:p>',
        '<text:p>THE <text:span text:style-name="B">CAT</text:span> &amp; DOG</text:p>',
    ),
    (f"<text:p>a{NOTE} b</text:p>", f"<text:p>A{NOTE.replace('note</text:p>', 'NOTE</text:p>')} B</text:p>"),
    (f"<text:p>5{NOTE}</text:p>", f"<text:p>5{NOTE.replace('note</text:p>', 'NOTE</text:p>')}</text:p>"),
    ("<text:p>a<text:line-break/>b<text:tab/>5</text:p>", "<text:p>A<text:line-break/>B<text:tab/>5</text:p>"),
    ("<text:p><text:s text:c='3'/>a</text:p>", "<text:p><text:s text:c='3'/>A</text:p>"),
    ("<text:p>a\n   b</text:p>", "<text:p>A B</text:p>"),
    (
        "<draw:frame><draw:text-box><text:p>a</text:p></draw:text-box></draw:frame>",
        "<draw:frame><draw:text-box><text:p>A</text:p></draw:text-box></draw:frame>",
    ),
    ("<text:tracked-changes><text:p>a</text:p></text:tracked-changes>",) * 2,
    ("<text:list><text:list-item><text:p>a</text:p></text:list-item></text:list>", None),
]


@pytest.mark.parametrize(("content", "expected"), SHOUTED)
def test_text_is_translated_and_formats_stay(content, expected):
    document = odt(content)
    assert body(translated(document, "x.odt", shout), "content.xml") == (expected or content.replace(">a<", ">A<"))
    assert translated(document, "x.odt", copy) == document


def test_several_spaces_are_written_as_the_format_has_them():
    written = body(translated(odt("<text:p>a</text:p>"), "x.odt", say("b   c\nd")), "content.xml")
    assert written == '<text:p>b <text:s text:c="2"/>c d</text:p>'


def test_headers_and_footers_are_translated():
    styles = (
        f"<office:document-styles {NAMES}><style:header><text:p>head</text:p></style:header></office:document-styles>"
    )
    document = archive({"mimetype": "x", "content.xml": "<a/>", "styles.xml": styles})
    assert "<text:p>HEAD</text:p>" in body(translated(document, "x.odt", shout), "styles.xml")


def test_a_doubtful_translation_is_not_shipped():
    document = odt("<text:p>a</text:p><text:p>b <text:span>c</text:span> d</text:p>")
    assert translated(document, "x.odt", complain) == document
    assert problems(document, "x.odt", lose_codes) == [
        "line 2, content.xml, paragraph 2: <text:span> is missing",
        "line 2, content.xml, paragraph 2: </text:span> is missing",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "x.odt: it is no whole zip"), (archive({"a.xml": "<a/>"}), "x.odt: there is no content.xml")],
)
def test_what_is_no_document_is_refused(content, message):
    with pytest.raises(DataError, match=f"^{message}"):
        translated(content, "x.odt")


@pytest.mark.parametrize("name", ["content.xml", "encrypted-package"])
def test_a_document_with_a_password_is_said_to_have_one(name):
    manifest = MANIFEST.replace("content.xml", name).replace(
        '"text/xml"/>', '"text/xml"><manifest:encryption-data/></manifest:file-entry>'
    )
    with pytest.raises(DataError, match=r"^x\.odt: it is locked with a password; save it without one$"):
        translated(archive({"mimetype": TEXT, name: b"\x81\xff\0", "META-INF/manifest.xml": manifest}), "x.odt")


def test_spans_that_a_tab_cuts_are_closed_before_others_are_opened():
    spans = "<text:span>a<text:tab/>b</text:span> and <text:span text:style-name='C'>c<text:tab/>d</text:span>"
    written = body(translated(odt(f"<text:p>{spans}</text:p>"), "x.odt", backwards), "content.xml")
    assert "B AND C</text:span><text:span text:style-name='C'><text:tab/>" in written


PIECES = [
    "a ",
    "b",
    "5",
    "<text:span>c</text:span>",
    "<text:s/>",
    NOTE,
    "<text:line-break/>",
    "<text:bookmark text:name='d'/>",
]
PIECES += ["<text:span>e<text:line-break/>f</text:span>", "<!-- g -->", "\n  "]


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=6), max_size=3), st.integers(0, 1000))
def test_any_document_keeps_its_shape(paragraphs, seed):
    document = odt("".join(f"<text:p>{''.join(pieces)}</text:p>" for pieces in paragraphs))
    assert translated(document, "x.odt", copy) == document
    for translate in (shout, shuffle(seed), lose_codes):
        written = body(translated(document, "x.odt", translate), "content.xml")
        etree.fromstring(f"{HEAD}<a {NAMES}>{written}</a>".encode())
        for name in ("<text:p>", "<text:span>", "<text:note>", "line-break", "bookmark", "<!--"):
            assert written.count(name) == body(document, "content.xml").count(name)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.odt", odt("<text:h>one</text:h><text:p>two <text:span>three</text:span></text:p>")),
        ("x.docx", docx("<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two three</w:t></w:r></w:p><w:sectPr/>")),
    ],
)
def test_libreoffice_opens_what_is_written(tmp_path, name, content):
    (tmp_path / name).write_bytes(translated(content, name, shout))
    converted(tmp_path / name, "txt:Text")
    assert (tmp_path / "x.txt").read_text(encoding="utf-8-sig").split() == ["ONE", "TWO", "THREE"]


PAGE = """<h1>One title</h1><p>Two <b>bold</b> and <i>slanted <u>words</u></i>, a <a href="http://a.b/">link</a>.<br>Three.</p>
<ul><li>Four</li><li>Five <b>six</b></li></ul><table><tr><td>Seven</td><td>Eight &amp; nine</td></tr></table>"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
@pytest.mark.parametrize(("suffix", "form"), [("odt", "odt:writer8"), ("docx", "docx:MS Word 2007 XML")])
def test_what_libreoffice_writes_is_translated_and_opened_again(tmp_path, suffix, form):
    (tmp_path / "x.html").write_text(PAGE)
    converted(tmp_path / "x.html", form, "--infilter=HTML (StarWriter)")
    converted(tmp_path / f"x.{suffix}", "txt:Text")
    before = (tmp_path / "x.txt").read_text(encoding="utf-8-sig")
    content = (tmp_path / f"x.{suffix}").read_bytes()
    assert translated(content, f"x.{suffix}", copy) == content
    (tmp_path / f"x.{suffix}").write_bytes(translated(content, f"x.{suffix}", shout))
    converted(tmp_path / f"x.{suffix}", "txt:Text")
    assert (tmp_path / "x.txt").read_text(encoding="utf-8-sig") == before.upper()
    assert "eight & nine" in before.lower()


def converted(path, form, *options):
    """LibreOffice converts a file; what it makes lies beside it."""
    profile = f"-env:UserInstallation=file://{path.parent}/profile"
    command = ["soffice", profile, "--headless", *options, "--convert-to", form, "--outdir", path.parent, path]
    subprocess.run(command, check=True, capture_output=True, timeout=240)


def test_a_sentence_goes_on_behind_a_line_break_in_its_midst():
    content = "<text:p>The <text:span>cat</text:span><text:line-break/>drinks<text:line-break/>A tea</text:p>"
    assert [unit.marked.text for unit in found(odt(content), "x.odt")] == ["The cat drinks", "A tea"]
    written = body(translated(odt(content), "x.odt", shout), "content.xml")
    assert written == content.replace("The", "THE").replace("cat", "CAT").replace("drinks", "DRINKS").replace(
        "tea", "TEA"
    )
