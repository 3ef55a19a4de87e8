"""Products with packed weights, whichever precision they are packed in."""

from typing import Any

import numpy as np
import pytest

from polyhead.engine.pack import pack_float32, pack_int8
from polyhead.hardware import cpu_features
from polyhead.kernels.linear import packed, packed_float32, packed_int8
from polyhead.kernels.threads.team import ALONE

KINDS = {
    "float32": (pack_float32, packed_float32, 1e-5),
    "int8": pytest.param(
        pack_int8,
        packed_int8,
        0.03,
        marks=pytest.mark.skipif("avx2" not in cpu_features(), reason="this CPU has no AVX2"),
    ),
}


@pytest.mark.parametrize(("pack", "kernels", "near"), KINDS.values(), ids=KINDS)
def test_a_precision_has_its_own_product(pack: Any, kernels: Any, near: float) -> None:
    """The numbers are those of that precision's own function, to the bit, and near the exact ones."""
    draw = np.random.default_rng(0)
    layers = [(draw.standard_normal((70, 64), np.float32), draw.standard_normal(70, np.float32)) for _ in range(2)]
    weights = pack([lambda layer=layer: layer for layer in layers], lambda: None)
    x, (found, own) = draw.standard_normal((7, 64), np.float32), np.full((2, 7, 70), np.nan, np.float32)
    for number, (weight, bias) in enumerate(layers):
        packed.multiply(x, weights, number, found, ALONE)
        kernels.multiply(x, weights, number, own, ALONE)
        np.testing.assert_array_equal(found, own)
        exact = x.astype(float) @ weight.T + bias
        assert np.linalg.norm(found - exact) <= near * np.linalg.norm(exact)
