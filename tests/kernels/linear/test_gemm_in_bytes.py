"""A linear map's products by whole numbers of 8 bits, against float64."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from polyhead.hardware import cpu_features
from polyhead.kernels.arrays.tensors import halves
from polyhead.kernels.factors import in_bytes
from polyhead.kernels.linear import gemm_in_bytes as gemm
from polyhead.kernels.sums.registers import PANEL

pytestmark = pytest.mark.skipif("avx512_vnni" not in cpu_features(), reason="this CPU has no such products")

LARGEST = float(in_bytes.LARGEST)
GUARD = 64
"""Bytes before and behind the room."""
LONG = gemm.CACHED // PANEL
"""Rows of a narrow matrix that fill the cache."""
COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 64, 71, LONG + 3]
SIZES = [(PANEL, PANEL), (PANEL, 3 * PANEL), (2 * PANEL, PANEL), (9 * PANEL, 8 * PANEL)]


@pytest.fixture(params=[(rows, *sizes) for rows in COUNTS for sizes in SIZES], ids=str)
def shape(request: pytest.FixtureRequest) -> tuple[int, int, int]:
    return request.param


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(1)


def room(shape: tuple[int, int, int]) -> gemm.Room:
    """With bytes before and behind that nobody may write to."""
    whole = np.full(gemm.room_for(*shape) + 2 * GUARD, 255, np.uint8)
    return whole[GUARD:-GUARD]


def assert_guarded(used: gemm.Room, *results: Tensor) -> None:
    whole = used.base
    assert isinstance(whole, np.ndarray)
    assert (whole[:GUARD] == 255).all()
    assert (whole[-GUARD:] == 255).all()
    for result in results:
        assert bool((result[[0, -1]] == 7).all())


def guarded(rows: int, columns: int) -> tuple[Tensor, Tensor]:
    """Room for a result, with a row before and behind it that nobody may write to."""
    whole = torch.full((rows + 2, columns), 7.0, dtype=torch.bfloat16)
    return whole, whole[1:-1]


def spread(*size: int) -> Tensor:
    """Rows and columns of very different length, as gradients have, and one of zeros each."""
    found = torch.randn(*size) * 10.0 ** (6 * torch.rand(size[0], 1) - 3) * 10.0 ** (6 * torch.rand(size[1]) - 3)
    found[-1] = 0
    found[:, -1] = 0
    return found.bfloat16()


def error_of(left: Tensor, right: Tensor) -> Tensor:
    """left [N, K] right [K, M] is off by no more, where each number is off by half a unit of its row's or column's."""
    one, other = left.double().abs(), right.double().abs()
    of_row, of_column = one.amax(1, keepdim=True) / LARGEST / 2, other.amax(0, keepdim=True) / LARGEST / 2
    return (
        one.sum(1, keepdim=True) * of_column + of_row * other.sum(0, keepdim=True) + left.size(1) * of_row * of_column
    )


def assert_near(found: Tensor, left: Tensor, right: Tensor, seen: Tensor | float = 0.0) -> None:
    """And as a rule by much less: errors of both signs come together."""
    exact, most = left.double() @ right.double() + seen, error_of(left, right)
    error = (found.double() - exact).abs()
    assert bool(torch.isfinite(found).all())
    assert bool((error <= 1.01 * most + 2**-8 * exact.abs() + 1e-30).all())
    lengths = left.double().norm(dim=1)[:, None] * right.double().norm(dim=0) + torch.as_tensor(seen).abs()
    assert float(error.norm()) <= 0.03 * float(lengths.norm())


@pytest.mark.parametrize("activated", [False, True])
def test_linear(shape: tuple[int, int, int], activated: bool) -> None:
    rows, inputs, outputs = shape
    x, weight, bias = spread(rows, inputs), spread(outputs, inputs), spread(1, outputs)[0]
    (whole, out), used = guarded(rows, outputs), room(shape)
    gemm.linear(halves(x), halves(weight), halves(bias), activated, halves(out), used)
    if activated:
        exact, most = x.double() @ weight.double().t() + bias.double(), error_of(x, weight.t())
        assert bool((out >= 0).all())
        assert bool(((out > 0) == (exact > 0))[exact.abs() > 1.01 * most + 1e-6 * bias.double().abs()].all())
        gemm.linear(halves(x), halves(weight), halves(bias), False, halves(out), used)
    assert_near(out, x, weight.t(), bias.double().expand(rows, -1))
    assert_guarded(used, whole)


def test_gradient_of_the_input(shape: tuple[int, int, int]) -> None:
    rows, inputs, outputs = shape
    gradient, weight = spread(rows, outputs), spread(outputs, inputs)
    (whole, out), used = guarded(rows, inputs), room(shape)
    gemm.input_gradient(halves(gradient), halves(weight), halves(out), used)
    assert_near(out, gradient, weight)
    assert_guarded(used, whole)


def test_gradient_through_a_relu(shape: tuple[int, int, int]) -> None:
    rows, inputs, outputs = shape
    gradient, weight = spread(rows, outputs), spread(outputs, inputs)
    passed = torch.randn(rows, inputs).relu().bfloat16()
    (whole, out), used, all_of_it = guarded(rows, inputs), room(shape), torch.empty(rows, inputs, dtype=torch.bfloat16)
    gemm.gated_gradient(halves(gradient), halves(weight), halves(passed), 1.5, halves(out), used)
    gemm.input_gradient(halves(gradient), halves(weight), halves(all_of_it), used)
    exact = torch.where(passed > 0, 1.5 * all_of_it.double(), 0.0)
    torch.testing.assert_close(out.double(), exact, rtol=2**-7, atol=0)
    assert_guarded(used, whole)


def test_gradient_of_weight_and_bias(shape: tuple[int, int, int]) -> None:
    rows, inputs, outputs = shape
    gradient, x = spread(rows, outputs), spread(rows, inputs)
    (whole, out), (whole_total, total), used = guarded(outputs, inputs), guarded(1, outputs), room(shape)
    gemm.weight_gradient(halves(gradient), halves(x), halves(out), halves(total[0]), used)
    assert_near(out, gradient.t(), x)
    exact, lengths = gradient.double().sum(0), gradient.double().abs().sum(0)
    assert bool(((total[0].double() - exact).abs() <= 2**-8 * exact.abs() + 1e-5 * lengths).all())
    assert_guarded(used, whole, whole_total)


def test_of_no_rows() -> None:
    nothing = torch.empty(0, PANEL, dtype=torch.bfloat16)
    weight, total = (torch.ones(rows, PANEL, dtype=torch.bfloat16) for rows in (PANEL, 1))
    gemm.input_gradient(halves(nothing), halves(weight), halves(nothing), room((0, PANEL, PANEL)))
    gemm.weight_gradient(halves(nothing), halves(nothing), halves(weight), halves(total[0]), room((0, PANEL, PANEL)))
    assert not bool(weight.any())
    assert not bool(total.any())


@pytest.mark.parametrize("inputs", [PANEL, 4096])
def test_the_largest_sums_are_not_cut_off(inputs: int) -> None:
    """Factors that point the same way, or the opposite way, in one number or in all."""
    one, all_of_them = torch.zeros(1, inputs), torch.full((1, inputs), 3e9)
    one[0, 5] = -7
    x = torch.cat([one, all_of_them, -one, -all_of_them]).bfloat16()
    weight, bias, out = x.repeat(PANEL // 4, 1), torch.zeros(PANEL).bfloat16(), torch.empty(4, PANEL).bfloat16()
    gemm.linear(halves(x), halves(weight), halves(bias), False, halves(out), room((4, inputs, PANEL)))
    assert_near(out, x, weight.t())


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_stays_none(value: float) -> None:
    x, weight, out = (torch.ones(size).bfloat16() for size in ((3, PANEL), (PANEL, PANEL), (3, PANEL)))
    total: NDArray[np.uint16] = halves(torch.empty(PANEL).bfloat16())
    x[1, 3] = value
    gemm.linear(halves(x), halves(weight), halves(weight[0]), False, halves(out), room((3, PANEL, PANEL)))
    assert out.isnan().any(1).tolist() == [False, True, False]
    assert bool(out[1].isnan().all())
    gemm.weight_gradient(halves(x), halves(x), halves(weight), total, room((3, PANEL, PANEL)))
    assert bool(weight[3].isnan().all())
    assert bool(weight[:, 3].isnan().all())
    assert int(weight.isnan().sum()) == 2 * PANEL - 1


def test_what_is_too_small_counts_as_nothing() -> None:
    x, weight, out = torch.full((2, PANEL), 1e-38).bfloat16(), torch.ones(PANEL, PANEL).bfloat16(), torch.ones(2, PANEL)
    found = out.bfloat16()
    gemm.linear(halves(x), halves(weight), halves(weight[0]), False, halves(found), room((2, PANEL, PANEL)))
    assert bool((found == 1).all())
