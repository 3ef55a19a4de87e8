"""A Transformer that computes nothing for padding."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from polyhead.batch import Batch, collate
from polyhead.model.attention import ScaledDotProductAttention
from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.training.fused.fuse import Differentiable, fuse
from polyhead.training.fused.transformer import FusedTransformer
from polyhead.training.loss import label_smoothed_loss
from polyhead.training.precision import Arithmetic
from tests.marks import unpadded_formats

WORDS = st.lists(st.integers(4, 39), max_size=30)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6)
SMALL = TransformerConfig(encoder_layers=2, decoder_layers=2, d_model=64, d_ff=96, num_heads=2, dropout=0)


def gradients(model: Seq2SeqModel, batch: Batch, run: Differentiable | None = None) -> list[Tensor]:
    """Features and the gradients of all weights, by the model itself or what runs it."""
    features = (model if run is None else run).features(batch)
    targets = batch.target_out[batch.target_mask]
    loss, _ = label_smoothed_loss(features, model.output_layer.weight, targets, 0.1)
    return [features.detach(), *torch.autograd.grad(loss, list(model.parameters()))]


def fused(model: Seq2SeqModel) -> FusedTransformer:
    run = fuse(model, Arithmetic(next(model.parameters()).dtype), 1).model
    assert isinstance(run, FusedTransformer)
    return run


def made(config: TransformerConfig) -> Seq2SeqModel:
    torch.manual_seed(0)
    return build_model(config, 40, 40).train()


@unpadded_formats
@pytest.mark.parametrize("changes", [{}, {"norm": "pre", "positions": "learned"}, {"positions": "sinusoidal-concat"}])
@given(PAIRS)
def test_features_and_gradients_are_as_near_float64s_as_with_padding(
    dtype: torch.dtype, changes: dict[str, str], pairs: list[tuple[list[int], list[int]]]
) -> None:
    # A ReLU passes a gradient or not: rounding decides where its input is next to nothing.
    config = TransformerConfig(**{**SMALL.model_dump(), "activation": "gelu", **changes})
    batch, rounded, exact = collate(*zip(*pairs, strict=True)), made(config).to(dtype), made(config).double()
    exact.load_state_dict(rounded.state_dict())
    run = fused(rounded)
    found = gradients(rounded, batch, run), gradients(rounded, batch, run.plain), gradients(exact, batch)
    off, off_with_padding, whole = 0.0, 0.0, 0.0
    for actual, padded, value in zip(*found, strict=True):
        assert actual.shape == value.shape
        assert float((actual - value).norm()) <= 0.05 * float(value.norm()) + 0.02
        off, off_with_padding = off + float((actual - value).norm()), off_with_padding + float((padded - value).norm())
        whole += float(value.norm())
    assert off <= 1.1 * off_with_padding + 0.01 * whole


@unpadded_formats
@given(PAIRS, st.integers(1, 9))
def test_padding_is_computed_nowhere(dtype: torch.dtype, pairs: list[tuple[list[int], list[int]]], more: int) -> None:
    """Not even a last bit depends on how wide a batch is; with an attention that asks for padding it may."""
    batch, model = collate(*zip(*pairs, strict=True)), made(SMALL).to(dtype)
    padded = (torch.nn.functional.pad(x, (0, more)) for x in (batch.source, batch.target_in, batch.target_out))
    wider = replace(batch, **dict(zip(("source", "target_in", "target_out"), padded, strict=True)))
    seen, run = list[torch.Size](), fused(model)
    run.plain.encoder.register_forward_hook(lambda _, given, out: seen.append(out.shape))
    for one, other in zip(gradients(model, batch, run), gradients(model, wider, run), strict=True):
        assert torch.equal(one, other)
    assert all(len(shape) == 2 for shape in seen)


def encoded(run: FusedTransformer, source: list[int], target: list[int]) -> tuple[int, int]:
    """Rows of features, and the dimensions of what the encoder gives."""
    seen = list[int]()
    hook = run.plain.encoder.register_forward_hook(lambda _, given, out: seen.append(out.dim()))
    rows = len(run.features(collate([source], [target])))
    hook.remove()
    return rows, seen[0]


@pytest.mark.parametrize("change", [{"attention_dropout": 0.1}, {"num_heads": 4}])
def test_what_the_kernel_is_not_for_is_padded(change: dict[str, float]) -> None:
    model = made(TransformerConfig(**{**SMALL.model_dump(), **change})).bfloat16()
    assert encoded(fused(model), [5, 6], [7, 8, 9]) == (4, 3)


@unpadded_formats
def test_another_core_and_long_sentences_are_padded(dtype: torch.dtype) -> None:
    model = made(SMALL).to(dtype)
    assert encoded(fused(model), [5], [7]) == (2, 2)
    assert encoded(fused(model), [5] * 300, [7]) == (2, 3)

    class Core(ScaledDotProductAttention):
        pass

    model.get_submodule("encoder.layers.0.self_attention").core = Core()
    assert encoded(fused(model), [5], [7]) == (2, 3)
