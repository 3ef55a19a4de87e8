"""An optimizer over float32 master weights, with gradient accumulation and clipping.

The model computes in its own dtype. In bfloat16 it works on a rounded copy of the masters: products run on the
hardware's bfloat16 units, while small updates are not lost to rounding (Micikevicius et al. 2018, section 3.1).
"""

# PyTorch's kernels over lists of tensors have no public names:
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import torch
from pydantic import Field
from torch import Tensor, nn

from polyhead.config import Config
from polyhead.errors import TrainingError
from polyhead.limits import MOST_COUNTED
from polyhead.training.adam import Adam
from polyhead.training.division import UNDIVIDED, Division
from polyhead.training.fused.adam import FusedAdam, norm_by_kernels
from polyhead.training.gradient import Gradient, norm_of
from polyhead.training.judging import Weights
from polyhead.training.muon import Muon, hidden_matrices
from polyhead.training.parallel import Workers
from polyhead.training.update_rule import Stepped, UpdateRule
from polyhead.training.world import World


class OptimizerConfig(Config):
    """Adam (Kingma & Ba 2015) with the paper's values (section 5.3)."""

    kind: Literal["adam", "adamw", "muon"] = "adam"
    """Adam; AdamW with decoupled weight decay (Loshchilov & Hutter 2019); or Muon for the matrices of the layers and
    AdamW for all else (Jordan et al. 2024), which may need far fewer updates."""
    beta1: float = Field(default=0.9, ge=0, lt=1)
    """β_1 of Adam."""
    beta2: float = Field(default=0.98, ge=0, lt=1)
    """β_2 of Adam."""
    epsilon: float = Field(default=1e-9, gt=0, le=1)
    """ε of Adam."""
    weight_decay: float = Field(default=0.0, ge=0, le=1_000)
    """Weight decay λ: Adam adds it to the gradient, AdamW and Muon shrink the weights by it."""
    momentum: float = Field(default=0.95, ge=0, lt=1)
    """μ of Muon."""
    clip_norm: float = Field(default=1.0, ge=0, le=MOST_COUNTED)
    """The longest gradient (Euclidean norm over all weights) that is not scaled down; 0 never clips."""
    accumulation: int = Field(default=1, ge=1, le=10_000)
    """Batches whose gradients are added up before an update."""


class Optimizer:
    """Owns the master weights and steps them; the model's weights follow."""

    def __init__(
        self, model: nn.Module, config: OptimizerConfig, dtype: torch.dtype, division: Division = UNDIVIDED
    ) -> None:
        """dtype: the one that the model computes in; division: says which part of the weights this process holds"""
        self.config = config
        self._division = division
        self._parameters = dict[str, Tensor](model.named_parameters())
        self.shapes = {name: parameter.shape for name, parameter in self._parameters.items()}
        self.masters, self._copies = division.hold(model, dtype)
        self._by_kernels = bool(self._copies) and all(each.device.type == "cpu" for each in self._copies.values())
        self._threads = Workers(torch.get_num_threads() if self._by_kernels else 1)
        self._rules = self._choose_rules(model, dtype)
        self.discard()
        self._moments: dict[str, dict[str, Tensor]] = {}

    @property
    def parameters(self) -> list[Tensor]:
        """What a loss is differentiated by: the model's weights, in its dtype."""
        return list(self._parameters.values())

    def collect(self, gradients: Iterable[Tensor | None]) -> None:
        """Adds a loss' gradients, in the order of `parameters`; they are the optimizer's from now on."""
        for total, gradient in zip(self.gradients.values(), gradients, strict=True):
            if gradient is not None:
                total.add(gradient)

    def collected(self) -> list[bool]:
        """Which weights have a gradient, in the order of `parameters`."""
        return [bool(gradient) for gradient in self.gradients.values()]

    def sum_up(self, world: World, collected: Sequence[float]) -> None:
        """Replaces the gradients of every process by their sums over all processes, each of which holds all weights.

        collected: in how many processes each weight has a gradient
        """
        if world.size == 1:
            return
        there = [name for name, count in zip(self.gradients, collected, strict=True) if count]
        for name in there:
            if not self.gradients[name]:
                self.gradients[name].add(torch.zeros_like(self.masters[name], requires_grad=False))
        world.all_reduce_([self.gradients[name].summed() for name in there])

    def discard(self) -> None:
        """Forgets the gradients that were collected since the last step."""
        self.gradients = {name: Gradient() for name in self.masters}

    def step(self, learning_rate: float, tokens: int) -> float:
        """Divides the collected gradients by `tokens`, clips, updates; returns the norm before clipping.

        The norm is read before the update is asked for, so that the program doesn't wait for a GPU to make the update.
        """
        gradients = [each for each in self.gradients.values() if each]
        held = norm_by_kernels(gradients, self._threads) if self._by_kernels else norm_of(gradients)
        norm = float(self._division.norm(held) / tokens)
        if math.isfinite(norm):
            clip = self.config.clip_norm
            scale = min(1.0, clip / (norm + 1e-6)) if clip > 0 else 1.0
            self._move(learning_rate, scale / tokens)
        self.discard()
        return norm

    def _move(self, learning_rate: float, scale: float) -> None:
        """Steps the masters that have a gradient, each by its rule; before its first step its moments are begun."""
        stepped: dict[UpdateRule, list[Stepped]] = {}
        for name, master in self.masters.items():
            if self.gradients[name]:
                rule, copy = self._rules[name], self._copies.get(name)
                if name not in self._moments:
                    self._moments[name] = rule.begin(master)
                one = Stepped(name, master, self.gradients[name], self._moments[name], scale, copy, self.shapes[name])
                stepped.setdefault(rule, []).append(one)
        with torch.no_grad():
            for rule, weights in stepped.items():
                rule.step(weights, learning_rate)

    def publish(self) -> None:
        """Copies the masters into the model, rounding to its dtype."""
        if self._copies:
            with torch.no_grad():
                torch._foreach_copy_(list(self._copies.values()), list(self.masters.values()))

    def check_alike(self, update: int) -> None:
        """Raises TrainingError, in all processes, where some hold other weights than they should after an update."""
        self._division.check_alike(self.masters, update)

    def whole(self, weights: Weights) -> Weights:
        """The masters, or a mean of them, as this process holds them → whole, in every process."""
        return self._division.whole(weights)

    def close(self) -> None:
        """Ends the optimizer's threads."""
        self._threads.close()

    def tensors(self) -> dict[str, Tensor]:
        """Everything a checkpoint must hold: masters and their moments, by name, as this process holds them."""
        state: dict[str, Tensor] = {}
        for name, master in self.masters.items():
            state[f"weights.{name}"] = master.detach()
            for moment, value in self._moments.get(name, {}).items():
                state[f"{self._rules[name].name}.{moment}.{name}"] = value
        return state

    def check(self, state: Mapping[str, Tensor]) -> None:
        """Raises TrainingError where one of all processes' tensors is missing, or of another shape or dtype.

        state: whole tensors, which may be without values
        """
        for name, shape in self.shapes.items():
            like, rule = torch.empty(shape, device="meta"), self._rules[name]
            expected = {f"weights.{name}": like}
            moments = {f"{rule.name}.{moment}.{name}": value for moment, value in rule.begin(like).items()}
            if moments.keys() & state.keys():
                expected |= moments
            for key, tensor in expected.items():
                found = state.get(key)
                if found is None or found.shape != tensor.shape or found.dtype != tensor.dtype:
                    raise TrainingError(f"the checkpoint has no {key} that fits this model")

    def restore(self, state: dict[str, Tensor]) -> None:
        """Takes masters and moments from tensors as `tensors` gives them, and copies the masters into the model."""
        with torch.no_grad():
            for name, master in self.masters.items():
                master.copy_(state[f"weights.{name}"])
                rule = self._rules[name]
                stored = {moment: f"{rule.name}.{moment}.{name}" for moment in rule.moments}
                if all(key in state for key in stored.values()):
                    self._moments[name] = {
                        moment: state[key].to(master.device, copy=True) for moment, key in stored.items()
                    }
                else:
                    self._moments.pop(name, None)
        self.publish()

    def _choose_rules(self, model: nn.Module, dtype: torch.dtype) -> dict[str, UpdateRule]:
        """The name of every weight → the rule that updates it."""
        config = self.config
        values = config.beta1, config.beta2, config.epsilon, config.weight_decay, config.kind != "adam"
        adam = FusedAdam(*values, self._threads) if self._by_kernels else Adam(*values)
        rules: dict[str, UpdateRule] = {name: adam for name, _ in model.named_parameters()}
        if config.kind == "muon":
            hidden = hidden_matrices(model)
            muon = Muon(hidden, config.momentum, config.weight_decay, dtype, self._division)
            rules |= dict.fromkeys(rules.keys() & hidden.keys(), muon)
        return rules
