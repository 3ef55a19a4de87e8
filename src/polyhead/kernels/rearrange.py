"""From positions that hold all heads to heads that hold all positions, and back.

Shapes: B batch, H heads, T positions, d numbers of a head. A position's numbers `first` … first + H·d - 1 are meant.
"""

from polyhead.kernels.bfloat16 import Halves
from polyhead.kernels.compile import kernel


@kernel
def apart(x: Halves, first: int, out: Halves) -> None:
    """x [B, T, ..] → out [B, H, T, d]."""
    batch, heads, positions, size = out.shape
    for b in range(batch):
        for h in range(heads):
            start = first + h * size
            for t in range(positions):
                given, taken = x[b, t, start : start + size], out[b, h, t]
                for n in range(size):
                    taken[n] = given[n]


@kernel
def together(x: Halves, first: int, out: Halves) -> None:
    """x [B, H, T, d] → its part of out [B, T, ..]."""
    batch, heads, positions, size = x.shape
    for b in range(batch):
        for t in range(positions):
            for h in range(heads):
                start = first + h * size
                given, taken = x[b, h, t], out[b, t, start : start + size]
                for n in range(size):
                    taken[n] = given[n]
