"""The arithmetic of one cell adds up to its weight."""

import math

import numpy as np
import pytest

from polyhead.inspection.cell import cell
from polyhead.inspection.tensors import Tensors, UnknownPart


@pytest.fixture
def tensors() -> Tensors:
    """One head: 3 queries, 4 keys, d_k 4; query 1 sees keys 0 and 1, query 2 none."""
    draw = np.random.default_rng(3)
    q, k = (draw.normal(size=(1, n, 4)).astype(np.float32) for n in (3, 4))
    mask = np.array([[True] * 4, [True, True, False, False], [False] * 4])
    exponents = np.where(mask, np.exp((q @ k.swapaxes(1, 2)) / 2), 0)
    weights = exponents / np.maximum(exponents.sum(-1, keepdims=True), 1e-30)
    noted = {"q": q, "k": k, "mask": mask, "weights": weights.astype(np.float32)}
    return Tensors({(f"decoder.self.{name}", 0): value for name, value in noted.items()}, {"decoder.self": 2.0})


def test_a_visible_cell(tensors):
    found = cell(tensors, "decoder.self", 0, 0, 1, 0)
    assert sum(found["products"]) == pytest.approx(found["sum"])
    assert [a * b for a, b in zip(found["q"], found["k"], strict=True)] == found["products"]
    assert found["scaled"] == pytest.approx(found["sum"] / found["scale"])
    assert found["row"][2:] == [None, None]
    assert found["row"][0] == found["scaled"]
    assert found["maximum"] == max(found["row"][:2])
    assert found["denominator"] == pytest.approx(sum(math.exp(score - found["maximum"]) for score in found["row"][:2]))
    assert found["exponent"] == pytest.approx(math.exp(found["scaled"] - found["maximum"]))
    assert found["exponent"] / found["denominator"] == pytest.approx(found["weight"], abs=1e-6)
    assert not found["masked"]


def test_a_masked_cell_has_a_score_but_no_share(tensors):
    found = cell(tensors, "decoder.self", 0, 0, 1, 3)
    assert (found["masked"], found["exponent"], found["weight"]) == (True, 0.0, 0.0)
    assert found["scaled"] == pytest.approx(found["sum"] / 2)


def test_a_query_that_sees_nothing_is_all_zeros(tensors):
    found = cell(tensors, "decoder.self", 0, 0, 2, 1)
    assert (found["maximum"], found["denominator"], found["weight"]) == (None, 0.0, 0.0)
    assert found["row"] == [None] * 4


@pytest.mark.parametrize("place", [(3, 0), (0, 4), (-1, 0), (0, -1)])
def test_cells_outside_are_refused(tensors, place):
    with pytest.raises(UnknownPart, match="3 × 4"):
        cell(tensors, "decoder.self", 0, 0, *place)
