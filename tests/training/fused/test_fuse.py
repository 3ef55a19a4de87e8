"""A model and what training runs of it: the same parameters, the same gradients, and nothing of the model changed."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from polyhead.batch import Batch, collate
from polyhead.kernels.linear import gemm_float32, gemm_int8
from polyhead.model.attention import ScaledDotProductAttention
from polyhead.model.build import build_model
from polyhead.model.config import ModelConfig, RNNAttentionConfig, RNNConfig, TransformerConfig
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.training.fused.fuse import ON_GPU, ON_ONE_CORE, Differentiable, exchanged, fuse
from polyhead.training.fused.gpu import GPUAttention
from polyhead.training.loss import label_smoothed_loss
from polyhead.training.precision import Arithmetic, has_bfloat16
from polyhead.training.softmax_projection import softmax_projection
from tests.marks import int8

WIDE = {"encoder_layers": 1, "decoder_layers": 2, "d_model": 64, "d_ff": 128, "num_heads": 2, "dropout": 0.0}
MODELS: dict[str, ModelConfig] = {
    "post-norm": TransformerConfig(**WIDE),
    "pre-norm": TransformerConfig(**WIDE, norm="pre", positions="learned"),
    "gelu": TransformerConfig(**WIDE, activation="gelu", tie_embeddings="none"),
    "swiglu": TransformerConfig(**WIDE, activation="swiglu", positions="sinusoidal-concat"),
    "rnn": RNNConfig(d_model=64, hidden_size=64, dropout=0.0),
    "rnn-attention": RNNAttentionConfig(d_model=64, hidden_size=64, dropout=0.0),
}
bfloat16 = pytest.mark.skipif(not has_bfloat16(torch.device("cpu")), reason="this CPU doesn't multiply bfloat16")
ARITHMETICS = [
    pytest.param(Arithmetic(), 1e-4, id="float32"),
    pytest.param(Arithmetic(torch.bfloat16), 0.06, marks=bfloat16, id="bfloat16"),
    pytest.param(Arithmetic(torch.bfloat16, int8=True), 0.1, marks=[bfloat16, int8], id="int8"),
    pytest.param(Arithmetic(torch.float32, int8=True), 0.1, marks=int8, id="int8 of float32"),
]


def made(config: ModelConfig) -> Seq2SeqModel[Any]:
    torch.manual_seed(1)
    return build_model(config, 96, 96).train()


def batch() -> Batch:
    ids = torch.randint(4, 96, (2, 9, 11)).tolist()
    return collate([row[: 3 + n] for n, row in enumerate(ids[0])], [row[: 11 - n] for n, row in enumerate(ids[1])])


def gradients(model: Seq2SeqModel[Any], run: Differentiable, given: Batch, projection: Any) -> list[Tensor]:
    targets = given.target_out[given.target_mask]
    loss, _ = label_smoothed_loss(run.features(given), run.output_layer.weight, targets, 0.1, projection)
    return [each.double() for each in torch.autograd.grad(loss, list(model.parameters()))]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("arithmetic", "near"), ARITHMETICS)
def test_gradients_are_the_plain_models(name: str, arithmetic: Arithmetic, near: float) -> None:
    """Those of float64 of the same weights; all together, as a ReLU near 0 is decided by rounding."""
    rounded, exact, given = made(MODELS[name]).to(arithmetic.dtype), made(MODELS[name]).double(), batch()
    exact.load_state_dict(rounded.state_dict())
    fused = fuse(rounded, arithmetic, 1)
    found = gradients(rounded, fused.model, given, fused.projection)
    wanted = gradients(exact, exact, given, softmax_projection)
    off = sum(float((one - other).square().sum()) for one, other in zip(found, wanted, strict=True))
    whole = sum(float(each.square().sum()) for each in wanted)
    assert (off / whole) ** 0.5 <= near


@pytest.mark.parametrize("name", MODELS)
def test_the_model_itself_stays_as_it_is(name: str) -> None:
    model = made(MODELS[name])
    kinds = [type(module) for module in model.modules()]
    fused = fuse(model, Arithmetic(), 1).model
    assert isinstance(fused, nn.Module)
    assert [type(module) for module in model.modules()] == kinds
    assert {id(each) for each in fused.parameters()} == {id(each) for each in model.parameters()}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_every_part_that_the_table_knows_is_exchanged(name: str, dtype: torch.dtype) -> None:
    """But for those that stay for a reason: norms in float32, and networks with another activation."""
    fused = fuse(made(MODELS[name]).to(dtype), Arithmetic(dtype), 1).model
    assert isinstance(fused, nn.Module)
    left = {type(module).__name__ for module in fused.modules() if type(module) in ON_ONE_CORE}
    plain = {"Transformer", "FeedForward"} | ({"LayerNorm"} if dtype == torch.float32 else set())
    assert left <= plain


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_what_stays_plain_is_named(name: str, dtype: torch.dtype) -> None:
    """And nothing else: not a norm, in whichever format, nor what is looked up."""
    expected = {"rnn": ("LSTM",), "rnn-attention": ("LSTM",), "pre-norm": ("Learned",)}
    assert fuse(made(MODELS[name]).to(dtype), Arithmetic(dtype), 1).plain == expected.get(name, ())


def test_a_subclass_is_another_class() -> None:
    class Mine(nn.Linear):
        pass

    assert type(exchanged(nn.Sequential(Mine(2, 2), nn.Linear(2, 2)), Arithmetic(), ON_ONE_CORE)[0]) is Mine


def test_with_several_cores_to_an_operation_all_stays_plain() -> None:
    model = made(MODELS["post-norm"])
    assert fuse(model, Arithmetic(), 2).model is model


def test_on_a_gpu_attention_is_pytorchs() -> None:
    model, given = made(MODELS["post-norm"]), batch()
    run = exchanged(made(MODELS["post-norm"]), Arithmetic(), ON_GPU)
    cores = [type(module.core) for module in run.modules() if hasattr(module, "core")]
    assert set(cores) == {GPUAttention}
    assert not any(isinstance(module, ScaledDotProductAttention) for module in run.modules())
    torch.testing.assert_close(run.features(given), model.features(given), atol=1e-4, rtol=1e-4)


def test_the_kernels_that_the_tests_are_for_are_known() -> None:
    """Else a renamed check would skip them everywhere."""
    assert isinstance(gemm_int8.is_supported(), bool)
    assert isinstance(gemm_float32.is_supported(), bool)
