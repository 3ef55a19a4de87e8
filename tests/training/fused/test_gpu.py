"""The parts that a GPU gets compute what the plain ones do, on any device, and never look at a number on the way."""

import pytest
import torch
from torch import Tensor, nn

from polyhead.batch import Batch, collate
from polyhead.model.attention import ScaledDotProductAttention
from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig
from polyhead.training.fused import gpu
from polyhead.training.fused.fuse import fuse_for_gpu
from polyhead.training.fused.gpu import GPUAttention, projection_on_gpu
from polyhead.training.optimizer import Optimizer, OptimizerConfig
from polyhead.training.parallel import Workers
from polyhead.training.precision import Arithmetic
from polyhead.training.shares import Differentiation
from tests.devices import on_any_device

DTYPES = pytest.mark.parametrize(("dtype", "near"), [(torch.float32, 1e-4), (torch.bfloat16, 0.02)])
"""And how far off numbers may be, as a share of their Euclidean norm together."""


def made(rate: float = 0.0) -> GPUAttention:
    return GPUAttention(ScaledDotProductAttention(rate), Arithmetic())


def batch() -> Batch:
    ids = torch.randint(4, 96, (2, 9, 11)).tolist()
    return collate([row[: 3 + n] for n, row in enumerate(ids[0])], [row[: 11 - n] for n, row in enumerate(ids[1])])


def off(found: Tensor, wanted: Tensor) -> float:
    return float((found.cpu().double() - wanted.double()).norm() / wanted.double().norm())


@on_any_device
@pytest.mark.parametrize("share", [None, 0.0, 0.3, 0.8, 1.1])
@pytest.mark.parametrize("shape", [(1, 1, 1, 1), (2, 3, 6, 7), (3, 1, 2, 5)])
def test_values_and_gradients_are_equation_1s(
    shape: tuple[int, int, int, int], share: float | None, device: str
) -> None:
    """Rows that see nothing included; no NaN in either direction."""
    batch, heads, queries, keys = shape
    leaves = [torch.randn(batch, heads, length, 8) for length in (queries, keys, keys)]
    mask = None if share is None else torch.rand(batch, 1, queries, keys) < share
    results: list[tuple[Tensor, ...]] = []
    for core, where in ((ScaledDotProductAttention(), "cpu"), (made(), device)):
        parts = [leaf.clone().to(where).requires_grad_() for leaf in leaves]
        context = core(*parts, None if mask is None else mask.to(where))
        context.square().sum().backward()
        results.append((context.detach().cpu(), *(part.grad.cpu() for part in parts if part.grad is not None)))
    assert all(x.isfinite().all() for result in results for x in result)
    torch.testing.assert_close(results[1], results[0], atol=1e-4, rtol=1e-4)


@on_any_device
def test_dropout_of_weights_keeps_the_mean_and_is_off_in_evaluation(device: str) -> None:
    query, key, value = (torch.randn(1, 1, *shape, device=device) for shape in ((2000, 4), (5, 4), (5, 3)))
    module, expected = made(0.5), ScaledDotProductAttention()(query, key, value)
    noisy = module(query, key, value)
    assert not torch.allclose(noisy, expected, atol=1e-3)
    torch.testing.assert_close(noisy.mean((0, 1, 2)), expected.mean((0, 1, 2)), atol=0.05, rtol=0)
    torch.testing.assert_close(module.eval()(query, key, value), expected, atol=1e-5, rtol=1e-5)


@on_any_device
@DTYPES
@pytest.mark.parametrize("kept", [1 << 27, 5_000], ids=["at once", "in parts"])
@pytest.mark.parametrize("rows", [1, 37])
def test_the_projection_is_that_of_whole_distributions(
    rows: int, kept: int, dtype: torch.dtype, near: float, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In float64 of the same numbers. One target is so unlikely that its probability cannot be told from 0."""
    monkeypatch.setattr(gpu, "LOGITS_BYTES", kept)
    features, weight = torch.randn(rows, 24).to(dtype), torch.randn(301, 24).to(dtype)
    targets = torch.randint(0, 301, (rows,))
    features[0], weight[targets[0]], weight[(targets[0] + 1) % 301] = 2.0, -4.0, 4.0
    logits = features.double() @ weight.double().T
    asked = nn.functional.one_hot(targets, 301).double() * 0.9 + 0.1 / 301
    wanted = (
        logits.logsumexp(-1),
        logits.softmax(-1) @ weight.double(),
        (logits.softmax(-1) - asked).T @ features.double(),
    )
    target_logits = logits.gather(1, targets[:, None])[:, 0].float()
    found = projection_on_gpu(*(each.to(device) for each in (features, weight, targets, target_logits)), 0.1)
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == torch.float32
        assert off(one, other) <= near


@pytest.mark.parametrize("rate", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_nothing_that_a_gpu_computes_is_looked_at_before_all_is_asked_for(dtype: torch.dtype, rate: float) -> None:
    """On the device "meta" tensors have no numbers, and to read one, or to choose by a mask, is an error."""
    sizes = {"encoder_layers": 1, "decoder_layers": 2, "d_model": 64, "d_ff": 128, "num_heads": 2}
    model = build_model(TransformerConfig(**sizes, dropout=rate, attention_dropout=rate), 96, 96).to("meta")
    optimizer = Optimizer(model, OptimizerConfig(), dtype)
    differentiation = Differentiation(fuse_for_gpu(model, Arithmetic(dtype)), optimizer, Workers(), 0.1)
    given = batch()
    gradients, loss, tokens = differentiation._differentiate((given, 1))
    assert {each.device.type for each in (*gradients, loss) if each is not None} == {"meta"}
    assert [each.shape for each in gradients if each is not None] == [each.shape for each in optimizer.parameters]
    assert tokens == given.target_tokens
