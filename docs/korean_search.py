"""Search in Korean, which Sphinx lacks.

Particles and endings follow a Korean word without a space: a page that says 번역기를 must be found by 번역기 and by
번역. So the index gets the beginnings of each Korean word too. English words are stemmed as in the English tree.
"""

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

_KOREAN = re.compile(r"[가-힣]+")
_SHORTEST = 2


def beginnings(word: str) -> list[str]:
    """The beginnings of two syllables or more of a Korean word, the shortest first; itself is the last."""
    return [word[:end] for end in range(_SHORTEST, len(word) + 1)] or [word]


class SearchKorean(SearchEnglish):
    """Korean text with English words in it."""

    lang = "ko"
    language_name = "English"  # the page takes its stemmer by this name

    def split(self, input: str) -> list[str]:  # noqa: A002 - the name is Sphinx's
        """The words of a text, of Korean ones the beginnings."""
        return [
            part
            for word in super().split(input)
            for part in (word, *(piece for run in _KOREAN.findall(word) for piece in beginnings(run)))
        ]


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_search_language(SearchKorean)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
