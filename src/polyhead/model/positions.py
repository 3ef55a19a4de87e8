"""How a model knows word order (section 3.5): sinusoids added or concatenated, learned vectors, or nothing.

Each class maps embeddings [B, T, D], or of tokens without padding [N, D], that stand at `places` to embeddings of the
same shape; the places are a slice of all positions, T long, or the position of each token [N].
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from polyhead.model.sinusoids import sinusoids

Places = slice | Tensor


def positional_encoding(length: int, d_model: int) -> Tensor:
    """`sinusoids` as a tensor [length, D] float32."""
    return torch.from_numpy(sinusoids(length, d_model))


def _standing(encoding: Tensor, places: Places) -> Tensor:
    """The vectors of positions. Raises IndexError beyond the last one, where a slice would be shorter, or empty."""
    if isinstance(places, slice) and places.stop > len(encoding):
        raise IndexError(f"position {places.stop - 1} is beyond the {len(encoding)} positions that this model has")
    return encoding[places]


class SinusoidalAdd(nn.Module):
    """x + PE, as in the paper."""

    encoding: Tensor

    def __init__(self, d_model: int, max_length: int) -> None:
        super().__init__()
        self.register_buffer("encoding", positional_encoding(max_length, d_model), persistent=False)

    def forward(self, x: Tensor, places: Places) -> Tensor:
        return x + _standing(self.encoding, places)


class SinusoidalConcat(nn.Module):
    """[x ; PE] W with W [2·D, D]: position in dimensions of its own, then back to D so that layers keep their size."""

    encoding: Tensor

    def __init__(self, d_model: int, max_length: int) -> None:
        super().__init__()
        self.max_length = max_length
        self.register_buffer("encoding", positional_encoding(max_length, d_model), persistent=False)
        self.merge = nn.Linear(2 * d_model, d_model)

    def forward(self, x: Tensor, places: Places) -> Tensor:
        encoding = _standing(self.encoding, places).expand_as(x)
        return self.merge(torch.cat([x, encoding], -1))


class Learned(nn.Module):
    """x + P, with a trained vector for each position."""

    def __init__(self, d_model: int, max_length: int) -> None:
        super().__init__()
        self.encoding = nn.Parameter(torch.empty(max_length, d_model).normal_(std=d_model**-0.5))

    def forward(self, x: Tensor, places: Places) -> Tensor:
        return x + _standing(self.encoding, places)


class NoPosition(nn.Module):
    """x itself: the encoder then sees a bag of words."""

    def __init__(self, d_model: int, max_length: int) -> None:
        super().__init__()
        self.max_length = max_length

    def forward(self, x: Tensor, places: Places) -> Tensor:
        return x


POSITIONS: dict[str, Callable[[int, int], nn.Module]] = {
    "sinusoidal": SinusoidalAdd,
    "sinusoidal-concat": SinusoidalConcat,
    "learned": Learned,
    "none": NoPosition,
}
