"""Features, weights and targets, and the expectations of a softmax over all words, by PyTorch in float64.

Shapes: N rows, D numbers in each, V words.
"""

from typing import NamedTuple

import torch
from torch import Tensor

SHARE = 0.9


class Problem(NamedTuple):
    """What a softmax over the vocabulary and its gradients are of."""

    features: Tensor
    """[N, D]"""
    weight: Tensor
    """[V, D]"""
    targets: Tensor
    """[N]"""
    shifts: Tensor
    """[N] float32, what is taken off a row's logits: near the target's."""

    @classmethod
    def drawn(cls, rows: int, width: int, words: int, dtype: torch.dtype) -> "Problem":
        """Of random numbers."""
        features, weight = torch.randn(rows, width).to(dtype), (torch.randn(words, width) / width**0.5).to(dtype)
        targets = torch.randint(words, (rows,))
        return cls(features, weight, targets, (features.float() * weight[targets].float()).sum(1) + 0.5)

    def assert_near(self, totals: Tensor, mean_weight: Tensor, d_weight: Tensor, near: float, uniform: float) -> None:
        """Z [N], Σ_v p_v W_v [N, D] and Σ_n q_n x_n [V, D], q being p - uniform, less SHARE at the target.

        Each is off by no more than a part of its length, where its terms might all be of one sign.
        """
        x, weight = self.features.double(), self.weight.double()
        logits = x @ weight.t()
        p = logits.softmax(1)
        q = (p - uniform).scatter_add(1, self.targets[:, None], torch.full_like(p[:, :1], -SHARE))
        wanted = (logits - self.shifts.double()[:, None]).exp().sum(1), p @ weight, q.t() @ x
        lengths = 0.0, p.square() @ weight.square(), p.square().t() @ x.square()
        for actual, exact, squares in zip((totals, mean_weight, d_weight), wanted, lengths, strict=True):
            assert actual.shape == exact.shape
            allowed = float(exact.norm()) + float(torch.as_tensor(squares).sum()) ** 0.5
            assert float((actual.double() - exact).norm()) <= near * allowed
