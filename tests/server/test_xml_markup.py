"""XML whose tags come back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.formats.translating import checked, to_send
from polyhead.server.xml_markup import TagNames, read_xml_text
from tests.formats.translators import copy, shout
from tests.growth import grows_like_its_input

NONE = TagNames()


def translated(document, names=NONE, translate=shout):
    spliced = read_xml_text(document, names)
    texts = to_send(spliced.units, ())
    return spliced.filled(checked(spliced.units, texts, translate(texts)))


def sent(document, names=NONE):
    return [unit.marked.text for unit in read_xml_text(document, names).units]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("a", "A"),
        ("<Seg>a</Seg>", "<Seg>A</Seg>"),
        ('<x id="a > b" y=\'"\'/>a<x/>', '<x id="a > b" y=\'"\'/>A<x/>'),
        ("a &amp; b &lt;c&gt; &#65;", "A &amp; B &lt;C&gt; A"),
        ("<!-- a > b --><a>b</a>", "<!-- a > b --><a>B</a>"),
        ("<?xml version='1.0'?>a<![CDATA[<b>]]>", "<?xml version='1.0'?>A<![CDATA[<b>]]>"),
        ("a < b", "A &lt; B"),
        ("a <b", "A &lt;B"),
        ('a <b c="', 'A &lt;B C="'),
        ("5 &#160; <b/> -", "5 &#160; <b/> -"),
        (" a\n<b>\tc </b>", " A\n<b>\tC </b>"),
        ("<한 글='값'>가a</한>", "<한 글='값'>가A</한>"),
        ("a<!-- b", "A&lt;!-- B"),
        ("<p>a</i></p></p><b>c", "<p>A</i></p></p><b>C"),
    ],
)
def test_tags_stay_and_text_is_translated(document, expected):
    assert translated(document) == expected


def test_a_sentence_goes_on_through_tags_that_stand_in_text():
    assert sent("<p>The <b>cat</b> drinks<br/> water.</p>") == ["The cat drinks water."]
    assert sent("<p>One.</p><p>Two <i>dogs</i>.</p>\n<p>Three.</p>") == ["One.", "Two dogs.", "Three."]
    assert sent("<ul><li>a</li> <li>b</li></ul>") == ["a", "b"]
    assert sent("a <note>b</note> c", TagNames(splitting={"note"})) == ["a", "b", "c"]
    assert sent("<r><s>a </s><s>b</s></r>", TagNames(joining={"s"})) == ["a b"]


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("<x>a</x>b", "<x>a</x>B"),
        ("<x>a<y>b</y><x>c</x>d</x>e", "<x>a<y>b</y><x>c</x>d</x>E"),
        ("<x/>a", "<x/>A"),
        ("<x>&#97;</x>a", "<x>&#97;</x>A"),
        ("<x>a<y>b</x>c", "<x>a<y>b</x>C"),
        ("</x>a<x>b", "</x>A<x>B"),
        ("<X>a</X>", "<X>A</X>"),
        ("<p><x>a</x></p>", "<p><x>a</x></p>"),
        (f"<x>{'a' * 200}</x> b", f"<x>{'a' * 200}</x> B"),
    ],
)
def test_ignored_elements_stay_whole(document, expected):
    assert translated(document, TagNames(ignored={"x"})) == expected


@given(st.text(alphabet="<>/ab &;!-\"'=[]?CDAT\n", max_size=40))
def test_what_is_copied_is_what_was_sent(document):
    names = TagNames(ignored={"a"}, splitting={"b"})
    assert translated(document, names, copy) == document
    again = translated(translated(document), NONE, copy)
    assert again == translated(document)


@pytest.mark.parametrize(
    "rubbish",
    [
        "<a '\"",
        "<a='\"",
        "<!--",
        "<a ",
        "<![CDATA[",
        "<a=\"'",
        "<a>",
        "</b>",
        "<a>b</c>",
        "<a><b></a>",
        "a<x>",
    ],
)
def test_rubbish_costs_no_more_than_text(rubbish):
    assert translated(rubbish * 1_000, TagNames(ignored={"x"}), copy) == rubbish * 1_000
    assert grows_like_its_input(lambda count: translated(rubbish * count, TagNames(ignored={"x"}), copy), 5_000)
