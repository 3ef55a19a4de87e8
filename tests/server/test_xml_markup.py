"""XML whose tags stay."""

from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.server.markup import fill, texts
from polyhead.server.xml_markup import split_xml


def shout(document, *ignored):
    nodes = split_xml(document, frozenset(ignored))
    return fill(nodes, [text.upper() for text in texts(nodes)])


@pytest.mark.parametrize(
    ("document", "translated"),
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
    ],
)
def test_tags_stay_and_text_is_translated(document, translated):
    assert shout(document) == translated


@pytest.mark.parametrize(
    ("document", "translated"),
    [
        ("<x>a</x>b", "<x>a</x>B"),
        ("<x>a<y>b</y><x>c</x>d</x>e", "<x>a<y>b</y><x>c</x>d</x>E"),
        ("<x/>a", "<x/>A"),
        ("<x>&#97;</x>a", "<x>&#97;</x>A"),
        ("<x>a<y>b</x>c", "<x>a<y>b</x>C"),
        ("</x>a<x>b", "</x>A<x>b"),
        ("<X>a</X>", "<X>A</X>"),
    ],
)
def test_ignored_elements_stay_whole(document, translated):
    assert shout(document, "x") == translated


@given(st.text(alphabet="<>/ab &;!-\"'=[]?CDAT\n", max_size=40))
def test_nothing_is_lost_and_what_was_written_is_read_back(document):
    nodes = split_xml(document)
    assert unescape("".join(node.content for node in nodes)) in (unescape(document), unescape(unescape(document)))
    written = fill(nodes, texts(nodes))
    again = split_xml(written)
    assert fill(again, texts(again)) == written
    assert texts(again) == texts(nodes)


def test_rubbish_costs_no_more_than_text():
    for rubbish in ("<a '\"", "<!--", "<a ", "<![CDATA[", "<a \"'"):
        assert sum(len(node.content) for node in split_xml(rubbish * 50_000)) == 50_000 * len(rubbish)
