"""What a client sends to be translated: plain text, or HTML or XML whose tags are codes in its texts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from polyhead.formats.html_document import read_html_text
from polyhead.formats.splicing import Spliced
from polyhead.formats.translating import checked
from polyhead.inline.codes import Marked
from polyhead.server.xml_markup import TagNames, read_xml_text
from polyhead.translating.translation import Translation

Form = Literal["text", "html", "xml"]

_LINE_BREAK = re.compile(r"(?<=\S)[^\S\n]*\n[^\S\n]*(?=\S)")


@dataclass(frozen=True)
class Document:
    """A document and its texts."""

    spliced: Spliced | None
    """The HTML or XML and the places of its texts; None for plain text."""
    texts: tuple[str | Marked, ...]
    """What there is to translate, in order."""

    @classmethod
    def of(cls, content: str, form: Form, names: TagNames | None = None, joined: bool = False) -> "Document":
        """Reads a document: plain text is one text as it is, HTML and XML are split into their texts.

        names: what the client says of elements
        joined: whether a line break in plain text is but a space, so that a sentence may go on in the next line
        """
        if form == "text":
            return cls(None, (_LINE_BREAK.sub(" ", content) if joined else content,))
        names = names or TagNames()
        spliced = read_html_text(content, names.ignored) if form == "html" else read_xml_text(content, names)
        return cls(spliced, tuple(unit.marked for unit in spliced.units))

    def filled(self, translations: Iterator[Translation], alternatives: int) -> list[str]:
        """The document in translation, then at most `alternatives` others, as many as every one of its texts has.

        Takes one translation for each text. A text of HTML or XML whose translation lost a tag stays as it was.
        """
        ranked = [_ranked(next(translations)) for _ in self.texts]
        count = min([1 + alternatives, *(len(each) for each in ranked)])
        return [self._written([each[rank] for each in ranked]) for rank in range(count)]

    def _written(self, translated: list[Translation]) -> str:
        if self.spliced is None:
            return translated[0].text
        units = self.spliced.units
        return self.spliced.filled(checked(units, [unit.marked for unit in units], translated))


def _ranked(translation: Translation) -> tuple[Translation, ...]:
    return translation.alternatives or (translation,)
