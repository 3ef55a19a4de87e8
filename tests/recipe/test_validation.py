"""The weights that are judged are those in training, wherever they are."""

import torch
from torch import nn

from polyhead.model.config import TransformerConfig
from polyhead.recipe.validation import load_weights
from tests.small import small_bundle

SHAPE = TransformerConfig(encoder_layers=1, decoder_layers=1, d_model=16, d_ff=32, num_heads=2)


def test_judged_weights_are_those_in_training_and_take_no_memory_of_their_own():
    bundle = small_bundle(SHAPE)
    masters = {name: nn.Parameter(weight.detach() + 1) for name, weight in bundle.model.named_parameters()}
    load_weights(bundle, masters)
    for name, weight in bundle.model.named_parameters():
        assert weight.data_ptr() == masters[name].data_ptr()
    with torch.no_grad():
        masters["encoder.layers.0.feed_forward.inner.bias"].fill_(7)
    found = dict(bundle.model.named_parameters())["encoder.layers.0.feed_forward.inner.bias"]
    assert found.eq(7).all()


def test_weights_of_another_format_are_judged_in_float32():
    bundle = small_bundle(SHAPE)
    halves = {name: weight.detach().bfloat16() for name, weight in bundle.model.named_parameters()}
    load_weights(bundle, halves)
    for name, weight in bundle.model.named_parameters():
        assert weight.dtype == torch.float32
        assert weight.equal(halves[name].float())
