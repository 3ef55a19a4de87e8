"""What is written is read by programs of others, and what these write is translated.

None of them is a part of polyhead's environment. ffprobe comes with Debian's ffmpeg, the schemas of XLIFF with its
php-symfony-translation; POLYHEAD_XLIFF_SCHEMAS names another place of theirs. translate-toolkit (GPL) and python-docx
are imported where they are installed, or where PYTHONPATH leads to them.
"""

import importlib
import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from lxml import etree

from tests.formats.office import body
from tests.formats.test_subtitles import SRT, VTT
from tests.formats.test_tmx import MEMORY
from tests.formats.translators import (
    complain,
    copy,
    double_codes,
    found,
    lose_codes,
    say,
    shout,
    shuffle,
    translated,
)

pytestmark = pytest.mark.slow
SCHEMAS = Path(
    os.environ.get("POLYHEAD_XLIFF_SCHEMAS", "/usr/share/php/Symfony/Component/Translation/Resources/schemas")
)
XLIFF_1 = """<?xml version="1.0" encoding="utf-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="a" source-language="en" datatype="plaintext"><header><note>x</note></header><body>
<trans-unit id="1"><source>The <g id="1">cat</g> and <x id="2"/></source><note>n</note></trans-unit>
<trans-unit id="2" xml:space="preserve"><source>A</source><target state="new">A</target><note>k</note>
<alt-trans><target>b</target></alt-trans></trans-unit>
<trans-unit id="3"><source>Two. Parts.</source><seg-source><mrk mtype="seg" mid="1">Two.</mrk>
 <mrk mtype="seg" mid="2">Parts.</mrk></seg-source>
<context-group><context context-type="x-a">c</context></context-group><note>k</note></trans-unit>
<trans-unit id="4"><source>A</source><target/></trans-unit>
<group id="g"><trans-unit id="5"><source>B <mrk mtype="protected">A</mrk> <ph id="1">x</ph></source>
<target state="needs-translation" xml:lang="ko"/></trans-unit></group>
</body></file></xliff>"""
XLIFF_2 = """<?xml version="1.0" encoding="utf-8"?>
<xliff version="2.0" srcLang="en" xmlns="urn:oasis:names:tc:xliff:document:2.0">
<file id="f"><notes><note>a</note></notes><unit id="u"><notes><note>b</note></notes>
<originalData><data id="d1">x</data></originalData>
<segment id="s1"><source>The <pc id="1">cat</pc> <ph id="2" dataRef="d1"/></source></segment>
<ignorable><source> </source></ignorable>
<segment id="s2" state="initial"><source>Two</source><target></target></segment></unit>
<group id="g"><unit id="w"><segment>
<source>B <mrk id="m" translate="no">A</mrk><sc id="3"/>x<ec startRef="3"/></source></segment></unit></group>
<unit id="v"><mda:metadata xmlns:mda="urn:oasis:names:tc:xliff:metadata:2.0"><mda:metaGroup>
<mda:meta type="x">y</mda:meta></mda:metaGroup></mda:metadata><segment><source>B</source></segment></unit>
</file></xliff>"""


def schema(name):
    if not (SCHEMAS / name).is_file():
        pytest.skip(f"{SCHEMAS / name} is missing: install php-symfony-translation")

    class Beside(etree.Resolver):
        """What the schema imports from the W3C lies beside it."""

        def resolve(self, url, public, context):
            return self.resolve_filename(str(SCHEMAS / "xml.xsd"), context) if url.endswith("/xml.xsd") else None

    parser = etree.XMLParser(no_network=True)
    parser.resolvers.add(Beside())
    return etree.XMLSchema(etree.parse(str(SCHEMAS / name), parser))


@pytest.mark.parametrize(("content", "name"), [(XLIFF_1, "xliff-core-1.2-strict.xsd"), (XLIFF_2, "xliff-core-2.0.xsd")])
def test_xliff_is_valid_by_its_schema_whatever_the_translator_does(content, name):
    of_version = schema(name)
    of_version.assertValid(etree.fromstring(content.encode()))
    for translate in (copy, shout, complain, lose_codes, double_codes, *map(shuffle, range(5))):
        written = translated(content, "x.xlf", translate)
        assert written != content
        of_version.assertValid(etree.fromstring(written.encode()))


PLAIN_VTT = VTT.replace("a --> note", "a note").replace("STYLE\n::cue { color: red }\n\n", "")
"""Without what not all of its readers know."""


def streams(path):
    """The packets that ffmpeg's own reader finds in a file of subtitles."""
    if shutil.which("ffprobe") is None:
        pytest.skip("ffprobe is not installed")
    command = ["ffprobe", "-v", "error", "-of", "json", "-show_packets", "-show_data", path]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    assert not done.stderr
    return json.loads(done.stdout)["packets"]


@pytest.mark.parametrize(("content", "name"), [(SRT, "x.srt"), (PLAIN_VTT, "x.vtt")])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_ffprobe_finds_the_same_times_in_translated_subtitles(tmp_path, content, name, ending):
    def found_in(text):
        (tmp_path / name).write_bytes(text.replace("\n", ending).encode())
        return streams(tmp_path / name)

    before = found_in(content)
    wrong = say("하나\n\n9\n00:00:01,000 --> 00:00:02,000\n둘 셋")
    for translate in (shout, say("하나 둘 셋 넷 다섯 여섯 일곱 여덟"), wrong, *map(shuffle, range(5))):
        after = found_in(translated(content, name, translate))
        assert [(each["pts"], each["duration"]) for each in after] == [
            (each["pts"], each["duration"]) for each in before
        ]
    assert len(before) > 1


def toolkit(module):
    return pytest.importorskip(f"translate.storage.{module}", reason="translate-toolkit is not installed")


def test_translate_toolkit_reads_what_is_written():
    tmx, xliff, xliff2, pypo = map(toolkit, ("tmx", "xliff", "xliff2", "pypo"))
    memory = tmx.tmxfile.parsestring(translated(MEMORY, "x.tmx", shout).encode())
    assert memory.units[0].gettarget("ko").startswith("A ")
    units = xliff.xlifffile.parsestring(translated(XLIFF_1, "x.xlf", shout).encode()).units
    assert [unit.target for unit in units if unit.source == "A"] == ["A", "A"]
    assert all(unit.isfuzzy() or unit.isreview() for unit in units if unit.source == "A")
    units = xliff2.Xliff2File.parsestring(translated(XLIFF_2, "x.xlf", shout).encode()).units
    assert {"TWO", "B"} <= {unit.target for unit in units}
    text = 'msgid "a cat"\nmsgid_plural "%d cats"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    (unit,) = [each for each in pypo.pofile.parsestring(translated(text, "x.po", shout).encode()).units if each.source]
    assert (unit.target.strings, unit.isfuzzy()) == (["%d CATS"], True)


def written_by_toolkit(suffix):
    """A file with a text, its translation where `done`, and one with a placeholder, from the toolkit's own writers."""
    module, kind = {
        "po": ("pypo", "pofile"),
        "xlf": ("xliff", "xlifffile"),
        "xliff": ("xliff2", "Xliff2File"),
        "tmx": ("tmx", "tmxfile"),
    }[suffix]
    store = getattr(toolkit(module), kind)(**({} if suffix == "po" else {"sourcelanguage": "en"}))
    if suffix == "tmx":
        store.addtranslation("a dog", "en", "EIN HUND", "de")
        store.addtranslation("a cat & {name}", "en", "x", "de")
    else:
        store.addsourceunit("a cat & {name}")
        store.addsourceunit("a dog").target = "EIN HUND"
    data = io.BytesIO()
    store.serialize(data)
    return data.getvalue()


@pytest.mark.parametrize("suffix", ["po", "xlf", "xliff", "tmx"])
def test_what_translate_toolkit_writes_is_translated(suffix):
    content = written_by_toolkit(suffix)
    texts = [unit.marked.text for unit in found(content, f"x.{suffix}", kind=None if suffix != "xlf" else "xliff")]
    assert "a cat & {name}" in texts
    assert ("a dog" in texts) == (suffix == "tmx")
    written = translated(content, f"x.{suffix}", shout)
    assert b"A CAT &" in written
    assert b"{name}" in written
    assert b"EIN HUND" in written


def test_python_docx_writes_what_is_translated_and_reads_it_again():
    pytest.importorskip("docx", reason="python-docx is not installed")
    docx = importlib.import_module("docx")
    made, data = docx.Document(), io.BytesIO()
    made.add_heading("A heading", 1)
    paragraph = made.add_paragraph("Some ")
    paragraph.add_run("bold").bold = True
    paragraph.add_run(" words.")
    made.add_paragraph("An item", style="List Bullet")
    table = made.add_table(2, 2)
    table.cell(0, 1).text = "A cell"
    made.sections[0].header.paragraphs[0].text = "A header"
    made.save(data)
    written = translated(data.getvalue(), "x.docx", shout)
    again = docx.Document(io.BytesIO(written))
    assert [each.text for each in again.paragraphs] == ["A HEADING", "SOME BOLD WORDS.", "AN ITEM"]
    assert [run.text for run in again.paragraphs[1].runs if run.bold] == ["BOLD"]
    assert [each.style.name for each in again.paragraphs] == ["Heading 1", "Normal", "List Bullet"]
    assert again.tables[0].cell(0, 1).text == "A CELL"
    assert again.sections[0].header.paragraphs[0].text == "A HEADER"
    assert body(written) != body(data.getvalue())
