"""A document through a translator: what is sent, what is checked, and what is said."""

import re

import pytest

from polyhead.formats.document import Source
from polyhead.formats.translating import translate_document
from polyhead.inline.codes import Code, Marked
from tests.formats.translators import Answer, complain, copy, problems, shout, translated


class Seen(list):
    """A translator that remembers what it was sent."""

    def __call__(self, texts):
        self.extend(texts)
        return shout(texts)


def test_placeholders_that_the_format_has_are_codes_for_the_translator_and_text_in_the_file():
    seen = Seen()
    assert translated('{"k": "a {x} & b"}', "x.json", seen) == '{"k": "A {x} & B"}'
    assert seen == [Marked("a {x} & b", (Code("{x}", 2, 5),))]
    assert translated("<p>a &lt; {x} <b>c</b></p>", "x.html", seen) == "<p>A &lt; {x} <b>C</b></p>"


def test_own_patterns_are_codes_in_every_format():
    own = (re.compile("ACME"),)
    assert translated("a ACME", "x.txt", shout, own=own) == "A ACME"
    assert translated("a {x}", "x.txt", shout) == "A {X}"


def test_a_lost_placeholder_is_said():
    lost = [Answer(Marked("b"))]
    assert problems('{"k": "a {x}"}', "x.json", lambda texts: lost) == ["line 1, k: {x} is missing"]
    assert translated('{"k": "a {x}"}', "x.json", lambda texts: lost) == '{"k": "a {x}"}'


@pytest.mark.parametrize(
    ("codes", "problem"),
    [
        ((), "<i> is missing"),
        ((Code("<i>", 0, 0, "open", 1),), "</i> is missing"),
        (
            (Code("<i>", 0, 0, "open", 1), Code("</i>", 0, 0, "close", 1), Code("</i>", 1, 1, "close", 1)),
            "</i> is there too often",
        ),
        ((Code("</i>", 0, 0, "close", 1), Code("<i>", 0, 0, "open", 1)), "its tags stand in the wrong order"),
        ((Code("<i>", 0, 0, "open", 1), Code("</i>", 9, 9, "close", 1)), "its tags stand in the wrong order"),
        ((Code("<b>", 0, 0, "open", 1), Code("</i>", 1, 1, "close", 1)), "<i> is missing"),
    ],
)
def test_codes_have_to_be_there_once_and_in_order(codes, problem):
    content = "<p>a <i>b</i> c</p>"
    found = problems(content, "x.html", lambda texts: [Answer(Marked("x", codes))])
    assert found[0] == f"line 1: {problem}"
    assert translated(content, "x.html", lambda texts: [Answer(Marked("x", codes))]) == content


def test_tags_that_were_nested_stay_nested():
    content = "<p>z <b>a <i>b</i></b> c</p>"
    crossed = [("<b>", "open", 2), ("<i>", "open", 1), ("</b>", "close", 2), ("</i>", "close", 1)]
    codes = tuple(Code(content, 0, 0, role, pair) for content, role, pair in crossed)
    assert problems(content, "x.html", lambda texts: [Answer(Marked("x", codes))]) == [
        "line 1: its tags stand in the wrong order"
    ]


def test_what_a_translator_raises_is_raised():
    def fail(texts):
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        translated("a", "x.txt", fail)


def test_too_few_answers_are_refused():
    with pytest.raises(ValueError, match="was given 2 texts and gave back 1"):
        translated("a\nb", "x.txt", lambda texts: copy(texts)[:1])


def test_units_are_counted_and_problems_are_in_order():
    content = b'{"f": "{n, plural, one {a} other {b}}",\n"k": "c",\n"l": "d"}'
    result = translate_document(
        Source(content, "x.json", "ko"), lambda texts: [Answer(text, ("no",)) for text in texts]
    )
    assert result.units == 2
    assert [problem.line for problem in result.problems] == [1, 2, 3]
    assert result.content == content


def test_a_file_without_anything_to_translate_needs_no_translator():
    assert translated("5\n", "x.txt", None) == "5\n"


@pytest.mark.parametrize("name", ["x.json", "x.yaml"])
def test_what_is_said_about_half_of_a_surrogate_pair_can_be_written(name):
    content = '{"k\\ud800": "{n, plural, one {a} other {b}}", "l\\ud800": "c d"}'
    assert [said.encode().decode() for said in problems(content, name, complain)] == [
        "line 1: k\ufffd is a choice of several texts (ICU) and was left as it is",
        "line 1, l\ufffd: the number 5 is missing",
    ]
