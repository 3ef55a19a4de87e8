"""Everything but the progress that a resumed run needs, as tensors by name: how it is kept, sent and taken up again."""

from collections.abc import Mapping

from torch import Tensor

from polyhead.training.averaging import RunningMean
from polyhead.training.optimizer import Optimizer


def tensors_of(optimizer: Optimizer, mean: RunningMean | None) -> dict[str, Tensor]:
    """The weights, the optimizer's moments, and the running mean if there is one, as this process holds them."""
    tensors = optimizer.tensors()
    if mean is not None:
        tensors |= {f"mean.{name}": weight for name, weight in mean.weights.items()}
    return tensors


def check_tensors_of(optimizer: Optimizer, mean: RunningMean | None, tensors: Mapping[str, Tensor]) -> None:
    """Raises TrainingError where `take_up` would miss a tensor, or find one of another shape or dtype.

    tensors: whole ones, which may be without values
    """
    optimizer.check(tensors)
    if mean is not None:
        mean.check(tensors, optimizer.shapes)


def take_up(optimizer: Optimizer, mean: RunningMean | None, tensors: dict[str, Tensor]) -> None:
    """Takes the weights, the moments and the running mean from tensors as `tensors_of` gives them."""
    optimizer.restore(tensors)
    if mean is not None:
        mean.restore(tensors)


def weight_of(name: str) -> str:
    """The name of a tensor that `tensors_of` gives → the name of the weight that the tensor belongs to."""
    kind, _, rest = name.partition(".")
    return rest if kind in ("weights", "mean") else rest.partition(".")[2]
