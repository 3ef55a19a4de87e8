"""Which translation of an n-best list is learnt."""

from dataclasses import replace

import pytest

from polyhead.errors import PolyheadError
from polyhead.recipe.selection import build_selection
from polyhead.translating.translation import Translation


def translation(*texts: str) -> Translation:
    """An n-best list of texts."""
    each = [Translation(text, -float(rank), -float(rank), (), ()) for rank, text in enumerate(texts)]
    return replace(each[0], alternatives=tuple(each)) if len(each) > 1 else each[0]


ranked = translation("ein Hund rennt schnell", "der Hund läuft schnell .", "der Hund läuft", "der Hund läuft")


def test_the_best_is_the_teachers():
    assert build_selection("best", "de", None)(ranked, "der Hund läuft schnell .") == 0


@pytest.mark.parametrize("kind", ["bleu", "chrf"])
def test_the_nearest_to_the_reference(kind):
    select = build_selection(kind, "de", None)
    assert select(ranked, "der Hund läuft schnell .") == 1
    assert select(ranked, "der Hund läuft") == 2, "of two alike the one the teacher prefers"
    assert select(ranked, "ein Hund rennt schnell .") == 0
    assert select(translation("allein"), "ganz anders") == 0
    assert select(translation("", "etwas"), "etwas") == 1


def test_short_sentences_have_a_bleu_too():
    assert build_selection("bleu", "de", None)(translation("nein", "ja"), "ja") == 1


def test_languages_and_tokenizers():
    assert build_selection("bleu", "zh", None)(translation("他們來", "我們去"), "我們去") == 1
    with pytest.raises(PolyheadError, match="no BLEU tokenizer"):
        build_selection("bleu", "de", "klingon")
