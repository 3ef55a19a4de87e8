"""HTML: text is translated by block, with the tags within it as codes; everything else stays byte for byte."""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from html import escape, unescape
from itertools import pairwise

from polyhead.formats.document import Source, TextDocument
from polyhead.formats.encoding import decoded
from polyhead.formats.html_attributes import ReadTag
from polyhead.formats.html_scope import INLINE, Scope
from polyhead.formats.line_breaks import is_in_sentence
from polyhead.formats.markup_tokens import Token, protected, tokens
from polyhead.formats.splicing import Lines, Region, Spliced
from polyhead.formats.unit import Answered, Unit, has_words, mapped, without_edges
from polyhead.inline.codes import Code, Marked

_CHARSET = re.compile(
    rb"""<meta[^>]*charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]*encoding\s*=\s*["']([\w.-]+)""", re.IGNORECASE
)
_LOOKED_AT = 4096
"""Bytes at the beginning of a file in which it may say its encoding."""
_LOOKED_AT_PIECES = 20
"""Pieces before and behind a line break that tell whether a sentence goes on there."""
_SPACE = re.compile(r"[ \t\n\r\f]+")


def read_html(source: Source) -> TextDocument:
    """An HTML file. Raises DataError for one in an unknown encoding."""
    declared = _CHARSET.search(source.content[:_LOOKED_AT])
    name = (declared[1] or declared[2]).decode("ascii") if declared else None
    text, encoding = decoded(source.content, source.name, name)
    return TextDocument(read_html_text(text), encoding)


def read_html_text(document: str, ignored: AbstractSet[str] = frozenset()) -> Spliced:
    """HTML, a whole page or a part of one, as a document.

    ignored: names of further elements whose content is not translated
    """
    return Spliced(document, tuple(_regions(document, ignored)))


@dataclass(frozen=True)
class _Piece:
    """A token within a run of text, and what becomes of it."""

    token: Token
    is_translated: bool


def _regions(document: str, ignored: AbstractSet[str]) -> Iterator[Region]:
    """The regions: runs of text and inline tags between what ends a sentence, and tags with attributes to be read."""
    scope, lines, run = Scope(ignored), Lines(document), list[_Piece]()
    keeps_space = False
    for token in tokens(document):
        translated = reads = scope.is_translated
        if token.kind == "start":
            translated, reads = scope.enter(token)
        elif token.kind == "end":
            scope.leave(token)
        if token.kind in ("start", "end") and token.name not in INLINE and not _is_line_break(token):
            yield from _run_regions(run, lines, keeps_space)
            run = []
            read = ReadTag.of(token, lines.number(token.start)) if reads else None
            if read:
                yield Region(token.start, token.end, read.units, read.written)
        else:
            run.append(_Piece(token, translated))
            keeps_space = scope.keeps_space
    yield from _run_regions(run, lines, keeps_space)


def _is_line_break(token: Token) -> bool:
    return token.kind == "start" and token.name == "br"


def _run_regions(run: Sequence[_Piece], lines: Lines, keeps_space: bool) -> Iterator[Region]:
    """The regions of a run, one for each line or, where sentences go on behind line breaks, for several."""
    sentence = list[_Piece]()
    breaks = [place for place, piece in enumerate(run) if _is_line_break(piece.token)]
    for start, end in pairwise([-1, *breaks, len(run)]):
        line = run[start + 1 : end]
        if start >= 0 and _goes_on(sentence, line):
            sentence += [run[start], *line]
        else:
            yield from _run_region(sentence, lines, keeps_space)
            sentence = list(line)
    yield from _run_region(sentence, lines, keeps_space)


def _goes_on(line: Sequence[_Piece], following: Sequence[_Piece]) -> bool:
    """Whether the sentence of a line goes on in the one that follows it."""
    before, after = (
        unescape("".join(piece.token.raw for piece in pieces[-_LOOKED_AT_PIECES:] if piece.token.kind == "text"))
        for pieces in (line, following[:_LOOKED_AT_PIECES])
    )
    return is_in_sentence(before, after)


def _run_region(run: Sequence[_Piece], lines: Lines, keeps_space: bool) -> Iterator[Region]:
    """The region of a run, if anything in it is to be translated."""
    pieces = _trimmed(run)
    if not pieces:
        return
    line = lines.number(pieces[0].token.start)
    unit = without_edges(Marked.of(_parts(pieces)), line)
    if not keeps_space:
        unit = Unit(mapped(unit.marked, partial(_SPACE.sub, " ")), line, "", unit.head, unit.tail)
    tags = [ReadTag.of(piece.token, lines.number(piece.token.start)) for piece in pieces if piece.is_translated]
    read = [tag for tag in tags if tag]
    own = (unit,) if has_words(unit.marked) else ()
    units = (*own, *(each for tag in read for each in tag.units))
    if units:
        start, end = pieces[0].token.start, pieces[-1].token.end
        yield Region(start, end, units, _Writer(tuple(pieces), bool(own), tuple(read)))


def _trimmed(run: Sequence[_Piece]) -> list[_Piece]:
    """A run without the white space at its ends, as far as that is written as white space."""
    pieces = list(run)
    while pieces and pieces[0].token.kind == "text" and not pieces[0].token.raw.strip():
        pieces.pop(0)
    while pieces and pieces[-1].token.kind == "text" and not pieces[-1].token.raw.strip():
        pieces.pop()
    for place in (0, -1) if pieces else ():
        token = pieces[place].token
        if token.kind == "text":
            raw = token.raw.lstrip() if place == 0 else token.raw.rstrip()
            start = token.start + (len(token.raw) - len(raw) if place == 0 else 0)
            pieces[place] = _Piece(Token("text", raw, start), pieces[place].is_translated)
    return pieces


def _parts(pieces: Sequence[_Piece]) -> Iterator[str | Code | tuple[str, str]]:
    """A run as text and codes. Neighbours that aren't translated are one code; a model reads their text if short."""
    pairs = _pairs(pieces)
    kept = list[Token]()
    for place, piece in enumerate(pieces):
        if not piece.is_translated or piece.token.kind == "other":
            kept.append(piece.token)
            continue
        if kept:
            yield protected(kept)
            kept = []
        if piece.token.kind == "text":
            yield unescape(piece.token.raw)
        elif _is_line_break(piece.token):
            yield from (Code(piece.token.raw, 0, 0), " ")
        elif place in pairs:
            yield Code(piece.token.raw, 0, 0, "open" if piece.token.kind == "start" else "close", pairs[place])
        else:
            yield Code(piece.token.raw, 0, 0)
    if kept:
        yield protected(kept)


def _pairs(pieces: Sequence[_Piece]) -> dict[int, int]:
    """The numbers of a run's tags that are halves of a pair → the pair's number."""
    opened, pairs = dict[str, list[int]](), dict[int, int]()
    for place, piece in enumerate(pieces):
        token = piece.token
        if not piece.is_translated or token.kind not in ("start", "end") or token.is_empty:
            continue
        waiting = opened.setdefault(token.name, [])
        if token.kind == "start":
            waiting.append(place)
        elif waiting:
            pairs[waiting.pop()] = pairs[place] = len(pairs) // 2 + 1
    return pairs


@dataclass(frozen=True)
class _Writer:
    """Writes a run with its text, if it has any, and its tags' attributes in translation."""

    pieces: tuple[_Piece, ...]
    has_text: bool
    read: tuple[ReadTag, ...]

    def __call__(self, answers: Sequence[Answered]) -> str:
        tags, done = dict[str, str](), int(self.has_text)
        for tag in self.read:
            tags[tag.tag.raw] = tag.written(answers[done : done + len(tag.units)])
            done += len(tag.units)
        if not (self.has_text and answers[0].is_changed):
            return "".join(_with(tags, piece) for piece in self.pieces)
        spelled = any("&nbsp;" in piece.token.raw for piece in self.pieces)
        return "".join(_written(answers[0].whole.parts(), tags, spelled))


def _with(tags: dict[str, str], piece: _Piece) -> str:
    raw = piece.token.raw
    return tags.get(raw, raw) if piece.is_translated else raw


def _written(parts: Iterable[str | Code], tags: dict[str, str], spelled: bool) -> Iterator[str]:
    is_behind_break = False
    for part in parts:
        if isinstance(part, Code):
            yield tags.get(part.content, part.content)
            is_behind_break = part.content[:3].lower() == "<br"
        else:
            text = escape(part.lstrip(" ") if is_behind_break else part, quote=False)
            is_behind_break = False
            yield text.replace("\xa0", "&nbsp;") if spelled else text
