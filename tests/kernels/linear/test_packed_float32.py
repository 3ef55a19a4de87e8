"""Products in float32 against NumPy in float64."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.engine.pack import pack_float32
from polyhead.kernels.linear.packed_float32 import multiply
from polyhead.kernels.threads.team import ALONE


@given(
    rows=st.integers(0, 20), inputs=st.integers(1, 90), outputs=st.integers(1, 200), seed=st.integers(0, 1000), relu=...
)
@settings(max_examples=60, deadline=None)
def test_equals_numpy(rows: int, inputs: int, outputs: int, seed: int, relu: bool) -> None:
    draw = np.random.default_rng(seed)
    weights = [draw.standard_normal((outputs, inputs), np.float32) for _ in range(2)]
    bias, least = draw.standard_normal(outputs, np.float32), 0.0 if relu else -np.inf
    product = pack_float32([lambda weight=weight: (weight, bias) for weight in weights], lambda: None, least)
    x, y = draw.standard_normal((rows, inputs), np.float32), np.empty((rows, outputs), np.float32)
    for layer, weight in enumerate(weights):
        multiply(x, product, layer, y, ALONE)
        expected = x.astype(np.float64) @ weight.T.astype(np.float64) + bias
        np.testing.assert_allclose(y, np.maximum(expected, 0) if relu else expected, atol=1e-4)


def test_a_part_of_wider_rows_may_be_multiplied() -> None:
    product = pack_float32([lambda: (np.eye(8, dtype=np.float32), None)], lambda: None)
    wide, y = np.random.default_rng(0).standard_normal((5, 24), np.float32), np.empty((5, 8), np.float32)
    multiply(wide[:, 8:16], product, 0, y, ALONE)
    assert (y == wide[:, 8:16]).all()
