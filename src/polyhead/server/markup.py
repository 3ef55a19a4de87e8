"""HTML whose text is translated and whose tags stay: text nodes one by one, as they stand between the tags."""

import html
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from html.parser import HTMLParser

_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())  # noqa: SIM905
_VERBATIM = frozenset({"script", "style", "code", "pre", "textarea"})


@dataclass(frozen=True)
class Node:
    """A piece of a document: markup as it was written, or text as it is read (entities resolved)."""

    content: str
    is_text: bool

    @property
    def text(self) -> str:
        """What there is to translate: the content without the white space around it."""
        return self.content.strip()


def split(document: str, ignored: AbstractSet[str] = frozenset()) -> list[Node]:
    """The document's nodes in order. Whatever the parser cannot make sense of is text.

    ignored: names of further elements whose content is not translated
    """
    parser = _Splitter(ignored)
    parser.feed(document)
    parser.close()
    return parser.nodes


def texts(nodes: Sequence[Node]) -> list[str]:
    """What is to be translated, in order."""
    return [node.text for node in nodes if node.is_text and node.text]


def fill(nodes: Sequence[Node], translations: Sequence[str]) -> str:
    """The document with a translation in the place of each of its `texts`, escaped."""
    remaining = iter(translations)
    written: list[str] = []
    for node in nodes:
        if not node.is_text:
            written.append(node.content)
        elif node.text:
            start = node.content.index(node.text)
            before, after = node.content[:start], node.content[start + len(node.text) :]
            written.append(html.escape(before + next(remaining) + after, quote=False))
        else:
            written.append(html.escape(node.content, quote=False))
    return "".join(written)


class _Splitter(HTMLParser):
    """Collects nodes. Inside `script`, `style` and the like, and under `translate="no"`, all is markup."""

    def __init__(self, ignored: AbstractSet[str]) -> None:
        super().__init__(convert_charrefs=True)
        self._verbatim = _VERBATIM | {name.lower() for name in ignored}
        self.nodes: list[Node] = []
        self._closed: list[str] = []  # the open elements from the outermost that is not to be translated

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._markup(self.get_starttag_text() or "")
        kept = tag in self._verbatim or ("translate", "no") in attrs
        if (kept or self._closed) and tag not in _VOID:
            self._closed.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._markup(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        self._markup(f"</{tag}>")
        if tag in self._closed:
            while self._closed.pop() != tag:
                pass

    def handle_data(self, data: str) -> None:
        if self._closed:
            self._markup(data if self._closed[-1] in ("script", "style") else html.escape(data, quote=False))
        elif self.nodes and self.nodes[-1].is_text:
            self.nodes[-1] = Node(self.nodes[-1].content + data, is_text=True)
        else:
            self.nodes.append(Node(data, is_text=True))

    def handle_comment(self, data: str) -> None:
        self._markup(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self._markup(f"<!{decl}>")

    def unknown_decl(self, data: str) -> None:
        self._markup(f"<![{data}]>")

    def handle_pi(self, data: str) -> None:
        self._markup(f"<?{data}>")

    def _markup(self, content: str) -> None:
        self.nodes.append(Node(content, is_text=False))
