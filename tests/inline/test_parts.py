"""Codes of a text whose parts are translated one by one."""

from hypothesis import given
from hypothesis import strategies as st

from polyhead.inline.codes import Code
from polyhead.inline.find import find
from polyhead.inline.parts import is_cut, share


def shared(text: str, *parts: str) -> tuple[list[list[str]], list[list[str]]]:
    marked = find(text, ["tags", "printf"])
    places = [(marked.text.index(part), marked.text.index(part) + len(part)) for part in parts]
    within, between = share(marked.codes, places)
    return [names(codes) for codes in within], [names(codes) for codes in between]


def names(codes: list[Code]) -> list[str]:
    return [code.content for code in codes]


def test_what_is_around_a_whole_part_stays_outside() -> None:
    assert shared("<p>One two.</p> <p>Three.</p>", "One two.", "Three.") == (
        [[], []],
        [["<p>"], ["</p>", "<p>"], ["</p>"]],
    )


def test_what_is_around_a_part_of_a_part_is_within() -> None:
    assert shared("<b>One</b> two.", "One two.") == ([["<b>", "</b>"]], [[], []])
    assert shared("One <b>two</b>", "One two") == ([["<b>", "</b>"]], [[], []])


def test_a_pair_around_several_parts_stays_outside() -> None:
    assert shared("<p>One. Two.</p>", "One.", "Two.") == ([[], []], [["<p>"], [], ["</p>"]])


def test_an_end_belongs_to_what_it_ends_where_no_space_is_between() -> None:
    assert shared("他说<b>好。</b>走了。", "他说好。", "走了。") == ([["<b>", "</b>"], []], [[], [], []])


def test_what_the_model_reads_is_within_where_it_begins_a_part() -> None:
    assert shared("%s is here", "%s is here") == ([["%s"]], [[], []])


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 2)), max_size=8), st.lists(st.integers(0, 20), max_size=8))
def test_every_code_is_somewhere_once(codes: list[tuple[int, int]], edges: list[int]) -> None:
    marked = [Code(str(number), start, start + width) for number, (start, width) in enumerate(sorted(codes))]
    ordered = sorted(set(edges))
    parts = list(zip(ordered[::2], ordered[1::2], strict=False))
    within, between = share(marked, parts)
    assert sorted(code.content for codes_ in (*within, *between) for code in codes_) == sorted(
        code.content for code in marked
    )
    for (start, end), inside in zip(parts, within, strict=True):
        assert all(is_cut(code, parts) or start <= code.start <= code.end <= end for code in inside)
