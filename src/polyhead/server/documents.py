"""What a client sends to be translated: plain text, or HTML or XML whose tags stay as they are."""

import re
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from polyhead.server.markup import Node, fill, split, texts
from polyhead.server.xml_markup import split_xml
from polyhead.translating.translation import Translation

Form = Literal["text", "html", "xml"]

_LINE_BREAK = re.compile(r"(?<=\S)[^\S\n]*\n[^\S\n]*(?=\S)")


@dataclass(frozen=True)
class Document:
    """A document as nodes; plain text is one node."""

    nodes: tuple[Node, ...] | None
    """None for plain text."""
    texts: tuple[str, ...]
    """What there is to translate, in order."""

    @classmethod
    def of(cls, content: str, form: Form, ignored: AbstractSet[str] = frozenset(), joined: bool = False) -> "Document":
        """Text as it is, or what stands between the tags of HTML or XML.

        ignored: names of elements whose content is not translated
        joined: whether a line break is but a space, so that a sentence may go on in the next line
        """
        if form == "text":
            nodes, found = None, [content]
        else:
            nodes = tuple(split_xml(content, ignored) if form == "xml" else split(content, ignored))
            found = texts(nodes)
        return cls(nodes, tuple(_LINE_BREAK.sub(" ", text) if joined else text for text in found))

    def filled(self, translations: Iterator[Translation], alternatives: int) -> list[str]:
        """The document in translation, then as many alternatives as there are; takes as many as it has texts."""
        ranked = [_ranked(next(translations)) for _ in self.texts]
        count = min([1 + alternatives, *(len(each) for each in ranked)])
        return [self._written([each[rank] for each in ranked]) for rank in range(count)]

    def _written(self, translated: list[str]) -> str:
        return translated[0] if self.nodes is None else fill(self.nodes, translated)


def _ranked(translation: Translation) -> list[str]:
    return [each.text for each in translation.alternatives or (translation,)]
