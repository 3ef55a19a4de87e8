"""Documents that are zip archives of XML: read within bounds, and written with some parts changed."""

import copy
import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from polyhead.errors import DataError
from polyhead.formats.splicing import Spliced
from polyhead.formats.unit import Answered, Unit
from polyhead.formats.xml_tree import Tree
from polyhead.limits import LARGEST_ARCHIVE, LARGEST_PART, MOST_PARTS


@dataclass(frozen=True)
class Part:
    """A part of an archive that holds text."""

    name: str
    tree: Tree
    spliced: Spliced


@dataclass(frozen=True)
class ArchiveDocument:
    """A document that is an archive."""

    content: bytes
    parts: tuple[Part, ...]
    notes: tuple[tuple[int, str], ...] = ()

    @property
    def units(self) -> tuple[Unit, ...]:
        """All units of the document, part by part."""
        return tuple(unit for part in self.parts for unit in part.spliced.units)

    def written(self, answers: Sequence[Answered]) -> bytes:
        """The archive with an answer for each unit; as it was where no answer changes anything."""
        done, changed = 0, dict[str, bytes]()
        for part in self.parts:
            own = answers[done : done + len(part.spliced.units)]
            done += len(own)
            text = part.spliced.filled(own)
            if text != part.tree.text:
                changed[part.name] = part.tree.encoding.encoded(text)
        return _rewritten(self.content, changed) if changed else self.content


def read_parts(content: bytes, name: str) -> dict[str, bytes]:
    """The XML parts of an archive by name. Raises DataError for one that is damaged, locked, or enormous."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {info.filename: archive.read(info) for info in _checked(archive, name) if _is_xml(info)}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError) as error:
        raise DataError(f"it is no whole zip archive ({error}); save it again", name) from error


def _is_xml(info: zipfile.ZipInfo) -> bool:
    return info.filename.lower().endswith(".xml")


def _checked(archive: zipfile.ZipFile, name: str) -> Iterator[zipfile.ZipInfo]:
    entries = archive.infolist()
    if len(entries) > MOST_PARTS or sum(info.file_size for info in entries) > LARGEST_ARCHIVE:
        raise DataError(f"unpacked it would be more than {LARGEST_ARCHIVE:,} bytes, or {MOST_PARTS:,} parts", name)
    if len({info.filename for info in entries}) < len(entries):
        raise DataError("two of its parts have one name; save it again", name)
    for info in entries:
        if info.flag_bits & 1:
            raise DataError("it is locked with a password; save it without", name)
        if _is_xml(info) and info.file_size > LARGEST_PART:
            raise DataError(f"its part {info.filename[:60]} has more than {LARGEST_PART:,} bytes", name)
        yield info


def _rewritten(content: bytes, changed: Mapping[str, bytes]) -> bytes:
    """An archive with other content in some parts; order, names, dates and compression stay."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(written, "w") as new:
        new.comment = old.comment
        for info in old.infolist():
            new.writestr(
                copy.copy(info), changed.get(info.filename) or old.read(info), compress_type=info.compress_type
            )
    return written.getvalue()
