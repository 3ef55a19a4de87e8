"""The output layer onto a few tokens alone, for shortlists. R rows, D d_model, V vocabulary, U tokens of it."""

import numpy as np
from numpy.typing import NDArray

from polyhead.engine.output import check_width
from polyhead.engine.pack import pack_float32
from polyhead.kernels.linear.packed import multiply
from polyhead.kernels.threads.team import board
from polyhead.model.trained import Floats


class OutputSubset:
    """The output layer onto a few tokens: features [R, D] → logits [R, U], in float32."""

    def __init__(self, weight: Floats, tokens: NDArray[np.int64]) -> None:
        """weight [V, D], tokens [U]. Raises IndexError for a token that is not one of the V."""
        if len(tokens) and not 0 <= tokens.min() <= tokens.max() < len(weight):
            raise IndexError(f"tokens {tokens.min()} … {tokens.max()}: the vocabulary has {len(weight)}")
        self.size, self.width = len(tokens), weight.shape[1]
        self.packed = pack_float32([lambda: (weight[tokens], None)], lambda: None)

    def __call__(self, features: Floats) -> Floats:
        """features [R, D] → logits [R, U]. Raises ValueError for features that are not D wide."""
        check_width(features, self.width)
        logits = np.empty((len(features), self.size), np.float32)
        multiply(features, self.packed, 0, logits, board())
        return logits
