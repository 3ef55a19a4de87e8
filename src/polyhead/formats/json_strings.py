"""JSON string tables: values that are strings are translated; keys, numbers, order and white space stay as they are."""

import json
import re
from collections.abc import Iterator
from functools import partial

from polyhead.errors import DataError
from polyhead.formats.document import Source, TextDocument
from polyhead.formats.encoding import decoded
from polyhead.formats.identifiers import is_identifier
from polyhead.formats.left_strings import why_left
from polyhead.formats.splicing import Lines, Region, Spliced, single
from polyhead.formats.unit import has_words, without_margins
from polyhead.inline.codes import Marked

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[{}\[\]:,]|[^\s"{}\[\]:,]+')
_ESCAPED = re.compile(r"\\u00[89a-fA-F][0-9a-fA-F]|\\u(?!00)[0-9a-fA-F]{4}")


def read_json(source: Source) -> TextDocument:
    """A JSON file, also Flutter's .arb. Raises DataError for one that isn't JSON."""
    text, encoding = decoded(source.content, source.name)
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        message = f"this is not JSON: {error.msg}, at character {error.colno} of the line; mend it"
        raise DataError(message, source.name, error.lineno) from error
    except (RecursionError, ValueError) as error:  # a number of more digits than Python reads
        raise DataError("its lists and tables are nested too deeply, or a number is too long", source.name) from error
    lines, regions, notes = Lines(text), list[Region](), list[tuple[int, str]]()
    write = partial(_quoted, is_ascii=text.isascii() and bool(_ESCAPED.search(text)))
    for start, end, path in _values(text):
        value, line = json.loads(text[start:end]), lines.number(start)
        if any(key.startswith("@") for key in path):  # .arb: what is said about an entry
            continue
        unit = without_margins(Marked(value), line, ".".join(path))
        if not has_words(unit.marked) or is_identifier(value):
            continue
        if left := why_left(value, unit.name):
            notes.append((line, left))
        else:
            regions.append(single(text, start, end, unit, lambda whole: write(whole.written())))
    return TextDocument(Spliced(text, tuple(regions)), encoding, tuple(notes))


def _quoted(text: str, is_ascii: bool) -> str:
    return json.dumps(text, ensure_ascii=is_ascii)


def _values(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where each string that is a value begins and ends, and the keys and numbers that lead to it. The text is JSON."""
    path, is_key = list[str | int](), False
    for token in _TOKEN.finditer(text):
        match token[0][0]:
            case "{":
                path.append("")
                is_key = True
            case "[":
                path.append(0)
                is_key = False
            case "}" | "]":
                path.pop()
            case ":":
                is_key = False
            case ",":
                last = path[-1]
                is_key = isinstance(last, str)
                if isinstance(last, int):
                    path[-1] = last + 1
            case '"' if is_key:
                path[-1] = json.loads(token[0])
            case '"':
                yield *token.span(), tuple(map(str, path))
            case _:
                pass
