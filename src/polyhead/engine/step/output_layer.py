"""The kernel of the output layer. Shapes: R rows, D d_model, V vocabulary."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyhead.engine.step.rescored import rescore
from polyhead.kernels.kernel import kernel
from polyhead.kernels.linear.packed import PackedWeights, multiply
from polyhead.kernels.threads.team import Board

Floats = NDArray[np.float32]


class OutputLayer(NamedTuple):
    """The weights of an output layer."""

    packed: PackedWeights
    """The weights in the order in which they are read, maybe rounded."""
    weight: Floats
    """[V, D], not rounded."""
    is_rounded: bool
    """Whether the packed weights are rounded, so that the logits of likely words are computed once more."""


@kernel
def project(features: Floats, pinned: Any, logits: Floats, board: Board) -> None:
    """features [R, D] → logits [R, V], by the board's team; pinned: an `OutputLayer`."""
    layer = pinned.value
    multiply(features, layer.packed, 0, logits, board)
    if layer.is_rounded:
        rescore(logits, features, layer.weight, board)
