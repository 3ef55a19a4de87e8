"""The header of a PO file: what it says of language, encoding and plurals, and how that is put right in its place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyhead.errors import DataError
from polyhead.formats.languages_of_files import is_same
from polyhead.formats.po_plurals import Plurals

_FIELD = re.compile(r'\s*"([A-Za-z-]+):\s*(.*?)(\\n)?"\s*$')
_FUZZY = re.compile(r"#,(\s*fuzzy\s*$|.*\bfuzzy\b)")


@dataclass(frozen=True)
class Header:
    """The lines of a header, with the comments before it, and what they say."""

    lines: tuple[str, ...]
    """The lines without their line breaks; none where there is no header."""
    fields: dict[str, str]

    @classmethod
    def of(cls, lines: Sequence[str]) -> "Header":
        """The lines before a file's first entry; what stands behind the header's last field is left out."""
        last = max((i for i, line in enumerate(lines) if line.lstrip().startswith(('"', "msgstr"))), default=-1)
        if last < 0:
            return cls((), {})
        kept, fields, name = tuple(lines[: last + 1]), dict[str, str](), ""
        for line in _one_field_a_line(kept):
            match = _FIELD.match(line)
            if match:
                name = match[1]
                fields.setdefault(name, match[2])
            elif name and line.lstrip().startswith('"'):
                fields[name] += line.strip().strip('"').removesuffix("\\n")
        return cls(kept, fields)

    def changed(self, values: dict[str, str]) -> list[str]:
        """The lines with other values of some fields, and no longer marked as fuzzy."""
        if not self.lines:
            return ['msgid ""', 'msgstr ""', *(_line(*field) for field in values.items())]
        lines = [_without_fuzzy(line) for line in (_one_field_a_line(self.lines) if values else self.lines)]
        lines = [line for line in lines if line is not None]
        for name, value in values.items():
            place = next((i for i, line in enumerate(lines) if line.lstrip().startswith(f'"{name}:')), None)
            if place is None:
                lines.append(_line(name, value))
            else:
                lines[place : _field_end(lines, place)] = [_line(name, value)]
        return lines


def _one_field_a_line(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a header, with a line of its own for each field: some stand in one line, or behind msgstr."""
    is_text = False
    for line in lines:
        text = line.strip().removeprefix("msgstr").lstrip()
        is_text |= line.lstrip().startswith("msgstr")
        if not is_text or text[:1] != '"':
            yield line
            continue
        if line.lstrip().startswith("msgstr"):
            yield 'msgstr ""'
        yield from (
            f'"{field}"' for field in re.findall(r"(?:[^\\]|\\[^n])+(?:\\n)?|\\n", text[1:].rstrip().removesuffix('"'))
        )


def _line(name: str, value: str) -> str:
    return f'"{name}: {value}\\n"'


def _field_end(lines: Sequence[str], place: int) -> int:
    """Where the field that begins in a line ends: it may go on in the next ones."""
    while not lines[place].rstrip().endswith('\\n"') and place + 1 < len(lines):
        place += 1
    return place + 1


def _without_fuzzy(line: str) -> str | None:
    """A line without the flag `fuzzy`; None where nothing is left of a comment."""
    if not _FUZZY.match(line):
        return line
    flags = [flag for flag in line[2:].split(",") if flag.strip() not in ("fuzzy", "")]
    return f"#,{','.join(flags)}" if flags else None


def needed(header: Header, language: str, plurals: Plurals, has_translations: bool, name: str) -> dict[str, str]:
    """The fields of a header that have to change for translations into a language.

    Raises DataError where the file has translations into another language.
    """
    values = dict[str, str]()
    said = header.fields.get("Language", "").strip()
    same = bool(said) and is_same(said, language)
    if said and not same and has_translations:
        raise DataError(f"it has translations into {said[:20]}; translate the .pot file, or name that language", name)
    if not same:
        values["Language"] = language.replace("-", "_")
    kind = header.fields.get("Content-Type", "")
    if "charset=utf-8" not in kind.lower():
        values["MIME-Version"] = header.fields.get("MIME-Version", "1.0")
        values["Content-Type"] = "text/plain; charset=UTF-8"
        values["Content-Transfer-Encoding"] = "8bit"
    if Plurals.read(header.fields.get("Plural-Forms", ""), name) is None:
        values["Plural-Forms"] = plurals.written
    return {field: value for field, value in values.items() if header.fields.get(field) != value}
