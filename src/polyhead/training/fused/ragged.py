"""Sentences without padding: the tokens of a batch one after the other.

What a model does to each token alone, which is most of its arithmetic, is then done for real tokens only.
Shapes: B sentences, N rows in all.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from polyhead.symbols import PAD

_FEW = 64
"""The number of rows is a multiple of this: for every new size of a product oneDNN builds a kernel and keeps it."""


@dataclass(frozen=True)
class Sentences:
    """Where each sentence of a batch lies among the rows. A few rows after the last sentence belong to none."""

    mask: Tensor
    """[B, longest] bool, True at real tokens; sentences begin on the left."""
    starts: NDArray[np.int64]
    """[B + 1]: the first row of each sentence, and the first row after all sentences."""
    positions: Tensor
    """[N] int64: each row's place in its sentence."""

    @classmethod
    def of(cls, mask: Tensor) -> "Sentences":
        """mask [B, longest] bool, True at real tokens."""
        starts = np.concatenate([[0], np.cumsum(mask.sum(1).numpy())]).astype(np.int64)
        positions = torch.arange(mask.size(1)).expand_as(mask)[mask]
        return cls(mask, starts, nn.functional.pad(positions, (0, -len(positions) % _FEW)))

    def rows(self, tokens: Tensor) -> Tensor:
        """Tokens [B, longest] → the real ones as rows [N]; rows that belong to no sentence are `<pad>`."""
        real = tokens[self.mask]
        return nn.functional.pad(real, (0, len(self.positions) - len(real)), value=PAD)

    def real(self, x: Tensor) -> Tensor:
        """x [N, D] → the rows that belong to a sentence."""
        return x[: int(self.starts[-1])]
