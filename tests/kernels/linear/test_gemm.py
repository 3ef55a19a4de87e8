"""What a linear map and its gradients have to do with each other, and which sizes they take.

The numbers of products by 8-bit integers are in `test_gemm_int8`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from polyhead.hardware import cpu_features, may_use_tiles
from polyhead.kernels.arrays.tensors import as_array
from polyhead.kernels.linear import gemm
from tests.marks import only_checked

HAS_VECTORS = {"avx2", "fma3"} <= cpu_features()
HAS_INT8 = "avx2" in cpu_features()
SIZES = 37, 64, 128
"""Rows, inputs and outputs of a linear map. The rows are more than a block, and no whole number of blocks."""


def arithmetic(chosen: gemm.Arithmetic, dtype: torch.dtype, has_it: bool) -> Any:
    mark = pytest.mark.skipif(not has_it, reason="this CPU has no such products")
    return pytest.param((chosen, dtype), marks=mark, id=type(chosen).__name__)


FLOAT32 = arithmetic(gemm.Float32(), torch.float32, HAS_VECTORS)
INT8 = arithmetic(gemm.Int8(), torch.float32, HAS_INT8)
BFLOAT16 = arithmetic(gemm.BFloat16(), torch.bfloat16, may_use_tiles())
NEAR = {torch.float32: 1e-8, torch.bfloat16: 1e-4}
"""How far numbers are from each other, by a part of all lengths' product."""


class Case:
    """A linear map, what goes in and the gradient of what comes out."""

    def __init__(self, chosen: gemm.Arithmetic, dtype: torch.dtype, sizes: tuple[int, int, int] = SIZES) -> None:
        rows, inputs, outputs = sizes
        shapes = (rows, inputs), (outputs, inputs), (rows, outputs)
        self.chosen, (self.x, self.weight, self.gradient) = chosen, (torch.randn(shape).to(dtype) for shape in shapes)
        self.near = NEAR[dtype] * float(self.gradient.norm() * self.x.norm() * self.weight.norm())
        self.work = np.empty(gemm.workspace_bytes(chosen, rows, inputs, outputs), np.uint8)

    def by_output(self) -> float:
        """g · (x Wᵀ)"""
        y, bias = torch.empty_like(self.gradient), torch.zeros_like(self.gradient[0])
        x, weight = as_array(self.x), as_array(self.weight)
        gemm.linear(self.chosen, x, weight, as_array(bias), False, as_array(y), self.work)
        return product(self.gradient, y)

    def by_input_gradient(self) -> float:
        """(g W) · x"""
        d_x = torch.empty_like(self.x)
        gemm.input_gradient(self.chosen, as_array(self.gradient), as_array(self.weight), as_array(d_x), self.work)
        return product(d_x, self.x)

    def by_weight_gradient(self) -> float:
        """(gᵀ x) · W"""
        d_weight, total = torch.empty_like(self.weight), torch.empty_like(self.gradient[0])
        gradient, x = as_array(self.gradient), as_array(self.x)
        gemm.weight_gradient(self.chosen, gradient, x, as_array(d_weight), as_array(total), self.work)
        return product(d_weight, self.weight)


def product(one: Tensor, other: Tensor) -> float:
    return float((one.double() * other.double()).sum())


@pytest.mark.parametrize("chosen", [FLOAT32, BFLOAT16])
def test_an_output_and_an_inputs_gradient_make_the_same_number(chosen: Any) -> None:
    case = Case(*chosen)
    assert case.by_output() == pytest.approx(case.by_input_gradient(), abs=case.near)


@pytest.mark.parametrize("chosen", [FLOAT32, BFLOAT16])
def test_an_inputs_and_a_weights_gradient_make_the_same_number(chosen: Any) -> None:
    case = Case(*chosen)
    assert case.by_weight_gradient() == pytest.approx(case.by_input_gradient(), abs=case.near)


@only_checked
@pytest.mark.parametrize("made", [Case.by_output, Case.by_input_gradient, Case.by_weight_gradient])
@pytest.mark.parametrize(
    ("chosen", "wrong"),
    [
        pytest.param(*each.values, size, marks=each.marks, id=f"{each.id}-{size}")
        for each, sizes in (
            (FLOAT32, [(37, 64, 129), (37, 65, 128)]),
            (INT8, [(37, 64, 129), (37, 65, 128)]),
            (BFLOAT16, [(37, 64, 129), (37, 65, 128), (31, 64, 128)]),
        )
        for size in sizes
    ],
)
def test_sizes_that_the_loops_do_not_take_are_refused(
    chosen: Any, wrong: tuple[int, int, int], made: Callable[[Case], float]
) -> None:
    with pytest.raises(IndexError, match="fit each other"):
        made(Case(*chosen, wrong))
