"""What a linear map and its gradients have to do with each other; of whole numbers, see `test_gemm_int8`."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from polyhead.hardware import cpu_features, may_use_tiles
from polyhead.kernels.arrays.tensors import as_array
from polyhead.kernels.linear import gemm

HAS_VECTORS = {"avx2", "fma3"} <= cpu_features()
ROWS, INPUTS, OUTPUTS = 37, 64, 128
"""Sizes of a linear map; its rows are more than a block, and no whole number of blocks."""


def arithmetic(chosen: gemm.Arithmetic, dtype: torch.dtype, near: float, has_it: bool) -> Any:
    """near: how far the numbers are from each other, by a part of all lengths' product."""
    mark = pytest.mark.skipif(not has_it, reason="this CPU has no such products")
    return pytest.param((chosen, dtype, near), marks=mark, id=type(chosen).__name__)


@pytest.fixture(
    params=[
        arithmetic(gemm.Float32(), torch.float32, 1e-8, HAS_VECTORS),
        arithmetic(gemm.BFloat16(), torch.bfloat16, 1e-4, may_use_tiles()),
    ]
)
def case(request: pytest.FixtureRequest) -> "Case":
    return Case(*request.param)


class Case:
    """A linear map, what goes in and the gradient of what comes out."""

    def __init__(self, chosen: gemm.Arithmetic, dtype: torch.dtype, near: float) -> None:
        sizes = (ROWS, INPUTS), (OUTPUTS, INPUTS), (ROWS, OUTPUTS)
        self.chosen, (self.x, self.weight, self.gradient) = chosen, (torch.randn(size).to(dtype) for size in sizes)
        self.near = near * float(self.gradient.norm() * self.x.norm() * self.weight.norm())
        self.work = np.empty(gemm.workspace_bytes(chosen, ROWS, INPUTS, OUTPUTS), np.uint8)

    def by_output(self) -> float:
        """g · (x Wᵀ)"""
        y, bias = torch.empty_like(self.gradient), torch.zeros(OUTPUTS).to(self.x.dtype)
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


def test_an_outputs_and_an_inputs_gradient_make_the_same_number(case: Case) -> None:
    assert case.by_output() == pytest.approx(case.by_input_gradient(), abs=case.near)


def test_an_inputs_and_a_weights_gradient_make_the_same_number(case: Case) -> None:
    assert case.by_weight_gradient() == pytest.approx(case.by_input_gradient(), abs=case.near)
