"""LayerNorm against PyTorch; whole layers are tested with the engine that calls them."""

import torch

from polyhead.engine.step.layers import layer_norm


def test_layer_norm() -> None:
    torch.manual_seed(1)
    for size in (1, 12, 512):
        x, gain, bias = torch.randn(9, size) * 5 + 3, torch.randn(size), torch.randn(size)
        expected = torch.nn.functional.layer_norm(x, (size,), gain, bias, 1e-5)
        layer_norm(x.numpy(), gain.numpy(), bias.numpy(), 1e-5)
        torch.testing.assert_close(x, expected, atol=2e-5, rtol=1e-5)
