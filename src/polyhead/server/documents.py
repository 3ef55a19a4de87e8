"""What a client sends to be translated: plain text, or HTML whose tags stay as they are."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from polyhead.server.markup import Node, fill, split, texts
from polyhead.translating.translation import Translation


@dataclass(frozen=True)
class Document:
    """A document as nodes; plain text is one node."""

    nodes: tuple[Node, ...] | None
    """None for plain text."""
    texts: tuple[str, ...]
    """What there is to translate, in order."""

    @classmethod
    def of(cls, content: str, form: Literal["text", "html"]) -> "Document":
        """Text as it is, or what stands between the tags of HTML."""
        if form == "text":
            return cls(None, (content,))
        nodes = tuple(split(content))
        return cls(nodes, tuple(texts(nodes)))

    def filled(self, translations: Iterator[Translation], alternatives: int) -> list[str]:
        """The document in translation, then as many alternatives as there are; takes as many as it has texts."""
        ranked = [_ranked(next(translations)) for _ in self.texts]
        count = min([1 + alternatives, *(len(each) for each in ranked)])
        return [self._written([each[rank] for each in ranked]) for rank in range(count)]

    def _written(self, translated: list[str]) -> str:
        return translated[0] if self.nodes is None else fill(self.nodes, translated)


def _ranked(translation: Translation) -> list[str]:
    return [each.text for each in translation.alternatives or (translation,)]
