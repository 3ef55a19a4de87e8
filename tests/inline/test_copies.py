"""Numbers and addresses that have to come back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.inline.copies import addresses, differing_numbers


def differing(source: str, target: str) -> tuple[list[str], list[str]]:
    missing, extra = differing_numbers(source, target)
    return [source[slice(*span)] for span in missing], [target[slice(*span)] for span in extra]


@pytest.mark.parametrize(
    ("source", "target", "missing", "extra"),
    [
        ("In 2018 he had 1,000.5 euros", "2016 hatte er 1.000,5 Euro", ["2018"], ["2016"]),
        ("3 cats", "4 Katzen", ["3"], ["4"]),
        ("99 men", "neunundneunzig Männer", ["99"], []),
        ("pay 12 and 12", "zahle 12", [], []),
        ("pay 15 and 15", "zahle 15", ["15"], []),
    ],
)
def test_a_wrong_number_is_found(source: str, target: str, missing: list[str], extra: list[str]) -> None:
    assert differing(source, target) == (missing, extra)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("on 03.05.2018", "am 2018-5-3"),
        ("2nd of May", "zweiter Mai"),
        ("at 3 pm", "um 15 Uhr"),
        ("15,000 won", "1만 5천 원"),
        ("10 000 people", "10.000 Leute"),
        ("٣٥ books", "35 Bücher"),
        ("no number", "um 7"),
        ("see http://a.b/2018", "siehe"),
    ],
)
def test_another_way_of_writing_is_none(source: str, target: str) -> None:
    assert differing(source, target) == ([], [])


@given(st.text("a 1.,:-年'", max_size=40))
def test_a_text_has_its_own_numbers(text: str) -> None:
    assert differing(text, text) == ([], [])


def test_addresses() -> None:
    text = "See https://a.example/c?x=1, www.b.example. Write to a.b@c.example; read file-1.txt, not e.g. this.that!"
    found = [text[slice(*span)] for span in addresses(text)]
    assert found == ["https://a.example/c?x=1", "www.b.example", "a.b@c.example", "file-1.txt"]
