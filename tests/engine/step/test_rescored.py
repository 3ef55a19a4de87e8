"""The logits that may decide, computed anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.engine.step.rescored import MARGIN, rescore
from polyhead.hardware import cpu_features
from polyhead.kernels.threads.team import ALONE

pytestmark = pytest.mark.skipif("avx2" not in cpu_features(), reason="this CPU has no AVX2")


@given(rows=st.integers(0, 5), size=st.integers(1, 300), width=st.integers(1, 70), seed=st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_those_near_the_largest_are_exact_and_no_other_is_touched(rows: int, size: int, width: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    features, weight = draw.standard_normal((rows, width), np.float32), draw.standard_normal((size, width), np.float32)
    exact = features.astype(np.float64) @ weight.T.astype(np.float64)
    rough = (exact + 0.1 * draw.standard_normal(exact.shape)).astype(np.float32)
    found = rough.copy()
    rescore(found, features, weight, ALONE)
    near = rough >= rough.max(1, keepdims=True) - MARGIN if rows else rough > 0
    np.testing.assert_allclose(found[near], exact[near], atol=1e-4)
    assert (found[~near] == rough[~near]).all()
