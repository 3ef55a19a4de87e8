"""A linear map's products on the unit for matrices, against float64."""

import pytest
import torch
from torch import Tensor

from polyhead.hardware import may_use_tiles
from polyhead.kernels.arrays.scratch import Scratch
from polyhead.kernels.arrays.tensors import as_bfloat16s
from polyhead.kernels.linear import gemm
from polyhead.kernels.microkernels.amx_block import STEPS
from polyhead.kernels.microkernels.epilogue import BLOCK

pytestmark = pytest.mark.skipif(not may_use_tiles(), reason="this CPU has no unit for matrices")

ARITHMETIC = gemm.BFloat16()
ROWS = [BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK - 1, (STEPS + 2) * BLOCK + 5]
LONG = (2 * STEPS + 1) * BLOCK
"""Numbers whose sums wait twice for the rest."""
SIZES = [(BLOCK, BLOCK), (2 * BLOCK, 3 * BLOCK), (LONG, BLOCK), (BLOCK, LONG), (STEPS * BLOCK, 2 * LONG)]


@pytest.fixture(params=[(rows, *sizes) for rows in ROWS for sizes in SIZES], ids=str)
def shape(request: pytest.FixtureRequest) -> tuple[int, int, int]:
    return request.param


def workspace(shape: tuple[int, int, int]) -> gemm.Workspace:
    return Scratch().get("workspace", (gemm.workspace_bytes(ARITHMETIC, *shape),), torch.uint8).fill_(255).numpy()


def guarded(rows: int, columns: int) -> tuple[Tensor, Tensor]:
    """Room for a result, with a row before and behind it that nobody may write to."""
    whole = torch.full((rows + 2, columns), 7.0, dtype=torch.bfloat16)
    return whole, whole[1:-1]


def numbers(*shape: int) -> Tensor:
    return torch.randn(*shape).bfloat16()


def assert_is(whole: Tensor, found: Tensor, exact: Tensor) -> None:
    """Rounded once, and sums in float32; nothing else was written."""
    torch.testing.assert_close(found.double(), exact, rtol=2**-7, atol=1e-3 * float(exact.abs().max()))
    assert bool((whole[[0, -1]] == 7).all())


@pytest.mark.parametrize("activated", [False, True])
def test_linear(shape: tuple[int, int, int], activated: bool) -> None:
    rows, inputs, outputs = shape
    x, weight, bias = numbers(rows, inputs), numbers(outputs, inputs), numbers(outputs)
    whole, out = guarded(rows, outputs)
    gemm.linear(
        ARITHMETIC,
        as_bfloat16s(x),
        as_bfloat16s(weight),
        as_bfloat16s(bias),
        activated,
        as_bfloat16s(out),
        workspace(shape),
    )
    exact = x.double() @ weight.double().t() + bias.double()
    assert_is(whole, out, exact.relu() if activated else exact)


def test_gradient_of_the_input(shape: tuple[int, int, int]) -> None:
    rows, inputs, outputs = shape
    gradient, weight = numbers(rows, outputs), numbers(outputs, inputs)
    whole, out = guarded(rows, inputs)
    gemm.input_gradient(ARITHMETIC, as_bfloat16s(gradient), as_bfloat16s(weight), as_bfloat16s(out), workspace(shape))
    assert_is(whole, out, gradient.double() @ weight.double())


def test_gradient_through_a_relu(shape: tuple[int, int, int]) -> None:
    rows, inputs, outputs = shape
    gradient, weight, passed = numbers(rows, outputs), numbers(outputs, inputs), numbers(rows, inputs).relu()
    whole, out = guarded(rows, inputs)
    gemm.gated_gradient(
        ARITHMETIC,
        as_bfloat16s(gradient),
        as_bfloat16s(weight),
        as_bfloat16s(passed),
        1.5,
        as_bfloat16s(out),
        workspace(shape),
    )
    assert_is(whole, out, torch.where(passed > 0, 1.5 * (gradient.double() @ weight.double()), 0.0))


def test_gradient_of_weight_and_bias(shape: tuple[int, int, int]) -> None:
    rows, inputs, outputs = shape
    gradient, x = numbers(rows, outputs), numbers(rows, inputs)
    (whole, out), (_, total) = guarded(outputs, inputs), guarded(1, outputs)
    gemm.weight_gradient(
        ARITHMETIC, as_bfloat16s(gradient), as_bfloat16s(x), as_bfloat16s(out), as_bfloat16s(total[0]), workspace(shape)
    )
    assert_is(whole, out, gradient.double().t() @ x.double())
    exact = gradient.double().sum(0)
    torch.testing.assert_close(total[0].double(), exact, rtol=2**-7, atol=1e-3 * float(exact.abs().max()))
