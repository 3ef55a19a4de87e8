"""What moves weights, given their gradients.

On a GPU launching kernels takes most of a step on small tensors. So what is done to each weight alike is done by
PyTorch's kernels over lists of tensors, in one call; on a CPU these kernels take the tensors one by one.
"""

# PyTorch's kernels over lists of tensors have no public names:
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from polyhead.training.gradient import Gradient


@dataclass(frozen=True)
class Stepped:
    """A weight about to be stepped; it, its copy and its moments are written into."""

    name: str
    weight: Tensor
    gradient: Gradient
    moments: dict[str, Tensor]
    scale: float = 1.0
    """What the gradient is multiplied by."""
    copy: Tensor | None = None
    """The weight rounded to the dtype that the model computes in, if that is another one."""
    shape: torch.Size | None = None
    """The shape of the whole weight, where this process holds only some of its rows."""

    @property
    def whole_shape(self) -> torch.Size:
        """The shape of the weight as all processes hold it together."""
        return self.weight.shape if self.shape is None else self.shape


class UpdateRule(Protocol):
    """A rule that moves weights along their gradients: Adam or Muon."""

    @property
    def name(self) -> str:
        """The name by which checkpoints know the moments."""
        ...

    @property
    def moments(self) -> tuple[str, ...]:
        """The names of the tensors that are kept for each weight from step to step."""
        ...

    def begin(self, weight: Tensor) -> dict[str, Tensor]:
        """The moments of a weight before its first step."""
        ...

    def step(self, stepped: Sequence[Stepped], learning_rate: float) -> None:
        """Moves the weights, and their copies; to be called where no gradients are recorded."""
        ...


def scaled_gradients(stepped: Sequence[Stepped]) -> list[Tensor]:
    """The gradients in float32, multiplied by their scales in place; the caller may write into them."""
    gradients = [each.gradient.summed() for each in stepped]
    torch._foreach_mul_(gradients, [each.scale for each in stepped])
    return gradients


def copy_all(stepped: Sequence[Stepped]) -> None:
    """Writes weights that were moved into their copies, rounding them."""
    copied = [(each.copy, each.weight) for each in stepped if each.copy is not None]
    if copied:
        torch._foreach_copy_([copy for copy, _ in copied], [weight for _, weight in copied])
