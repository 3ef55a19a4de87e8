"""Adam over float32 master weights, with gradient accumulation and clipping.

The model computes in its own dtype. In bfloat16 it works on a rounded copy of the masters: products run on the
hardware's bfloat16 units, while small updates are not lost to rounding (Micikevicius et al. 2018, section 3.1).
"""

# PyTorch's kernels over lists of tensors have no public names:
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false

from collections.abc import Iterable
from typing import Literal, cast

import torch
from pydantic import Field
from torch import Tensor, nn

from polyhead.config import Config

MOMENTS = ("step", "exp_avg", "exp_avg_sq")
"""What Adam keeps for each weight, by PyTorch's names: updates so far, m and v."""


class OptimizerConfig(Config):
    """Adam (Kingma & Ba 2015) with the paper's values (section 5.3)."""

    kind: Literal["adam", "adamw"] = "adam"
    """Adam, or AdamW with decoupled weight decay (Loshchilov & Hutter 2019)."""
    beta1: float = Field(default=0.9, ge=0, lt=1)
    """β_1."""
    beta2: float = Field(default=0.98, ge=0, lt=1)
    """β_2."""
    epsilon: float = Field(default=1e-9, gt=0)
    """ε."""
    weight_decay: float = Field(default=0.0, ge=0)
    """λ; only AdamW decouples it from the gradient."""
    clip_norm: float = Field(default=1.0, ge=0)
    """The longest gradient (Euclidean norm over all weights) that is not scaled down; 0 never clips."""
    accumulation: int = Field(default=1, ge=1)
    """Batches whose gradients are added up before an update."""


class Optimizer:
    """Owns the master weights and steps them; the model's weights follow."""

    def __init__(self, model: nn.Module, config: OptimizerConfig, dtype: torch.dtype) -> None:
        self.config = config
        self._working = dict(model.named_parameters())
        self.masters = dict(self._working)
        self._copies = dtype != torch.float32
        if self._copies:
            self.masters = {
                name: nn.Parameter(parameter.detach().float().clone()) for name, parameter in self._working.items()
            }
            model.to(dtype)
        self._moments: dict[str, dict[str, Tensor]] = {}

    @property
    def parameters(self) -> list[Tensor]:
        """What a loss is differentiated by: the model's weights, in its dtype."""
        return list(self._working.values())

    def collect(self, gradients: Iterable[Tensor | None]) -> None:
        """Adds a loss' gradients, in the order of `parameters`, to the masters' float32 ones."""
        for master, gradient in zip(self.masters.values(), gradients, strict=True):
            if gradient is None:
                continue
            master.grad = gradient.float() if master.grad is None else master.grad.add_(gradient)

    def step(self, learning_rate: float, tokens: int) -> Tensor:
        """Divides the collected gradients by `tokens`, clips, updates; returns the norm before clipping."""
        gradients = [master.grad for master in self.masters.values() if master.grad is not None]
        norms = list(torch._foreach_norm(gradients))
        norm = cast("Tensor", torch.linalg.vector_norm(torch.stack(norms)) / tokens)
        clip = self.config.clip_norm
        scale = torch.clamp(clip / (norm + 1e-6), max=1.0) if clip > 0 else torch.ones_like(norm)
        torch._foreach_mul_(gradients, scale / tokens)
        if bool(norm.isfinite()):
            self._adam(learning_rate)
            self.publish()
        for master in self.masters.values():
            master.grad = None
        return norm

    def _adam(self, learning_rate: float) -> None:
        """Steps the masters that have a gradient, by the kernel that PyTorch's Adam calls.

        The class itself would import PyTorch's compiler: a second, and 70 MiB that stay.
        """
        stepped = {name: master for name, master in self.masters.items() if master.grad is not None}
        moments = [self._moments_of(name) for name in stepped]
        for moment in moments:
            moment["step"] += 1
        kernel = {"adam": torch._fused_adam_, "adamw": torch._fused_adamw_}[self.config.kind]
        with torch.no_grad():
            kernel(
                list(stepped.values()),
                [cast("Tensor", master.grad) for master in stepped.values()],
                [moment["exp_avg"] for moment in moments],
                [moment["exp_avg_sq"] for moment in moments],
                [],
                [moment["step"] for moment in moments],
                lr=learning_rate,
                beta1=self.config.beta1,
                beta2=self.config.beta2,
                weight_decay=self.config.weight_decay,
                eps=self.config.epsilon,
                amsgrad=False,
                maximize=False,
            )

    def _moments_of(self, name: str) -> dict[str, Tensor]:
        """Those of one master; before its first step they are zero."""
        if name not in self._moments:
            zeros = [torch.zeros_like(self.masters[name], requires_grad=False) for _ in range(2)]
            self._moments[name] = dict(zip(MOMENTS, [torch.zeros(()), *zeros], strict=True))
        return self._moments[name]

    def publish(self) -> None:
        """Copies the masters into the model, rounding to its dtype."""
        if self._copies:
            with torch.no_grad():
                torch._foreach_copy_(list(self._working.values()), list(self.masters.values()))

    def tensors(self) -> dict[str, Tensor]:
        """Everything a checkpoint must hold: masters and Adam's two moments, by name."""
        state: dict[str, Tensor] = {}
        for name, master in self.masters.items():
            state[f"weights.{name}"] = master.detach()
            for moment, value in self._moments.get(name, {}).items():
                state[f"adam.{moment}.{name}"] = value
        return state

    def restore(self, state: dict[str, Tensor]) -> None:
        """The inverse of `tensors`."""
        with torch.no_grad():
            for name, master in self.masters.items():
                master.copy_(state[f"weights.{name}"])
                if f"adam.step.{name}" in state:
                    self._moments[name] = {moment: state[f"adam.{moment}.{name}"].clone() for moment in MOMENTS}
                else:
                    self._moments.pop(name, None)
        self.publish()
