"""What extensions of Markdown write on lines of their own, which are no text: formulas, and where containers begin."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock

_ALONE = re.compile(
    r":{3,}(?!:)"  # ::: note
    r"|(?:!!!|\?\?\?\+?)[ \t]+[\w-]+(?:[ \t]+inline(?:[ \t]+end)?)?(?:[ \t]+\"[^\"]*\")?[ \t]*$"  # !!! note "Title"
    r"|\{(?:%[^{}]*%|:[^{}]*|\{[<%][^{}]*[>%]\})\}[ \t]*$"  # {% note %}, {: .wide}, {{< note >}}
)
_BEHIND_FORMULA = re.compile(r"[ \t]*+(?:[.,;:]|[({][^(){}]*[)}])?[ \t]*")
"""What may stand behind a formula in its last line: $$. or $$ {#label}."""


def leave_extensions(markdown: "MarkdownIt") -> None:
    """Has a parser pass over such lines, which end a paragraph before them."""
    ended = ["paragraph", "reference", "blockquote", "list"]
    markdown.block.ruler.before("fence", "extension", _extension, {"alt": ended})


def _extension(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    behind = start + 1 if _ALONE.match(_line(state, start)) else _behind_formula(state, start, end)
    if behind is not None and not silent:
        state.line = behind
    return behind is not None


def _behind_formula(state: "StateBlock", start: int, end: int) -> int | None:
    """The line behind a formula of several lines; None where none begins in the line `start`."""
    first = _line(state, start)
    if not first.startswith("$$") or "$$" in first[2:]:
        return None
    for number in range(start + 1, end):
        _, mark, behind = _line(state, number).partition("$$")
        if mark:
            return number + 1 if _BEHIND_FORMULA.fullmatch(behind) else None
        if first.strip() != "$$" and state.isEmpty(number):
            return None
    return None


def _line(state: "StateBlock", number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
