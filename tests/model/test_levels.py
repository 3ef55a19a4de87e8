"""Weights rounded to what 8-bit products have of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhead.model.levels import HIGHEST, are_on_levels, levels, on_levels
from polyhead.model.transformer import Transformer
from tests.engine.conftest import make


@given(outputs=st.integers(1, 9), inputs=st.integers(1, 50), scale=st.floats(1e-6, 1e6), seed=st.integers(0, 1000))
def test_levels_reach_to_the_highest_and_are_half_a_step_off_at_most(
    outputs: int, inputs: int, scale: float, seed: int
) -> None:
    weight = (scale * np.random.default_rng(seed).standard_normal((outputs, inputs))).astype(np.float32)
    whole, scales = levels(weight)
    assert (np.abs(whole).max(1) == HIGHEST).all()
    assert (np.abs(whole * scales[:, None] - weight) <= 0.5001 * scales[:, None]).all()
    assert (levels(whole * scales[:, None])[0] == whole).all(), "what is rounded stays what it is"


def test_zeros_stay_zeros() -> None:
    whole, scales = levels(np.zeros((2, 3), np.float32))
    assert not whole.any()
    assert np.isfinite(scales).all()


@pytest.mark.parametrize(
    ("tied", "left"),
    [("all", set()), ("output", {"source_embedding"}), ("none", {"source_embedding", "target_embedding"})],
)
def test_what_is_multiplied_is_rounded_and_nothing_else(tied: str, left: set[str]) -> None:
    model: Transformer = make(tie_embeddings=tied, positions="learned", norm="pre")
    weights = {name: parameter.detach().numpy() for name, parameter in model.named_parameters()}
    changed = {name for name, weight in on_levels(weights).items() if not np.array_equal(weight, weights[name])}
    kept = weights.keys() - changed
    assert {name.split(".")[0] for name in kept if name.endswith("tokens.weight")} == left
    assert all("norm" in name or name.endswith((".bias", "encoding", "tokens.weight")) for name in kept)
    assert not any("norm" in name or name.endswith((".bias", "encoding")) for name in changed)


def test_weights_are_known_to_be_rounded() -> None:
    model: Transformer = make(tie_embeddings="output")
    weights = {name: parameter.detach().numpy() for name, parameter in model.named_parameters()}
    rounded = on_levels(weights)
    assert are_on_levels(rounded)
    assert are_on_levels(on_levels(rounded))
    assert not are_on_levels(weights)
    name = "decoder.layers.0.feed_forward.inner.weight"
    for wrong in (weights[name], np.full_like(weights[name], np.nan), np.full_like(weights[name], np.inf)):
        assert not are_on_levels({**rounded, name: wrong})
