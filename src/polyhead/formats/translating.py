"""A document through a translator: its units sent, what comes back checked, and the document written with it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from re import Pattern

from polyhead.formats.document import Source
from polyhead.formats.readers import READERS
from polyhead.formats.recognising import kind_of
from polyhead.formats.unit import Answer, Answered, Translate, Unit, code_problems
from polyhead.inline.codes import Code, Marked
from polyhead.inline.find import Kind, find_more
from polyhead.text import without_surrogates


@dataclass(frozen=True)
class Problem:
    """Something about a unit that a person should look at."""

    line: int
    """Where the unit begins, counted from 1; in a zip archive, in the part of it that `sentence` names."""
    unit: str
    """What the unit is called, such as a key; or empty."""
    sentence: str

    def __str__(self) -> str:
        return without_surrogates(f"line {self.line}{f', {self.unit}' if self.unit else ''}: {self.sentence}")


@dataclass(frozen=True)
class Translated:
    """A document in translation."""

    content: bytes
    units: int
    """How many texts were translated."""
    problems: tuple[Problem, ...]
    """What was marked as doubtful, or left in its own language, in order."""


def translate_document(
    source: Source, translate: Translate, kind: str | None = None, own: Sequence[Pattern[str]] = ()
) -> Translated:
    """A file translated with its form kept.

    kind: one of `kinds.FORMATS`; None: as its name and content say
    own: patterns of text that stays as it is, besides the placeholders that the format's texts usually have
    Raises PolyheadError where the file cannot be read as what it is, and whatever `translate` raises.
    """
    reader = READERS[kind or kind_of(source.name, source.content)]
    document = reader.read(source)
    sent = to_send(document.units, reader.placeholders, own)
    answers = checked(document.units, sent, translate(sent) if sent else ())
    problems = [Problem(line, "", sentence) for line, sentence in document.notes]
    problems += [Problem(a.unit.line, a.unit.name, sentence) for a in answers for sentence in a.problems]
    problems.sort(key=lambda problem: problem.line)
    return Translated(document.written(answers), len(answers), tuple(problems))


def to_send(units: Sequence[Unit], placeholders: Collection[Kind], own: Sequence[Pattern[str]] = ()) -> list[Marked]:
    """The texts of units as a translator is to get them, with placeholders of these kinds as codes, too."""
    return [_with_more(unit.marked, find_more(unit.marked, placeholders, own)) for unit in units]


def checked(units: Sequence[Unit], sent: Sequence[Marked], answers: Sequence[Answer]) -> list[Answered]:
    """Each unit with its translation, in which the placeholders that were found in its text are text again.

    Whether all codes are there, once and in order, is checked here, whatever the translator says. Raises ValueError
    where the translator gave back more or fewer texts than it got.
    """
    if len(answers) != len(sent):
        raise ValueError(f"the translator was given {len(sent)} texts and gave back {len(answers)}")
    return list(map(_checked, units, sent, answers))


def _with_more(marked: Marked, found: Marked) -> Marked:
    """A text with the codes found in it, unless one of them can't be told from the text's own."""
    own = {code.content for code in marked.codes}
    return found if sum(code.content in own for code in found.codes) == len(marked.codes) else marked


def _checked(unit: Unit, sent: Marked, answer: Answer) -> Answered:
    problems = tuple(dict.fromkeys((*answer.problems, *code_problems(sent, answer.marked))))
    own = {code.content for code in unit.marked.codes}
    return Answered(unit, _folded(answer.marked, own), problems)


def _folded(marked: Marked, own: Collection[str]) -> Marked:
    """A translation in which all codes but those of the named contents are text."""
    text, codes, done = "", list[Code](), 0
    for code in sorted(marked.codes, key=lambda code: code.start):
        start, end = max(code.start, done), max(code.end, done)
        text += marked.text[done:start]
        done = end
        if code.content not in own:
            text += code.content
            continue
        codes.append(Code(code.content, len(text), len(text) + end - start, code.role, code.pair))
        text += marked.text[start:end]
    return Marked(text + marked.text[done:], tuple(codes))
