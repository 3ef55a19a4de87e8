"""A link from each page to the same page in the other language."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

OTHER = {"en": ("ko", "한국어"), "ko": ("en", "English")}
"""A tree's language → the other tree's, and its name in that language."""


def counterpart(page: str, language: str, trees: Path) -> Mapping[str, str] | None:
    """The other language and the address of `page` in it, from the root of this tree; None where it has no such page.

    trees: the directory that holds `en/` and `ko/`; built, the Korean tree lies in `ko/` of the English one.
    """
    other, name = OTHER[language]
    if not (trees / other / f"{page}.md").is_file():
        return None
    address = f"ko/{page}.html" if other == "ko" else f"../{page}.html"
    return {"language": other, "name": name, "address": address}


def _add(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None) -> None:
    context["counterpart"] = counterpart(page, app.config.language, Path(app.confdir))


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.connect("html-page-context", _add)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
