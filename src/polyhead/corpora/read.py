"""From a path to sentence pairs."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path

from polyhead.corpora.aligned import read_aligned
from polyhead.corpora.arrow import read_arrow, read_parquet
from polyhead.corpora.choosing import Chooser, code_of, listed
from polyhead.corpora.json_lines import read_json_lines
from polyhead.corpora.kinds import ARROW, CSV, JSONL, PARQUET, PO, SUBTITLES, TMX, TSV, XLIFF
from polyhead.corpora.member import Member
from polyhead.corpora.parts import Part, parts_of
from polyhead.corpora.po import read_po
from polyhead.corpora.subtitles import read_subtitles
from polyhead.corpora.tables import read_csv, read_tsv
from polyhead.corpora.tmx import read_tmx
from polyhead.corpora.unit import Translation, Unit, Wanted
from polyhead.corpora.xliff import read_xliff
from polyhead.errors import DataError, shown

Format = Callable[[Member, Wanted], Iterator[Unit]]
"""What reads one kind of file: its units in order, as they are read."""

FORMATS: Mapping[str, Format] = {
    TMX.name: read_tmx,
    XLIFF.name: read_xliff,
    PO.name: read_po,
    CSV.name: read_csv,
    TSV.name: read_tsv,
    JSONL.name: read_json_lines,
    PARQUET.name: read_parquet,
    ARROW.name: read_arrow,
}
_LOOKED_AT = 10_000
"""Units among which one must have both languages for them to be found before reading."""


def read_corpus(path: Path, wanted: Wanted) -> Iterator[Translation]:
    """The units of a corpus in order, as they are read; those that can't be learnt from say why (`flaw`).

    Raises DataError, with file, line and unit, for what is wrong with a file; where it isn't certain which texts are
    meant; and, after the last unit, where none has both. Raises MissingExtra where a library isn't installed.
    """
    chooser = Chooser(wanted, path)
    number = usable = 0
    for unit in _units(path, wanted, chooser):
        number += 1
        translation = _translation(unit, chooser, wanted)
        usable += translation.flaw is None
        yield translation
    if not usable:
        raise DataError(_none_usable(number, wanted, chooser), path)


def languages_of(path: Path, wanted: Wanted) -> tuple[str | None, str | None]:
    """The codes of the languages that `read_corpus` finds; None for a side of which the file doesn't say it.

    Raises DataError as `read_corpus` does, if it comes to that in the first units.
    """
    if wanted.columns is not None:
        source, target = (wanted.source or code_of(wanted.columns[0]), wanted.target or code_of(wanted.columns[1]))
        return source, target
    if wanted.source and wanted.target:
        return wanted.source, wanted.target
    chooser = Chooser(wanted, path)
    for unit in islice(_units(path, wanted, chooser), _LOOKED_AT):
        source, target = chooser(_names(unit), unit.place)
        if source is not None and target is not None:
            return code_of(source), code_of(target)
    return wanted.source, wanted.target


def _units(path: Path, wanted: Wanted, chooser: Chooser) -> Iterator[Unit]:
    with parts_of(path) as parts:
        for part in parts:
            yield from _of_part(part, wanted, chooser)


def _of_part(part: Part, wanted: Wanted, chooser: Chooser) -> Iterator[Unit]:
    if part.kind.name in FORMATS:
        yield from FORMATS[part.kind.name](part.files[""], wanted)
        return
    source, target = chooser(tuple(part.files), next(iter(part.files.values())).name)
    if source is not None and target is not None:
        read = read_subtitles if part.kind is SUBTITLES else read_aligned
        yield from read(part.files[source], part.files[target], (source, target))


def _names(unit: Unit) -> tuple[str, ...]:
    return tuple(name for name, text in unit.texts.items() if text is None or isinstance(text, str))


def _translation(unit: Unit, chooser: Chooser, wanted: Wanted) -> Translation:
    """The pair that is in a unit."""
    names = _names(unit) if wanted.columns is None else tuple(unit.texts)
    source, target = (_text(unit, name) for name in chooser(names, unit.place))
    if not (source.strip() and target.strip()):
        return Translation(source, target, unit.place, "no translation")
    return Translation(source, target, unit.place, None if unit.finished else "unfinished translation")


def _text(unit: Unit, name: str | None) -> str:
    """A text of a unit; empty where there is none. Raises DataError where something else stands in its place."""
    value = unit.texts.get(name) if name is not None else None
    if value is not None and not isinstance(value, str):
        raise DataError(f"{name} is {shown(value)}, where text belongs", unit.place)
    return value or ""


def _none_usable(number: int, wanted: Wanted, chooser: Chooser) -> str:
    if not number:
        return "there is nothing in it that could be a sentence pair"
    sides = wanted.columns or (wanted.source or "a source", wanted.target or "a target")
    return (
        f"none of its {number:,} units has a finished translation with {listed(sides)}; there are texts in "
        f"{chooser.listed()}. Choose with --source-language and --target-language, or --columns"
    )
