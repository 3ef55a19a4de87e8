"""Documents in translation, with their alternatives."""

from polyhead.inline.codes import Marked
from polyhead.server.documents import Document
from polyhead.server.xml_markup import TagNames
from polyhead.translating.translation import Translation


def translation(*ranked, codes=()):
    each = [Translation(text, -1.0, -1.0, (), (), codes=tuple(codes)) for text in ranked]
    alternatives = tuple(each) if len(each) > 1 else ()
    return Translation(ranked[0], -1.0, -1.0, (), (), alternatives=alternatives, codes=tuple(codes))


def test_plain_text_is_taken_as_it_is():
    document = Document.of(" a <b>\n c ", "text")
    assert document.texts == (" a <b>\n c ",)
    assert document.filled(iter([translation("x", "y", "z")]), 2) == ["x", "y", "z"]
    assert document.filled(iter([translation("x")]), 2) == ["x"]


def test_lines_are_joined_where_that_is_asked_for():
    assert Document.of("a\nb \r\n c\n\nd\n", "text", joined=True).texts == ("a b c\n\nd\n",)


def test_a_document_takes_as_many_translations_as_it_has_texts():
    first, second = Document.of("<p>a</p><p>b</p>", "html"), Document.of("<p>c</p>", "html")
    translations = iter([translation("1", "2"), translation("3", "4"), translation("5", "6")])
    assert first.filled(translations, 1) == ["<p>1</p><p>3</p>", "<p>2</p><p>4</p>"]
    assert second.filled(translations, 1) == ["<p>5</p>", "<p>6</p>"]


def test_a_document_without_text_stays():
    assert Document.of("<br>", "html").filled(iter([]), 3) == ["<br>"] * 4


def test_a_sentence_is_one_text_with_its_tags_as_codes():
    for form in ("html", "xml"):
        document = Document.of("<p>The <b>cat</b> drinks.</p>", form)
        (marked,) = document.texts
        assert isinstance(marked, Marked)
        assert (marked.text, [code.content for code in marked.codes]) == ("The cat drinks.", ["<b>", "</b>"])
        found = translation("LE CHAT BOIT.", codes=[code.moved(-1) for code in marked.codes])
        assert document.filled(iter([found]), 0) == ["<p>LE <b>CHA</b>T BOIT.</p>"]


def test_a_text_whose_tags_are_lost_stays_as_it_was():
    document = Document.of("<p>The <b>cat</b> drinks.</p>", "html")
    assert document.filled(iter([translation("Le chat boit.")]), 0) == ["<p>The <b>cat</b> drinks.</p>"]


def test_a_client_names_what_is_not_translated():
    names = TagNames(ignored=frozenset({"x"}))
    for form in ("html", "xml"):
        assert Document.of("<x>a</x>", form, names).texts == ()
