"""The position-wise feed-forward network."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from polyhead.model.feed_forward import FEED_FORWARDS, SwiGLU


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("relu", lambda x: torch.maximum(torch.zeros(()), x)),
        ("gelu", lambda x: 0.5 * x * (1 + torch.erf(x / 2**0.5))),
    ],
)
def test_equals_its_formula(name: str, function: Callable[[Tensor], Tensor]) -> None:
    network, x = FEED_FORWARDS[name](6, 10, 0.0), torch.randn(2, 3, 6)
    w1, b1, w2, b2 = (parameter.detach() for parameter in network.parameters())
    torch.testing.assert_close(network(x), function(x @ w1.T + b1) @ w2.T + b2)


def test_swiglu_equals_its_formula() -> None:
    network, x = SwiGLU(6, 10, 0.0), torch.randn(2, 3, 6)
    inner, inner_bias, outer, outer_bias = (parameter.detach() for parameter in network.parameters())
    gate = x @ inner[:10].T + inner_bias[:10]
    value = x @ inner[10:].T + inner_bias[10:]
    torch.testing.assert_close(network(x), (gate * gate.sigmoid() * value) @ outer.T + outer_bias)


@pytest.mark.parametrize("name", FEED_FORWARDS)
def test_every_position_by_the_same_weights_and_by_itself(name: str) -> None:
    network, x = FEED_FORWARDS[name](6, 10, 0.0), torch.randn(2, 5, 6)
    out = network(x)
    assert out.shape == x.shape
    order = torch.randperm(5)
    torch.testing.assert_close(network(x[:, order]), out[:, order])
    torch.testing.assert_close(network(x[1, 2]), out[1, 2])


@pytest.mark.parametrize("name", FEED_FORWARDS)
def test_dropout_acts_inside_in_training_only(name: str) -> None:
    network, x = FEED_FORWARDS[name](6, 64, 0.5), torch.randn(2, 5, 6)
    assert not torch.equal(network(x), network(x))
    network.eval()
    assert torch.equal(network(x), network(x))
