"""Translators for the tests of formats: one that copies, one that changes all letters, and some that fail."""

from dataclasses import dataclass
from random import Random

from polyhead.formats.document import Source
from polyhead.formats.readers import READERS
from polyhead.formats.translating import translate_document
from polyhead.formats.unit import mapped
from polyhead.inline.codes import Code, Marked


@dataclass(frozen=True)
class Answer:
    """What a translator gives back."""

    marked: Marked
    problems: tuple[str, ...] = ()


def copy(texts):
    """Every text is its own translation."""
    return [Answer(text) for text in texts]


def shout(texts):
    """In capitals; ß stays, since it would become two letters."""
    return [
        Answer(mapped(text, lambda part: "".join(c.upper() if len(c.upper()) == 1 else c for c in part)))
        for text in texts
    ]


def say(words):
    """A translator that gives the same text for everything, with all codes behind it."""

    def translate(texts):
        return [Answer(Marked.of([words, *_shown(text)])) for text in texts]

    return translate


def _shown(text):
    return [(code.content, text.text[code.start : code.end]) if code.start < code.end else code for code in text.codes]


def backwards(texts):
    """In capitals, with all codes behind the text, the last one first."""
    return [Answer(Marked.of([text.text.upper(), *reversed(text.codes)])) for text in texts]


def lose_codes(texts):
    """All codes are lost, in capitals."""
    return [Answer(Marked(text.text.upper())) for text in texts]


def lose_one_code(texts):
    """The first code is lost, in capitals."""
    return [Answer(Marked(text.text.upper(), text.codes[1:])) for text in texts]


def double_codes(texts):
    """Every code is there twice."""
    return [Answer(Marked(text.text.upper(), tuple(c for code in text.codes for c in (code, code)))) for text in texts]


def complain(texts):
    """In capitals, with a problem about each text."""
    return [Answer(answer.marked, ("the number 5 is missing",)) for answer in shout(texts)]


def shuffle(seed):
    """Codes at other places, in another order as far as pairs allow it, with text made of anything."""
    draw = Random(seed)

    def translate(texts):
        return [Answer(_shuffled(text, draw)) for text in texts]

    return translate


def _shuffled(text, draw):
    words = [
        draw.choice(
            ["a", "<b>", "&amp;", '"', "'", "\\n", "%s", "각", " ", "\n", "]]>", "--", "{", "#", "- x", "*y*", "`"]
        )
        for _ in range(5)
    ]
    alone = [part for part in _shown(text) if not isinstance(part, Code) or part.role == "alone"]
    paired = [part for part in text.codes if part.role != "alone"]
    parts = [*words, *alone]
    draw.shuffle(parts)
    for code in paired:
        parts.append(code)
        parts.append(draw.choice(words))
    return Marked.of(parts)


def translated(content, name, translate=copy, target_language="ko", kind=None, source_language=None, **rest):
    """A file through a translator. Text is written as UTF-8 and read back so."""
    data = content.encode() if isinstance(content, str) else content
    result = translate_document(Source(data, name, target_language, source_language), translate, kind, **rest)
    return result.content.decode() if isinstance(content, str) else result.content


def found(content, name, target_language="ko", kind=None, source_language=None):
    """The units of a file."""
    data = content.encode() if isinstance(content, str) else content
    return READERS[kind or name.rpartition(".")[2]].read(Source(data, name, target_language, source_language)).units


def problems(content, name, translate=copy, target_language="ko", **rest):
    """What is said about a file's translation, a line each."""
    data = content.encode() if isinstance(content, str) else content
    return [str(each) for each in translate_document(Source(data, name, target_language), translate, **rest).problems]
