"""JSON, as an object a line or a list of objects. Each object is a unit, whose texts may be in an object within it."""

import json
from collections.abc import Iterator
from typing import cast

from polyhead.corpora.compressed import read_head, read_whole
from polyhead.corpora.member import Member
from polyhead.corpora.text_lines import text_lines
from polyhead.corpora.unit import Unit, Wanted, one_line
from polyhead.errors import DataError


def read_json_lines(member: Member, wanted: Wanted) -> Iterator[Unit]:
    """The objects of a file; blank lines are skipped. Raises DataError, with the line, for what is no JSON object."""
    del wanted
    if read_head(member, 64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"["):
        yield from _listed(member)
        return
    for number, line in enumerate(text_lines(member), start=1):
        if line.strip():
            yield _unit(_parsed(line, member, number), member, number, f"{member.name}:{number}")


def _listed(member: Member) -> Iterator[Unit]:
    data = read_whole(member)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError("invalid UTF-8; save the file as UTF-8", member.name, line) from error
    for number, value in enumerate(cast("list[object]", _parsed(text, member, 1)), start=1):
        yield _unit(value, member, None, f"{member.name} (object {number})")


def _parsed(text: str, member: Member, line: int) -> object:
    try:
        return cast(object, json.loads(text))
    except json.JSONDecodeError as error:
        raise DataError(f"this is no JSON: {error.msg}", member.name, line + error.lineno - 1) from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets within brackets
        raise DataError("this is no JSON that can be read here", member.name, line) from error


def _unit(value: object, member: Member, line: int | None, place: str) -> Unit:
    if not isinstance(value, dict):
        raise DataError(f'{place} is no JSON object such as {{"en": …, "ko": …}}', member.name, line)
    return Unit(dict(flat(cast("dict[str, object]", value))), place)


def flat(table: dict[str, object]) -> Iterator[tuple[str, object]]:
    """The names and values of an object; those of an object inside it as `translation.en`."""
    for name, value in table.items():
        if isinstance(value, dict):
            for inner, text in cast("dict[str, object]", value).items():
                yield f"{name}.{inner}", one_line(text) if isinstance(text, str) else text
        else:
            yield name, one_line(value) if isinstance(value, str) else value
