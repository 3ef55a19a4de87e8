"""What moves weights, given their gradients."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor


@dataclass(frozen=True)
class Stepped:
    """A weight about to be stepped; weight and moments are written into."""

    name: str
    weight: Tensor
    gradient: Tensor
    moments: dict[str, Tensor]


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
        """Moves the weights; to be called where no gradients are recorded."""
        ...
