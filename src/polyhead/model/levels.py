"""Weights as 8-bit products have them: each output's are whole multiples of a 127th of its largest one.

Shapes: N outputs and K inputs of a linear map.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from polyhead.model.shapes import STACKS, TIED
from polyhead.model.stored import Floats

HIGHEST = np.float32(127)
"""The largest 8-bit integer, to which the largest weight of an output is mapped."""
TINY = np.float32(1e-30)
"""Weights that are all zero have no scale; too small to change any other's."""


def levels(weight: Floats) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """weight [N, K] → levels [N, K] and scales [N]: weight = scale · level, rounded."""
    scales = np.maximum(np.abs(weight).max(1), TINY) / HIGHEST
    return np.rint(weight / scales[:, None]).astype(np.int8), scales


def on_levels(weights: Mapping[str, Floats]) -> dict[str, Floats]:
    """A Transformer's weights → the same, those that it multiplies rounded: 8-bit products then have all that they are.

    Norms, biases, positions and an embedding that isn't the output layer's too are left as they are.
    """
    output = "output.weight"
    while output not in weights:
        output = TIED[output]
    multiplied = {name for name, weight in weights.items() if weight.ndim == 2 and name.split(".")[0] in STACKS}
    chosen = multiplied | {output}
    return {name: _rounded(weight) if name in chosen else weight for name, weight in weights.items()}


def _rounded(weight: Floats) -> Floats:
    whole, scales = levels(weight)
    return whole * scales[:, None]
