"""Where codes go in a translation."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polyhead.inline.codes import Code, Marked
from polyhead.inline.find import find
from polyhead.inline.placing import place, units


def aligned(target: str, source: str, pairs: dict[str, str]) -> np.ndarray:
    """Weights by which each named unit of the target was read from a unit of the source, all others from nowhere."""
    read = [source[slice(*span)] for span in units(source)]
    written = [target[slice(*span)] for span in units(target)]
    weights = np.full((len(written), len(read)), 1 / max(1, len(read)) / 10, np.float32)
    for ours, theirs in pairs.items():
        weights[written.index(ours), read.index(theirs)] = 1
    return weights


def placed(source: str, target: str, pairs: dict[str, str]) -> str:
    marked = find(source, ["tags"])
    return place(marked, target, aligned(target, marked.text, pairs)).written()


def test_a_pair_follows_the_words_that_it_surrounds() -> None:
    source = "The <b>black cat</b> drinks <i>water</i>."
    pairs = {"Wasser": "water", "trinkt": "drinks", "die": "The", "schwarze": "black", "Katze": "cat", ".": "."}
    said = placed(source, "Wasser trinkt die schwarze Katze.", pairs)
    assert said == "<i>Wasser</i> trinkt die <b>schwarze Katze</b>."


def test_pairs_stay_nested() -> None:
    source = "<i>the <b>cat</b> drinks</i> water"
    pairs = {"Wasser": "water", "trinkt": "drinks", "die": "the", "Katze": "cat"}
    assert placed(source, "Wasser trinkt die Katze", pairs) == "Wasser <i>trinkt die <b>Katze</b></i>"


def test_a_code_alone_stays_with_what_it_touches() -> None:
    pairs = {"Katze": "cat", "Hund": "dog", "und": "and"}
    assert placed("cat<img> and dog", "Hund und Katze", pairs) == "Hund und Katze<img>"
    assert placed("cat and <img>dog", "Hund und Katze", pairs) == "<img>Hund und Katze"


def test_a_code_before_the_end_of_a_sentence_stays_before_it() -> None:
    pairs = {"Katze": "cat", ".": "see"}
    assert placed("cat see<img>.", "Katze sieht.", pairs) == "Katze sieht<img>."


def test_characters_are_units_where_words_are_not_apart() -> None:
    pairs = {"猫": "cat", "水": "water", "喝": "drinks"}
    assert placed("the <b>cat</b> drinks water", "猫喝水", pairs) == "<b>猫</b>喝水"


TEXT = st.text("ab .고양猫'-\n", max_size=12)


@st.composite
def marked(draw: st.DrawFn) -> Marked:
    parts: list[str | Code] = [draw(TEXT)]
    waiting: list[int] = []
    for number in range(draw(st.integers(0, 8))):
        role = draw(st.sampled_from(["open", "close", "alone", "lost"]))
        if role == "open":
            waiting.append(number)
            parts.append(Code(f"<{number}>", 0, 0, "open", number))
        elif role == "close" and waiting:
            pair = waiting.pop(draw(st.integers(0, len(waiting) - 1)))
            parts.append(Code(f"</{pair}>", 0, 0, "close", pair))
        else:
            parts.append(Code(f"[{number}]", 0, 0, "close" if role == "lost" else "alone", None))
        parts.append(draw(TEXT))
    return Marked.of(parts)


@settings(max_examples=400)
@given(marked(), TEXT, st.data())
def test_every_code_comes_back_once_and_pairs_stay_nested(source: Marked, target: str, data: st.DataObject) -> None:
    shape = len(units(target)), len(units(source.text))
    weights = data.draw(arrays(np.float32, shape, elements=st.floats(0, 1, width=32)))
    found = place(source, target, weights)
    assert found.text == target
    assert sorted(code.content for code in found.codes) == sorted(code.content for code in source.codes)
    assert "".join(part for part in found.parts() if isinstance(part, str)) == target
    places = [code.start for code in found.codes]
    assert places == sorted(places)
    assert all(code.start == code.end <= len(target) for code in found.codes)
    order = [code.content for code in found.codes]
    for outer in source.codes:
        if outer.role == "open" and f"</{outer.pair}>" in order:
            assert order.index(outer.content) < order.index(f"</{outer.pair}>")
    _assert_nested(source, found)


def _assert_nested(source: Marked, found: Marked) -> None:
    """Pairs that do not cross in the source do not cross in the translation."""

    def spans(text: Marked) -> dict[int, tuple[int, int]]:
        starts = {code.pair: place for place, code in enumerate(text.codes) if code.role == "open"}
        ends = {code.pair: place for place, code in enumerate(text.codes) if code.role == "close"}
        return {pair: (starts[pair], ends[pair]) for pair in starts if pair in ends and pair is not None}

    def cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
        return one[0] < other[0] < one[1] < other[1] or other[0] < one[0] < other[1] < one[1]

    before, after = spans(source), spans(found)
    crossed = {pair for pair in before for other in before if cross(before[pair], before[other])}
    whole = [pair for pair in before if pair not in crossed]
    assert not any(cross(after[one], after[other]) for one in whole for other in whole)


def test_a_copy_with_its_own_words_puts_codes_where_they_were() -> None:
    source = find("<em>The <b>cat</b>, the <i>dog <u>and</u> I</i> go.</em>", ["tags"])
    weights = np.eye(len(units(source.text)), dtype=np.float32)
    assert place(source, source.text, weights) == source


def test_pairs_nested_without_end_are_placed_somehow() -> None:
    source = find("<b>" * 5000 + "cat" + "</b>" * 5000, ["tags"])
    found = place(source, "Katze", np.ones((1, 1), np.float32))
    assert sorted(code.content for code in found.codes) == sorted(code.content for code in source.codes)
