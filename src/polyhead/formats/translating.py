"""A document through a translator: its units sent, what comes back checked, and the document written with it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from re import Pattern

from polyhead.formats.document import Source
from polyhead.formats.kinds import FORMATS, Format
from polyhead.formats.recognising import kind_of
from polyhead.formats.unit import Answer, Answered, Translate, Unit, code_problems
from polyhead.inline.codes import Code, Marked

FindMore = Callable[[Marked, Collection[str], Sequence[Pattern[str]]], Marked]
"""Finds placeholders of the named kinds, and whatever own patterns match, in a text that may have codes already."""


@dataclass(frozen=True)
class Problem:
    """Something about a unit that a person should look at."""

    line: int
    """Where the unit begins, counted from 1; in a zip archive, in the part of it that `sentence` names."""
    unit: str
    """What the unit is called, such as a key; or empty."""
    sentence: str

    def __str__(self) -> str:
        return f"line {self.line}{f', {self.unit}' if self.unit else ''}: {self.sentence}"


@dataclass(frozen=True)
class Translated:
    """A document in translation."""

    content: bytes
    units: int
    """How many texts were translated."""
    problems: tuple[Problem, ...]
    """What was marked as doubtful, or left in its own language, in order."""


def translate_document(
    source: Source,
    translate: Translate,
    kind: str | None = None,
    find_more: FindMore | None = None,
    own: Sequence[Pattern[str]] = (),
) -> Translated:
    """A file translated with its form kept.

    kind: one of `FORMATS`; None: as its name and content say
    find_more: finds the placeholders that the format's texts usually have; None: only what is markup there is a code
    own: patterns of more text that stays as it is
    Raises PolyheadError where the file cannot be read as what it is, and whatever `translate` raises.
    """
    form = FORMATS[kind or kind_of(source.name, source.content)]
    document = form.read(source)
    answers = answered(document.units, translate, _finder(form, find_more, own))
    problems = [Problem(line, "", sentence) for line, sentence in document.notes]
    problems += [Problem(a.unit.line, a.unit.name, sentence) for a in answers for sentence in a.problems]
    problems.sort(key=lambda problem: problem.line)
    return Translated(document.written(answers), len(answers), tuple(problems))


def answered(units: Sequence[Unit], translate: Translate, find: Callable[[Marked], Marked]) -> list[Answered]:
    """Each unit with its translation, in which `find`'s codes are text again.

    Whether all codes are there, once and in order, is checked here, whatever the translator says.
    """
    sent = [_with_more(unit.marked, find) for unit in units]
    answers: Sequence[Answer] = translate(sent) if sent else ()
    if len(answers) != len(sent):
        raise ValueError(f"the translator was given {len(sent)} texts and gave back {len(answers)}")
    return list(map(_checked, units, sent, answers))


def _finder(form: Format, find_more: FindMore | None, own: Sequence[Pattern[str]]) -> Callable[[Marked], Marked]:
    if find_more is None:
        return lambda marked: marked
    return lambda marked: find_more(marked, form.placeholders, (*form.patterns, *own))


def _with_more(marked: Marked, find: Callable[[Marked], Marked]) -> Marked:
    """A text with the codes found in it, unless one of them can't be told from the text's own."""
    found = find(marked)
    own = {code.content for code in marked.codes}
    new = sum(code.content in own for code in found.codes)
    return found if new == len(marked.codes) else marked


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
