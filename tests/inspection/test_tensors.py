"""Arrays by name, layer and head."""

import numpy as np
import pytest

from polyhead.inspection.tensors import Tensors, UnknownPart

RANDOM = np.random.default_rng(0)


def array(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=shape).astype(np.float32)


@pytest.fixture
def tensors() -> Tensors:
    """Two layers of two heads: 3 queries, 5 keys, d_k 4; and an embedding."""
    noted = {("decoder.embedding", None): array(3, 8)}
    for n in range(2):
        noted |= {
            ("decoder.cross.q", n): array(2, 3, 4),
            ("decoder.cross.k", n): array(2, 5, 4),
            ("decoder.cross.v", n): array(2, 5, 4),
            ("decoder.cross.mask", n): RANDOM.random((3, 5)) > 0.3,
            ("decoder.cross.weights", n): array(2, 3, 5),
            ("decoder.cross.value_norms", n): array(2, 5),
            ("decoder.cross.concat", n): array(3, 8),
        }
    return Tensors(noted, {"decoder.cross": 2.0})


def test_layers_and_heads_are_leading_axes(tensors):
    assert tensors.get("decoder.embedding").shape == (3, 8)
    assert tensors.get("decoder.cross.q").shape == (2, 2, 3, 4)
    np.testing.assert_array_equal(tensors.get("decoder.cross.q", 1), tensors.get("decoder.cross.q")[1])
    np.testing.assert_array_equal(tensors.get("decoder.cross.q", head=1), tensors.get("decoder.cross.q")[:, 1])
    np.testing.assert_array_equal(tensors.get("decoder.cross.mask", 0, 1), tensors.noted["decoder.cross.mask", 0])


def test_what_follows_is_computed(tensors):
    q, k = tensors.get("decoder.cross.q", 1, 0), tensors.get("decoder.cross.k", 1, 0)
    np.testing.assert_allclose(tensors.get("decoder.cross.scores", 1, 0), q @ k.T, rtol=1e-5)
    np.testing.assert_allclose(tensors.get("decoder.cross.scaled", 1, 0), q @ k.T / 2, rtol=1e-5)
    np.testing.assert_array_equal(
        tensors.get("decoder.cross.context", 1, 1), tensors.get("decoder.cross.concat", 1)[:, 4:]
    )
    weighted = tensors.get("decoder.cross.weights", 0, 1) * tensors.get("decoder.cross.value_norms", 0, 1)
    np.testing.assert_array_equal(tensors.get("decoder.cross.weighted_norms", 0, 1), weighted)


def test_names_are_in_the_order_of_the_computation(tensors):
    lasts = "q k v scores scaled mask weights context value_norms weighted_norms concat".split()  # noqa: SIM905
    assert list(tensors.layers) == ["decoder.embedding", *(f"decoder.cross.{last}" for last in lasts)]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("decoder.cross.x",), "there are decoder.embedding, decoder.cross.q"),
        (("",), "no tensor"),
        (("decoder.cross.q", 2), "no layer 2: it has 2, counted from 0"),
        (("decoder.cross.q", -1), "no layer -1"),
        (("decoder.embedding", 0), "no layer 0: it has none"),
        (("decoder.cross.q", 0, 2), "no head 2: it has 2"),
        (("decoder.cross.q", None, -1), "no head -1"),
        (("decoder.cross.concat", 0, 0), "no head 0: it has none"),
    ],
)
def test_unknown_parts_are_named(tensors, arguments, said):
    with pytest.raises(UnknownPart, match=said):
        tensors.get(*arguments)


def test_the_memory_is_counted(tensors):
    assert tensors.nbytes == sum(one.nbytes for one in tensors.noted.values())
