"""How fast this machine multiplies matrices and reads memory, by PyTorch: the floor under everything measured."""

import time
from collections.abc import Callable
from typing import Any

import torch

from wire import Answer, serve

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}
LARGE = 1 << 26
"""float32 numbers of an array that no cache holds: 256 MiB."""


def products(shapes: list[list[int]], dtype: str, threads: int, repeats: int) -> Answer:
    """shapes: [batch, m, k, n] → seconds of each product, the fastest of `repeats`, by the kernels that PyTorch has."""
    torch.set_num_threads(threads)
    return {"seconds": [_product(shape, DTYPES[dtype], repeats) for shape in shapes]}


def _product(shape: list[int], dtype: torch.dtype, repeats: int) -> float:
    batch, m, k, n = shape
    left, right = torch.randn(batch, m, k).to(dtype), torch.randn(batch, k, n).to(dtype)
    if batch == 1:  # a weight stands transposed, as nn.Linear keeps it
        left, right = left[0], right[0].T.contiguous().T
    return _fastest(lambda: left @ right, repeats)


def memory(threads: int, repeats: int) -> Answer:
    """Bytes a second that a sum over a large array reads."""
    torch.set_num_threads(threads)
    numbers = torch.ones(LARGE)
    return {"bytes_per_second": 4 * LARGE / _fastest(lambda: numbers.sum(), repeats)}


@torch.inference_mode()
def _fastest(work: Callable[[], Any], repeats: int) -> float:
    best = float("inf")
    for _ in range(repeats + 1):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


if __name__ == "__main__":
    serve({"prepare": lambda setting: {"threads": setting["threads"]}, "products": products, "memory": memory})
