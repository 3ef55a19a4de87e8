"""Dropout (Srivastava et al. 2014) with a mask that is cheap to draw on a CPU."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from random import Random

import torch
from torch import Tensor, nn

_LANES = 4  # 16-bit lanes in one 64-bit random number
_RANGE = 1 << 16
_SIXTEEN_BITS = (torch.bfloat16, torch.float16)


_source = threading.local()


@contextmanager
def drawing_from(seed: int, device: torch.device | None = None) -> Generator[None]:
    """Within the block, this thread's masks follow from the seed.

    On a CPU the masks come from a generator of this thread: PyTorch's default generator is one for all threads, and
    which thread draws first is left to chance. On a GPU, which one thread at a time uses, its default generator is
    seeded.

    device: where the masks are drawn besides the CPU
    """
    if device is not None and device.type == "cuda":
        with torch.cuda.device(device):
            torch.cuda.manual_seed(seed)
    _source.generator, _source.numbers = torch.Generator().manual_seed(seed), Random(seed)
    try:
        yield
    finally:
        _source.generator = _source.numbers = None


class Dropout(nn.Module):
    """In training sets each element to 0 with probability `rate` and scales the rest by 1/(1-rate).

    On a CPU one 64-bit random number decides four elements, so `rate` is rounded to a multiple of 2⁻¹⁶; on other
    devices it is PyTorch's own. All draw from PyTorch's default generator, or as `drawing_from` says.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.rate == 0.0:
            return x
        if x.device.type != "cpu":
            return nn.functional.dropout(x, self.rate)
        return x * scaled_keep_mask(x, self.rate)

    def extra_repr(self) -> str:
        return f"rate={self.rate}"


def random_bits() -> int:
    """63 random bits from this thread's stream, from which a whole mask may follow."""
    numbers: Random | None = getattr(_source, "numbers", None)
    return int(torch.empty((), dtype=torch.int64).random_()) if numbers is None else numbers.getrandbits(63)


def scaled_keep_mask(like: Tensor, rate: float) -> Tensor:
    """A tensor of `like`'s shape and dtype holding 0 with probability `rate`, else 1/(1-rate)."""
    dropped = min(round(rate * _RANGE), _RANGE - 1)
    scale = _RANGE / (_RANGE - dropped)
    count = like.numel()
    numbers = torch.empty(-(-count // _LANES), dtype=torch.int64)
    numbers.random_(-(2**63), None, generator=getattr(_source, "generator", None))
    lanes = numbers.view(torch.int16)[:count].view(like.shape)
    if like.dtype in _SIXTEEN_BITS:
        # Each 0 or 1, times the bits of the scale, is 0 or the scale in that dtype, in the random number's memory.
        keep = torch.ge(lanes, dropped - _RANGE // 2, out=lanes)
        return keep.mul_(int(torch.tensor(scale, dtype=like.dtype).view(torch.int16))).view(like.dtype)
    # Compared straight into the result's dtype: casting a tensor of booleans takes longer than all the rest.
    keep = torch.ge(lanes, dropped - _RANGE // 2, out=torch.empty_like(like, memory_format=torch.contiguous_format))
    return keep.mul_(scale)
