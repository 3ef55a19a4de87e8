"""Losses, gradients and steps on a GPU are those of the plain model on the CPU in float32, as near as formats allow.

How far off things may be is a share of the Euclidean norm of all their numbers together. Float32 differs by the order
in which numbers are added up; bfloat16 has 8 bits, so that each number is rounded by up to 0.4 %. On the CPU the parts
that a GPU gets are compared.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor

from polyhead.batch import Batch, collate
from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.training.fused.fuse import Fused, fuse_for_gpu
from polyhead.training.optimizer import Optimizer, OptimizerConfig
from polyhead.training.parallel import Workers
from polyhead.training.precision import Arithmetic
from polyhead.training.shares import Collected, Differentiation
from tests.devices import on_any_device

WORDS = 300
UPDATES = 5
CPU = torch.device("cpu")
SIZES = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 64, "d_ff": 128, "num_heads": 4, "dropout": 0.0}
CONFIGS = {"post-norm": TransformerConfig(**SIZES), "pre-norm": TransformerConfig(**SIZES, norm="pre")}
FORMATS = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
LOSS = {torch.float32: 1e-5, torch.bfloat16: 5e-3}
GRADIENTS = {torch.float32: 1e-4, torch.bfloat16: 0.06}
"""As in `test_fuse` of the CPU's kernels."""
MOVED = {torch.float32: 2e-3, torch.bfloat16: 0.15}
"""Of what a few updates have changed: Adam divides by the root of a mean square, which enlarges small differences."""


class Training:
    """A model with all that an update needs."""

    def __init__(self, name: str, dtype: torch.dtype, device: str, gpus: bool, kind: Any = "adam") -> None:
        """gpus: whether it gets the parts of a GPU, or is the plain model."""
        torch.manual_seed(1)
        self.model: Seq2SeqModel[Any] = build_model(CONFIGS[name], WORDS, WORDS).to(device).train()
        # A larger ε: by symmetry no gradient reaches a key's bias, and Adam would make steps of mere rounding.
        self.optimizer = Optimizer(self.model, OptimizerConfig(kind=kind, epsilon=1e-4), dtype)
        self.start = {key: value.detach().cpu().clone() for key, value in self.optimizer.masters.items()}
        fused = fuse_for_gpu(self.model, Arithmetic(dtype)) if gpus else Fused(self.model, Arithmetic(dtype))
        self.differentiation = Differentiation(fused, self.optimizer, Workers(), 0.1)

    def collect(self, update: int) -> Collected:
        return self.differentiation.collect(batches(update), lambda share: share, 1)

    def update(self, update: int) -> float:
        """→ loss, in nats a token."""
        found = self.collect(update)
        self.optimizer.step(0.01, found.tokens)
        return found.loss / found.tokens

    def gradients(self) -> dict[str, Tensor]:
        return {name: each.summed() for name, each in self.optimizer.gradients.items()}

    def moved(self) -> dict[str, Tensor]:
        return {name: weight.detach().cpu() - self.start[name] for name, weight in self.optimizer.masters.items()}


def batches(update: int) -> list[Batch]:
    """Two, as of an update that accumulates."""
    generator = torch.Generator().manual_seed(update)

    def sentences() -> list[list[int]]:
        lengths = torch.randint(1, 20, (12,), generator=generator).tolist()
        return [torch.randint(4, WORDS, (length,), generator=generator).tolist() for length in lengths]

    return [collate(sentences(), sentences()) for _ in range(2)]


def off(found: Mapping[str, Tensor], wanted: Mapping[str, Tensor]) -> float:
    """The norm of the difference, as a share of the norm."""

    def norm(tensors: Iterable[Tensor]) -> float:
        return float(sum(each.double().square().sum() for each in tensors)) ** 0.5

    assert found.keys() == wanted.keys()
    return norm(found[name].cpu().double() - wanted[name].double() for name in wanted) / norm(wanted.values())


@on_any_device
@FORMATS
@pytest.mark.parametrize("name", CONFIGS)
def test_losses_and_gradients_are_the_plain_models(name: str, dtype: torch.dtype, device: str) -> None:
    plain, other = Training(name, torch.float32, "cpu", False), Training(name, dtype, device, True)
    wanted, found = plain.collect(0), other.collect(0)
    assert found.tokens == wanted.tokens
    assert found.loss == pytest.approx(wanted.loss, rel=LOSS[dtype])
    assert off(other.gradients(), plain.gradients()) <= GRADIENTS[dtype]


@on_any_device
@FORMATS
@pytest.mark.parametrize("kind", ["adam", "muon"])
def test_steps_are_the_plain_models(kind: str, dtype: torch.dtype, device: str) -> None:
    plain = Training("post-norm", torch.float32, "cpu", False, kind)
    other = Training("post-norm", dtype, device, True, kind)
    losses = [(other.update(update), plain.update(update)) for update in range(UPDATES)]
    for found, wanted in losses:
        assert found == pytest.approx(wanted, rel=2 * LOSS[dtype])
    assert off(other.moved(), plain.moved()) <= MOVED[dtype]


@on_any_device
@FORMATS
@pytest.mark.parametrize("kind", ["adam", "muon"])
def test_who_takes_up_a_state_goes_on_as_if_nothing_had_been(kind: str, dtype: torch.dtype, device: str) -> None:
    """By way of the CPU, where checkpoints are read to. On a CPU to the bit; a GPU adds up in any order."""
    first, second = (Training("post-norm", dtype, device, True, kind) for _ in range(2))
    for update in range(2):
        first.update(update)
    second.optimizer.restore({name: each.detach().cpu() for name, each in first.optimizer.tensors().items()})
    assert off(second.moved(), first.moved()) == 0
    for update in range(2, UPDATES):
        first.update(update)
        second.update(update)
    assert off(second.moved(), first.moved()) <= (0 if device == "cpu" else MOVED[dtype])
