"""Matrices of float32 in the orders in which products read them, against NumPy's views."""

import numpy as np
import pytest
from numpy.typing import NDArray

from polyhead.kernels.kernel import kernel
from polyhead.kernels.microkernels.simd import WIDTH
from polyhead.kernels.packing.pack_float32 import add_rows, pack_left_columns, pack_right_columns, pack_right_rows

Floats = NDArray[np.float32]
GROUPS = {16: [6, 6, 4], 48: [6] * 8}
"""So many rows of a transposed left operand are taken together."""


@kernel
def _pack(x: Floats, rows: Floats, columns: Floats, left: Floats, total: Floats) -> None:
    pack_right_rows(x, rows.ctypes.data)
    pack_right_columns(x, columns)
    pack_left_columns(x, left)
    add_rows(x, total)


@pytest.mark.parametrize("rows", [1, 7, 16, 17, 50])
@pytest.mark.parametrize("columns", GROUPS)
def test_every_number_finds_its_place(rows: int, columns: int) -> None:
    """x is a part of wider rows."""
    x = np.random.default_rng(rows).normal(size=(rows, columns + 5)).astype(np.float32)[:, 2:-3]
    padded = rows + -rows % WIDTH
    as_columns = np.full((padded // WIDTH, columns, WIDTH), np.nan, np.float32)
    panels = np.full((columns // WIDTH, padded, WIDTH), np.nan, np.float32)
    left, total = np.full(columns * padded, np.nan, np.float32), np.ones(columns, np.float32)
    _pack(x, as_columns, panels, left, total)

    repeated = np.pad(x, ((0, padded - rows), (0, 0)), mode="edge")
    assert (as_columns == repeated.reshape(-1, WIDTH, columns).transpose(0, 2, 1)).all()
    filled = np.pad(x, ((0, padded - rows), (0, 0)))
    assert (panels == filled.reshape(padded, -1, WIDTH).transpose(1, 0, 2)).all()
    groups = np.split(filled, np.cumsum(GROUPS[columns])[:-1], axis=1)
    assert (left == np.concatenate([each.ravel() for each in groups])).all()
    np.testing.assert_allclose(total, 1 + x.sum(0, dtype=float), atol=1e-5)
