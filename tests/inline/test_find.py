"""Codes that are found by how they look."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.errors import PolyheadError
from polyhead.inline.codes import Code, Marked
from polyhead.inline.find import find, find_more, pattern
from tests.growth import grows_like_its_input

KINDS = ("tags", "entities", "printf", "braces", "escapes")


def contents(text: str) -> list[str]:
    return [code.content for code in find(text, KINDS).codes]


@given(st.text(st.sampled_from("ab <>/&;%sd{}$()\\n1'\"=-!"), max_size=60))
def test_nothing_is_lost(text: str) -> None:
    assert find(text, KINDS).written() == text


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("%d of %1$s in %(name)s, %-5.2f %ld %@", ["%d", "%1$s", "%(name)s", "%-5.2f", "%ld", "%@"]),
        ("100% sure, 50% off, 50%off", []),
        ("%dpx and %%", ["%d", "%%"]),
        ("%A, %d %B %Y at %-I:%M %p, 3%m, %more", ["%A", "%d", "%B", "%Y", "%-I", "%M", "%p"]),
        ("{0} {name} {{user}} ${x} $(y) {}", ["{0}", "{name}", "{{user}}", "${x}", "$(y)", "{}"]),
        ('<b class="x > y">&amp;</b>&#160;<br/>', ['<b class="x > y">', "&amp;", "</b>", "&#160;", "<br/>"]),
        ("a < b and c > d & e; R&D", []),
        (r"one\ntwo \"three\"", [r"\n", r"\"", r"\""]),
        ("<!-- a <b> --> c", ["<!-- a <b> -->"]),
    ],
)
def test_what_is_found(text: str, found: list[str]) -> None:
    assert contents(text) == found


def test_tags_are_paired_as_they_are_nested() -> None:
    codes = find("<i>a <u>b</i> <br>c</i> <b>d</b>", KINDS).codes
    assert [(code.content, code.role, code.pair) for code in codes] == [
        ("<i>", "open", 0),
        ("<u>", "alone", None),
        ("</i>", "close", 0),
        ("<br>", "alone", None),
        ("</i>", "alone", None),
        ("<b>", "open", 1),
        ("</b>", "close", 1),
    ]


def test_the_model_reads_what_entities_and_escapes_stand_for_and_nothing_of_tags() -> None:
    assert find(r"<b>Q&amp;A</b>\nyes {x}", KINDS).text == "Q&A\nyes {x}"


def test_the_model_reads_a_line_break_where_a_tag_is_one() -> None:
    assert find("<b>One.<br/>Two.</b><BR>three", KINDS).text == "One.\nTwo.\nthree"
    assert find("<ul><li>one</li><li>a <i>b</i></li></ul><line>c", KINDS).text == "\n\none\n\na b\n\nc"


def test_a_users_own_pattern_goes_first() -> None:
    marked = find("see [[%s]] and %s", ["printf"], [pattern(r"\[\[.*?\]\]")])
    assert [code.content for code in marked.codes] == ["[[%s]]", "%s"]


@pytest.mark.parametrize("wrong", ["(", "a*"])
def test_a_pattern_that_finds_nothing_is_refused(wrong: str) -> None:
    with pytest.raises(PolyheadError, match="the pattern"):
        pattern(wrong)


def test_codes_that_are_there_already_stay_and_keep_their_numbers() -> None:
    given_ = Marked.of(["a ", Code("<1>", 0, 0, "open", 4), "<b>%s</b>", Code("</1>", 0, 0, "close", 4), ("{x}", "x")])
    found = find_more(given_, KINDS)
    assert found.written() == "a <1><b>%s</b></1>{x}"
    assert [(code.content, code.pair) for code in found.codes] == [
        ("<1>", 4),
        ("<b>", 5),
        ("%s", None),
        ("</b>", 5),
        ("</1>", 4),
        ("{x}", None),
    ]


@pytest.mark.parametrize("part", ["<!--", "<a ", "{", "%(", "&", "\\", "<a x='", "%-", "%0", "<b>", "<b></i>", " "])
def test_a_hostile_text_takes_no_long_time(part: str) -> None:
    assert grows_like_its_input(lambda parts: find("<a" + part * parts, KINDS), 5_000)
