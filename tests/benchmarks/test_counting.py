"""Counted arithmetic against what PyTorch counts of the model itself."""

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmarks.counting import (
    Product,
    forward_products,
    operations,
    step_bytes,
    training_products,
    translation_products,
)
from benchmarks.sizes import SIZES, Size
from polyhead.model.config import TransformerConfig
from polyhead.model.transformer import Transformer, build_transformer

SMALL = Size("odd", 2, 3, 24, 56, 4, dropout=0.0, peak=1e-3)
V, B, S, T = 50, 3, 19, 17  # fewer keys than 16 the model fills up, which is no work that the task asks for


def config_of(size: Size) -> TransformerConfig:
    names = ("encoder_layers", "decoder_layers", "d_model", "d_ff", "num_heads")
    return TransformerConfig(**{name: getattr(size, name) for name in names}, dropout=0.0)


def model_and_batch() -> tuple[Transformer, list[torch.Tensor]]:
    model = build_transformer(config_of(SMALL), V, V)
    source, target = torch.randint(4, V, (B, S)), torch.randint(4, V, (B, T))
    return model, [source, torch.ones_like(source, dtype=torch.bool), target]


def test_the_forward_pass_is_counted_as_pytorch_counts_it() -> None:
    model, (source, mask, target) = model_and_batch()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        model.output(model.decode(target, model.encode(source, mask)))
    assert operations(forward_products(SMALL, V, B, S, T)) == counter.get_total_flops()


def test_training_takes_three_times_the_forward_pass() -> None:
    forward, training = (count(SMALL, V, B, S, T) for count in (forward_products, training_products))
    assert operations(training) == 3 * operations(forward)


def test_gradients_have_the_shapes_of_input_and_weight() -> None:
    for_input, for_weight = Product(2, 3, 5, times=7, batch=11).gradients()
    assert (for_input.m, for_input.k, for_input.n) == (2, 5, 3)
    assert (for_weight.m, for_weight.k, for_weight.n) == (3, 2, 5)
    assert {for_input.times, for_weight.times, for_input.batch // 11 * 7} == {7}


def test_a_product_counts_a_multiplication_and_an_addition() -> None:
    assert Product(2, 3, 5, times=7, batch=11).operations == 2 * 2 * 3 * 5 * 7 * 11


def test_greedy_translation_needs_what_teacher_forcing_needs_but_for_attention() -> None:
    """Step by step the same weights are multiplied with the same rows."""
    greedy = operations(translation_products(SMALL, V, B, S, T, beam=1))
    forced = [product for product in forward_products(SMALL, V, B, S, T) if product.batch == 1]
    assert greedy == operations(forced)


def test_a_wider_beam_multiplies_the_steps_alone() -> None:
    one, five = (operations(translation_products(SMALL, V, B, S, T, beam)) for beam in (1, 5))
    encoder = operations(translation_products(SMALL, V, B, S, 0, 1))
    assert five - encoder == 5 * (one - encoder)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_a_step_reads_the_decoders_weights_once(size: Size) -> None:
    """By the model's own parameters: the decoder without cross-attention's keys and values, and the output."""
    with torch.device("meta"):
        model = build_transformer(config_of(size), V, V)
    matrices = sum(weight.numel() for weight in model.decoder.parameters() if weight.dim() == 2)
    projected_once = size.decoder_layers * 2 * size.d_model**2
    assert step_bytes(size, V, width=2) == 2 * (matrices - projected_once + V * size.d_model)
