"""Weights rounded as 8-bit products round them: an output's weights are whole multiples of a 127th of the largest.

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
"""Taken as the largest weight of an output whose weights are all 0; too small to change other scales."""

LOOKED_AT = 8
"""How many outputs of a linear map tell whether its weights are rounded; none would seem so by chance."""
NEAR = np.float32(1e-3)
"""How far from its level, in steps between levels, errors of float32 may have moved a rounded weight."""


def levels(weight: Floats) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """weight [N, K] → levels [N, K] and scales [N]: weight = scale · level, rounded."""
    scales = np.maximum(np.abs(weight).max(1), TINY) / HIGHEST
    return np.rint(weight / scales[:, None]).astype(np.int8), scales


def on_levels(weights: Mapping[str, Floats]) -> dict[str, Floats]:
    """A Transformer's weights → the same with the matrices of products rounded, of which 8-bit products lose nothing.

    Norms, biases, positions and an embedding that isn't the output layer's as well are left as they are.
    """
    chosen = _multiplied(weights)
    return {name: _rounded(weight) if name in chosen else weight for name, weight in weights.items()}


def are_on_levels(weights: Mapping[str, Floats]) -> bool:
    """Whether a Transformer's weights are what `on_levels` makes of them, as far as some outputs of each map tell."""
    return all(_is_rounded(weights[name][:LOOKED_AT]) for name in _multiplied(weights))


def _multiplied(weights: Mapping[str, Floats]) -> set[str]:
    """The names of the matrices of all linear maps, the output layer's among them by the name that `weights` has."""
    output = "output.weight"
    while output not in weights:
        output = TIED[output]
    return {output} | {name for name, weight in weights.items() if weight.ndim == 2 and name.split(".")[0] in STACKS}


def _is_rounded(weight: Floats) -> bool:
    with np.errstate(invalid="ignore"):  # a NaN is on no level
        whole, scales = levels(weight)
        return bool((np.abs(whole * scales[:, None] - weight) <= NEAR * scales[:, None]).all())


def _rounded(weight: Floats) -> Floats:
    whole, scales = levels(weight)
    return whole * scales[:, None]
