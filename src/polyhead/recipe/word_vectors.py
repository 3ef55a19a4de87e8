"""Initial word embeddings from a word2vec file (Mikolov et al. 2013), text or binary.

Both begin with a line "count dimensions". In the text format a line is a word and its numbers, separated by spaces; in
the binary format a word, a space, and little-endian float32 numbers, with or without a line end between entries.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np
import torch
from torch import Tensor, nn

from polyhead.errors import DataError
from polyhead.reading import open_regular

_WORD_START = "\u2581"  # sentencepiece writes it before a piece that begins a word
_CONTROL = re.compile(rb"[\x00-\x08]")  # in raw float32 numbers sooner or later, in text never
_LONGEST_WORD = 10_000  # bytes; beyond that a file isn't in the format
_LONGEST_NUMBER = 100  # bytes of a number in text


@dataclass(frozen=True)
class WordVectors:
    """The vectors of the known pieces, ready to be copied into an embedding."""

    rows: Tensor
    """[M] int64, the pieces' numbers."""
    vectors: Tensor
    """[M, D] float32, scaled to a root mean square of 1/√D, as a fresh embedding has."""
    pieces: int
    """How many pieces were asked for."""

    @property
    def report(self) -> str:
        """How many pieces start from a word vector, as a line for the log."""
        share = 100 * len(self.rows) / max(self.pieces, 1)
        return f"{len(self.rows)} of {self.pieces} pieces ({share:.1f} %) start from a word vector"

    def write_into(self, embedding: nn.Embedding) -> None:
        """Known pieces get their vectors, the others keep what they have."""
        with torch.no_grad():
            embedding.weight[self.rows] = self.vectors.to(embedding.weight)


def load_word_vectors(path: Path | str, pieces: Sequence[str], d_model: int) -> WordVectors:
    """Read the vectors [D] of those pieces that are whole words of the file.

    A word-start mark of sentencepiece is not part of the word. All vectors are scaled by one factor, so that their
    angles and relative lengths stay; the first of a word's vectors counts.
    Raises DataError, naming file and line (in the binary format as if each entry were one), where the file is not in
    the format or its vectors don't have `d_model` numbers.
    """
    wanted: dict[str, list[int]] = {}
    for row, piece in enumerate(pieces):
        wanted.setdefault(piece.removeprefix(_WORD_START), []).append(row)
    rows: list[int] = []
    vectors: list[np.ndarray] = []
    for word, vector in _entries(Path(path), d_model):
        found = wanted.pop(word, [])
        rows += found
        vectors += [vector] * len(found)
    stacked = torch.from_numpy(np.stack(vectors)) if vectors else torch.empty(0, d_model)
    size = stacked.square().mean().sqrt() if vectors else torch.tensor(1.0)
    scale = d_model**-0.5 / float(size) if size > 0 else 1.0
    return WordVectors(torch.tensor(rows, dtype=torch.int64), stacked * scale, len(pieces))


def _entries(path: Path, d_model: int) -> Iterator[tuple[str, np.ndarray]]:
    """Word and vector [D] of every entry, checked."""
    try:
        file = open_regular(path)
    except OSError as error:
        raise DataError(f"cannot be read ({error.strerror}); give a file in word2vec format", path) from error
    with file:
        count = _header(file, path, d_model)
        begin = file.tell()
        binary = _CONTROL.search(file.read(1 << 16)) is not None
        file.seek(begin)
        entries = _binary_entries(file, path, count, d_model) if binary else _text_entries(file, path, d_model)
        read = 0
        for number, word, vector in entries:
            read += 1
            if read > count:
                raise DataError(f"is one vector more than the {count} that the first line says", path, number)
            if not np.isfinite(vector).all():
                raise DataError(f'the vector of "{word}" holds a number that is not finite', path, number)
            yield word, vector
        if read != count:
            raise DataError(f"has {read} vectors where its first line says {count}; is it cut off?", path, read + 2)


def _header(file: BinaryIO, path: Path, d_model: int) -> int:
    """The count of the first line."""
    fields = file.readline(100).split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        raise DataError('is not in word2vec format: the first line must be "count dimensions"', path, 1)
    count, dimensions = (int(field) for field in fields)
    if dimensions != d_model:
        raise DataError(
            f"has vectors of {dimensions} numbers where model.d_model = {d_model}; make them equal", path, 1
        )
    return count


def _text_entries(file: BinaryIO, path: Path, d_model: int) -> Iterator[tuple[int, str, np.ndarray]]:
    longest = _LONGEST_WORD + _LONGEST_NUMBER * d_model
    for number, line in enumerate(iter(partial(file.readline, longest), b""), start=2):
        word, *fields = line.strip(b"\r\n ").rsplit(b" ", d_model)
        try:
            vector = np.array([float(field) for field in fields], dtype=np.float32)
            text = word.decode()
        except ValueError as error:
            raise DataError(f"is not a word in UTF-8 and {d_model} numbers", path, number) from error
        if len(vector) != d_model:
            raise DataError(f"has {len(vector)} numbers after its word where {d_model} are due", path, number)
        yield number, text, vector


def _binary_entries(file: BinaryIO, path: Path, count: int, d_model: int) -> Iterator[tuple[int, str, np.ndarray]]:
    for number in range(2, count + 2):
        word = bytearray()
        while (byte := file.read(1)) != b" ":
            if not byte and not word.strip():
                return
            if not byte or len(word) > _LONGEST_WORD:
                raise DataError("is cut off or not in word2vec's binary format", path, number)
            word += byte
        raw = file.read(4 * d_model)
        if len(raw) < 4 * d_model:
            raise DataError("is cut off in the middle of a vector", path, number)
        yield number, word.strip(b"\n").decode(errors="replace"), np.frombuffer(raw, dtype="<f4").astype(np.float32)
