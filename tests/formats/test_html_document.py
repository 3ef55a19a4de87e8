"""HTML: text is translated by block with its tags as codes, and all else stays byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.formats.html_document import read_html_text
from polyhead.formats.markup_tokens import tokens
from polyhead.formats.unit import Answered
from tests.formats.translators import complain, copy, found, lose_codes, problems, say, shout, shuffle, translated

PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>The cat</title>
<meta name="description" content="About a cat"><style>p > a {}</style></head>
<body>
  <h1>A cat &amp; a dog</h1>
  <p>The <b>cat</b>
     drinks <a href="x?a=1&amp;b=2" title="Fresh water">water</a>.<br>The dog sleeps.
  <ul><li>one<li translate=no>two</ul>
  <img src=cat.png alt="a cat">
  <!-- kept --><script>if (a < b) run('x')</script>
</body>
</html>
"""

SHOUTED = [
    ("a dog", "A DOG"),
    ("<p>a dog <b>runs</b>.</p>", "<p>A DOG <b>RUNS</b>.</p>"),
    ('<a href="x?a=1&amp;b=2" class=k>here</a>', '<a href="x?a=1&amp;b=2" class=k>HERE</a>'),
    ("tea &amp; milk &lt;3", "TEA &amp; MILK &lt;3"),
    ("a<br/>b<br>c", "A<br/>B<br>C"),
    ("<!DOCTYPE html><!-- note --><p>a</p>", "<!DOCTYPE html><!-- note --><p>A</p>"),
    ("<script>if (a < b) run('x')</script>a", "<script>if (a < b) run('x')</script>A"),
    ("<style>p > a {}</style>", "<style>p > a {}</style>"),
    ("<script>'<b translate=yes>a</b>'</script >b", "<script>'<b translate=yes>a</b>'</script >B"),
    ("<code>x &lt; y</code> is <pre>a\n b</pre>", "<code>x &lt; y</code> IS <pre>a\n b</pre>"),
    ("<pre translate=yes>a\n   b</pre>", "<pre translate=yes>A\n   B</pre>"),
    ('<p translate="no">a <b>b</b> c</p> d', '<p translate="no">a <b>b</b> c</p> D'),
    ('<p translate="no">a <br> b</p> d', '<p translate="no">a <br> b</p> D'),
    ('<p translate="no">a<p>b', '<p translate="no">a<p>B'),
    ("<P class='x notranslate'>a</P> d", "<P class='x notranslate'>a</P> D"),
    ("<div translate=no>a <p translate=YES>b</p> c</div>", "<div translate=no>a <p translate=YES>B</p> c</div>"),
    (
        "by <span translate=no>ACME <b translate=yes>fine</b> Inc</span>",
        "BY <span translate=no>ACME <b translate=yes>FINE</b> Inc</span>",
    ),
    ("<p>a <![CDATA[ b ]]> c</p>", "<p>A <![CDATA[ b ]]> C</p>"),
    ("  \n <p> a </p>\t", "  \n <p> A </p>\t"),
    ("a < b and a > c", "A &lt; B AND A &gt; C"),
    ("<p>never closed", "<p>NEVER CLOSED"),
    ("closed</p>", "CLOSED</p>"),
    ("a</><b", "A</><b"),
    ("<ul><li translate=no>a<li>b</ul>c", "<ul><li translate=no>a<li>B</ul>C"),
    ("&eacute;&#44032;", "É가"),
    ("tea&nbsp;time", "TEA&nbsp;TIME"),
    ("<textarea><p>a</textarea>b", "<textarea><p>a</textarea>B"),
    ('<img alt="a &quot;b&quot;" src=x>', '<img alt="A &#34;B&#34;" src=x>'),
    ("<img alt=a>", '<img alt="A">'),
    ("see <img alt='it' src=x> here", "SEE <img alt='IT' src=x> HERE"),
    ("<input type=submit value=go><input value=go>", '<input type=submit value="GO"><input value=go>'),
    ("<meta name=description content=cats><meta content=x>", '<meta name=description content="CATS"><meta content=x>'),
    ("<p title='an x' translate=no>a</p>", "<p title='an x' translate=no>a</p>"),
    ("", ""),
    ("<p>5 &mdash; 7</p>", "<p>5 &mdash; 7</p>"),
]


@pytest.mark.parametrize(("document", "expected"), SHOUTED)
def test_text_is_translated_and_all_else_stays(document, expected):
    assert translated(document, "x.html", shout) == expected


@pytest.mark.parametrize("document", [PAGE, *(document for document, _ in SHOUTED)])
def test_a_copying_translator_gives_the_document_back(document):
    assert translated(document, "x.html", copy) == document


@pytest.mark.parametrize(
    ("document", "texts"),
    [
        ("<p>The cat drinks<br>\nwater in the <b>house</b>.</p>", ["The cat drinks water in the house."]),
        ("<p>roses are red,<br/><i>violets</i> are blue</p>", ["roses are red, violets are blue"]),
        ("<address>12 Main Street<br>Springfield<br>USA</address>", ["12 Main Street", "Springfield", "USA"]),
        ("<p>One.<br><br>two <b>dogs</b><br>", ["One.", "two dogs"]),
        ("a <br><br> b", ["a", "b"]),
        ("<p>Dear John,<br>Thank you.<br>", ["Dear John,", "Thank you."]),
        ("<p>고양이가<br>물을 마신다", ["고양이가", "물을 마신다"]),
    ],
)
def test_a_sentence_goes_on_behind_a_line_break_only_where_it_has_no_end_and_a_small_letter_follows(document, texts):
    assert [unit.marked.text.strip() for unit in found(document, "x.html")] == [text.strip() for text in texts]


def test_a_line_break_comes_back_within_its_sentence():
    assert translated("<p>the cat<br>drinks<br />\n tea</p>", "x.html", shout) == "<p>THE CAT<br>DRINKS<br />TEA</p>"


def test_attributes_that_people_read_are_translated_whatever_becomes_of_the_content():
    page = "<textarea placeholder='a'>b</textarea><iframe title='a'></iframe><option label='a'>b</option><th abbr='a'>"
    page += "<track label='a'><textarea translate=no placeholder='a'></textarea>"
    expected = page.replace("'a'", "'A'").replace("b</option", "B</option")
    expected = expected.replace("no placeholder='A'", "no placeholder='a'")
    assert translated(page, "x.html", shout) == expected


def test_a_block_is_one_text_with_its_tags_as_pairs():
    unit = next(unit for unit in found(PAGE, "x.html") if "drinks" in unit.marked.text)
    assert unit.marked.text == "The cat drinks water."
    assert [(code.role, code.pair) for code in unit.marked.codes] == [
        ("open", 1),
        ("close", 1),
        ("open", 2),
        ("close", 2),
    ]
    assert unit.line == 7


def test_tags_around_a_whole_text_are_not_sent():
    (unit,) = found("<p><b> <i>a dog</i> </b><br></p>", "x.html")
    assert (unit.marked.text, unit.marked.codes) == ("a dog", ())


def test_protected_text_within_a_sentence_is_shown_to_the_model():
    (unit,) = found("use <code>ls  -l</code> here", "x.html")
    (code,) = unit.marked.codes
    assert unit.marked.text == "use ls -l here"
    assert (unit.marked.text[code.start : code.end], code.content) == ("ls -l", "<code>ls  -l</code>")


def test_a_translation_cannot_write_markup():
    document = '<p>a</p><img alt="b">'
    written = translated(document, "x.html", say('"><script>alert(1)</script>'))
    assert written == (
        '<p>"&gt;&lt;script&gt;alert(1)&lt;/script&gt;</p><img alt="&#34;&gt;&lt;script&gt;alert(1)&lt;/script&gt;">'
    )


def test_a_text_that_lost_a_tag_stays_in_its_own_language_and_is_named():
    document = "<p>a</p>\n<p>The <b>cat</b> sleeps</p>"
    assert translated(document, "x.html", lose_codes) == "<p>A</p>\n<p>The <b>cat</b> sleeps</p>"
    assert problems(document, "x.html", lose_codes) == ["line 2: <b> is missing", "line 2: </b> is missing"]


def test_what_a_translator_complains_of_is_named_and_not_shipped():
    assert translated("<p>a 5</p>", "x.html", complain) == "<p>a 5</p>"
    assert problems("<p>a 5</p>", "x.html", complain) == ["line 1: the number 5 is missing"]


def test_the_encoding_that_a_page_declares_is_kept():
    page = "<meta charset='euc-kr'><p>고양이 a".encode("euc-kr")
    assert translated(page, "x.html", shout) == "<meta charset='euc-kr'><p>고양이 A".encode("euc-kr")
    assert translated(page, "x.html", say("é각")) == b"<meta charset='euc-kr'><p>&#233;" + "각".encode("euc-kr")


def test_unclosed_tags_take_no_time():
    document = "<a " * 50_000 + "<b x='" * 50_000 + "<!--" * 50_000
    assert translated(document, "x.html", shout) == document


@given(st.text(alphabet="<>/ab &;!-\"'=[]Cp\n?", max_size=40))
def test_pieces_together_are_the_document(document):
    assert "".join(token.raw for token in tokens(document)) == document
    assert translated(document, "x.html", copy) == document


FRAGMENTS = [
    "<p>",
    "</p>",
    "<b>",
    "</b>",
    "<i title='an x'>",
    "</i>",
    "<code>",
    "</code>",
    "<br>",
    " ",
    "\n",
    "word",
    "&amp;",
    "<",
]
FRAGMENTS += ["<div translate=no>", "</div>", "<b translate=yes>", "<!-- c -->", "<img alt=it>", "<pre>", "</pre>", "5"]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=20), st.integers(0, 1000))
def test_tags_come_back_once_whatever_the_translator_does(fragments, seed):
    document = "".join(fragments)
    assert translated(document, "x.html", copy) == document
    written = translated(document, "x.html", shuffle(seed))
    expected = sorted(token.name for token in tokens(document) if token.kind in ("start", "end"))
    assert sorted(token.name for token in tokens(written) if token.kind in ("start", "end")) == expected


def test_a_string_can_be_filled_several_times():
    document = read_html_text("<p>a</p>")
    units = document.units
    assert [document.filled([Answered(units[0], type(units[0].marked)(text))]) for text in "xy"] == [
        "<p>x</p>",
        "<p>y</p>",
    ]


@pytest.mark.parametrize(
    "document", ["<i>" * 20_000 + "a" + "</b>" * 20_000, "<i>" * 20_000 + "a" + "</i>" * 20_000 + "b"]
)
def test_deep_nesting_takes_no_time(document):
    assert translated(document, "x.html", shout) == document.replace(">a<", ">A<").replace(">b", ">B")
