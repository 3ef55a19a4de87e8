"""The output distribution: candidates, entropy, ranks."""

import math

import numpy as np
import pytest

from polyhead.errors import PolyheadError
from polyhead.inspection.prediction import Prediction


@pytest.fixture
def prediction(tokenizer) -> Prediction:
    """Three positions: 0.5 and 0.25 twice; all alike; one token for sure."""
    size = tokenizer.vocabulary_size
    probabilities = np.zeros((3, size))
    probabilities[0, [7, 9, 8]] = 0.5, 0.25, 0.25
    probabilities[1] = 1 / size
    probabilities[2, 3] = 1
    with np.errstate(divide="ignore"):
        return Prediction(np.log(probabilities).astype(np.float32), np.array([8, 5, 3]))


def test_entropy_and_ranks(prediction, tokenizer):
    expected = [1.5 * math.log(2), math.log(tokenizer.vocabulary_size), 0]
    np.testing.assert_allclose(prediction.entropy, expected, atol=1e-5)
    assert prediction.ranks.tolist() == [1, 0, 0]
    np.testing.assert_allclose(prediction.of_written, np.log([0.25, 1 / tokenizer.vocabulary_size, 1]), atol=1e-6)


def test_candidates_in_order_ties_by_the_lower_id(prediction, tokenizer):
    top = prediction.top(0, 2, tokenizer)
    assert [(one["id"], one["rank"]) for one in top["candidates"]] == [(7, 0), (8, 1)]
    assert [one["probability"] for one in top["candidates"]] == pytest.approx([0.5, 0.25])
    assert top["candidates"][0]["piece"] == tokenizer.pieces([7])[0]
    assert top["rest"] == pytest.approx(0.25)
    assert (top["given"]["id"], top["given"]["rank"]) == (8, 1)
    assert top["given"]["probability"] == pytest.approx(0.25)
    everything = prediction.top(1, 10**6, tokenizer)
    assert len(everything["candidates"]) == tokenizer.vocabulary_size
    assert everything["rest"] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(("t", "k", "said"), [(3, 1, "no position 3"), (-1, 1, "no position -1"), (0, 0, "k = 0")])
def test_wrong_questions(prediction, tokenizer, t, k, said):
    with pytest.raises(PolyheadError, match=said):
        prediction.top(t, k, tokenizer)
