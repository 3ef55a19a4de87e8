"""XML as DeepL's clients send it: a piece of a document whose text is translated and whose tags, any tags, come back.

A tag is part of a sentence where text stands beside its element, as of b in `<p>The <b>cat</b> drinks</p>`; others, as
of p, end it. The client may say otherwise by name.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from html import escape, unescape

from polyhead.formats.splicing import Lines, Region, Spliced, single
from polyhead.formats.unit import has_words, without_edges
from polyhead.inline.codes import Code, Marked

_WHOLE = (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"))
"""What has no text in it, by its beginning and its end."""
_QUOTES = "\"'"
_LONGEST_READ = 100
"""Characters of text that isn't translated that a model is shown within a sentence."""


@dataclass(frozen=True)
class TagNames:
    """What a client says of elements by their names."""

    ignored: AbstractSet[str] = frozenset()
    """Their content is not translated."""
    splitting: AbstractSet[str] = frozenset()
    """No sentence goes on through their tags."""
    joining: AbstractSet[str] = frozenset()
    """A sentence goes on through their tags."""


@dataclass
class _Piece:
    """A tag, a comment or the like, or a stretch of text."""

    raw: str
    start: int
    name: str | None
    """The element's name; "" of what is no tag; None of text."""
    pair: int | None = None
    """The number that it shares with the other tag of its element."""
    is_inline: bool = True
    is_kept: bool = False
    """Whether it is within an ignored element, or one of its tags."""

    @property
    def is_end(self) -> bool:
        return self.raw.startswith("</")


def read_xml_text(document: str, names: TagNames) -> Spliced:
    """A piece of XML as a document. Tags that match none are tags all the same; what is no markup is text."""
    pieces = list(_pieces(document))
    parents = _nest(pieces)
    _keep(pieces, names.ignored)
    _divide(pieces, parents, names)
    return Spliced(document, tuple(_regions(document, pieces)))


def _pieces(document: str) -> Iterator[_Piece]:
    start = at = 0
    while (at := document.find("<", at)) >= 0:
        end, name = _markup(document, at)
        if name is not None:
            if start < at:
                yield _Piece(document[start:at], start, None)
            yield _Piece(document[at:end], at, name)
            start = end
        at = end
    if start < len(document):
        yield _Piece(document[start:], start, None)


def _markup(document: str, start: int) -> tuple[int, str | None]:
    """The markup that begins at a "<": its end, and its name as a piece has it.

    Of what is none, None and the place that the search for more goes on at: it never goes back, so that a document
    takes a time that grows with its length alone.
    """
    for begin, close in _WHOLE:
        if document.startswith(begin, start):
            end = document.find(close, start + len(begin))
            return (end + len(close), "") if end >= 0 else (len(document), None)
    first = document[start + 1 : start + 3].removeprefix("/")[:1]
    if not (first.isalpha() or first in ("_", ":")):
        return start + 1, None
    at = start + 1
    while at < len(document) and document[at] not in "<>":
        if document[at] in _QUOTES:
            at = document.find(document[at], at + 1)
            if at < 0:
                return len(document), None
        at += 1
    if at == len(document) or document[at] == "<":
        return at, None
    return at + 1, document[start + 1 : at].strip("/").split(maxsplit=1)[0].rstrip("/")


def _nest(pieces: Sequence[_Piece]) -> list[int]:
    """Finds the pairs of tags → of each piece, the number of the start tag that it stands in; -1 outside of all."""
    parents, opened, names = list[int](), [-1], Counter[str]()
    for number, piece in enumerate(pieces):
        if piece.name and piece.is_end and names[piece.name]:
            while pieces[opened[-1]].name != piece.name:
                names[pieces[opened.pop()].name or ""] -= 1
            names[piece.name] -= 1
            start = opened.pop()
            pieces[start].pair = piece.pair = start
        parents.append(opened[-1])
        if piece.name and not piece.is_end and not piece.raw.endswith("/>"):
            opened.append(number)
            names[piece.name] += 1
    return parents


def _keep(pieces: Sequence[_Piece], ignored: AbstractSet[str]) -> None:
    """Marks what stands in ignored elements, and their tags."""
    ends = {piece.pair: number for number, piece in enumerate(pieces) if piece.is_end}
    last = -1
    for number, piece in enumerate(pieces):
        if number > last and piece.name in ignored and piece.pair is not None:
            last = ends[piece.pair]
        piece.is_kept = number <= last


def _divide(pieces: Sequence[_Piece], parents: Sequence[int], names: TagNames) -> None:
    """Marks the tags that end a sentence."""
    with_text = {
        parent
        for piece, parent in zip(pieces, parents, strict=True)
        if piece.name is None and not piece.is_kept and any(map(str.isalpha, unescape(piece.raw)))
    }
    for piece, parent in zip(pieces, parents, strict=True):
        if piece.name and not piece.is_kept:
            beside_text = parent in with_text or piece.name in names.joining
            piece.is_inline = beside_text and piece.name not in names.splitting


def _regions(document: str, pieces: Sequence[_Piece]) -> Iterator[Region]:
    lines, run = Lines(document), list[_Piece]()
    for piece in [*pieces, _Piece("", len(document), "", is_inline=False)]:
        if piece.is_inline:
            run.append(piece)
            continue
        marked = Marked.of(_parts(run))
        if has_words(marked):
            start, end = run[0].start, run[-1].start + len(run[-1].raw)
            unit = without_edges(marked, lines.number(start))
            yield single(document, start, end, unit, _written)
        run = []


def _parts(run: Sequence[_Piece]) -> Iterator[str | Code | tuple[str, str]]:
    """A run as text and codes; what is ignored is one code as far as it goes on."""
    pairs = Counter(piece.pair for piece in run if piece.pair is not None)
    kept = list[_Piece]()
    for piece in run:
        if piece.is_kept:
            kept.append(piece)
            continue
        if kept:
            yield _protected(kept)
            kept = []
        if piece.name is None:
            yield unescape(piece.raw)
        elif piece.pair is not None and pairs[piece.pair] == 2:
            yield Code(piece.raw, 0, 0, "close" if piece.is_end else "open", piece.pair)
        else:
            yield Code(piece.raw, 0, 0)
    if kept:
        yield _protected(kept)


def _protected(kept: Sequence[_Piece]) -> Code | tuple[str, str]:
    content = "".join(piece.raw for piece in kept)
    read = unescape("".join(piece.raw for piece in kept if piece.name is None))
    return (content, read) if read.strip() and len(read) <= _LONGEST_READ else Code(content, 0, 0)


def _written(whole: Marked) -> str:
    return "".join(escape(part, quote=False) if isinstance(part, str) else part.content for part in whole.parts())
