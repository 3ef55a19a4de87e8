"""The weights in a file of safetensors as arrays, without PyTorch; on Linux they are the file's own pages."""

import sys
from math import prod
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from polyhead.errors import shortened
from polyhead.reading import check_tensors

Floats = NDArray[np.float32]
MAPPED = sys.platform == "linux"
"""Whether files are mapped. On other systems a file couldn't be replaced as long as its pages are in use."""
BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
"""The kinds of numbers that a weight may have → the bytes of a number."""


def read_weights(path: Path) -> dict[str, Floats]:
    """Every weight by its name. Weights in float32 of a mapped file are read from the disk only when they are used.

    Raises OSError and SafetensorError for what can't be read, or holds something else than weights.
    """
    kinds = parts(path)
    whole: NDArray[np.uint8] = np.memmap(path, np.uint8, "c") if MAPPED else np.fromfile(path, np.uint8)
    end = len(whole) - sum(BYTES[kind] * prod(shape) for _, kind, shape in kinds)
    weights: dict[str, Floats] = {}
    for name, kind, shape in kinds:
        begin, end = end, end + BYTES[kind] * prod(shape)
        weights[name] = _shaped(name, numbers(np.asarray(whole[begin:end]), kind), shape)
    return weights


def parts(path: Path) -> list[tuple[str, str, tuple[int, ...]]]:
    """Name, kind of numbers and shape of every weight, in the order in which they lie in the file.

    Raises OSError and SafetensorError for what can't be read, or holds something else than weights.
    """
    check_tensors(path)
    with safe_open(path, framework="numpy") as file:  # which checks that the parts fill the file, one behind the other
        slices: list[tuple[str, Any]] = [(name, file.get_slice(name)) for name in cast("list[str]", file.offset_keys())]
        found = [(name, str(part.get_dtype()), tuple[int, ...](part.get_shape())) for name, part in slices]
    for name, kind, _ in found:
        if kind not in BYTES:
            raise SafetensorError(f"{shortened(name, 60)} is of kind {kind}, which no weight has")
    return found


def numbers(part: NDArray[np.uint8], kind: str) -> Floats:
    """The bytes of a part as they are, seen as float32, or a copy of another kind's numbers in float32."""
    if kind == "BF16":  # the upper half of a float32
        return (part.view("<u2").astype("<u4") << 16).view("<f4")
    with np.errstate(over="ignore"):  # what is beyond float32 becomes infinite
        return part.view(f"<f{BYTES[kind]}").astype(np.float32, copy=False)


def _shaped(name: str, found: Floats, shape: tuple[int, ...]) -> Floats:
    try:
        return found.reshape(shape)
    except ValueError as error:  # too many axes, or sizes that are beyond any memory beside one that is 0
        raise SafetensorError(f"{shortened(name, 60)} has a shape that no weight has") from error
