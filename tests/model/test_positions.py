"""Positions against the paper's formula (section 3.5)."""

import math
import typing

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from polyhead.model.config import TransformerConfig
from polyhead.model.positions import POSITIONS, SinusoidalConcat, positional_encoding
from polyhead.model.sinusoids import sinusoids


def formula(length: int, d_model: int) -> np.ndarray:
    """PE(pos, 2i) = sin(pos / 10000^(2i/d_model)), PE(pos, 2i+1) = cos(the same), element by element."""
    encoding = np.empty((length, d_model))
    for pos in range(length):
        for dimension in range(d_model):
            i = dimension // 2
            angle = pos / 10000 ** (2 * i / d_model)
            encoding[pos, dimension] = math.cos(angle) if dimension % 2 else math.sin(angle)
    return encoding


@given(length=st.integers(1, 40), d_model=st.integers(1, 33))
def test_equals_the_papers_formula(length: int, d_model: int) -> None:
    encoding = positional_encoding(length, d_model)
    assert encoding.dtype == torch.float32
    np.testing.assert_allclose(encoding.numpy(), formula(length, d_model), atol=1e-6)


@given(length=st.integers(1, 40), d_model=st.integers(1, 33))
def test_an_engine_without_pytorch_adds_the_same(length: int, d_model: int) -> None:
    found = sinusoids(length, d_model)
    assert (found.dtype, found.shape) == (np.float32, (length, d_model))
    assert np.array_equal(found, positional_encoding(length, d_model).numpy())
    assert np.array_equal(found, POSITIONS["sinusoidal"](d_model, length).encoding.numpy())
    np.testing.assert_allclose(found, formula(length, d_model), atol=1e-6)


def test_stays_exact_far_out() -> None:
    np.testing.assert_allclose(positional_encoding(5000, 64)[-1].numpy(), formula(5000, 64)[-1], atol=1e-6)


def test_a_shift_is_a_rotation() -> None:
    """Section 3.5: PE(pos + k) is a linear function of PE(pos), the same for every pos."""
    encoding = positional_encoding(60, 32).double()
    matrix = torch.linalg.lstsq(encoding[:-7], encoding[7:], driver="gelsd").solution
    torch.testing.assert_close(encoding[:-7] @ matrix, encoding[7:], atol=1e-4, rtol=0)


def test_the_table_and_the_settings_name_the_same_kinds() -> None:
    assert set(typing.get_args(TransformerConfig.model_fields["positions"].annotation)) == set(POSITIONS)


@pytest.mark.parametrize("kind", POSITIONS)
def test_keeps_the_size_and_stands_anywhere(kind: str) -> None:
    positions, x = POSITIONS[kind](16, 12), torch.randn(2, 8, 16)
    whole = positions(x, slice(8))
    assert whole.shape == x.shape
    torch.testing.assert_close(torch.cat([positions(x[:, :3], slice(3)), positions(x[:, 3:], slice(3, 8))], 1), whole)
    places = torch.tensor([7, 0, 0, 5])
    torch.testing.assert_close(positions(x[0, places], places), whole[0, places])


@pytest.mark.parametrize("kind", sorted({*POSITIONS} - {"none"}))
def test_beyond_the_last_position_there_is_none(kind: str) -> None:
    positions = POSITIONS[kind](16, 12)
    assert positions(torch.randn(2, 1, 16), slice(11, 12)).shape == (2, 1, 16)
    for first, length in ((12, 1), (11, 2), (0, 13), (50, 3)):  # of the first PyTorch makes a tensor without positions
        with pytest.raises(IndexError, match=f"position {first + length - 1} is beyond the 12 positions"):
            positions(torch.randn(2, length, 16), slice(first, first + length))


@pytest.mark.parametrize("kind", POSITIONS)
def test_every_kind_but_none_tells_positions_apart(kind: str) -> None:
    same_token = torch.randn(1, 1, 16).expand(1, 8, 16)
    placed = POSITIONS[kind](16, 12)(same_token, slice(8))[0]
    apart = torch.pdist(placed).min() > 1e-3
    assert bool(apart) == (kind != "none")


def test_sinusoids_are_no_weights() -> None:
    """They are recomputed, not stored; learned positions are stored and trained."""
    assert not POSITIONS["sinusoidal"](16, 12).state_dict()
    assert set(POSITIONS["sinusoidal-concat"](16, 12).state_dict()) == {"merge.weight", "merge.bias"}
    learned = POSITIONS["learned"](16, 12)
    assert [tuple(p.shape) for p in learned.parameters()] == [(12, 16)]


def test_addition_and_concatenation_as_defined() -> None:
    x, encoding = torch.randn(2, 5, 16), positional_encoding(12, 16)
    torch.testing.assert_close(POSITIONS["sinusoidal"](16, 12)(x, slice(2, 7)), x + encoding[2:7])
    concat = SinusoidalConcat(16, 12)
    both = torch.cat([x, encoding[2:7].expand(2, 5, 16)], -1)
    torch.testing.assert_close(concat(x, slice(2, 7)), both @ concat.merge.weight.T + concat.merge.bias)
