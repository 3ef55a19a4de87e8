"""A linear map's products by whole numbers of 8 bits, against float64."""

import numpy as np
import pytest
import torch
from torch import Tensor

from polyhead.hardware import cpu_features
from polyhead.kernels.arrays.tensors import as_array
from polyhead.kernels.linear import gemm, gemm_int8
from polyhead.kernels.linear.gemm_int8 import CACHED
from polyhead.kernels.microkernels.int8 import LARGEST_INT8
from polyhead.kernels.microkernels.registers import PANEL

pytestmark = pytest.mark.skipif("avx2" not in cpu_features(), reason="this CPU multiplies no bytes")

ARITHMETIC = gemm.Int8()
GUARD = 64
"""Bytes before and behind the room."""
LONG = CACHED // PANEL
"""Rows of a narrow matrix that fill the cache."""
COUNTS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 64, 71, LONG + 3]
SIZES = [(PANEL, PANEL), (PANEL, 3 * PANEL), (2 * PANEL, PANEL), (9 * PANEL, 8 * PANEL)]


@pytest.fixture(params=[(rows, *sizes) for rows in COUNTS for sizes in SIZES], ids=str)
def shape(request: pytest.FixtureRequest) -> tuple[int, int, int]:
    return request.param


@pytest.fixture(params=[torch.bfloat16, torch.float32], ids=str)
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(1)


def workspace(shape: tuple[int, int, int]) -> gemm.Workspace:
    """With bytes before and behind that nobody may write to."""
    whole = np.full(gemm.workspace_bytes(ARITHMETIC, *shape) + 2 * GUARD, 255, np.uint8)
    return whole[GUARD:-GUARD]


def assert_guarded(used: gemm.Workspace, *results: Tensor) -> None:
    whole = used.base
    assert isinstance(whole, np.ndarray)
    assert (whole[:GUARD] == 255).all()
    assert (whole[-GUARD:] == 255).all()
    for result in results:
        assert bool((result[[0, -1]] == 7).all())


def guarded(rows: int, columns: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Room for a result, with a row before and behind it that nobody may write to."""
    whole = torch.full((rows + 2, columns), 7.0, dtype=dtype)
    return whole, whole[1:-1]


def spread(*size: int, dtype: torch.dtype) -> Tensor:
    """Rows and columns of very different length, as gradients have, and one of zeros each."""
    found = torch.randn(*size) * 10.0 ** (6 * torch.rand(size[0], 1) - 3) * 10.0 ** (6 * torch.rand(size[1]) - 3)
    found[-1] = 0
    found[:, -1] = 0
    return found.to(dtype)


def rounding(dtype: torch.dtype) -> float:
    """By what part a number of the format may be off: half a unit of its last digit, 2⁻⁸ of bfloat16."""
    return torch.finfo(dtype).eps / 2


def error_of(left: Tensor, right: Tensor) -> Tensor:
    """left [N, K] right [K, M] is off by no more, where each number is off by half a unit of its row's or column's."""
    one, other = left.double().abs(), right.double().abs()
    of_row, of_column = one.amax(1, keepdim=True) / LARGEST_INT8 / 2, other.amax(0, keepdim=True) / LARGEST_INT8 / 2
    return (
        one.sum(1, keepdim=True) * of_column + of_row * other.sum(0, keepdim=True) + left.size(1) * of_row * of_column
    )


def assert_near(found: Tensor, left: Tensor, right: Tensor, seen: Tensor | float = 0.0) -> None:
    """And as a rule by much less: errors of both signs come together."""
    exact, most = left.double() @ right.double() + seen, error_of(left, right)
    error = (found.double() - exact).abs()
    assert bool(torch.isfinite(found).all())
    assert bool((error <= 1.01 * most + rounding(found.dtype) * exact.abs() + 1e-30).all())
    lengths = left.double().norm(dim=1)[:, None] * right.double().norm(dim=0) + torch.as_tensor(seen).abs()
    assert float(error.norm()) <= 0.03 * float(lengths.norm())


@pytest.mark.parametrize(
    ("features", "tiles", "supported"),
    [
        ({"avx2"}, False, True),
        ({"avx2", "avx_vnni"}, False, True),
        ({"avx2", "avx512_f", "avx512_vnni"}, False, True),
        ({"avx2", "avx512_f"}, False, False),
        ({"avx2", "avx512_f", "avx512_vnni"}, True, False),
        (set[str](), False, False),
    ],
)
def test_it_is_for_cpus_where_it_is_the_fastest(
    features: set[str], tiles: bool, supported: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gemm_int8, "cpu_features", lambda: features)
    monkeypatch.setattr(gemm_int8, "may_use_tiles", lambda: tiles)
    assert gemm_int8.is_supported() is supported


@pytest.mark.parametrize("activated", [False, True])
def test_linear(shape: tuple[int, int, int], dtype: torch.dtype, activated: bool) -> None:
    rows, inputs, outputs = shape
    x, weight, bias = (spread(*size, dtype=dtype) for size in ((rows, inputs), (outputs, inputs), (1, outputs)))
    (whole, out), used = guarded(rows, outputs, dtype), workspace(shape)
    gemm.linear(ARITHMETIC, as_array(x), as_array(weight), as_array(bias[0]), activated, as_array(out), used)
    if activated:
        exact, most = x.double() @ weight.double().t() + bias.double(), error_of(x, weight.t())
        assert bool((out >= 0).all())
        assert bool(((out > 0) == (exact > 0))[exact.abs() > 1.01 * most + 1e-6 * bias.double().abs()].all())
        gemm.linear(ARITHMETIC, as_array(x), as_array(weight), as_array(bias[0]), False, as_array(out), used)
    assert_near(out, x, weight.t(), bias.double().expand(rows, -1))
    assert_guarded(used, whole)


def test_gradient_of_the_input(shape: tuple[int, int, int], dtype: torch.dtype) -> None:
    rows, inputs, outputs = shape
    gradient, weight = spread(rows, outputs, dtype=dtype), spread(outputs, inputs, dtype=dtype)
    (whole, out), used = guarded(rows, inputs, dtype), workspace(shape)
    gemm.input_gradient(ARITHMETIC, as_array(gradient), as_array(weight), as_array(out), used)
    assert_near(out, gradient, weight)
    assert_guarded(used, whole)


def test_gradient_through_a_relu(shape: tuple[int, int, int], dtype: torch.dtype) -> None:
    rows, inputs, outputs = shape
    gradient, weight = spread(rows, outputs, dtype=dtype), spread(outputs, inputs, dtype=dtype)
    passed = torch.randn(rows, inputs).relu().to(dtype)
    (whole, out), used, all_of_it = (
        guarded(rows, inputs, dtype),
        workspace(shape),
        torch.empty(rows, inputs, dtype=dtype),
    )
    gemm.gated_gradient(ARITHMETIC, as_array(gradient), as_array(weight), as_array(passed), 1.5, as_array(out), used)
    gemm.input_gradient(ARITHMETIC, as_array(gradient), as_array(weight), as_array(all_of_it), used)
    exact = torch.where(passed > 0, 1.5 * all_of_it.double(), 0.0)
    near = 2**-7 if dtype == torch.bfloat16 else 2**-20  # scales may be multiplied in another order
    torch.testing.assert_close(out.double(), exact, rtol=near, atol=0)
    assert_guarded(used, whole)


def test_gradient_of_weight_and_bias(shape: tuple[int, int, int], dtype: torch.dtype) -> None:
    rows, inputs, outputs = shape
    gradient, x = spread(rows, outputs, dtype=dtype), spread(rows, inputs, dtype=dtype)
    (whole, out), (whole_total, total) = guarded(outputs, inputs, dtype), guarded(1, outputs, dtype)
    used = workspace(shape)
    gemm.weight_gradient(ARITHMETIC, as_array(gradient), as_array(x), as_array(out), as_array(total[0]), used)
    assert_near(out, gradient.t(), x)
    exact, lengths = gradient.double().sum(0), gradient.double().abs().sum(0)
    assert bool(((total[0].double() - exact).abs() <= rounding(dtype) * exact.abs() + 1e-5 * lengths).all())
    assert_guarded(used, whole, whole_total)


def test_of_no_rows(dtype: torch.dtype) -> None:
    nothing = torch.empty(0, PANEL, dtype=dtype)
    weight, total = (torch.ones(rows, PANEL, dtype=dtype) for rows in (PANEL, 1))
    gemm.input_gradient(
        ARITHMETIC, as_array(nothing), as_array(weight), as_array(nothing), workspace((0, PANEL, PANEL))
    )
    gemm.weight_gradient(
        ARITHMETIC,
        as_array(nothing),
        as_array(nothing),
        as_array(weight),
        as_array(total[0]),
        workspace((0, PANEL, PANEL)),
    )
    assert not bool(weight.any())
    assert not bool(total.any())


@pytest.mark.parametrize("inputs", [PANEL, 4096])
def test_the_largest_sums_are_not_cut_off(inputs: int, dtype: torch.dtype) -> None:
    """Factors that point the same way, or the opposite way, in one number or in all."""
    one, all_of_them = torch.zeros(1, inputs), torch.full((1, inputs), 3e9)
    one[0, 5] = -7
    x = torch.cat([one, all_of_them, -one, -all_of_them]).to(dtype)
    weight, bias, out = x.repeat(PANEL // 4, 1), torch.zeros(PANEL, dtype=dtype), torch.empty(4, PANEL, dtype=dtype)
    gemm.linear(
        ARITHMETIC, as_array(x), as_array(weight), as_array(bias), False, as_array(out), workspace((4, inputs, PANEL))
    )
    assert_near(out, x, weight.t())


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_stays_none(value: float, dtype: torch.dtype) -> None:
    x, weight, out = (torch.ones(size, dtype=dtype) for size in ((3, PANEL), (PANEL, PANEL), (3, PANEL)))
    total = as_array(torch.empty(PANEL, dtype=dtype))
    x[1, 3] = value
    gemm.linear(
        ARITHMETIC,
        as_array(x),
        as_array(weight),
        as_array(weight[0]),
        False,
        as_array(out),
        workspace((3, PANEL, PANEL)),
    )
    assert out.isnan().any(1).tolist() == [False, True, False]
    assert bool(out[1].isnan().all())
    gemm.weight_gradient(ARITHMETIC, as_array(x), as_array(x), as_array(weight), total, workspace((3, PANEL, PANEL)))
    assert bool(weight[3].isnan().all())
    assert bool(weight[:, 3].isnan().all())
    assert int(weight.isnan().sum()) == 2 * PANEL - 1


def test_what_is_too_small_counts_as_nothing(dtype: torch.dtype) -> None:
    x, found = torch.full((2, PANEL), 1e-38, dtype=dtype), torch.ones(2, PANEL, dtype=dtype)
    weight = torch.ones(PANEL, PANEL, dtype=dtype)
    gemm.linear(
        ARITHMETIC,
        as_array(x),
        as_array(weight),
        as_array(weight[0]),
        False,
        as_array(found),
        workspace((2, PANEL, PANEL)),
    )
    assert bool((found == 1).all())
