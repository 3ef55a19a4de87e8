"""The two trees say the same: the same pages, and the same commands with the same output."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(path.name for path in (DOCS / "en").glob("*.md"))
_BLOCK = re.compile(r"^```(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r" *#(?!!).*")


def test_every_page_has_a_counterpart() -> None:
    assert sorted(path.name for path in (DOCS / "ko").glob("*.md")) == PAGES
    assert "index.md" in PAGES


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_show_the_same_commands(page: str) -> None:
    english, korean = ((DOCS / tree / page).read_text(encoding="utf-8") for tree in ("en", "ko"))
    assert _blocks(korean) == _blocks(english)


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_refer_to_the_same_keys_and_files(page: str) -> None:
    english, korean = ((DOCS / tree / page).read_text(encoding="utf-8") for tree in ("en", "ko"))
    assert set(re.findall(r"\{key\}`(.+?)`", korean)) == set(re.findall(r"\{key\}`(.+?)`", english))
    assert _sources(korean) == _sources(english)


def _blocks(text: str) -> list[tuple[str, str]]:
    """Code blocks without their comments, which are translated, and without directives' own text."""
    return [(kind, _COMMENT.sub("", code)) for kind, code in _BLOCK.findall(text) if kind != "{toctree}"]


def _sources(text: str) -> set[str]:
    """The files a page links to; the readme has a Korean twin."""
    found = re.findall(r"\{source\}`(?:[^`<]*<)?([^`>]+)>?`", text)
    return {name.replace(".ko.md", ".md") for name in found}
