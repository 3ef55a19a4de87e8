"""Several linear maps of one input, stored as one matrix."""

from torch import Tensor, nn


class StackedLinear(nn.Linear):
    """`maps` linear maps of one input, [..., in] → [..., maps·out]: stored as one matrix, they take one product."""

    def __init__(self, in_features: int, out_features: int, maps: int) -> None:
        super().__init__(in_features, maps * out_features)
        self.maps = maps

    def part(self, first: int, end: int) -> tuple[Tensor, Tensor]:
        """Weight [(end - first)·out, in] and bias of the maps first … end - 1."""
        size = self.out_features // self.maps
        rows = slice(first * size, end * size)
        return self.weight[rows], self.bias[rows]
