"""Several linear maps as one."""

from torch import nn


class StackedLinear(nn.Linear):
    """`maps` linear maps of one input, [..., in] → [..., maps·out]: stored as one matrix, they take one product."""

    def __init__(self, in_features: int, out_features: int, maps: int) -> None:
        super().__init__(in_features, maps * out_features)
        self.maps = maps
