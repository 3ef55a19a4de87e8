"""Units: what is sent of a text, and what stays around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.formats.unit import Answered, code_problems, has_words, joined, mapped, without_edges, without_margins
from polyhead.inline.codes import Code, Marked

A, B = (
    (Code("<a>", 0, 0, "open", 1), Code("</a>", 0, 0, "close", 1)),
    (Code("<b>", 0, 0, "open", 2), Code("</b>", 0, 0, "close", 2)),
)
X = Code("<x/>", 0, 0)


@pytest.mark.parametrize(
    ("parts", "head", "middle", "tail"),
    [
        (["a"], "", "a", ""),
        ([" a "], " ", "a", " "),
        ([A[0], " a ", A[1], " "], "<a> ", "a", " </a> "),
        ([A[0], "a", A[1], " b"], "", "<a>a</a> b", ""),
        (["a ", A[0], "b", A[1]], "", "a <a>b</a>", ""),
        ([X, A[0], "a", A[1], X], "<x/><a>", "a", "</a><x/>"),
        ([A[0], B[0], "a", A[1], " b", B[1]], "", "<a><b>a</a> b</b>", ""),
        ([A[0], X, A[1], "a"], "<a><x/></a>", "a", ""),
        ([A[0], A[1]], "<a></a>", "", ""),
        ([("`ls`", "ls"), " a"], "", "`ls` a", ""),
        ([], "", "", ""),
        (["  "], "  ", "", ""),
    ],
)
def test_edges_stay_and_pairs_stay_together(parts, head, middle, tail):
    unit = without_edges(Marked.of(parts), 1)
    assert (unit.head.written(), unit.marked.written(), unit.tail.written()) == (head, middle, tail)


PARTS = st.sampled_from(["a", " ", "b c", *A, *B, X, ("`l`", "l")])


@given(st.lists(PARTS, max_size=10))
def test_head_text_and_tail_together_are_the_whole(parts):
    whole = Marked.of(parts)
    for divide in (without_edges, without_margins):
        unit = divide(whole, 1)
        together = joined(unit.head, unit.marked, unit.tail)
        assert (together.text, together.written()) == (whole.text, whole.written())
        assert [code.start for code in together.codes] == [code.start for code in whole.codes]
        assert Answered(unit, unit.marked).whole == together
        assert not Answered(unit, unit.marked).is_changed


@given(st.lists(PARTS, max_size=10))
def test_a_text_has_no_problems_as_its_own_translation(parts):
    whole = without_edges(Marked.of(parts), 1).marked
    assert code_problems(whole, whole) == ()
    assert mapped(whole, str) == whole


def test_only_letters_outside_of_codes_are_words():
    assert not has_words(Marked.of([("`ls`", "ls"), " 5 — ", X]))
    assert has_words(Marked.of([X, "가"]))


def test_deep_nesting_takes_no_time():
    pairs = [(Code("<a>", 0, 0, "open", i), Code("</a>", 0, 0, "close", i)) for i in range(20_000)]
    whole = Marked.of([*(first for first, _ in pairs), "a", *(last for _, last in reversed(pairs)), " b"])
    assert without_edges(whole, 1).marked == whole
    assert code_problems(whole, whole) == ()
