"""Length penalties: a hypothesis' score is log P(Y | X) / penalty(|Y|).

|Y| counts `<eos>`. Every penalty grows (or stays) with the length; the beam's early stop relies on that.
"""

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Penalty = float | Literal["average"]
"""α of Wu et al. 2016, or "average" to divide by the length itself."""
LengthPenalty = Callable[[Floats], Floats]
"""Lengths of any shape → penalties ≥ some positive number, same shape, never falling with the length."""


def wu(alpha: float) -> LengthPenalty:
    """((5 + |Y|) / 6)^α, Wu et al. 2016 (GNMT), equation 14; Vaswani et al. 2017 use α = 0.6. α = 0 is no penalty."""

    def penalty(lengths: Floats) -> Floats:
        return ((5.0 + lengths) / 6.0) ** alpha

    return penalty


def average(lengths: Floats) -> Floats:
    """|Y| itself: the score is the mean log-probability of a token."""
    return lengths


def length_penalty(choice: Penalty) -> LengthPenalty:
    """A config's `length_penalty` → the function that computes it."""
    return average if choice == "average" else wu(choice)


def penalties(choice: Penalty, longest: NDArray[np.int64]) -> Floats:
    """A config's `length_penalty` → the penalty of every length up to the longest [B] output's, `<eos>` included.

    The length 0 has the penalty of the length 1.
    """
    lengths = np.arange(longest.max(initial=0) + 2, dtype=np.float64)
    return length_penalty(choice)(lengths.clip(min=1))
