"""The directive `recipe-keys`: every key a recipe may have, as `polyhead.recipe.keys` lists them.

It writes a section for each table and in it a `{key}` for each key. So guides can refer to {key}`training.patience`,
and a key that is gone is an error of the build.
"""

import re
from collections.abc import Iterable
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from polyhead.recipe.keys import Key, Table, tables

CHOSEN = "chosen for corpus and machine"


def markdown(found: Iterable[Table]) -> str:
    """A section for each table. Where kinds share a key's name, references go to the first."""
    lines: list[str] = []
    seen: set[str] = set()
    for table in found:
        lines += [f"## {title(table)}", "", table.meaning, ""]
        for key in table.keys:
            index = [":no-index:"] if key.name in seen else []
            facts = f"{_as_code(key.takes)} · {default(key)}"
            lines += [f"::::{{key}} {key.name}", *index, "", facts, "", key.meaning, "::::", ""]
            seen.add(key.name)
    return "\n".join(lines)


def title(table: Table) -> str:
    """The heading of a table's section."""
    shown = f"`[{table.name}]`" if table.name else "At the top"
    return f"{shown}, kind `{table.kind}`" if table.kind else shown


def default(key: Key) -> str:
    """What holds where a key is not given."""
    if key.needed:
        return "must be given"
    plain = f"`{key.default}`" if key.default else "unset"
    if not key.chosen:
        return f"default {plain}" if key.default else plain
    return f"default {CHOSEN}" + (f", else {plain}" if key.default not in ("", "none") else "")


def _as_code(takes: str) -> str:
    """Words to choose from, in quotation marks, are code."""
    return re.sub(r'"[^"]*"', r"`\g<0>`", takes)


class RecipeKeys(SphinxDirective):
    """`recipe-keys`, without arguments."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(markdown(tables()), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_object_type("key", "key", objname="recipe key")
    app.add_directive("recipe-keys", RecipeKeys)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
