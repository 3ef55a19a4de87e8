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
"""What PyTorch's Adam keeps for each weight."""


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
        kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[config.kind]
        self.adam = kind(
            list(self.masters.values()),
            lr=0.0,
            betas=(config.beta1, config.beta2),
            eps=config.epsilon,
            weight_decay=config.weight_decay,
            fused=True,
        )

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
            for group in self.adam.param_groups:
                group["lr"] = learning_rate
            self.adam.step()
            self.publish()
        self.adam.zero_grad(set_to_none=True)
        return norm

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
            for moment in MOMENTS:
                if moment in self.adam.state[master]:
                    state[f"adam.{moment}.{name}"] = self.adam.state[master][moment]
        return state

    def restore(self, state: dict[str, Tensor]) -> None:
        """The inverse of `tensors`."""
        with torch.no_grad():
            for name, master in self.masters.items():
                master.copy_(state[f"weights.{name}"])
                for moment in MOMENTS:
                    if (key := f"adam.{moment}.{name}") in state:
                        self.adam.state[master][moment] = state[key].clone()
        self.publish()
