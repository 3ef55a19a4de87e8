"""Where kernels read and write: aligned arrays, memory that is used again, and tensors seen by NumPy."""

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from polyhead.kernels.arrays import aligned
from polyhead.kernels.arrays.scratch import Scratch
from polyhead.kernels.arrays.tensors import as_bfloat16s, as_floats
from polyhead.kernels.kernel import kernel


@kernel
def _bytes_beside_a_line(count: int) -> int:
    return aligned.empty(1, count, np.float32).ctypes.data % aligned.LINE


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.float32])
@pytest.mark.parametrize("shape", [(1,), (7, 3), (300, 1000)])
def test_arrays_begin_with_a_line(shape: tuple[int, ...], dtype: type) -> None:
    found = aligned.zeros(shape, dtype)
    assert found.ctypes.data % aligned.LINE == 0
    assert found.shape == shape
    assert found.dtype == dtype
    assert not found.any()


def test_so_do_those_of_kernels() -> None:
    assert [_bytes_beside_a_line(count) for count in (1, 10, 1000, 100_000)] == [0] * 4


def test_scratch_is_used_again_by_name_and_grows() -> None:
    scratch = Scratch()
    first = scratch.get("a", (4, 5), torch.float32)
    assert scratch.get("a", (3, 2), torch.float32).data_ptr() == first.data_ptr()
    assert scratch.get("b", (4, 5), torch.float32).data_ptr() != first.data_ptr()
    larger = scratch.get("a", (2, 30, 4), torch.float32)
    assert larger.shape == (2, 30, 4)
    assert larger.is_contiguous()


def test_every_thread_has_scratch_of_its_own() -> None:
    scratch = Scratch()
    with ThreadPoolExecutor(1) as pool:
        others = pool.submit(lambda: scratch.get("a", (4,), torch.float32)).result()
    assert scratch.get("a", (4,), torch.float32).data_ptr() != others.data_ptr()


def test_numpy_sees_a_tensors_memory_and_keeps_it() -> None:
    x = torch.randn(3, 4, requires_grad=True)
    with torch.no_grad():
        seen = as_floats(x)
        seen[1, 2] = 7
    assert x[1, 2].item() == 7
    assert as_bfloat16s(torch.ones(2, 3).bfloat16().t()).tolist() == [[0x3F80] * 2] * 3
    assert as_bfloat16s(torch.empty(0, 4).bfloat16()).shape == (0, 4)
    alone = as_floats(torch.full((100_000,), 2.0))
    gc.collect()
    torch.full((100_000,), 3.0)
    assert (alone == 2).all()
