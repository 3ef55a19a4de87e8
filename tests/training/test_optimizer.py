"""An optimizer over master weights: Adam against PyTorch's, and what all kinds share."""

import math
import subprocess
import sys
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from polyhead.training.adam import Adam
from polyhead.training.muon import Muon
from polyhead.training.optimizer import Optimizer, OptimizerConfig
from polyhead.training.update_rule import UpdateRule


class Tied(nn.Module):
    """A small network with a weight in two places."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 6)
        self.hidden = nn.Linear(6, 6)
        self.output = nn.Linear(6, 11)
        self.output.weight = self.embedding.weight

    def forward(self, tokens: Tensor) -> Tensor:
        return self.output(torch.tanh(self.hidden(self.embedding(tokens))))


def network() -> Tied:
    torch.manual_seed(1)
    return Tied()


def batches(count: int) -> list[tuple[Tensor, Tensor]]:
    """(tokens, targets) of different lengths."""
    generator = torch.Generator().manual_seed(2)
    lengths = torch.randint(2, 9, (count,), generator=generator).tolist()
    return [tuple(torch.randint(11, (2, length), generator=generator)) for length in lengths]  # type: ignore[misc]


def summed_loss(model: nn.Module, tokens: Tensor, targets: Tensor) -> Tensor:
    return nn.functional.cross_entropy(model(tokens).float(), targets, reduction="sum")


def train(model: nn.Module, optimizer: Optimizer, data: list[tuple[Tensor, Tensor]], rate: float = 0.01) -> list[float]:
    """Updates on `accumulation` batches at a time; returns the norms."""
    every, norms = optimizer.config.accumulation, []
    for start in range(0, len(data), every):
        group = data[start : start + every]
        for tokens, targets in group:
            optimizer.collect(torch.autograd.grad(summed_loss(model, tokens, targets), optimizer.parameters))
        norms.append(optimizer.step(rate, sum(targets.numel() for _, targets in group)))
    return norms


def weights(model: nn.Module) -> dict[str, Tensor]:
    return {name: parameter.detach().clone() for name, parameter in model.named_parameters()}


@pytest.mark.parametrize("accumulation", [1, 3])
@pytest.mark.parametrize("clip_norm", [0.0, 0.05, 1.0])
@pytest.mark.parametrize("kind", ["adam", "adamw"])
def test_float32_equals_pytorchs_adam_step_by_step(kind: Any, clip_norm: float, accumulation: int) -> None:
    """The reference sees the mean over all tokens of a group of batches at once, clips by PyTorch, and steps."""
    decay = 0.1 if kind == "adamw" else 0.0
    settings = OptimizerConfig(kind=kind, clip_norm=clip_norm, accumulation=accumulation, weight_decay=decay)
    model, twin = network(), network()
    optimizer = Optimizer(model, settings, torch.float32)
    reference = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW}[kind](
        twin.parameters(), betas=(0.9, 0.98), eps=1e-9, weight_decay=decay
    )
    data = batches(4 * accumulation)
    for start in range(0, len(data), accumulation):
        group, rate = data[start : start + accumulation], 0.01 / (1 + start)
        (norm,) = train(model, optimizer, group, rate)
        tokens = torch.cat([x.flatten() for x, _ in group])
        targets = torch.cat([y.flatten() for _, y in group])
        reference.zero_grad()
        nn.functional.cross_entropy(twin(tokens), targets).backward()
        expected = nn.utils.clip_grad_norm_(twin.parameters(), clip_norm or float("inf"))
        reference.param_groups[0]["lr"] = rate
        reference.step()
        assert norm == pytest.approx(float(expected), rel=1e-4)
        torch.testing.assert_close(weights(model), weights(twin), atol=2e-6, rtol=1e-5)


def test_float32_keeps_no_second_copy() -> None:
    model = network()
    optimizer = Optimizer(model, OptimizerConfig(), torch.float32)
    assert all(optimizer.masters[name] is parameter for name, parameter in model.named_parameters())


def test_bfloat16_masters_take_in_updates_that_bfloat16_would_lose() -> None:
    model = network()
    optimizer = Optimizer(model, OptimizerConfig(), torch.bfloat16)
    assert all(parameter.dtype == torch.bfloat16 for parameter in model.parameters())
    assert all(master.dtype == torch.float32 for master in optimizer.masters.values())
    with torch.no_grad():
        optimizer.masters["hidden.weight"].fill_(1.0)
    optimizer.publish()
    rate, updates = 1e-4, 60  # a step of 1e-4 is lost on 1.0 in bfloat16, whose neighbours are 2⁻⁸ apart
    assert float(torch.tensor(1.0).bfloat16() - torch.tensor(rate).bfloat16()) == 1.0
    for _ in range(updates):
        optimizer.collect([torch.ones_like(p) if p is model.hidden.weight else None for p in optimizer.parameters])
        optimizer.step(rate, 1)
    torch.testing.assert_close(optimizer.masters["hidden.weight"], torch.full((6, 6), 1 - rate * updates))
    assert torch.equal(model.hidden.weight, optimizer.masters["hidden.weight"].bfloat16())
    assert (model.hidden.weight < 1).all()


def test_bfloat16_adds_gradients_in_float32() -> None:
    """1 + 256 · 2⁻⁹ is 1.5; added in bfloat16, it would stay 1."""
    model = network()
    optimizer = Optimizer(model, OptimizerConfig(clip_norm=0), torch.bfloat16)
    for value in [1.0] + [2.0**-9] * 256:
        bias = model.hidden.bias
        optimizer.collect([torch.full_like(p, value) if p is bias else None for p in optimizer.parameters])
    assert (optimizer.gradients["hidden.bias"].summed() == 1.5).all()


def test_bfloat16_learns_what_float32_learns() -> None:
    data = batches(2) * 60
    losses: list[float] = []
    for dtype in (torch.float32, torch.bfloat16):
        model = network()
        train(model, Optimizer(model, OptimizerConfig(), dtype), data)
        losses.append(sum(float(summed_loss(model, *batch).detach()) for batch in data[:2]))
    assert losses[1] == pytest.approx(losses[0], rel=0.1)


def test_tied_weights_stay_tied_and_are_stepped_once() -> None:
    for dtype in (torch.float32, torch.bfloat16):
        model = network()
        optimizer = Optimizer(model, OptimizerConfig(), dtype)
        train(model, optimizer, batches(2))
        assert model.output.weight is model.embedding.weight
        assert set(optimizer.masters) == {"embedding.weight", "hidden.weight", "hidden.bias", "output.bias"}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_gradient_that_is_no_number_changes_nothing(dtype: torch.dtype) -> None:
    model = network()
    optimizer = Optimizer(model, OptimizerConfig(), dtype)
    train(model, optimizer, batches(2))
    before, moments = weights(model), {name: x.clone() for name, x in optimizer.tensors().items()}
    gradients = torch.autograd.grad(summed_loss(model, *batches(1)[0]), optimizer.parameters)
    gradients[1][0] = float("nan")
    optimizer.collect(gradients)
    assert not math.isfinite(optimizer.step(0.01, 4))
    torch.testing.assert_close(weights(model), before, atol=0, rtol=0)
    torch.testing.assert_close(optimizer.tensors(), moments, atol=0, rtol=0)
    train(model, optimizer, batches(2))
    assert all(weight.isfinite().all() for weight in weights(model).values())


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("before", [0, 3])
@pytest.mark.parametrize("kind", ["adam", "muon"])
def test_restored_it_goes_on_to_the_last_bit(kind: Any, dtype: torch.dtype, before: int) -> None:
    data = batches(8)
    model = network()
    optimizer = Optimizer(model, OptimizerConfig(kind=kind), dtype)
    train(model, optimizer, data[:before])
    saved = {name: tensor.clone() for name, tensor in optimizer.tensors().items()}
    train(model, optimizer, data[before:])

    torch.manual_seed(99)
    other = Tied()
    resumed = Optimizer(other, OptimizerConfig(kind=kind), dtype)
    resumed.restore(saved)
    train(other, resumed, data[before:])
    torch.testing.assert_close(weights(other), weights(model), atol=0, rtol=0)
    torch.testing.assert_close(resumed.tensors(), optimizer.tensors(), atol=0, rtol=0)


MIDDLES = torch.arange(1 << 16, dtype=torch.int32) << 16 | 0x8000
"""Bits of float32 numbers that lie in the middle between two of bfloat16."""


class InTheMiddle(nn.Module):
    """A matrix and a vector of such numbers, of every finite size and both signs."""

    def __init__(self) -> None:
        super().__init__()
        finite = MIDDLES.view(torch.float32)[MIDDLES.view(torch.float32).isfinite()]
        self.hidden = nn.Linear(255, 256)
        self.other = nn.Parameter(finite.clone())
        with torch.no_grad():
            self.hidden.weight.copy_(finite.view(256, 255))


@pytest.mark.parametrize("rate", [0.0, 1e-30, 0.01])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("kind", ["adam", "adamw", "muon"])
def test_after_a_step_publishing_changes_nothing(kind: Any, dtype: torch.dtype, rate: float) -> None:
    """A run that is resumed publishes its weights, a run that goes on does not: both must work on the same copies."""
    model = InTheMiddle()
    optimizer = Optimizer(model, OptimizerConfig(kind=kind, weight_decay=0.1), dtype)
    for update in range(2):
        generator = torch.Generator().manual_seed(update)
        gradients = [torch.randn(each.shape, generator=generator).to(dtype) for each in optimizer.parameters]
        gradients[1][:] = 0
        optimizer.collect(gradients)
        optimizer.step(rate, 1)
        stepped = weights(model)
        assert all(each.isfinite().all() for each in optimizer.masters.values())
        if rate == 0.0:
            assert (optimizer.masters["other"].view(torch.int32) & 0xFFFF == 0x8000).all()
        optimizer.publish()
        torch.testing.assert_close(weights(model), stepped, atol=0, rtol=0)


def test_restoring_takes_copies() -> None:
    """What was loaded from a checkpoint is not trained on behind its owner's back."""
    model = network()
    optimizer = Optimizer(model, OptimizerConfig(), torch.float32)
    train(model, optimizer, batches(2))
    saved = {name: tensor.clone() for name, tensor in optimizer.tensors().items()}
    kept = {name: tensor.clone() for name, tensor in saved.items()}
    optimizer.restore(saved)
    train(model, optimizer, batches(2))
    torch.testing.assert_close(saved, kept, atol=0, rtol=0)


def test_a_step_does_not_import_pytorchs_compiler() -> None:
    """It would stay in memory for the whole training, as large as a small model's weights and moments together."""
    program = """
import sys, torch
from polyhead.training.optimizer import Optimizer, OptimizerConfig
model = torch.nn.Linear(2, 2)
optimizer = Optimizer(model, OptimizerConfig(), torch.float32)
optimizer.collect(torch.autograd.grad(model(torch.ones(1, 2)).sum(), optimizer.parameters))
optimizer.step(0.1, 1)
sys.exit("torch._dynamo" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


class Asked(TorchDispatchMode):
    """Counts what is asked of PyTorch, and how often a number is read, for which a GPU would be waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.operations = self.read = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.operations += 1
        self.read += func is torch.ops.aten._local_scalar_dense.default
        return func(*args, **(kwargs or {}))


def asked_for_a_step(weights: int, kind: Any) -> Asked:
    model = nn.ParameterList([nn.Parameter(torch.ones(3, 3)) for _ in range(weights)])
    optimizer = Optimizer(model, OptimizerConfig(kind=kind), torch.float32)
    for _ in range(2):
        optimizer.collect([torch.ones_like(each) for each in optimizer.parameters])
        with Asked() as asked:
            optimizer.step(0.1, 2)
    return asked


@pytest.mark.parametrize("kind", ["adam", "adamw"])
def test_a_step_asks_once_for_all_weights_and_reads_one_number(kind: Any) -> None:
    """Each request costs the same few microseconds, however small the weight."""
    few, many = asked_for_a_step(2, kind), asked_for_a_step(20, kind)
    assert many.operations == few.operations
    assert many.read == 1


@pytest.mark.parametrize("rule", [Adam(0.9, 0.98, 1e-9, 0.0, True), Muon({}, 0.95, 0.0, torch.float32)])
def test_what_is_begun_for_a_weight_lies_where_it_lies(rule: UpdateRule) -> None:
    assert {moment.device.type for moment in rule.begin(torch.zeros(3, 2, device="meta")).values()} == {"meta"}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("kind", ["adam", "adamw", "muon"])
def test_what_is_restored_of_a_weight_lies_where_it_lies(kind: Any, dtype: torch.dtype) -> None:
    """Checkpoints are read onto the CPU, and a GPU refuses to compute with what lies there."""
    model = network()
    optimizer = Optimizer(model, OptimizerConfig(kind=kind), dtype)
    train(model, optimizer, batches(1))
    other = network().to("meta")
    other.output.weight = other.embedding.weight
    elsewhere = Optimizer(other, OptimizerConfig(kind=kind), dtype)
    elsewhere.restore(optimizer.tensors())
    assert {tensor.device.type for tensor in elsewhere.tensors().values()} == {"meta"}
