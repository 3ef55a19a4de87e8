"""SRT and WebVTT: sentences are translated whole, also over several cues; all but the texts stays byte for byte."""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from polyhead.errors import DataError
from polyhead.formats.cue_text import DASH, cut, goes_on, is_dialogue, marked
from polyhead.formats.cues import Cue, cues
from polyhead.formats.document import Source, TextDocument
from polyhead.formats.encoding import decoded
from polyhead.formats.splicing import Region, Spliced, in_one_language
from polyhead.formats.unit import Unit, has_words, joined, mapped, without_edges
from polyhead.inline.codes import Code, Marked

_MOST_CUES = 6
"""How many cues a sentence may go on over."""


def read_srt(source: Source) -> TextDocument:
    """A SubRip file. Raises DataError where nothing in it can be read as a cue."""
    return _read(source, is_vtt=False)


def read_vtt(source: Source) -> TextDocument:
    """A WebVTT file. Raises DataError where it doesn't begin with WEBVTT or can't be read."""
    return _read(source, is_vtt=True)


def _read(source: Source, is_vtt: bool) -> TextDocument:
    text, encoding = decoded(source.content, source.name)
    if is_vtt and not text.startswith("WEBVTT"):
        raise DataError("a WebVTT file begins with the word WEBVTT; add it, or end its name with .srt", source.name, 1)
    if "\n" not in text and text.count("\r") > 1:
        message = r"its lines end in carriage returns alone; convert it first: tr '\r' '\n' < FILE > OTHER"
        raise DataError(message, source.name)
    found = list(cues(text, source.name, numbered=not is_vtt))
    if not found and text.strip() and not is_vtt and "-->" not in text:
        raise DataError("there is no line with times such as 00:00:01,000 --> 00:00:02,000 in it", source.name, 1)
    groups = _groups(text, found)
    return TextDocument(Spliced(text, tuple(_regions(text, groups, is_vtt))), encoding)


def _groups(text: str, found: Sequence[Cue]) -> Iterator[list[Cue]]:
    """The cues in groups: a sentence goes on over the cues of a group."""
    group = list[Cue]()
    for cue in found:
        if group:
            last = group[-1]
            pause = cue.begins - last.ends
            if len(group) == _MOST_CUES or not goes_on(text[last.start : last.end], text[cue.start : cue.end], pause):
                yield group
                group = []
        group.append(cue)
    if group:
        yield group


def _regions(text: str, groups: Iterator[list[Cue]], is_vtt: bool) -> Iterator[Region]:
    for group in groups:
        start, end = group[0].start, group[-1].end
        if len(group) == 1 and is_dialogue(text[start:end]):
            yield from _dialogue(text, group[0], is_vtt)
            continue
        raws = [text[cue.start : cue.end] for cue in group]
        whole = joined(*_with_spaces([marked(raw, is_vtt) for raw in raws]))
        unit = without_edges(_numbered(whole), group[0].line)
        unit = Unit(mapped(unit.marked, _spaced), unit.line, "", unit.head, unit.tail)
        if has_words(unit.marked):
            write = _Writer(tuple(raws), tuple(text[a.end : b.start] for a, b in pairwise(group)), is_vtt)
            yield Region(start, end, (unit,), in_one_language(text[start:end], write))


def _dialogue(text: str, cue: Cue, is_vtt: bool) -> Iterator[Region]:
    """What several people say in one cue: every line is a unit."""
    place, line = cue.start, cue.line
    for part in text[cue.start : cue.end].split("\n"):
        end = place + len(part.removesuffix("\r"))
        dash = DASH.match(part)
        raw = text[place + (dash.end() if dash else 0) : end]
        unit = without_edges(marked(raw, is_vtt), line)
        if has_words(unit.marked):
            yield Region(end - len(raw), end, (unit,), in_one_language(raw, _Writer((raw,), (), is_vtt)))
        place, line = place + len(part) + 1, line + 1


def _with_spaces(texts: Sequence[Marked]) -> Iterator[Marked]:
    for number, text in enumerate(texts):
        if number:
            yield Marked("\n")
        yield text


def _numbered(text: Marked) -> Marked:
    """A text of several cues, each of which has numbered its pairs from 1, with all pairs numbered anew."""
    opened, codes, count = dict[int, int](), list[Code](), 0
    for code in text.codes:
        number = code.pair
        if number is not None and code.role == "open":
            count += 1
            opened[number] = count
        codes.append(
            Code(code.content, code.start, code.end, code.role, opened[number] if number is not None else None)
        )
    return Marked(text.text, tuple(codes))


def _without_arrow(text: str) -> str:
    """Text that can't be taken for a line with times."""
    return text.replace("-->", "->")


def _spaced(text: str) -> str:
    return " ".join(text.split("\n")).replace("\r", "")


@dataclass(frozen=True)
class _Writer:
    """Writes a sentence into the cues that it stood in, each in as many lines as before."""

    raws: tuple[str, ...]
    between: tuple[str, ...]
    """What stands between the cues: line breaks, numbers, times."""
    is_vtt: bool

    def __call__(self, wholes: Sequence[Marked]) -> str:
        lengths = [max(1, len(marked(raw, self.is_vtt).text)) for raw in self.raws]
        written = ""
        for number, (part, raw) in enumerate(zip(cut(wholes[0], lengths), self.raws, strict=True)):
            written += (self.between[number - 1] if number else "") + self._cue(part, raw)
        return written

    def _cue(self, part: Marked, raw: str) -> str:
        """A cue in as many lines as it had."""
        lines = raw.count("\n") + 1
        end_of_line = "\r\n" if "\r\n" in raw else "\n"
        part = mapped(part, _spaced)
        cut_lines = cut(part, [1] * lines) if lines > 1 else [part]
        return end_of_line.join(text for line in cut_lines if (text := self._line(line).strip()))

    def _line(self, line: Marked) -> str:
        read = partial(html.escape, quote=False) if self.is_vtt else _without_arrow
        return "".join(read(part) if isinstance(part, str) else part.content for part in line.parts())
