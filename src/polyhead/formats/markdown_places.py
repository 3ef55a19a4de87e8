"""Where the inline elements of Markdown stand: markdown-it's tokens with their places in the text.

The library says which lines a block has, and of what stands within them only the kinds in their order. So each of its
rules is called through a watcher, which sees from where to where the rule has read.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polyhead.extras import needing_extra
from polyhead.formats.markdown_lines import leave_extensions

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_PLACE = "place"
_EMPHASIS = frozenset({"emphasis", "strikethrough"})


@dataclass(frozen=True)
class Element:
    """Something in a text that isn't plain."""

    kind: str
    """markdown-it's name of the token, such as strong_open, link_close, code_inline, softbreak."""
    start: int
    end: int
    content: str
    """For a piece of code, its text; for the beginning or end of a link, what is written for it."""


def parser() -> "MarkdownIt":
    """CommonMark with tables and struck out text, whose inline rules tell where they have read. Raises MissingExtra."""
    with needing_extra("reading Markdown"):
        from markdown_it import MarkdownIt
    markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    leave_extensions(markdown)
    markdown.core.ruler.enableOnly(["normalize", "block"])
    markdown.inline.ruler2.disable("fragments_join")
    inline = markdown.inline.ruler
    for name, rule in list(zip(inline.get_active_rules(), inline.getRules(""), strict=True)):
        inline.at(name, _watched(name, rule))
    return markdown


def elements(markdown: "MarkdownIt", text: str, environment: dict[str, Any]) -> list[Element]:
    """What isn't plain in a block's text, in order.

    environment: what the parser knows of the links that are defined elsewhere
    """
    tokens: list[Token] = []
    markdown.inline.parse(text, markdown, environment, tokens)
    placed = sorted((token for token in tokens if _PLACE in token.meta), key=lambda token: token.meta[_PLACE])
    return list(_elements(placed))


def _elements(tokens: "list[Token]") -> Iterator[Element]:
    """The tokens as elements. Of two asterisks that are one mark, the outer is a token without content."""
    for number, token in enumerate(tokens):
        if token.type == "text":
            continue
        start, end = token.meta[_PLACE]
        if token.type == "strong_open" and number and _is_outer(tokens[number - 1], end=start):
            start -= 1
        elif token.type == "strong_close" and number + 1 < len(tokens) and _is_outer(tokens[number + 1], start=end):
            end += 1
        yield Element(token.type, start, end, token.meta.get("written", token.content))


def _is_outer(token: "Token", start: int | None = None, end: int | None = None) -> bool:
    place = token.meta[_PLACE]
    return token.type == "text" and not token.content and (place[0] == start or place[1] == end)


def _watched(name: str, rule: "Callable[[StateInline, bool], bool]") -> "Callable[[StateInline, bool], bool]":
    def watched(state: "StateInline", silent: bool) -> bool:
        start, before, pending = state.pos, len(state.tokens), state.pending
        done = rule(state, silent)
        if done and not silent:
            made = state.tokens[before:]
            if pending and made and made[0].type == "text":  # text read before, which becomes a token only now
                made = made[1:]
            _place(name, state, made, start)
        return done

    return watched


def _place(name: str, state: "StateInline", tokens: "list[Token]", start: int) -> None:
    """Gives their places to the tokens that a rule has made."""
    if name in _EMPHASIS:
        for token in tokens:
            token.meta[_PLACE] = (start, start + len(token.content))
            start += len(token.content)
    elif name == "link" and tokens:
        label_end = state.md.helpers.parseLinkLabel(state, start, True)
        label, end = state.src[start + 1 : label_end], state.src[label_end : state.pos]
        tokens[0].meta.update({_PLACE: (start, start + 1), "written": "["})
        tokens[-1].meta.update(
            {_PLACE: (label_end, state.pos), "written": f"][{label}]" if end in ("]", "][]") else end}
        )
    elif name in ("autolink", "image", "html_inline", "backticks", "newline", "escape") and tokens:
        tokens[0].meta[_PLACE] = (start, state.pos)
        if tokens[0].type == "text_special":
            del tokens[0].meta[_PLACE]
