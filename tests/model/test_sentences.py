"""Sentences without padding: their layout, and a model that computes nothing for padding."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from polyhead.batch import Batch, collate
from polyhead.model.attention import ExplicitCore
from polyhead.model.build import build_model
from polyhead.model.config import ModelConfig, RNNAttentionConfig, RNNConfig, TransformerConfig
from polyhead.model.sentences import Sentences
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.symbols import PAD
from polyhead.training.loss import label_smoothed_loss
from tests.marks import unpadded_formats

WORDS = st.lists(st.integers(4, 39), max_size=30)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=6)
SMALL = TransformerConfig(encoder_layers=2, decoder_layers=2, d_model=64, d_ff=96, num_heads=2, dropout=0)


@given(PAIRS)
def test_rows_are_the_sentences_one_after_the_other(pairs: list[tuple[list[int], list[int]]]) -> None:
    batch = collate(*zip(*pairs, strict=True))
    sentences = Sentences.of(batch.source_mask)
    rows, expected = sentences.rows(batch.source), [tokens[tokens != PAD] for tokens in batch.source]
    assert len(rows) == len(sentences.positions)
    assert len(rows) % 64 == 0
    assert len(rows) < sum(map(len, expected)) + 64
    for tokens, start, end in zip(expected, sentences.starts[:-1], sentences.starts[1:], strict=True):
        assert torch.equal(rows[start:end], tokens)
        assert sentences.positions[start:end].tolist() == [*range(len(tokens))]
    assert (rows[int(sentences.starts[-1]) :] == PAD).all()
    assert torch.equal(sentences.real(rows), torch.cat(expected))


def gradients(model: Seq2SeqModel, batch: Batch, padded: bool = False) -> list[Tensor]:
    """Features and the gradients of all weights."""
    features = Seq2SeqModel.features(model, batch) if padded else model.features(batch)
    targets = batch.target_out[batch.target_mask]
    loss, _ = label_smoothed_loss(features, model.output_layer.weight, targets, 0.1)
    return [features.detach(), *torch.autograd.grad(loss, list(model.parameters()))]


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
    found = gradients(rounded, batch), gradients(rounded, batch, padded=True), gradients(exact, batch)
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
    seen = list[torch.Size]()
    model.get_submodule("encoder").register_forward_hook(lambda _, given, out: seen.append(out.shape))
    for one, other in zip(gradients(model, batch), gradients(model, wider), strict=True):
        assert torch.equal(one, other)
    assert all(len(shape) == 2 for shape in seen)


@pytest.mark.parametrize(
    ("change", "dtype"),
    [({"attention_dropout": 0.1}, torch.bfloat16), ({"num_heads": 4}, torch.bfloat16), ({}, torch.float64)],
)
def test_what_the_kernel_is_not_for_is_padded(change: dict[str, float], dtype: torch.dtype) -> None:
    model, seen = made(TransformerConfig(**{**SMALL.model_dump(), **change})).to(dtype), list[int]()
    model.get_submodule("encoder").register_forward_hook(lambda _, given, out: seen.append(out.dim()))
    assert len(model.features(collate([[5, 6]], [[7, 8, 9]]))) == 4
    assert seen == [3]


def test_another_core_and_long_sentences_are_padded() -> None:
    model, seen = made(SMALL).bfloat16(), list[int]()
    model.get_submodule("encoder").register_forward_hook(lambda _, given, out: seen.append(out.dim()))
    model.features(collate([[5] * 300], [[7]]))
    model.get_submodule("encoder.layers.0.self_attention").core = ExplicitCore()
    model.features(collate([[5]], [[7]]))
    assert seen == [3, 3]


@pytest.mark.parametrize(
    "config", [SMALL, RNNConfig(d_model=8, hidden_size=8), RNNAttentionConfig(d_model=8, hidden_size=8)]
)
def test_every_model_gives_the_features_of_real_tokens(config: ModelConfig) -> None:
    model = build_model(config, 40, 40).eval()
    batch = collate([[5, 6], [7]], [[8, 9, 10], [11]])
    decoded = model.decode(batch.target_in, model.encode(batch.source, batch.source_mask))
    torch.testing.assert_close(model.features(batch), torch.cat([decoded[0], decoded[1, :2]]))
