"""Kinds of arguments: Numba's types tell apart no more than they do."""

from typing import Any, NamedTuple

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from polyhead.kernels.code.kinds import OfKind, kind_of, named


class One(NamedTuple):
    value: Any


class Other(NamedTuple):
    value: Any


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array = array.copy()
    array.flags.writeable = False
    return array


SHAPES = st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple)
ARRAYS = st.builds(np.zeros, SHAPES, st.sampled_from(["f4", "f8", "i8", "i4", "u2", "?"]))
LAID = st.one_of(
    ARRAYS,
    ARRAYS.map(np.asfortranarray),
    ARRAYS.map(lambda array: np.repeat(array, 2, axis=-1)[..., ::2]),
    ARRAYS.map(_frozen),
    ARRAYS.map(lambda array: array.T),
)
NUMBERS = st.sampled_from([1, 0, -5, 2.5, True, False, np.float32(1), np.float64(1), np.int64(3), np.int32(3)])
PLAIN = st.one_of(LAID, NUMBERS)
VALUES = st.recursive(
    PLAIN, lambda inner: st.one_of(st.tuples(inner, inner), inner.map(One), inner.map(Other)), max_leaves=4
)


@given(VALUES, VALUES)
def test_kinds_are_told_apart_where_numbas_types_are(one: Any, other: Any) -> None:
    assert (named(kind_of(one)) == named(kind_of(other))) == (numba.typeof(one) == numba.typeof(other))


@given(VALUES, VALUES)
def test_what_is_of_one_kind_has_one_name(one: Any, other: Any) -> None:
    if kind_of(one) == kind_of(other):
        assert named(kind_of(one)) == named(kind_of(other))


def test_a_file_s_pages_are_an_array() -> None:
    array = np.zeros(3, np.float32)
    assert named(kind_of(array.view(np.memmap))) == named(kind_of(array))


def test_an_argument_may_say_its_kind() -> None:
    class Said(OfKind):
        kind = int, float

    assert kind_of((1, Said())) == (tuple, int, (int, float))
    assert named(kind_of(Said())) == "builtins.int(builtins.float)"
