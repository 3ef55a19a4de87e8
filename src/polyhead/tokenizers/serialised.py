"""What a vocabulary file may hold, looked at before sentencepiece reads it.

The file is a message of protocol buffers: fields one after the other, each a number that says which field it is and how
it is written, then its value. In a sentencepiece model field 1 is a piece, field 3 says how text is normalised and
field 5 how that is undone. In these two, field 2 is a table of replacements. Models made by polyhead have no such
table, and sentencepiece trusts the places that are written in it.
"""

from collections.abc import Iterator

from polyhead.limits import LARGEST_VOCABULARY

_PIECE, _NORMALISERS, _TABLE = 1, (3, 5), 2
_NUMBER, _BYTES, _FIXED = 0, 2, {1: 8, 5: 4}
"""How a value is written: as a number, as a length and so many bytes, or in so many bytes."""
_USUAL_PIECE = 0x0A
"""What a piece begins with: field 1, written as its length and so many bytes."""


def check_fields(data: bytes) -> None:
    """Raises ValueError for bytes that are no message, for too many pieces, and for a table of replacements."""
    for field, begin, end in _fields(data, 0, len(data)):
        if field in _NORMALISERS and any(inner == _TABLE and to > at for inner, at, to in _fields(data, begin, end)):
            raise ValueError("it replaces characters by a table of its own, which no vocabulary made by polyhead does")


def _fields(data: bytes, position: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Field, beginning and end of every value but short pieces, of which most of a model consists."""
    pieces = 0
    try:
        while position < end:
            if data[position] == _USUAL_PIECE and data[position + 1] < 0x80:
                field, position = _PIECE, position + 2 + data[position + 1]
            else:
                key, position = _varint(data, position)
                field, kind = key >> 3, key & 7
                begin, position = _value(data, position, kind)
                yield field, begin, position
            pieces += field == _PIECE
            if pieces > LARGEST_VOCABULARY:
                raise ValueError(f"it has more than {LARGEST_VOCABULARY:,} pieces")
    except IndexError:
        raise ValueError("it ends in the middle of a field") from None
    if position != end:
        raise ValueError("it ends in the middle of a field")


def _value(data: bytes, position: int, kind: int) -> tuple[int, int]:
    """Beginning and end of a value that begins at a position and is written in the way that `kind` says."""
    if kind == _NUMBER:
        return position, _varint(data, position)[1]
    if kind == _BYTES:
        length, begin = _varint(data, position)
        return begin, begin + length
    if kind in _FIXED:
        return position, position + _FIXED[kind]
    raise ValueError("it has a field of an unknown kind")


def _varint(data: bytes, position: int) -> tuple[int, int]:
    """A number in seven bits a byte, the last byte without the eighth → the number, and the place after it."""
    number = shift = 0
    while True:
        byte = data[position]
        number |= (byte & 0x7F) << shift
        position, shift = position + 1, shift + 7
        if byte < 0x80:
            return number, position
        if shift > 63:
            raise ValueError("it has a number of too many bytes")
