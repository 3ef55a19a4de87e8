"""Texts made of the held-out sentences."""

from types import SimpleNamespace
from typing import Any

from polyhead.demo.grammar import Example
from polyhead.demo.texts import in_capitals, paragraphs, score_texts, with_codes

EXAMPLES = [
    Example(f"the cat is on the mat {number}", f"le chat est sur le tapis {number}", "fr") for number in range(7)
]


RIGHT = {
    "the cat is on the mat": "le chat est sur le tapis",
    "THE CAT IS ON THE MAT": "LE CHAT EST SUR LE TAPIS",
}


class Copies:
    """A translator that turns some words into others."""

    def __init__(self, words: dict[str, str]) -> None:
        self.words = words

    def translate(self, texts: list[Any], target_language: str) -> list[Any]:
        def of(text: str) -> str:
            for ours, theirs in self.words.items():
                text = text.replace(ours, theirs)
            return text

        return [
            SimpleNamespace(text=of(text), marked=None)
            if isinstance(text, str)
            else SimpleNamespace(marked=SimpleNamespace(written=lambda text=text: of(text.written())))
            for text in texts
        ]


def test_paragraphs_are_whole_and_nothing_else() -> None:
    found = paragraphs(EXAMPLES)
    assert [each.source.count(".") for each in found] == [3, 3]
    assert found[0].source.startswith("the cat is on the mat 0. the cat is on the mat 1. the cat")
    assert found[1].target.endswith(" le chat est sur le tapis 5.")


def test_capitals_and_codes() -> None:
    assert in_capitals(EXAMPLES[0]) == Example("THE CAT IS ON THE MAT 0", "LE CHAT EST SUR LE TAPIS 0", "fr")
    assert with_codes(EXAMPLES[0], 905).written() == "<b>the</b> cat is on the mat 0 {name} 105"


def test_the_scores_are_those_of_what_comes_back() -> None:
    right = score_texts(Copies(RIGHT), EXAMPLES)  # pyright: ignore[reportArgumentType]
    assert right.paragraphs["fr"] > 99
    assert right.capitals["fr"] > 99
    assert right.kept == 1
    wrong = score_texts(Copies({"cat": "hund", "CAT": "HUND", "{name}": ""}), EXAMPLES)  # pyright: ignore[reportArgumentType]
    assert wrong.paragraphs["fr"] < 50
    assert wrong.kept == 0
