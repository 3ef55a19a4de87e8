"""What `polyhead train --keys` prints: every key of a recipe, and what a corpus makes of it."""

import shutil
import textwrap
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyhead.recipe.decisions import Decision
    from polyhead.recipe.keys import Key, Table

_NARROWEST, _WIDEST = 40, 100
"""The least and the most columns of a line, whatever the terminal says. Longer lines are hard to read."""
_KEY, _MEANING = "  ", "      "
"""How far keys and what is said of them are indented."""


def print_keys(values: Mapping[str, Any]) -> None:
    """Prints every key with its default and meaning, and what a recipe's tables and their corpus make of it.

    Raises RecipeError and DataError for what is wrong with the tables or the corpus.
    """
    from polyhead.cli.streams import write_lines
    from polyhead.recipe.decisions import decide
    from polyhead.recipe.keys import tables

    width = min(max(shutil.get_terminal_size().columns, _NARROWEST), _WIDEST)
    write_lines(lines_of(tables(), decide(dict(values)), width))


def lines_of(tables: list["Table"], decisions: Mapping[str, "Decision"], width: int) -> Iterator[str]:
    """The lines of all tables; none wider than `width` columns if its words allow."""
    for number, table in enumerate(tables):
        if number:
            yield ""
        yield _title(table)
        yield from _wrapped(_flowing(table.meaning), "", width)
        yield ""
        for key in table.keys:
            yield from _about(key, decisions, _applies(table, decisions), width)


def _title(table: "Table") -> str:
    title = f"[{table.name}]" if table.name else "At the top"
    return f'{title}, kind "{table.kind}"' if table.kind else title


def _applies(table: "Table", decisions: Mapping[str, "Decision"]) -> bool:
    """Whether the recipe has this table, and not the table of another kind."""
    from polyhead.recipe.keys import IMPLIED_KIND

    kind = decisions.get(f"{table.name}.kind")
    return table.kind in (None, kind.value if kind else IMPLIED_KIND)


def _about(key: "Key", decisions: Mapping[str, "Decision"], applies: bool, width: int) -> Iterator[str]:
    default = f" = {key.default}" if key.default else ""
    state = "; must be given" if key.needed else "" if default else "; unset"
    yield from _wrapped(f"{key.name}{default} ({key.takes}{state})", _KEY, width, _MEANING)
    if applies and key.name in decisions:
        yield from _wrapped(str(decisions[key.name]), _MEANING, width)
    elif key.chosen and "data.train" not in decisions:
        yield f"{_MEANING}chosen for corpus and machine where it is not given"
    yield from _wrapped(_flowing(key.meaning), _MEANING, width)


def _flowing(text: str) -> str:
    """A docstring as one line."""
    return " ".join(text.split())


def _wrapped(text: str, indent: str, width: int, further: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent if further is None else further,
        break_long_words=False,
        break_on_hyphens=False,
    )
