"""A batch of sentence pairs as tensors; rows are sentences, padded on the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyhead.symbols import EOS, PAD, SOS

if TYPE_CHECKING:  # code that only cuts and pads needs no tensors
    import torch
    from torch import Tensor


@dataclass(frozen=True)
class Batch:
    """Sentence pairs ready for teacher forcing.

    source: [B, S] int64, each row `x_1 … x_n <eos> <pad> …`
    target_in: [B, T] int64, each row `<sos> y_1 … y_m <pad> …`
    target_out: [B, T] int64, each row `y_1 … y_m <eos> <pad> …`: `target_in` shifted left by one
    rows: the index of each sentence in its corpus
    places: [N] int64, the positions of the real target tokens among all B·T, row after row. None on a CPU, where asking
        the mask costs nothing; a GPU would have to be waited for until it has counted the tokens.
    """

    source: Tensor
    target_in: Tensor
    target_out: Tensor
    rows: tuple[int, ...] = ()
    places: Tensor | None = None

    @property
    def source_mask(self) -> Tensor:
        """[B, S] bool, True at real tokens."""
        return self.source != PAD

    @property
    def target_mask(self) -> Tensor:
        """[B, T] bool, True at real tokens, of `target_in` and `target_out`."""
        return self.target_out != PAD

    @property
    def target_tokens(self) -> int:
        """How many target tokens are predicted, `<eos>` included, padding not."""
        return int(self.target_mask.sum())

    def real(self, x: Tensor) -> Tensor:
        """x [B, T, ..] → what stands at the real target tokens, [N, ..], sentence by sentence."""
        return x[self.target_mask] if self.places is None else x.flatten(0, 1)[self.places]

    def split(self, shares: int) -> list[Batch]:
        """The batch dealt into at most `shares` batches, row by row, none empty.

        Rows of a batch go from long to short: so shares have nearly the same number of tokens, too.
        """
        every = [slice(share, None, shares) for share in range(min(shares, len(self.source)))]
        return [Batch(self.source[i], self.target_in[i], self.target_out[i], self.rows[i]) for i in every]

    def to(self, device: torch.device | str) -> Batch:
        """A copy of this batch on another device. The call does not wait until it is copied."""
        import torch

        place = torch.device(device)
        places = None
        if place.type != "cpu":
            here = self.target_mask.flatten().nonzero()[:, 0] if self.places is None else self.places
            places = _sent(here, place)
        sent = _sent(self.source, place), _sent(self.target_in, place), _sent(self.target_out, place)
        return Batch(sent[0], sent[1], sent[2], self.rows, places)


def _sent(tensor: Tensor, device: torch.device) -> Tensor:
    """The tensor on a device. It goes to a GPU by way of pinned memory, as only that is copied without waiting."""
    if tensor.device.type == "cpu" and device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


def padded(sequences: Sequence[Sequence[int] | NDArray[np.int64]]) -> NDArray[np.int64]:
    """Sequences of token ids → [B, longest], filled with `<pad>` on the right."""
    longest = max((len(sequence) for sequence in sequences), default=0)
    rows = np.full((len(sequences), longest), PAD, np.int64)
    for row, sequence in enumerate(sequences):
        rows[row, : len(sequence)] = sequence
    return rows


def real(sequences: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    """The mask of `padded` for these sequences → [B, longest], True at their own tokens, even where one is `<pad>`."""
    mask = np.zeros((len(sequences), max((len(sequence) for sequence in sequences), default=0)), np.bool_)
    for row, sequence in enumerate(sequences):
        mask[row, : len(sequence)] = True
    return mask


def pad(sequences: Sequence[Sequence[int]]) -> Tensor:
    """Sequences of token ids → a tensor [B, longest], filled with `<pad>` on the right."""
    import torch

    return torch.from_numpy(padded(sequences))


def collate(sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], rows: Sequence[int] = ()) -> Batch:
    """Token ids without `<sos>`/`<eos>` → a batch with them in place."""
    return Batch(
        source=pad([[*source, EOS] for source in sources]),
        target_in=pad([[SOS, *target] for target in targets]),
        target_out=pad([[*target, EOS] for target in targets]),
        rows=tuple(rows),
    )


def cut_by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Row numbers, longest first, in batches of at most `budget` padded tokens, one row at least.

    Rows of the same length keep their order.
    """
    rows: list[int] = []
    longest = 0
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        longest = max(longest, lengths[row])
        if rows and longest * (len(rows) + 1) > budget:
            yield rows
            rows, longest = [], lengths[row]
        rows.append(row)
    if rows:
        yield rows
