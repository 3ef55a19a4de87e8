"""Sub-layers whose dropout is added to the residual in one pass over the memory."""

from collections.abc import Callable

from torch import Tensor, nn

from polyhead.model.sublayer import PostNorm, PreNorm
from polyhead.training.fused.dropout import FusedDropout, add_dropout
from polyhead.training.precision import Arithmetic


class FusedPostNorm(nn.Module):
    """`PostNorm`, but for how dropout is added."""

    def __init__(self, plain: PostNorm, arithmetic: Arithmetic) -> None:
        super().__init__()
        self.norm, self.dropout = plain.norm, FusedDropout(plain.dropout, arithmetic)

    def forward(self, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        return self.norm(add_dropout(x, function(x), self.dropout))


class FusedPreNorm(nn.Module):
    """`PreNorm`, but for how dropout is added."""

    def __init__(self, plain: PreNorm, arithmetic: Arithmetic) -> None:
        super().__init__()
        self.norm, self.dropout = plain.norm, FusedDropout(plain.dropout, arithmetic)

    def forward(self, x: Tensor, function: Callable[[Tensor], Tensor]) -> Tensor:
        return add_dropout(x, function(self.norm(x)), self.dropout)
