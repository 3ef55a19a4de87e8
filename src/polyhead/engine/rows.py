"""The output layer onto a few tokens alone, for shortlists. R rows, D d_model, V vocabulary, U tokens of it."""

import numpy as np
import torch
from numpy.typing import NDArray

from polyhead.model.trained import Floats


class Rows:
    """Features [R, D] → logits [R, U], in float32.

    Rows that change with the batch aren't worth packing: it takes as long as it saves.
    """

    def __init__(self, weight: Floats, tokens: NDArray[np.int64]) -> None:
        """weight [V, D], tokens [U]."""
        self.weight = torch.from_numpy(weight[tokens])

    def __call__(self, features: Floats) -> Floats:
        return torch.nn.functional.linear(torch.from_numpy(features), self.weight).numpy()
