"""Muon (Jordan et al. 2024): a matrix's momentum, made orthogonal.

Few directions make up most of a matrix's gradient, and Adam, which scales number by number, goes little further in the
others. Here all singular values of a step are about 1, so that a matrix learns in all its directions at one pace.
"""

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from polyhead.model.linear import StackedLinear
from polyhead.training.division import UNDIVIDED, Division, Stack
from polyhead.training.update_rule import Stepped, copy_all, scaled_gradients

QUINTIC = 3.4445, -4.7750, 2.0315
"""a, b, c of x → a x + b x³ + c x⁵: five times over, it brings all of (0, 1] to between 0.7 and 1.2."""
STEPS = 5
ADAMS = 0.2
"""The usual size (root mean square) of Adam's steps: with steps as long as Adam's, one learning rate serves both."""


class Muon:
    """Muon, for the matrices between the embeddings and the output layer. Adam moves the other weights."""

    name = "muon"
    moments = ("momentum",)

    def __init__(
        self,
        maps: Mapping[str, int],
        momentum: float,
        weight_decay: float,
        dtype: torch.dtype,
        division: Division = UNDIVIDED,
    ) -> None:
        """maps: name of a weight → how many linear maps its rows stack, each made orthogonal; dtype: of the products.

        division: what a process holds of each matrix; the products, which are most of the work, are divided too
        """
        self.maps = maps
        self.division = division
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.dtype = dtype

    def begin(self, weight: Tensor) -> dict[str, Tensor]:
        """The momentum before the first step."""
        return {"momentum": torch.zeros_like(weight, requires_grad=False)}

    def step(self, stepped: Sequence[Stepped], learning_rate: float) -> None:
        """W ← W - η (0.2 √max(rows, columns) · orthogonal(M) + λ W), M being Nesterov's momentum."""
        stacks: list[Stack] = []
        for each, gradient in zip(stepped, scaled_gradients(stepped), strict=True):
            momentum = each.moments["momentum"].lerp_(gradient, 1 - self.momentum)
            each.weight.mul_(1 - learning_rate * self.weight_decay)
            stacks.append(Stack(each.name, gradient.lerp(momentum, self.momentum), self.maps[each.name]))
        for each, step in zip(stepped, self.division.made(stacks, self._orthogonal), strict=True):
            rows, columns = each.whole_shape
            longest = max(rows // self.maps[each.name], columns)
            each.weight.sub_(step, alpha=learning_rate * ADAMS * math.sqrt(longest))
        copy_all(stepped)

    def _orthogonal(self, matrices: Sequence[Tensor]) -> Tensor:
        """N matrices of one shape → [N, rows, columns], each made orthogonal, in float32."""
        return orthogonal(torch.stack(list(matrices)).to(self.dtype)).float()


def orthogonal(matrices: Tensor) -> Tensor:
    """matrices [N, rows, columns] → with the same singular vectors and singular values of about 1; zeros stay zeros.

    By Newton and Schulz's iteration, which is nothing but products.
    """
    if matrices.size(1) > matrices.size(2):
        return orthogonal(matrices.mT).mT
    a, b, c = QUINTIC
    x = matrices / matrices.square().sum((1, 2), keepdim=True).sqrt().clamp(min=1e-7)
    for _ in range(STEPS):
        square = x @ x.mT
        polynomial = torch.baddbmm(square, square, square, beta=b, alpha=c)
        x = torch.baddbmm(x, polynomial, x, beta=a)
    return x


def hidden_matrices(model: nn.Module) -> dict[str, int]:
    """The weights that Muon is for: name → how many maps are stacked in its rows.

    Embeddings and output layers are not among them: their rows are words, which are seen more or less often.
    """
    found: dict[str, int] = {}
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            found[f"{name}.weight"] = module.maps if isinstance(module, StackedLinear) else 1
        elif isinstance(module, nn.LSTM | nn.GRU):
            weights = {own: each for own, each in module.named_parameters() if own.startswith("weight")}
            found |= {f"{name}.{own}": len(each) // module.hidden_size for own, each in weights.items()}  # one a gate
    return found
