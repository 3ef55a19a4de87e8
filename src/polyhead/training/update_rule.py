"""What moves weights, given their gradients.

On a GPU most of a step on small tensors is asking for it. So what is done to each weight alike is asked for once, by
PyTorch's kernels over lists of tensors; on a CPU they do the same one by one.
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
    """Times the gradient."""
    copy: Tensor | None = None
    """The weight rounded to the dtype that the model computes in, if that is another one."""
    shape: torch.Size | None = None
    """Of the whole weight, where this process holds some of its rows alone."""

    @property
    def whole_shape(self) -> torch.Size:
        """Of the weight as all processes hold it together."""
        return self.weight.shape if self.shape is None else self.shape


class UpdateRule(Protocol):
    """Adam, Muon."""

    @property
    def name(self) -> str:
        """By which checkpoints know the moments."""
        ...

    @property
    def moments(self) -> tuple[str, ...]:
        """What is kept for each weight from step to step."""
        ...

    def begin(self, weight: Tensor) -> dict[str, Tensor]:
        """The moments before the first step."""
        ...

    def step(self, stepped: Sequence[Stepped], learning_rate: float) -> None:
        """Moves the weights, and their copies; to be called where no gradients are recorded."""
        ...


def scaled_gradients(stepped: Sequence[Stepped]) -> list[Tensor]:
    """In float32; a weight's own from now on."""
    gradients = [each.gradient.summed() for each in stepped]
    torch._foreach_mul_(gradients, [each.scale for each in stepped])
    return gradients


def copy_all(stepped: Sequence[Stepped]) -> None:
    """Weights that were moved → their copies, rounded."""
    copied = [(each.copy, each.weight) for each in stepped if each.copy is not None]
    if copied:
        torch._foreach_copy_([copy for copy, _ in copied], [weight for _, weight in copied])
