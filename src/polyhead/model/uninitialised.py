"""Building a model whose weights are about to be read from a file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import nn
from torch.overrides import TorchFunctionMode

FILLING = frozenset({"kaiming_uniform_", "uniform_", "normal_", "constant_", "fill_", "zero_"})
"""The names of the functions and tensor methods with which `torch.nn.init` fills tensors, as PyTorch reports them."""


class Uninitialised(TorchFunctionMode):
    """Within the block parameters get memory but no values, and draw next to no random numbers.

    Memory that nobody has written to costs neither time nor space. Buffers, such as a table of sinusoids, are computed
    as usual.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        given = dict(kwargs or {})
        tensor = args[0] if args else given.get("tensor")
        if isinstance(tensor, nn.Parameter) and func.__name__ in FILLING:
            return tensor
        return func(*args, **given)
