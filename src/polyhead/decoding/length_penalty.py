"""Length penalties: a hypothesis' score is log P(Y | X) / penalty(|Y|).

|Y| counts `<eos>`. Every penalty grows (or stays) with the length; the beam's early stop relies on that.
"""

from collections.abc import Callable
from typing import Literal

from torch import Tensor

LengthPenalty = Callable[[Tensor], Tensor]
"""Lengths, float64 of any shape → penalties ≥ some positive number, same shape, never falling with the length."""


def wu(alpha: float) -> LengthPenalty:
    """((5 + |Y|) / 6)^α, Wu et al. 2016 (GNMT), equation 14; Vaswani et al. 2017 use α = 0.6. α = 0 is no penalty."""

    def penalty(lengths: Tensor) -> Tensor:
        return ((5.0 + lengths) / 6.0) ** alpha

    return penalty


def average(lengths: Tensor) -> Tensor:
    """|Y| itself: the score is the mean log-probability of a token."""
    return lengths


def length_penalty(choice: float | Literal["average"]) -> LengthPenalty:
    """A config's `length_penalty` → the function."""
    return average if choice == "average" else wu(choice)
