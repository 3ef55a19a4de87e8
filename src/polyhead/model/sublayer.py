"""Residual connection and layer normalisation around a sub-layer (section 3.1)."""

from collections.abc import Callable

from torch import Tensor, nn

from polyhead.model.dropout import Dropout


class LayerNorm(nn.LayerNorm):
    """LayerNorm (Ba et al. 2016) computed in float32, whatever the model's dtype: [..., D] → [..., D]."""

    def forward(self, input: Tensor) -> Tensor:  # noqa: A002 (the name that nn.LayerNorm gives it)
        gain, bias = self.weight.float(), self.bias.float()
        return nn.functional.layer_norm(input.float(), self.normalized_shape, gain, bias, self.eps).to(input.dtype)


class PostNorm(nn.Module):
    """LayerNorm(x + Dropout(Sublayer(x))), as in the paper."""

    def __init__(self, d_model: int, dropout: float) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        return self.norm(x + self.dropout(function(x)))


class PreNorm(nn.Module):
    """x + Dropout(Sublayer(LayerNorm(x))) (Xiong et al. 2020): a clear path for the gradient in deep stacks."""

    def __init__(self, d_model: int, dropout: float) -> None:
        super().__init__()
        self.norm = LayerNorm(d_model)
        self.dropout = Dropout(dropout)

    def forward(self, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        return x + self.dropout(function(self.norm(x)))


SUBLAYERS: dict[str, Callable[[int, float], nn.Module]] = {"post": PostNorm, "pre": PreNorm}


def final_norm(norm: str, d_model: int) -> nn.Module:
    """What ends a stack: pre-norm leaves the sum unnormalised, so it needs one more LayerNorm; post-norm doesn't."""
    return LayerNorm(d_model) if norm == "pre" else nn.Identity()
