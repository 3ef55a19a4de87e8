"""The role `source`: a file of the project, as a page of its own that can be read without a network.

    {source}`src/polyhead/model/attention.py`     {source}`the changes <CHANGELOG.md>`

A file that isn't there is a warning, and so an error of the build.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import ReferenceRole

ROOT = Path(__file__).parent.parent
SHORT = "src/polyhead/"
"""What is left out of the name of a file that is shown by its path."""
LEXERS = {
    ".py": "python",
    ".toml": "toml",
    ".md": "markdown",
    ".yaml": "yaml",
    "Makefile": "make",
    "Dockerfile": "docker",
}
"""How a file is coloured, by the ending of its name, or by its name where that has none."""

logger = logging.getLogger(__name__)


def page_of(path: str) -> str:
    """The name of the page that shows a file: `source/src/polyhead/model/attention.py`."""
    return f"source/{path}"


class SourceRole(ReferenceRole):
    """A link to the page of a file; each file that is linked to gets one."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        if not (ROOT / self.target).is_file():
            logger.warning("no such file in the project: %s", self.target, location=self.get_location())
        _noted(self.env).setdefault(self.target, set()).add(self.env.docname)
        up = "../" * self.env.docname.count("/")
        link = nodes.reference("", "", refuri=f"{up}{page_of(self.target)}.html", internal=True)
        if self.has_explicit_title:
            link += nodes.Text(self.title)
        else:
            link += nodes.literal(text=self.target.removeprefix(SHORT))
        return [link], []


def _noted(env: BuildEnvironment) -> dict[str, set[str]]:
    """File → the pages that link to it."""
    if not hasattr(env, "polyhead_sources"):
        env.polyhead_sources = {}  # type: ignore[attr-defined]
    return env.polyhead_sources  # type: ignore[attr-defined]


def _purge(app: Sphinx, env: BuildEnvironment, page: str) -> None:
    for pages in _noted(env).values():
        pages.discard(page)


def _pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    for path, pages in sorted(_noted(app.env).items()):
        file = ROOT / path
        if pages and file.is_file():
            lexer = LEXERS.get(file.suffix or file.name, "text")
            text = file.read_text(encoding="utf-8")
            shown = app.builder.highlighter.highlight_block(text, lexer)  # type: ignore[attr-defined]
            body = f'<div class="source-page"><h1>{path}</h1>{shown}</div>'
            yield page_of(path), {"title": path, "body": body}, "page.html"


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_role("source", SourceRole())
    app.connect("env-purge-doc", _purge)
    app.connect("html-collect-pages", _pages)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
