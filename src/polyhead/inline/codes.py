"""A text and the codes in it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

Role = Literal["open", "close", "alone", "copy"]
"""The beginning or the end of what a pair of codes surrounds, neither, or a part of the text that is copied."""


@dataclass(frozen=True)
class Code:
    """Something in a text that is not translated and comes back exactly once."""

    content: str
    """What is written for it: a tag, a placeholder, or whatever a file format knows it by."""
    start: int
    """Where the code stands in the text, in characters."""
    end: int
    """Where the text that the model reads of the code ends: for a tag, of which it reads nothing, at `start`.

    text[start:end] is what a translation has to contain as it is; `content` is then written in its place.
    """
    role: Role = "alone"
    pair: int | None = None
    """The number that an opening code and its closing one share; None where a code has no other half."""

    def is_within(self, start: int, end: int) -> bool:
        """Whether some of the code, or all of one without width, stands inside the place from start to end."""
        return (self.start < end and start < self.end) or start < self.start < end

    def moved(self, distance: int) -> "Code":
        """The code, moved by so many characters."""
        return Code(self.content, self.start + distance, self.end + distance, self.role, self.pair)


@dataclass(frozen=True)
class Marked:
    """A text as the model is to read it, and the codes that stand in it, in their order."""

    text: str
    codes: tuple[Code, ...] = ()

    @staticmethod
    def of(parts: Iterable["str | Code | tuple[str, str]"]) -> "Marked":
        """Text and codes as they follow each other: the places are counted here, whatever the codes say.

        A pair (content, text) is a code alone of which the model reads the text, such as ("<code>ls</code>", "ls").
        """
        written, length, codes = list[str](), 0, list[Code]()
        for part in parts:
            if isinstance(part, Code):
                codes.append(Code(part.content, length, length, part.role, part.pair))
                continue
            content, read = part if isinstance(part, tuple) else (None, part)
            if content is not None:
                codes.append(Code(content, length, length + len(read)))
            written.append(read)
            length += len(read)
        return Marked("".join(written), tuple(codes))

    def parts(self) -> Iterator[str | Code]:
        """What the text is made of, in order: stretches of text, none empty, and codes.

        What the model reads of a code is not among the stretches: the code stands for it.
        """
        done = 0
        for code in self.codes:
            if code.start > done:
                yield self.text[done : code.start]
            yield code
            done = code.end
        if done < len(self.text):
            yield self.text[done:]

    def written(self) -> str:
        """The text with the content of each code in its place."""
        return "".join(part if isinstance(part, str) else part.content for part in self.parts())
