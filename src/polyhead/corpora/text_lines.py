"""The lines of a file, plain or compressed, as text. Whatever is wrong with it becomes a DataError that says where."""

from collections.abc import Iterator
from pathlib import Path

from polyhead.corpora.compressed import Damaged, chunks
from polyhead.corpora.kinds import HEAD, kind_by_content
from polyhead.corpora.member import Member
from polyhead.errors import DataError
from polyhead.limits import LONGEST_LINE

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


def read_text_lines(path: Path) -> Iterator[str]:
    r"""The lines of a UTF-8 file, without their "\n" or "\r\n"; a byte order mark at its start is left out.

    Compressed files are decompressed on the way. Raises DataError for a file that is missing, empty, a directory,
    damaged, not UTF-8 or of a kind that isn't lines of text, and for a line without an end, such as /dev/zero has.
    """
    return lines_of_text(Member.of(path))


def lines_of_text(member: Member) -> Iterator[str]:
    """`read_text_lines` for a file that may also be inside an archive."""
    return _decoded(_raw_lines(member, _checked(chunks(member), member)), member)


def read_text_lines_of(data: bytes, name: str) -> Iterator[str]:
    """`read_text_lines` for bytes that aren't in a file, such as standard input; no bytes have no lines.

    name: what messages call the bytes
    """
    member = Member.of(Path(name))
    return _decoded(_raw_lines(member, iter([data])), member) if data else iter(())


def text_lines(member: Member) -> Iterator[str]:
    """`lines_of_text` for any file that is text, also one of a kind that isn't lines of text, such as CSV."""
    return _decoded(_raw_lines(member, chunks(member)), member)


def _checked(pieces: Iterator[bytes], member: Member) -> Iterator[bytes]:
    """Passes pieces on. Raises DataError where the first one is the beginning of something other than lines of text."""
    for number, piece in enumerate(pieces):
        kind = kind_by_content(piece[:HEAD]) if number == 0 else None
        if kind is not None:
            raise DataError(kind.refusal, member.name)
        yield piece


def _decoded(lines: Iterator[bytes], member: Member) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if number == 1:
            if line.startswith(_UTF16_BOMS):
                raise DataError("this text is UTF-16; save it as UTF-8", member.name, 1)
            line = line.removeprefix(_UTF8_BOM)
        try:
            yield line.removesuffix(b"\r").decode("utf-8")
        except UnicodeDecodeError as error:
            byte = line[error.start]
            message = f"invalid UTF-8: byte {error.start + 1} of the line is 0x{byte:02X}; save the text as UTF-8"
            raise DataError(message, member.name, number) from error


def _raw_lines(member: Member, pieces: Iterator[bytes]) -> Iterator[bytes]:
    r"""The lines of a file's pieces, split at "\n" alone. The last line need not end in one."""
    unfinished: list[bytes] = []  # the pieces of a line that goes on in the next chunk
    line_number = 1
    try:
        for chunk in pieces:
            first, *others = chunk.split(b"\n")
            unfinished.append(first)
            if sum(map(len, unfinished)) > LONGEST_LINE:
                message = f"this line has more than {LONGEST_LINE:,} bytes; is the file text?"
                raise DataError(message, member.name, line_number)
            for other in others:
                yield b"".join(unfinished)
                line_number += 1
                unfinished = [other]
    except Damaged as error:
        raise error.at(line_number) from error
    last = b"".join(unfinished)
    if line_number == 1 and last.rstrip(b"\r").count(b"\r") > 1:
        message = r"its lines end in carriage returns alone; convert it first: tr '\r' '\n' < FILE > OTHER"
        raise DataError(message, member.name)
    if last:
        yield last
    elif line_number == 1:
        raise DataError("the file is empty", member.name)
