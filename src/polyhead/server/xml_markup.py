"""XML as DeepL's clients send it: a piece of a document whose text is translated and whose tags, any tags, come back.

A tag is part of a sentence where text stands beside its element, as beside b in `<p>The <b>cat</b> drinks</p>`. Other
tags, such as those of p, end a sentence. For elements that the client names, it may say otherwise.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from html import escape, unescape

from polyhead.formats.markup_tokens import Token, protected, xml_tokens
from polyhead.formats.splicing import Lines, Region, Spliced, single
from polyhead.formats.unit import has_words, without_edges
from polyhead.inline.codes import Code, Marked


@dataclass(frozen=True)
class TagNames:
    """The names of elements for which a client says what becomes of them."""

    ignored: AbstractSet[str] = frozenset()
    """Elements whose content is not translated."""
    splitting: AbstractSet[str] = frozenset()
    """Elements through whose tags no sentence goes on."""
    joining: AbstractSet[str] = frozenset()
    """Elements through whose tags a sentence goes on."""


@dataclass
class _Piece:
    """A token, and what becomes of it."""

    token: Token
    pair: int | None = None
    """The number that a tag shares with the other tag of its element."""
    is_inline: bool = True
    is_kept: bool = False
    """Whether the token is within an ignored element, or one of its tags."""

    @property
    def name(self) -> str:
        """The element's name if the token is a tag, else empty."""
        return self.token.name

    @property
    def is_end(self) -> bool:
        """Whether the token is an end tag."""
        return self.token.kind == "end"


def read_xml_text(document: str, names: TagNames) -> Spliced:
    """A piece of XML as a document. Tags without a partner are tags all the same; what is no markup is text."""
    pieces = list(map(_Piece, xml_tokens(document)))
    parents = _nest(pieces)
    _keep(pieces, names.ignored)
    _divide(pieces, parents, names)
    return Spliced(document, tuple(_regions(document, pieces)))


def _nest(pieces: Sequence[_Piece]) -> list[int]:
    """Pairs the tags → for each piece, the number of the start tag of the element around it; -1 outside of all."""
    parents, opened, names = list[int](), [-1], Counter[str]()
    for number, piece in enumerate(pieces):
        if piece.name and piece.is_end and names[piece.name]:
            while pieces[opened[-1]].name != piece.name:
                names[pieces[opened.pop()].name] -= 1
            names[piece.name] -= 1
            start = opened.pop()
            pieces[start].pair = piece.pair = start
        parents.append(opened[-1])
        if piece.name and not piece.is_end and not piece.token.raw.endswith("/>"):
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
        if piece.token.kind == "text" and not piece.is_kept and any(map(str.isalpha, unescape(piece.token.raw)))
    }
    for piece, parent in zip(pieces, parents, strict=True):
        if piece.name and not piece.is_kept:
            beside_text = parent in with_text or piece.name in names.joining
            piece.is_inline = beside_text and piece.name not in names.splitting


def _regions(document: str, pieces: Sequence[_Piece]) -> Iterator[Region]:
    lines, run = Lines(document), list[_Piece]()
    for piece in [*pieces, _Piece(Token("other", "", len(document)), is_inline=False)]:
        if piece.is_inline:
            run.append(piece)
            continue
        marked = Marked.of(_parts(run))
        if has_words(marked):
            start, end = run[0].token.start, run[-1].token.end
            unit = without_edges(marked, lines.number(start))
            yield single(document, start, end, unit, _written)
        run = []


def _parts(run: Sequence[_Piece]) -> Iterator[str | Code | tuple[str, str]]:
    """A run of pieces as text and codes. Ignored pieces that follow each other are one code."""
    pairs = Counter(piece.pair for piece in run if piece.pair is not None)
    kept = list[Token]()
    for piece in run:
        if piece.is_kept:
            kept.append(piece.token)
            continue
        if kept:
            yield protected(kept)
            kept = []
        if piece.token.kind == "text":
            yield unescape(piece.token.raw)
        elif piece.pair is not None and pairs[piece.pair] == 2:
            yield Code(piece.token.raw, 0, 0, "close" if piece.is_end else "open", piece.pair)
        else:
            yield Code(piece.token.raw, 0, 0)
    if kept:
        yield protected(kept)


def _written(whole: Marked) -> str:
    return "".join(escape(part, quote=False) if isinstance(part, str) else part.content for part in whole.parts())
