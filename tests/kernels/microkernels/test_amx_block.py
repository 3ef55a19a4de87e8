"""A block's rows as its microkernel reads them; what multiplies them is compared by the tests of GEMM on AMX."""

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.amx import ROW_BYTES
from polyhead.kernels.microkernels.amx_block import COPIED_BYTES, STEPS, copy_rows
from polyhead.kernels.microkernels.epilogue import BLOCK

Bytes = NDArray[np.uint8]


@kernel
def _copy(x: Bytes, steps: int, out: Bytes) -> None:
    copy_rows(x.ctypes.data, x.strides[0], steps, out.ctypes.data)


@pytest.mark.parametrize("steps", [1, 3, STEPS])
def test_rows_far_apart_are_copied_beside_each_other(steps: int) -> None:
    wide = np.random.default_rng(0).integers(256, size=(BLOCK, 2 * STEPS * ROW_BYTES), dtype=np.uint8)
    out, width = np.full(COPIED_BYTES, 99, np.uint8), steps * ROW_BYTES
    _copy(wide[:, ROW_BYTES:], steps, out)
    assert (out[: BLOCK * width].reshape(BLOCK, width) == wide[:, ROW_BYTES : ROW_BYTES + width]).all()
    assert (out[BLOCK * width :] == 99).all()
