"""The engine of PyTorch's operations, in arrays."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from polyhead.engine.rows import Rows
from polyhead.engine.transformer import PreparedTransformer
from polyhead.model.arrays import InArrays, StateInArrays
from polyhead.model.trained import Floats


class PreparedInArrays(InArrays):
    """Its steps are in parts too: R rows, D d_model, U tokens of the vocabulary."""

    def __init__(self, model: PreparedTransformer) -> None:
        super().__init__(model)
        self.prepared = model

    def features(self, previous: NDArray[np.int64], state: StateInArrays) -> tuple[Floats, StateInArrays]:
        """A step up to the output layer: previous [R] → the decoder's last layer [R, D], the state one longer."""
        inner: Any = state.inner
        with torch.inference_mode():
            features, after = self.prepared.features(self._tensor(previous), inner)
        return features.numpy(), StateInArrays(after, self.device)

    def output_rows(self, tokens: NDArray[np.int64]) -> Rows:
        """tokens [U] → the output layer onto those alone: features [R, D] → logits [R, U], in float32."""
        return Rows(self.prepared.output_weight.numpy(), tokens)
