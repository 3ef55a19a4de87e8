"""A weight's gradient, which comes in parts: one for each share of a batch, and for each batch of an update."""

# PyTorch's kernels over lists of tensors have no public names:
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false

from collections.abc import Sequence

import torch
from torch import Tensor

_PARTS = 4
"""How many parts of lower precision are kept unsummed: four in bfloat16 take the memory of two sums in float32."""


class Gradient:
    """The sum of a gradient's parts, added up in float32, so that it is not rounded to their precision again."""

    def __init__(self) -> None:
        self.total: Tensor | None = None
        """The sum of the parts that were added up already, in float32; None before the first."""
        self.parts: list[Tensor] = []
        """The parts that are still to be added to `total`, in the dtype in which they came."""

    def __bool__(self) -> bool:
        """Whether any part has been added."""
        return self.total is not None or bool(self.parts)

    def add(self, part: Tensor) -> None:
        """Adds a part. A float32 tensor belongs to this gradient from now on, which may write into it."""
        self.parts.append(part.contiguous())
        if part.dtype == torch.float32 or len(self.parts) > _PARTS:
            self.summed()

    def summed(self) -> Tensor:
        """The sum of all parts in float32, which the caller may write into. Raises ValueError without any part."""
        for part in self.parts:
            self.total = part.float() if self.total is None else self.total.add_(part)
        self.parts.clear()
        if self.total is None:
            raise ValueError("a gradient of nothing has no sum")
        return self.total


def norm_of(gradients: Sequence[Gradient]) -> Tensor:
    """The Euclidean norm of all numbers of the gradients together."""
    return torch.linalg.vector_norm(torch.stack(list(torch._foreach_norm([each.summed() for each in gradients]))))
