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

LOCKED = "it is locked with a password; save it without one"
"""What is said of a document that only its password opens."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OverflowError, ValueError, OSError)
"""What the reader of archives raises for damaged ones."""
_PIECE = 1 << 20
"""Bytes of a part that are unpacked together where nothing of it is kept."""


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
    """The XML parts of an archive by name. Raises DataError for one that is damaged, locked, or enormous.

    All other parts, such as pictures, are unpacked, too, piece by piece: damage is to be found before anything is
    translated, and takes much less time to find than to translate.
    """
    parts = dict[str, bytes]()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for info in _checked(archive, name):
                if _is_xml(info):
                    parts[info.filename] = _content(archive, info)
                else:
                    _look_through(archive, info)
    except _DAMAGE as error:
        raise DataError(f"it is no whole zip archive ({error}); save it again", name) from error
    return parts


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """A part, of which no more is unpacked than its announced size, although more may be packed in it."""
    with archive.open(info) as part:
        return part.read(info.file_size + 1)  # by one more, so that the checksum of an empty part is compared, too


def _look_through(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    with archive.open(info) as part:
        while part.read(_PIECE):
            pass


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
            raise DataError(LOCKED, name)
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise DataError(f"its part {info.filename[:60]} is not packed as documents are; save it again", name)
        if _is_xml(info) and info.file_size > LARGEST_PART:
            raise DataError(f"its part {info.filename[:60]} has more than {LARGEST_PART:,} bytes", name)
        yield info


def _rewritten(content: bytes, changed: Mapping[str, bytes]) -> bytes:
    """An archive with other content in some parts; order, names, dates and compression stay."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(written, "w") as new:
        new.comment = old.comment
        for info in old.infolist():
            part = changed.get(info.filename) or _content(old, info)
            new.writestr(copy.copy(info), part, compress_type=info.compress_type)
    return written.getvalue()
