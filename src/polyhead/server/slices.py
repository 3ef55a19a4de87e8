"""Parts of arrays, as addresses name them: `rows=0:64`."""

from typing import Annotated, Any

from fastapi import Query
from numpy.typing import NDArray

Slice = Annotated[str, Query(pattern="^[0-9]{1,9}:[0-9]{1,9}$", description="start:end, counted from 0.")]


def cut(array: NDArray[Any], rows: str | None, columns: str | None) -> NDArray[Any]:
    """The rows of the last axis but one and the columns of the last; what lies beyond the array is left out.

    An array of one axis has columns only.
    """
    if columns is not None:
        array = array[..., _slice(columns)]
    if rows is not None and array.ndim > 1:
        array = array[..., _slice(rows), :]
    return array


def _slice(text: str) -> slice:
    start, end = text.split(":")
    return slice(int(start), int(end))
