"""Packed and compiled stacks."""

import warnings

import pytest
import torch

from polyhead.engine.assemble import prepared_decoder, prepared_encoder
from polyhead.engine.attention import for_heads
from polyhead.engine.places import Places
from polyhead.engine.projection import Pack, pack_bfloat16, pack_float32, pack_int8, pack_plain
from polyhead.model.transformer import Transformer
from tests.marks import bfloat16

PACKS = [(pack_plain, 1e-5), (pack_float32, 1e-5), pytest.param(pack_bfloat16, 5e-2, marks=bfloat16), (pack_int8, 1e-1)]


@pytest.mark.parametrize(("pack", "tolerance"), PACKS)
@torch.inference_mode()
def test_a_compiled_encoder_is_the_trained_one(varied: Transformer, pack: Pack, tolerance: float) -> None:
    x = torch.randn(6, varied.output.weight.size(1))
    encoder = prepared_encoder(varied.encoder, pack)
    hidden = for_heads(torch.zeros(2, 1, 1, 3), varied.encoder.layers[0].self_attention.num_heads)
    rows = torch.arange(6)
    places = Places(rows // 3, rows % 3, (2, 3))
    expected = varied.encoder(x.view(2, 3, -1), torch.ones(2, 1, 1, 3, dtype=torch.bool)).flatten(0, 1)
    for _ in range(3):  # compiled code runs otherwise once it has been watched
        found = encoder(x, places.grid, hidden)
        assert float((found - expected).norm() / expected.norm()) < tolerance


def test_layers_are_compiled_and_nothing_is_said_of_it(model: Transformer) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        decoder, memories = prepared_decoder(model.decoder, pack_float32)
    assert isinstance(decoder, torch.jit.ScriptModule)
    assert len(memories) == len(model.decoder.layers)
