"""Where tests compute that hold on any device: always on the CPU, and on a GPU where there is one.

On the CPU they compute with the very parts that a GPU gets, so that these are tested where there is no GPU. What they
are compared with is always the plain model on the CPU in float32.
"""

import pytest
import torch

without_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="PyTorch finds no CUDA device here")
on_any_device = pytest.mark.parametrize(
    "device", [pytest.param("cpu"), pytest.param("cuda", marks=[pytest.mark.gpu, without_gpu])]
)
