"""What a search returns: one candidate translation and how probable the model finds it."""

from dataclasses import dataclass
from typing import cast

from torch import Tensor


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


def hypothesis(tokens: Tensor, log_probabilities: Tensor, total: Tensor, score: Tensor, finished: bool) -> Hypothesis:
    """A search's row as plain numbers: tokens [t], log_probabilities [t] or, if finished, [t + 1], two scalars."""
    ids = cast("list[int]", tokens.tolist())
    each = cast("list[float]", log_probabilities.tolist())
    return Hypothesis(tuple(ids), float(total), float(score), tuple(each), finished)
