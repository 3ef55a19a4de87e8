"""Tensors as kernels see them: their own memory, or a copy without gaps."""

import gc

import torch

from polyhead.kernels.arrays.tensors import as_array, as_bfloat16_pairs, as_bfloat16s, as_floats


def test_numpy_sees_a_tensors_memory_and_keeps_it() -> None:
    x = torch.randn(3, 4, requires_grad=True)
    with torch.no_grad():
        seen = as_floats(x)
        seen[1, 2] = 7
    assert x[1, 2].item() == 7
    assert as_floats(torch.tensor([[1.0, 2.0], [3.0, 4.0]]).t()).tolist() == [[1, 3], [2, 4]]
    assert as_bfloat16s(torch.ones(2, 3).bfloat16().t()).tolist() == [[0x3F80] * 2] * 3
    assert as_bfloat16s(torch.empty(0, 4).bfloat16()).shape == (0, 4)
    alone = as_floats(torch.full((100_000,), 2.0))
    gc.collect()
    torch.full((100_000,), 3.0)
    assert (alone == 2).all()


def test_the_format_follows_from_the_tensor() -> None:
    x = torch.tensor([1.0, -2.0])
    assert as_array(x).tolist() == [1, -2]
    assert as_array(x.bfloat16()).tolist() == as_bfloat16s(x.bfloat16()).tolist() == [0x3F80, 0xC000]
    assert as_bfloat16_pairs(x.bfloat16().view(torch.int32)).tolist() == [0xC0003F80]
