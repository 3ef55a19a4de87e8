"""One kernel for bfloat16 and float32: numbers and pairs of them, against the same in PyTorch."""

import numpy as np
import pytest
import torch

from polyhead.kernels.arrays.tensors import as_array
from polyhead.kernels.kernel import kernel
from polyhead.kernels.numbers.formats import Numbers, as_float32, as_format_of, as_pairs, join_pair, split_pair

FORMATS = [torch.bfloat16, torch.float32]


@kernel
def _exchange(x: Numbers, out: Numbers) -> None:
    """The numbers of each pair change places, and the first one is tripled."""
    pairs, to = as_pairs(x), as_pairs(out)
    for n in range(pairs.shape[0]):
        one, other = split_pair(pairs[n])
        to[n] = join_pair(other, as_format_of(as_float32(one) * np.float32(3), one))


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
@pytest.mark.parametrize("count", [0, 1, 2, 33, 100])
def test_pairs_are_taken_apart_and_joined(count: int, dtype: torch.dtype) -> None:
    x, out = torch.randn(count).to(dtype), torch.full((count,), 7.0, dtype=dtype)
    _exchange(as_array(x), as_array(out))
    whole = count // 2 * 2
    assert torch.equal(out[0:whole:2], x[1:whole:2])
    assert torch.equal(out[1:whole:2], (x[0:whole:2].float() * 3).to(dtype))
    assert (out[whole:] == 7).all(), "an odd last number is no pair's"
