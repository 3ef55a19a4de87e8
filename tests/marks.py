"""What some tests ask of a CPU, and of the form of the kernels."""

import pytest
import torch

from polyhead.hardware import multiplies_bfloat16
from polyhead.kernels.checked import CHECKED
from polyhead.kernels.linear import gemm_float32, gemm_int8
from polyhead.kernels.microkernels import tiles

bfloat16 = pytest.mark.skipif(not multiplies_bfloat16(), reason="oneDNN doesn't multiply bfloat16 on this CPU")
vectors = pytest.mark.skipif(not gemm_float32.is_supported(), reason="this CPU has no AVX2, or multiplies bfloat16")
int8 = pytest.mark.skipif(not gemm_int8.is_supported(), reason="this CPU has AMX, or neither VNNI nor AVX2 alone")
_squares = pytest.mark.skipif(not tiles.is_supported(), reason="this CPU adds up no pairs of bfloat16")
only_checked = pytest.mark.skipif(not CHECKED, reason="sizes are compared in the checked form of the kernels")

learnt_formats = pytest.mark.parametrize(
    "dtype", [pytest.param(torch.bfloat16, marks=bfloat16), pytest.param(torch.float32, marks=vectors)]
)
"""Those whose linear maps kernels learn,"""
unpadded_formats = pytest.mark.parametrize(
    "dtype", [pytest.param(torch.bfloat16, marks=_squares), pytest.param(torch.float32, marks=vectors)]
)
"""and those that attend to sentences without padding."""
