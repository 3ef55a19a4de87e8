"""Memory that is used again, of which every thread has its own."""

from concurrent.futures import ThreadPoolExecutor

import torch

from polyhead.kernels.arrays.scratch import Scratch


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
