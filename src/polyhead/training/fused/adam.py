"""Adam by kernels of our own, for a model that computes in bfloat16 on a CPU.

Summing a gradient's parts, scaling them, stepping and rounding are one pass over the memory.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.kernels import adam as kernels
from polyhead.training.adam import Adam
from polyhead.training.gradient import Gradient
from polyhead.training.parallel import Workers
from polyhead.training.update_rule import Stepped

_FLOAT32_BYTES, _BFLOAT16_BYTES = 4, 2
"""Bytes of a number in float32 and in bfloat16."""


class FusedAdam(Adam):
    """Adam by kernels, for float32 weights with copies in bfloat16 and gradients in bfloat16."""

    def __init__(
        self, beta1: float, beta2: float, epsilon: float, weight_decay: float, decoupled: bool, threads: Workers
    ) -> None:
        super().__init__(beta1, beta2, epsilon, weight_decay, decoupled)
        self._threads = threads

    def step(self, stepped: Sequence[Stepped], learning_rate: float) -> None:
        """Steps the weights; those that had equally many updates, and so have the same factors, at once."""
        for each in stepped:
            each.moments["step"] += 1
        for _, alike in groupby(sorted(stepped, key=_updates_and_scale), key=_updates_and_scale):
            self._step(list(alike), learning_rate)

    def _step(self, stepped: Sequence[Stepped], learning_rate: float) -> None:
        gradients, sizes = _gradients([each.gradient for each in stepped])
        columns = [
            _addresses(each.weight for each in stepped),
            _addresses(each.moments["exp_avg"] for each in stepped),
            _addresses(each.moments["exp_avg_sq"] for each in stepped),
            _addresses(each.copy for each in stepped),
        ]
        places, _ = kernels.chunked(np.stack(columns, 1), sizes, [_FLOAT32_BYTES] * 3 + [_BFLOAT16_BYTES])
        weights = kernels.Weights(*map(np.ascontiguousarray, places.T))
        factors = np.array(self._factors(*_updates_and_scale(stepped[0]), learning_rate), np.float32)
        threads = self._threads.count
        self._threads.map(lambda own: kernels.step(gradients, weights, factors, own, threads), range(threads))

    def _factors(self, updates: float, scale: float, learning_rate: float) -> kernels.Factors:
        beta1, beta2 = self.betas
        decay = 0.0 if self.decoupled else self.weight_decay
        shrink = 1 - learning_rate * self.weight_decay if self.decoupled else 1.0
        rate, root = learning_rate / (1 - beta1**updates), (1 - beta2**updates) ** -0.5
        return kernels.Factors(scale, decay, beta1, 1 - beta1, beta2, 1 - beta2, rate, root, self.epsilon, shrink)


def norm_by_kernels(gradients: Sequence[Gradient], threads: Workers) -> Tensor:
    """The Euclidean norm of all numbers of the gradients together."""
    found, _ = _gradients(gradients)
    sums = threads.map(lambda own: kernels.sum_of_squares(found, own, threads.count), range(threads.count))
    return torch.tensor(math.sqrt(sum(sums)))


def _updates_and_scale(stepped: Stepped) -> tuple[float, float]:
    """How many updates a weight has had, and what its gradient is scaled by."""
    return float(stepped.moments["step"]), stepped.scale


def _gradients(gradients: Sequence[Gradient]) -> tuple[kernels.Gradients, NDArray[np.intp]]:
    """The gradients as kernels take them, and how many numbers each has."""
    parts = max(len(each.parts) for each in gradients)
    columns = [_addresses(each.total for each in gradients)]
    columns += [
        _addresses(each.parts[part] if part < len(each.parts) else None for each in gradients) for part in range(parts)
    ]
    sizes = np.array([_size(each) for each in gradients])
    places, counts = kernels.chunked(np.stack(columns, 1), sizes, [_FLOAT32_BYTES] + [_BFLOAT16_BYTES] * parts)
    return kernels.Gradients(counts, np.ascontiguousarray(places[:, 0]), np.ascontiguousarray(places[:, 1:])), sizes


def _size(gradient: Gradient) -> int:
    """How many numbers the gradient has."""
    return (gradient.parts[0] if gradient.total is None else gradient.total).numel()


def _addresses(tensors: Iterable[Tensor | None]) -> kernels.Addresses:
    """The address of each tensor's memory, or 0 where there is no tensor."""
    return np.array([0 if tensor is None else tensor.data_ptr() for tensor in tensors], np.uintp)
