"""The files in zip and tar archives, which are read where they are: nothing is unpacked under its own name."""

import struct
import tarfile
import zipfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import BinaryIO, cast

from polyhead.corpora.compressed import seekable
from polyhead.corpora.kinds import TAR, ZIP, Kind
from polyhead.corpora.member import Member
from polyhead.errors import DataError
from polyhead.limits import MOST_MEMBERS

_REFUSED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    struct.error,
    EOFError,
    IndexError,
    NotImplementedError,
    OSError,
    OverflowError,
    ValueError,
)
"""What the readers of archives raise for damaged ones."""
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Compressions that Python unpacks piece by piece; of others a few kilobytes may become gigabytes in one go."""


@contextmanager
def files_in(archive: Member, kind: Kind) -> Generator[list[Member]]:
    """The regular files of an archive, by name, to be read inside the block; of several of one name the last.

    Raises DataError for a damaged archive, one with a password, and one of too many files.
    """
    with ExitStack() as stack:
        try:
            files = {ZIP: _in_zip, TAR: _in_tar}[kind](archive, stack)
        except _REFUSED as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or error
            raise DataError(f"this archive is damaged or incomplete ({reason})", archive.name) from error
        if len(files) > MOST_MEMBERS:
            raise DataError(f"this archive has more than {MOST_MEMBERS:,} files", archive.name)
        last = {file.name: file for file in files}  # adding a file again, as `tar -r` does, replaces it
        yield [last[name] for name in sorted(last)]


def _in_zip(archive: Member, stack: ExitStack) -> list[Member]:
    file = stack.enter_context(zipfile.ZipFile(stack.enter_context(_opened(archive))))
    return [_of_zip(archive, file, info) for info in file.infolist() if info.filename and not info.is_dir()]


def _of_zip(archive: Member, file: zipfile.ZipFile, info: zipfile.ZipInfo) -> Member:
    name = f"{archive.name}/{info.filename}"
    if info.flag_bits & 1:
        raise DataError("this archive has a password; unpack it yourself", archive.name)

    def opened() -> BinaryIO:
        if info.compress_type not in _BOUNDED:
            raise DataError("this is compressed in a way that isn't known here; unpack it yourself", name)
        try:
            return cast(BinaryIO, file.open(info))
        except (NotImplementedError, RuntimeError) as error:
            raise DataError(f"this is compressed in a way that isn't known here ({error})", name) from error
        except ValueError as error:  # its name, which stands before it once more, isn't UTF-8
            raise DataError(f"this archive is damaged or incomplete ({error})", name) from error

    return Member(name, opened, max(info.compress_size, 1))


def _in_tar(archive: Member, stack: ExitStack) -> list[Member]:
    """The regular files of a tar archive, without sparse ones, of which a few bytes may claim terabytes of zeros."""
    file = stack.enter_context(tarfile.TarFile(fileobj=stack.enter_context(_opened(archive))))
    found: list[Member] = []
    for info in file:
        if info.isreg() and not info.issparse():
            found.append(_of_tar(archive, file, info))
        if len(found) > MOST_MEMBERS:
            break
    return found


def _of_tar(archive: Member, file: tarfile.TarFile, info: tarfile.TarInfo) -> Member:
    def opened() -> BinaryIO:
        return cast(BinaryIO, file.extractfile(info))

    return Member(f"{archive.name}/{info.name}", opened, max(info.size, 1))


def _opened(archive: Member) -> BinaryIO:
    """The archive as a seekable file. A compressed one is decompressed into a temporary file first."""
    if archive.path is not None and archive.suffix in (".zip", ".tar"):
        return archive.path.open("rb")
    return seekable(archive)
