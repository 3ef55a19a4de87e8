"""From a path to sentence pairs."""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

from polyhead.corpora.aligned import read_aligned
from polyhead.corpora.arrow import read_arrow, read_parquet
from polyhead.corpora.choosing import Choice, Chooser, code_of, listed
from polyhead.corpora.json_lines import read_json_lines
from polyhead.corpora.kinds import ARROW, CSV, JSONL, PARQUET, PO, SUBTITLES, TABLES, TMX, TSV, XLIFF
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
"""A function that reads one kind of file and gives its units in order, as they are read."""

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
    corpus = _Corpus(path, wanted)
    number = usable = 0
    for unit, (source, target) in corpus.units():
        number += 1
        translation = _translation(unit, source, target)
        usable += translation.flaw is None
        yield translation
    if not usable:
        raise DataError(corpus.explain(number), path)


def languages_of(path: Path, wanted: Wanted) -> tuple[str | None, str | None]:
    """The codes of the languages that `read_corpus` finds; None for a side whose language the file doesn't say.

    Raises DataError as `read_corpus` does, for what is wrong with the first units.
    """
    if wanted.source and wanted.target:
        return wanted.source, wanted.target
    with closing(_Corpus(path, wanted).units()) as units:
        for _, (source, target) in islice(units, _LOOKED_AT):
            if source is not None and target is not None:
                return code_of(source) or wanted.source, code_of(target) or wanted.target
    return wanted.source, wanted.target


class _Corpus:
    """A corpus that is being read, and what is known of it so far."""

    def __init__(self, path: Path, wanted: Wanted) -> None:
        self._path = path
        self._wanted = wanted
        by_language = Chooser(replace(wanted, columns=None))
        self._by_language = by_language
        self._in_tables = by_language if wanted.columns is None else Chooser(wanted)

    def units(self) -> Generator[tuple[Unit, Choice]]:
        """The units of all parts, and which of their texts are source and target."""
        with parts_of(self._path) as parts:
            for part in parts:
                choose = self._in_tables if part.kind in TABLES else self._by_language
                for unit in self._of_part(part):
                    yield unit, choose(_names(unit, choose is not self._by_language), unit.place)

    def _of_part(self, part: Part) -> Iterator[Unit]:
        if part.kind.name in FORMATS:
            yield from FORMATS[part.kind.name](part.files[""], self._wanted)
            return
        source, target = self._by_language(tuple(part.files), next(iter(part.files.values())).name)
        if source is not None and target is not None:
            read = read_subtitles if part.kind is SUBTITLES else read_aligned
            yield from read(part.files[source], part.files[target], (source, target))

    def explain(self, number: int) -> str:
        """Why nothing can be learnt from so many units."""
        choosers = self._by_language, self._in_tables
        seen = listed(list(dict.fromkeys(name for chooser in choosers for name in chooser.seen)))
        if not number and not seen:
            return "there is nothing in it that could be a sentence pair"
        if any(chooser.found for chooser in choosers):
            return f"of its {number:,} units none has a finished translation"
        wanted = self._wanted
        sides = wanted.columns or (wanted.source or "a source", wanted.target or "a target")
        return (
            f"none of its {number:,} units has both {sides[0]} and {sides[1]}; there are texts in {seen}. Choose with "
            "--source-language and --target-language, or --columns"
        )


def _names(unit: Unit, by_columns: bool) -> tuple[str, ...]:
    """The names in a unit among which to choose: all where columns are wanted, else those of what may be text."""
    return tuple(name for name, text in unit.texts.items() if by_columns or text is None or isinstance(text, str))


def _translation(unit: Unit, source_name: str | None, target_name: str | None) -> Translation:
    """The pair that is in a unit."""
    source, target = _text(unit, source_name), _text(unit, target_name)
    if not (source.strip() and target.strip()):
        return Translation(source, target, unit.place, "no translation")
    return Translation(source, target, unit.place, None if unit.finished else "unfinished translation")


def _text(unit: Unit, name: str | None) -> str:
    """A text of a unit; empty where there is none. Raises DataError where something else stands in its place."""
    value = unit.texts.get(name) if name is not None else None
    if value is not None and not isinstance(value, str):
        raise DataError(f"{name} is {shown(value)}, where text belongs", unit.place)
    return value or ""
