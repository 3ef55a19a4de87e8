"""Packed linear maps against PyTorch's."""

import pytest
import torch
from torch import Tensor

from polyhead.engine.projection import (
    FEW,
    SHORT,
    WIDE,
    Activation,
    ByLength,
    Pack,
    Packed,
    pack_bfloat16,
    pack_float32,
    pack_int8,
    pack_plain,
)
from tests.marks import bfloat16

PACKS = [(pack_plain, 1e-6), (pack_float32, 1e-5), pytest.param(pack_bfloat16, 1e-2, marks=bfloat16), (pack_int8, 2e-2)]
WEIGHT, BIAS, X = torch.randn(3, 40, 40, generator=torch.Generator().manual_seed(0)).unbind(0)
FUNCTIONS = {"none": lambda x: x, "relu": torch.relu, "gelu": torch.nn.functional.gelu}


def error(left: Tensor, right: Tensor) -> float:
    return float((left - right).norm() / right.norm())


@pytest.mark.parametrize("activation", FUNCTIONS)
@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize(("pack", "tolerance"), PACKS)
def test_it_is_the_linear_map(pack: Pack, tolerance: float, biased: bool, activation: Activation) -> None:
    bias = BIAS[0] if biased else None
    y = pack(WEIGHT, bias, activation)(X)
    assert y.dtype == torch.float32
    assert error(y, FUNCTIONS[activation](torch.nn.functional.linear(X, WEIGHT, bias))) < tolerance


@pytest.mark.parametrize(("pack", "tolerance"), PACKS)
def test_the_result_and_the_weight_are_apart_from_what_was_given(pack: Pack, tolerance: float) -> None:
    x, weight = X.clone(), WEIGHT.clone()
    projection = pack(weight, None, "none")
    first = projection(x).clone()
    projection(x).zero_()
    assert torch.equal(projection(x), first)
    assert torch.equal(x, X)
    assert torch.equal(weight, WEIGHT)


def test_a_rows_integers_do_not_depend_on_its_companions() -> None:
    projection = pack_int8(WEIGHT, BIAS[0], "none")
    mixed = X * torch.logspace(-4, 4, 40)[:, None]
    together = projection(mixed)
    for start in range(40 - FEW - 1):
        rows = slice(start, start + FEW + 1)
        assert torch.equal(projection(mixed[rows]), together[rows])


def test_a_few_rows_share_a_scale_and_stay_near() -> None:
    projection = pack_int8(WEIGHT, BIAS[0], "relu")
    for count in range(1, FEW + 1):
        exact = torch.nn.functional.linear(X[:count], WEIGHT, BIAS[0]).relu()
        assert error(projection(X[:count]), exact) < 2e-2


@pytest.mark.parametrize("outputs", [40, WIDE])
@pytest.mark.parametrize("rows", [1, FEW, FEW + 1])
def test_sums_of_the_largest_numbers_are_not_cut_off(rows: int, outputs: int) -> None:
    projection = pack_int8(torch.ones(outputs, 64), None, "none")
    for sign in (1, -1):
        assert error(projection(torch.full((rows, 64), 3.0 * sign)), torch.full((rows, outputs), 192.0 * sign)) < 1e-6


def test_rows_and_weights_of_zeros_give_zeros() -> None:
    assert not pack_int8(WEIGHT, None, "none")(torch.zeros(3, 40)).any()
    assert not pack_int8(torch.zeros(8, 40), None, "none")(X).any()


def test_short_products_and_long_ones_agree() -> None:
    projection = pack_float32(WEIGHT, BIAS[0], "relu")
    rows = SHORT // WEIGHT.numel()
    x = torch.randn(rows + 1, 40)
    assert isinstance(projection, ByLength)
    assert projection.rows == rows
    assert error(projection(x)[:rows], projection(x[:rows])) < 1e-6


def test_a_wide_weight_is_kept_but_once() -> None:
    assert isinstance(pack_float32(torch.zeros(600, 600), None, "none"), Packed)


def test_a_projection_onto_a_vocabulary_is_exact_to_eight_bits_and_to_the_row() -> None:
    weight = torch.randn(WIDE, 40, generator=torch.Generator().manual_seed(1))
    projection = pack_int8(weight, None, "none")
    mixed = torch.cat([X * torch.logspace(-4, 4, 40)[:, None], torch.zeros(1, 40)])
    together = projection(mixed)
    for row, y in zip(mixed[:-1], together, strict=False):
        assert error(y, weight @ row) < 2e-2
    assert not together[-1].any()
    for rows in (slice(0, FEW + 1), slice(3, 20), slice(1, 36)):
        assert torch.equal(projection(mixed[rows]), together[rows])


@bfloat16
def test_a_bfloat16_engine_ranks_a_vocabulary_in_float32() -> None:
    weight = torch.randn(WIDE, 40, generator=torch.Generator().manual_seed(1))
    exact = torch.nn.functional.linear(X, weight)
    assert error(pack_bfloat16(weight, None, "none")(X), exact) < 1e-5
    assert error(pack_bfloat16(weight, None, "relu")(X), exact.relu()) > 1e-4
