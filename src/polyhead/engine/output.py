"""The output layer of the engine of kernels. Shapes: R rows, D d_model, V vocabulary."""

from collections.abc import Callable

import numpy as np

from polyhead.engine.pack import Pack
from polyhead.kernels.linear import int8
from polyhead.kernels.linear.products import multiply
from polyhead.kernels.step.contenders import sharpen
from polyhead.kernels.threads.team import board
from polyhead.model.trained import Floats


class Output:
    """Features [R, D] → logits [R, V], those of likely words from float32 weights."""

    def __init__(self, weight: Floats, pack: Pack, packed: Callable[[], None]) -> None:
        """weight [V, D], which is kept."""
        self.weight = weight
        self.product = pack([lambda: (weight, None)], packed, digits=1)
        self.is_rounded = isinstance(self.product, int8.Product)

    def __call__(self, features: Floats) -> Floats:
        logits = np.empty((len(features), len(self.weight)), np.float32)
        multiply(features, self.product, 0, logits, board())
        if self.is_rounded:
            sharpen(logits, features, self.weight, board())
        return logits
