"""The position-wise feed-forward network (section 3.3): the same weights at every position of a layer."""

from collections.abc import Callable

from torch import Tensor, nn

from polyhead.model.dropout import Dropout
from polyhead.model.linear import StackedLinear


class FeedForward(nn.Module):
    """f(x W_1 + b_1) W_2 + b_2, with f = max(0, ·) in the paper: [B, T, D] → [B, T, d_ff] → [B, T, D]."""

    def __init__(self, d_model: int, d_ff: int, dropout: float, activation: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.inner = nn.Linear(d_model, d_ff)
        self.outer = nn.Linear(d_ff, d_model)
        self.dropout = Dropout(dropout)
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        return self.outer(self.dropout(self.activation(self.inner(x))))


class SwiGLU(nn.Module):
    """(SiLU(x W) ⊙ x V) W_2 (Shazeer 2020, equation 6); W and V are stored as one matrix [2·d_ff, D]."""

    def __init__(self, d_model: int, d_ff: int, dropout: float) -> None:
        super().__init__()
        self.inner = StackedLinear(d_model, d_ff, 2)
        self.outer = nn.Linear(d_ff, d_model)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        gate, value = self.inner(x).chunk(2, -1)
        return self.outer(self.dropout(nn.functional.silu(gate) * value))


def _relu(d_model: int, d_ff: int, dropout: float) -> nn.Module:
    return FeedForward(d_model, d_ff, dropout, nn.functional.relu)


def _gelu(d_model: int, d_ff: int, dropout: float) -> nn.Module:
    return FeedForward(d_model, d_ff, dropout, nn.functional.gelu)


FEED_FORWARDS: dict[str, Callable[[int, int, float], nn.Module]] = {
    "relu": _relu,
    "gelu": _gelu,
    "swiglu": SwiGLU,
}
