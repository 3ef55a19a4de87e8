"""The output layer of the engine of kernels. Shapes: R rows, D d_model, V vocabulary."""

from collections.abc import Callable

import numpy as np

from polyhead.engine.pack import Pack
from polyhead.engine.step.output_layer import OutputLayer, project
from polyhead.kernels.arrays.pinned_args import pin_args
from polyhead.kernels.linear.packed_int8 import Int8Weights
from polyhead.kernels.threads.team import board
from polyhead.model.trained import Floats


def check_width(features: Floats, expected: int) -> None:
    """Raises ValueError for features [R, D] of another width than an output layer's weights: kernels read D of each."""
    if features.shape[-1] != expected:
        raise ValueError(f"these features are {features.shape[-1]} numbers wide; this output layer reads {expected}")


class Output:
    """The output layer: features [R, D] → logits [R, V], those of likely words from float32 weights."""

    def __init__(self, weight: Floats, pack: Pack, packed: Callable[[], None]) -> None:
        """weight [V, D], which is kept."""
        self.weight = weight
        product = pack([lambda: (weight, None)], packed, digits=1)
        self._layer = pin_args(OutputLayer(product, weight, isinstance(product, Int8Weights)))

    def __call__(self, features: Floats) -> Floats:
        """features [R, D] → logits [R, V]. Raises ValueError for features that are not D wide."""
        check_width(features, self.weight.shape[1])
        logits = np.empty((len(features), len(self.weight)), np.float32)
        project(features, self._layer, logits, board())
        return logits
