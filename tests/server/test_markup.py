"""HTML: text nodes are translated, all else stays."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.server.markup import fill, split, texts


def shout(document):
    nodes = split(document)
    return fill(nodes, [text.upper() for text in texts(nodes)])


@pytest.mark.parametrize(
    ("document", "translated"),
    [
        ("a dog", "A DOG"),
        ("<p>a dog <b>runs</b>.</p>", "<p>A DOG <b>RUNS</b>.</p>"),
        ('<a href="x?a=1&amp;b=2" class=k>here</a>', '<a href="x?a=1&amp;b=2" class=k>HERE</a>'),
        ("tea &amp; milk &lt;3", "TEA &amp; MILK &lt;3"),
        ("a<br/>b<br>c", "A<br/>B<br>C"),
        ("<!DOCTYPE html><!-- note --><p>a</p>", "<!DOCTYPE html><!-- note --><p>A</p>"),
        ("<script>if (a < b) run('x')</script>a", "<script>if (a < b) run('x')</script>A"),
        ("<style>p > a {}</style>", "<style>p > a {}</style>"),
        ("<code>x &lt; y</code> is <pre>a\n b</pre>", "<code>x &lt; y</code> IS <pre>a\n b</pre>"),
        ('<p translate="no">a <b>b</b> c</p> d', '<p translate="no">a <b>b</b> c</p> D'),
        ('<p translate="no">a <br> b</p> d', '<p translate="no">a <br> b</p> D'),
        ("  \n <p> a </p>\t", "  \n <p> A </p>\t"),
        ("a < b and a > c", "A &lt; B AND A &gt; C"),
        ("<p>never closed", "<p>NEVER CLOSED"),
        ("closed</p>", "CLOSED</p>"),
        ("&eacute;&#44032;", "É가"),
        ("", ""),
    ],
)
def test_tags_stay_and_text_is_translated(document, translated):
    assert shout(document) == translated


def test_a_translation_cannot_write_markup():
    nodes = split("<p>a</p>")
    assert fill(nodes, ["<script>alert(1)</script>"]) == "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"


@given(st.text(alphabet="<>/ab &;!-\"'=", max_size=30))
def test_whatever_comes_something_sensible_is_written(document):
    nodes = split(document)
    written = fill(nodes, texts(nodes))
    again = split(written)
    assert texts(again) == texts(nodes), "what was written is read back the same"
    assert fill(again, texts(again)) == written


@given(st.text(max_size=40))
def test_escaped_text_is_text(text):
    nodes = split(html.escape(text, quote=False))
    assert "".join(node.content for node in nodes) == text
