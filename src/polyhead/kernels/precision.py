"""To how many bits products in training may round their factors.

A setting of the process: a trainer's threads share it, and what they call is far from where it is chosen.
"""

from contextlib import AbstractContextManager
from typing import Literal

from polyhead.hardware import meanwhile

Bits = Literal[8, 16]

_bits: Bits | None = None


def bits_kept() -> Bits | None:
    """Of whole numbers that stand for factors; None: they stay as they are."""
    return _bits


def _keep(bits: Bits | None) -> None:
    global _bits
    _bits = bits


def rounding_to(bits: Bits | None) -> AbstractContextManager[None]:
    """Within the block factors have so many, in all threads."""
    return meanwhile(bits_kept, _keep, bits)
