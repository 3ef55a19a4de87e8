"""What a search returns: one candidate translation and how probable the model finds it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Hypothesis:
    """A translation as token ids, with its probability under the model."""

    tokens: tuple[int, ...]
    """y_1 … y_m, without `<sos>` and `<eos>`."""
    log_probability: float
    """log P(Y | X), `<eos>` included if the hypothesis is finished."""
    score: float
    """`log_probability` divided by the length penalty; what searches rank by."""
    token_log_probabilities: tuple[float, ...]
    """log P(y_t | y_<t, X) for every token, and last for `<eos>` if finished."""
    finished: bool
    """False only where the rules left no token to go on with, `<eos>` included."""


def hypothesis(
    tokens: NDArray[np.int64], log_probabilities: NDArray[Any], total: float, score: float, finished: bool
) -> Hypothesis:
    """A search's row as plain numbers: tokens [t], log_probabilities [t] or, if finished, [t + 1]."""
    return Hypothesis(tuple(tokens.tolist()), float(total), float(score), tuple(log_probabilities.tolist()), finished)
