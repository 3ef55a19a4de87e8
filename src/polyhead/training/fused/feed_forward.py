"""The feed-forward network in two products, whose epilogues are the ReLU and the dropout."""

from torch import Tensor, nn

from polyhead.model.feed_forward import FeedForward
from polyhead.training.fused.dropout import FusedDropout
from polyhead.training.fused.linear import choose_products, feed_forward, is_worth_a_kernel
from polyhead.training.precision import Arithmetic


class FusedFeedForward(nn.Module):
    """`FeedForward` with a ReLU."""

    def __init__(self, plain: FeedForward, arithmetic: Arithmetic) -> None:
        super().__init__()
        self.plain, self.arithmetic = plain, arithmetic
        self.dropout = FusedDropout(plain.dropout, arithmetic)

    @classmethod
    def where_relu(cls, plain: FeedForward, arithmetic: Arithmetic) -> nn.Module:
        """The fused network; but a network with another activation stays, and only its linear maps are fused."""
        return cls(plain, arithmetic) if plain.activation is nn.functional.relu else plain

    def forward(self, x: Tensor) -> Tensor:
        inner, outer = self.plain.inner, self.plain.outer
        products = choose_products(self.arithmetic, x, inner.weight, outer.weight)
        if products is None and not is_worth_a_kernel(x, inner.weight):
            return self.plain(x)
        mask = self.dropout.mask()
        return feed_forward(x, inner.weight, inner.bias, outer.weight, outer.bias, mask, products)
