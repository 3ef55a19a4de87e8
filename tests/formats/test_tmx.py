"""TMX: units without a text of the target language get one, and all else stays byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from polyhead.errors import DataError
from tests.formats.translators import complain, found, lose_codes, problems, say, shout, shuffle, translated

MEMORY = """<?xml version="1.0"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en-US" datatype="xml"/>
<body>
 <tu tuid="7">
  <tuv xml:lang="EN-us">
   <seg>a <bpt i="1">x</bpt>cat<ept i="1">y</ept> &lt; <hi>b</hi> <ph><sub>no</sub></ph></seg>
  </tuv>
  <tuv xml:lang="de"><seg>x</seg></tuv>
 </tu>
 <tu><tuv xml:lang="en"><seg>b</seg></tuv><tuv xml:lang="ko-KR"><seg>y</seg></tuv></tu>
 <tu srclang="de"><tuv lang="de"><seg>z</seg></tuv></tu>
</body></tmx>
"""
SEGMENT = MEMORY.partition("<seg>")[2].partition("</seg>")[0]
EXPECTED = MEMORY.replace(
    "<seg>x</seg></tuv>\n",
    f'<seg>x</seg></tuv>\n  <tuv xml:lang="ko" creationtool="polyhead">\n   <seg>{SEGMENT}</seg>\n  </tuv>\n'.replace(
        "< <", "&lt; <"
    ),
).replace("<seg>z</seg></tuv>", '<seg>z</seg></tuv><tuv lang="ko" creationtool="polyhead"><seg>z</seg></tuv>')


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_copying_translator_adds_texts_and_nothing_else(encoding, ending):
    content, expected = (text.replace("\n", ending).encode(encoding) for text in (MEMORY, EXPECTED))
    assert translated(content, "x.tmx") == expected


def test_only_what_has_no_translation_is_sent():
    units = found(MEMORY, "x.tmx")
    assert [(unit.line, unit.name, unit.marked.text) for unit in units] == [(7, "7", "a cat < b "), (12, "", "z")]
    assert [code.role for code in units[0].marked.codes] == ["open", "close", "open", "close", "alone"]


def test_the_source_language_can_be_named():
    (unit,) = found(MEMORY.replace(' srclang="de"', ""), "x.tmx", source_language="de")[:1]
    assert unit.marked.text == "x"
    with pytest.raises(DataError, match=r"no texts in fr but in EN-us, de, en, ko-KR"):
        found(MEMORY, "x.tmx", target_language="it", source_language="fr")


def test_units_without_a_source_are_counted():
    more = "<tu><tuv lang='fr'><seg>a</seg></tuv></tu>\n"
    content = MEMORY.replace("</body>", more * 2 + "</body>")
    assert problems(content, "x.tmx") == ["line 13: 2 units from here on without a text to translate"]
    assert translated(content, "x.tmx") == EXPECTED.replace("</body>", more * 2 + "</body>")


def test_a_doubtful_translation_is_not_shipped():
    assert translated(MEMORY, "x.tmx", complain) == MEMORY
    assert problems(MEMORY, "x.tmx", lose_codes)[0] == 'line 7, 7: <bpt i="1">x</bpt> is missing'


@pytest.mark.parametrize(
    ("content", "message"),
    [("<tmx>", "x.tmx:1: it is not well-formed"), ("<a/>", "x.tmx:1: its root is <a>"), ("", "x.tmx:1: it is not")],
)
def test_what_is_no_translation_memory_is_refused(content, message):
    with pytest.raises(DataError, match=f"^{message}"):
        translated(content, "x.tmx")


@given(
    st.lists(
        st.text(st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\ufffe\uffff"), max_size=9)
    ),
    st.integers(0, 99),
)
def test_any_text_comes_back_as_its_own_translation(texts, seed):
    root = etree.Element("tmx", version="1.4")
    etree.SubElement(root, "header", srclang="en")
    body = etree.SubElement(root, "body")
    for text in texts:
        segment = etree.SubElement(etree.SubElement(etree.SubElement(body, "tu"), "tuv", lang="en"), "seg")
        segment.text = text
        etree.SubElement(segment, "ph").text = text
    content = etree.tostring(root, encoding="utf-8")
    written = etree.fromstring(translated(content, "x.tmx"))
    for unit in written.iter("tu"):
        first, second = unit.iter("seg")
        assert etree.tostring(first, method="c14n") == etree.tostring(second, method="c14n")
    etree.fromstring(translated(content, "x.tmx", shuffle(seed)))
    etree.fromstring(translated(content, "x.tmx", say("<&]]>\0")))
    etree.fromstring(translated(content, "x.tmx", shout))


def test_the_text_of_elements_that_the_standard_lacks_is_translated():
    content = MEMORY.replace("<seg>z</seg>", "<seg>z <b>y</b></seg>")
    assert "<seg>Z <b>Y</b></seg>" in translated(content, "x.tmx", shout)


def test_choices_of_icu_are_left_and_named():
    content = MEMORY.replace("<seg>z</seg>", "<seg>{n, plural, other {z}}</seg>")
    assert "<seg>{n, plural, other {z}}</seg></tuv></tu>" in translated(content, "x.tmx", shout)
    assert problems(content, "x.tmx") == ["line 12: a message is a choice of several texts (ICU) and was left as it is"]


HEADED = '<tmx version="1.4"><header srclang="%s"/><body>%s</body></tmx>'


@pytest.mark.parametrize(
    ("units", "said"),
    [
        ('<tu><tuv xml:lang="en"><seg/></tuv><tuv xml:lang="fr"><seg>a</seg></tuv></tu>', []),
        ("<tu/>", ["line 1: 1 unit from here on without a text to translate"]),
        ("<tu><tuv><seg>a</seg></tuv></tu>", ["line 1: 1 unit from here on without a text to translate"]),
    ],
)
def test_languages_are_named_only_where_there_are_others(units, said):
    content = HEADED % ("en", units)
    assert translated(content, "x.tmx", shout) == content
    assert problems(content, "x.tmx") == said


def test_the_language_that_units_name_is_said_to_be_missing():
    with pytest.raises(DataError, match=r"no texts in de but in en, fr; name one of these"):
        found(
            HEADED
            % (
                "*all*",
                '<tu srclang="de"><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="fr"><seg>b</seg></tuv></tu><tu/>',
            ),
            "x.tmx",
        )
