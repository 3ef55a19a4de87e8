"""What the CPU can do, and how many of its cores an operation takes."""

import os
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import TypeVar

import torch

Value = TypeVar("Value")

WITHOUT = tuple(os.environ.get("POLYHEAD_CPU_WITHOUT", "").split())
"""How names of instructions begin that are to be left alone as if this CPU did not have them, as "avx512 amx"."""

TILES = {"amx_tile", "amx_int8", "amx_bf16"}
"""The instructions of the unit for matrices."""


def cpu_features() -> set[str]:
    """The names of the instructions that this CPU has; none where PyTorch is too old to say."""
    ask = getattr(torch.cpu, "get_capabilities", dict[str, object])
    return {name for name, has in ask().items() if has is True and not name.startswith(WITHOUT)}


@cache
def may_use_tiles() -> bool:
    """Whether this process may use the CPU's unit for matrices (AMX): Linux wants to be asked for it first."""
    ask = getattr(torch.cpu, "_init_amx", None)
    return cpu_features() >= TILES and ask is not None and bool(ask())


@cache
def multiplies_bfloat16() -> bool:
    """Whether oneDNN has products in bfloat16 for this CPU."""
    return torch.backends.mkldnn.is_available() and bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


@contextmanager
def meanwhile(ask: Callable[[], Value], put: Callable[[Value], None], value: Value) -> Generator[None]:
    """Within the block a setting of the process has this value, and afterwards the one from before."""
    before = ask()
    put(value)
    try:
        yield
    finally:
        put(before)


def cores_an_operation(cores: int) -> AbstractContextManager[None]:
    """Within the block so many for each operation, and afterwards as before.

    MKL knows one number for the whole process, so this holds for all threads; other libraries keep one for each thread,
    which a new thread must set for itself.
    """
    return meanwhile(torch.get_num_threads, torch.set_num_threads, cores)


def few_sizes(size: int) -> int:
    """The next of a few sizes that is at least `size`: 1, 2, … 16, 18, … 32, 36, … 64, 72 …, at most an eighth above.

    For every new shape of a product oneDNN builds a kernel and keeps it, which costs milliseconds and half a MiB.
    """
    step = 1
    while 16 * step < size:
        step *= 2
    return (size + step - 1) // step * step
