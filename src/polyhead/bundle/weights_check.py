"""One reading of a whole file of weights: its digest, and whether every number in it is finite."""

import hashlib
from collections.abc import Iterator
from io import BufferedReader
from math import prod
from pathlib import Path

import numpy as np
from safetensors import SafetensorError

from polyhead.model.stored import BYTES, numbers, parts

PIECE = 1 << 20
"""Bytes that are read and looked at together; they fit a core's cache."""


class NotFinite(Exception):
    """A weight that is infinite or not a number; the message is its name."""


def digest_of_weights(path: Path) -> str:
    """The SHA-256 of a file of weights, in hexadecimal.

    The file is read in pieces, so that it takes no memory to speak of. Raises NotFinite where a weight isn't finite in
    float32, OSError and SafetensorError where the file can't be read.
    """
    found = parts(path)
    digest, buffer = hashlib.sha256(), memoryview(bytearray(PIECE))
    with path.open("rb") as file:
        left = path.stat().st_size - sum(BYTES[kind] * prod(shape) for _, kind, shape in found)
        for piece in _pieces(file, left, buffer):
            digest.update(piece)
        for name, kind, shape in found:
            for piece in _pieces(file, BYTES[kind] * prod(shape), buffer):
                digest.update(piece)
                if not np.isfinite(numbers(np.frombuffer(piece, np.uint8), kind)).all():
                    raise NotFinite(name)
    return digest.hexdigest()


def _pieces(file: BufferedReader, count: int, buffer: memoryview) -> Iterator[memoryview]:
    """The next `count` bytes of the file, piece by piece, each in the same buffer."""
    while count > 0:
        size = file.readinto(buffer[: min(count, PIECE)])
        if not size:
            raise SafetensorError("the file became shorter while it was read")
        yield buffer[:size]
        count -= size
