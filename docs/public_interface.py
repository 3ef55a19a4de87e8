"""The directive `public-interface`: what `polyhead.__all__` names, from its docstrings.

In the project's docstrings a line that begins with a parameter's name and a colon describes it; Sphinx is told so.
"""

import inspect
import re
from collections.abc import Sequence
from dataclasses import is_dataclass
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import polyhead

_DESCRIBED = re.compile(r"(\w+(?:, \w+)*): (.*)")


def to_fields(lines: Sequence[str], parameters: Sequence[str]) -> list[str]:
    """`name: what it is` → `:param name: what it is`, each list of these set apart by empty lines."""
    made: list[str] = []
    within = False
    for line in lines:
        match = _DESCRIBED.fullmatch(line)
        names = match[1].split(", ") if match else []
        if match and all(name in parameters for name in names):
            made += [] if within else [""]
            made += [f":param {name}: {match[2]}" for name in names]
            within = True
        else:
            made += [""] if within and line.strip() else []
            made.append(line)
            within = False
    return made


def _process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    if what in {"function", "method"}:
        lines[:] = to_fields(lines, list(inspect.signature(thing).parameters))


class PublicInterface(SphinxDirective):
    """`public-interface`, without arguments: a section for each public name."""

    def run(self) -> list[nodes.Node]:
        text = "\n".join(described(name) for name in sorted(polyhead.__all__) if not name.startswith("__"))
        return self.parse_text_to_nodes(text, allow_section_headings=True)


def described(name: str) -> str:
    """The section of a public name, as Markdown that asks autodoc for the rest."""
    directive = "autoclass" if isinstance(getattr(polyhead, name), type) else "autofunction"
    members = "   :members:\n" if directive == "autoclass" else ""
    members += "   :undoc-members:\n" if is_dataclass(getattr(polyhead, name)) else ""
    return f"## {name}\n\n```{{eval-rst}}\n.. {directive}:: polyhead.{name}\n{members}```\n"


def setup(app: Sphinx) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("public-interface", PublicInterface)
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
