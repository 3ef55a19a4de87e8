"""Adam (Kingma & Ba 2015) and AdamW (Loshchilov & Hutter 2019)."""

# PyTorch's kernels have no public names:
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false

from collections.abc import Sequence

import torch
from torch import Tensor

from polyhead.training.update_rule import Stepped, copy_all, scaled_gradients


class Adam:
    """Adam or AdamW: each number moves by its mean gradient, divided by the root of that gradient's mean square."""

    name = "adam"
    moments = ("step", "exp_avg", "exp_avg_sq")
    """The moments by PyTorch's names: the number of updates so far, m and v."""

    def __init__(self, beta1: float, beta2: float, epsilon: float, weight_decay: float, decoupled: bool) -> None:
        """decoupled: weights decay by themselves (AdamW), not through the gradient."""
        self.betas = beta1, beta2
        self.epsilon = epsilon
        self.weight_decay = weight_decay
        self.decoupled = decoupled

    def begin(self, weight: Tensor) -> dict[str, Tensor]:
        """The moments before the first step."""
        zeros = [torch.zeros_like(weight, requires_grad=False) for _ in range(2)]
        return dict(zip(self.moments, [torch.zeros((), device=weight.device), *zeros], strict=True))

    def step(self, stepped: Sequence[Stepped], learning_rate: float) -> None:
        """Steps the weights by the kernel that PyTorch's Adam calls.

        PyTorch's class itself would import PyTorch's compiler, which takes a second, and 70 MiB that stay.
        """
        moments = [each.moments for each in stepped]
        torch._foreach_add_([moment["step"] for moment in moments], 1)  # on a GPU one call instead of one a weight
        kernel = torch._fused_adamw_ if self.decoupled else torch._fused_adam_
        kernel(
            [each.weight for each in stepped],
            scaled_gradients(stepped),
            [moment["exp_avg"] for moment in moments],
            [moment["exp_avg_sq"] for moment in moments],
            [],
            [moment["step"] for moment in moments],
            lr=learning_rate,
            beta1=self.betas[0],
            beta2=self.betas[1],
            weight_decay=self.weight_decay,
            eps=self.epsilon,
            amsgrad=False,
            maximize=False,
        )
        copy_all(stepped)
