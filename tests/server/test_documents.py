"""Documents in translation, with their alternatives."""

from polyhead.server.documents import Document
from polyhead.translating.translation import Translation


def translation(*ranked):
    each = [Translation(text, -1.0, -1.0, (), ()) for text in ranked]
    return Translation(ranked[0], -1.0, -1.0, (), (), alternatives=tuple(each) if len(each) > 1 else ())


def test_plain_text_is_taken_as_it_is():
    document = Document.of(" a <b> ", "text")
    assert document.texts == (" a <b> ",)
    assert document.filled(iter([translation("x", "y", "z")]), 2) == ["x", "y", "z"]
    assert document.filled(iter([translation("x")]), 2) == ["x"]


def test_a_document_takes_as_many_translations_as_it_has_texts():
    first, second = Document.of("<p>a</p><p>b</p>", "html"), Document.of("<i>c</i>", "html")
    translations = iter([translation("1", "2"), translation("3", "4"), translation("5", "6")])
    assert first.filled(translations, 1) == ["<p>1</p><p>3</p>", "<p>2</p><p>4</p>"]
    assert second.filled(translations, 1) == ["<i>5</i>", "<i>6</i>"]


def test_a_document_without_text_stays():
    assert Document.of("<br>", "html").filled(iter([]), 3) == ["<br>"] * 4
