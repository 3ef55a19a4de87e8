"""A weight's gradient, which comes in parts: one for each share of a batch, and for each batch of an update."""

# PyTorch's kernels over lists of tensors have no public names:
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false

from collections.abc import Sequence

import torch
from torch import Tensor

_PARTS = 4
"""Parts of a lower precision that are kept as they are: together they take as much memory as two sums in float32."""


class Gradient:
    """The sum of parts, rounded no more than they are themselves."""

    def __init__(self) -> None:
        self.total: Tensor | None = None
        """Of what was added up already, in float32."""
        self.parts: list[Tensor] = []
        """What comes to it, as they came."""

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return self.total is not None or bool(self.parts)

    def add(self, part: Tensor) -> None:
        """A float32 part belongs to this gradient from now on."""
        self.parts.append(part.contiguous())
        if part.dtype == torch.float32 or len(self.parts) > _PARTS:
            self.summed()

    def summed(self) -> Tensor:
        """All of it in float32; to be changed as one likes."""
        for part in self.parts:
            self.total = part.float() if self.total is None else self.total.add_(part)
        self.parts.clear()
        if self.total is None:
            raise ValueError("a gradient of nothing has no sum")
        return self.total


def norm_of(gradients: Sequence[Gradient]) -> Tensor:
    """The Euclidean norm of all their numbers together."""
    return torch.linalg.vector_norm(torch.stack(list(torch._foreach_norm([each.summed() for each in gradients]))))
