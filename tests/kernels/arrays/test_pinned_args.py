"""What is kept for kernels."""

import gc
import pickle
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.kernels.arrays import pinned_args
from polyhead.kernels.arrays.pinned_args import pin_args
from polyhead.kernels.kernel import kernel


class Inner(NamedTuple):
    weight: NDArray[np.float32]
    scale: float


class Outer(NamedTuple):
    one: Inner
    other: Inner
    flag: bool
    count: int


@kernel
def _said(kept: Any) -> tuple[float, bool, int]:
    value = kept.value
    return value.one.weight.sum() * value.one.scale + value.other.weight.sum(), value.flag, value.count


@kernel
def _sum_of_all(kept: Any) -> float:
    total = 0.0
    for array in kept.value:
        total += array[0]
    return total


@kernel
def _raised(kept: Any) -> None:
    kept.value.weight[:] += np.float32(1)


def test_a_kernel_reads_what_is_kept() -> None:
    one, other = Inner(np.arange(6, dtype=np.float32).reshape(2, 3), 2.0), Inner(np.ones((1, 2), np.float32), 3.0)
    assert _said(pin_args(Outer(one, other, True, 7))) == (32.0, True, 7)
    assert _said(pin_args(Outer(other, one, False, -7))) == (21.0, False, -7)


def test_it_lives_as_long_as_it_is_kept() -> None:
    kept = pin_args(
        Outer(Inner(np.full((3, 3), 2, np.float32), 1.0), Inner(np.zeros((1, 1), np.float32), 1.0), True, 1)
    )
    gc.collect()
    _ = [np.full((3, 3), 9, np.float32) for _ in range(100)]
    assert _said(kept)[0] == 18.0


def test_it_is_the_original_not_a_copy() -> None:
    weight = np.zeros(4, np.float32)
    kept = pin_args(Inner(weight, 1.0))
    _raised(kept)
    _raised(kept)
    assert weight.tolist() == [2.0] * 4


def test_more_than_is_tried_first_is_kept_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pinned_args, "_FIRST", 64)
    kept = pin_args(tuple(np.full(3, n, np.float64) for n in range(5)))
    assert len(kept._memory) > 64
    assert _sum_of_all(kept) == sum(range(5))


def test_what_is_kept_can_be_pickled_and_is_kept_anew() -> None:
    inner = Inner(np.arange(3, dtype=np.float32), 2.0)
    kept = pin_args(Outer(inner, inner, True, 4))
    again = pickle.loads(pickle.dumps(kept))
    assert again.address != kept.address
    assert again.kind == kept.kind
    inner.weight[:] = 9
    assert _said(again) == (9.0, True, 4)
