"""Muon against PyTorch's, and against what singular values say."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from polyhead.model.build import build_model
from polyhead.model.config import RNNConfig, TransformerConfig
from polyhead.training.gradient import Gradient
from polyhead.training.muon import Muon, hidden_matrices, orthogonal
from polyhead.training.optimizer import Optimizer, OptimizerConfig
from polyhead.training.update_rule import Stepped

SHAPES = [(8, 8), (6, 10), (10, 6), (8, 8)]


def matrices(seed: int, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype) for shape in SHAPES]


def stepped(weights: list[Tensor], gradients: list[Tensor], moments: list[dict[str, Tensor]]) -> list[Stepped]:
    names = map(str, range(len(weights)))
    return [Stepped(*each) for each in zip(names, weights, map(gradient, gradients), moments, strict=True)]


def gradient(part: Tensor) -> Gradient:
    whole = Gradient()
    whole.add(part.clone())
    return whole


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_it_equals_pytorchs_muon_step_by_step(weight_decay: float) -> None:
    """Which computes in bfloat16, and here it is float32: the way taken may differ by a thirtieth of its length."""
    weights = matrices(0)
    twins = [nn.Parameter(weight.clone()) for weight in weights]
    muon = Muon(dict.fromkeys(map(str, range(4)), 1), 0.95, weight_decay, torch.float32)
    reference = torch.optim.Muon(twins, 1.0, weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw")
    moments = [muon.begin(weight) for weight in weights]
    for update in range(1, 6):
        gradients, rate = matrices(update), 0.1 / update
        muon.step(stepped(weights, gradients, moments), rate)
        for twin, gradient in zip(twins, gradients, strict=True):
            twin.grad = gradient.clone()
        reference.param_groups[0]["lr"] = rate
        reference.step()
        for weight, twin, before in zip(weights, twins, matrices(0), strict=True):
            way = weight - before
            assert float((way - (twin.detach() - before)).norm()) < float(way.norm()) / 30


@pytest.mark.parametrize("shape", [(16, 16), (8, 40), (40, 8), (1, 5)])
def test_orthogonal_keeps_singular_vectors_and_evens_out_singular_values(shape: tuple[int, int]) -> None:
    torch.manual_seed(3)
    given = torch.randn(5, *shape, dtype=torch.float64)
    left, _, right = torch.linalg.svd(given, full_matrices=False)
    transposed = left.mT @ orthogonal(given) @ right.mT
    values = transposed.diagonal(dim1=1, dim2=2)
    torch.testing.assert_close(transposed, torch.diag_embed(values), atol=1e-9, rtol=0)
    # the smallest singular value of a square matrix may be too small for five iterations
    assert float(values.median()) > 0.6
    assert float(values.min()) > 0
    assert float(values.max()) < 1.3


def test_the_size_of_a_gradient_does_not_count() -> None:
    (given,) = torch.randn(1, 1, 6, 9)
    torch.testing.assert_close(orthogonal(given), orthogonal(given * 1e4))


def test_no_gradient_is_no_step() -> None:
    weights, still = matrices(0), matrices(0)
    muon = Muon(dict.fromkeys(map(str, range(4)), 1), 0.95, 0.0, torch.float32)
    muon.step(stepped(weights, [torch.zeros_like(w) for w in weights], [muon.begin(w) for w in weights]), 1.0)
    torch.testing.assert_close(weights, still, atol=0, rtol=0)


def test_stacked_maps_are_made_orthogonal_one_by_one() -> None:
    first, second = torch.randn(2, 4, 7), torch.randn(2, 4, 7)
    apart, together = [first[0].clone(), first[1].clone()], [first.flatten(0, 1).clone()]
    alone, stacked = (Muon({"0": maps, "1": 1}, 0.9, 0.0, torch.float32) for maps in (1, 2))
    alone.step(stepped(apart, list(second), [alone.begin(weight) for weight in apart]), 0.1)
    stacked.step(stepped(together, [second.flatten(0, 1)], [stacked.begin(together[0])]), 0.1)
    torch.testing.assert_close(together[0], torch.cat(apart))


@pytest.mark.parametrize("feed_forward", ["relu", "swiglu"])
def test_it_takes_every_matrix_between_embeddings_and_output(feed_forward: Any) -> None:
    config = TransformerConfig(
        d_model=8, d_ff=12, num_heads=2, encoder_layers=1, decoder_layers=1, activation=feed_forward
    )
    model = build_model(config, 20, 20)
    found, shapes = hidden_matrices(model), {name: tuple(weight.shape) for name, weight in model.named_parameters()}
    assert set(found) == {name for name, shape in shapes.items() if len(shape) == 2 and "embedding" not in name}
    assert {shapes[name][0] // maps for name, maps in found.items()} == {8, 12}
    assert {name for name, maps in found.items() if maps == 3} == {n for n in shapes if n.endswith("value.weight")}


def test_it_takes_every_gate_of_a_recurrent_layer() -> None:
    model = build_model(RNNConfig(d_model=8, hidden_size=8, num_layers=1, cell="lstm"), 20, 20)
    gates = {name: maps for name, maps in hidden_matrices(model).items() if "weight_" in name}
    assert gates
    assert set(gates.values()) == {4}


def test_the_other_weights_are_stepped_by_adamw() -> None:
    torch.manual_seed(0)
    model, twin = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4)), nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4))
    twin.load_state_dict(model.state_dict())
    for each, kind in ((model, "muon"), (twin, "adamw")):
        optimizer = Optimizer(each, OptimizerConfig.model_validate({"kind": kind}), torch.float32)
        optimizer.collect(torch.autograd.grad(each(torch.ones(2, 3)).square().sum(), optimizer.parameters))
        optimizer.step(0.1, 2)
    for (name, weight), other in zip(model.named_parameters(), twin.parameters(), strict=True):
        assert torch.equal(weight, other) == (name != "0.weight")
