"""The two masks of the paper as bool tensors; True marks what may be seen."""

import torch
from torch import Tensor


def padding_mask(source_mask: Tensor) -> Tensor:
    """source_mask [B, S], True at real tokens → [B, 1, 1, S]: no query sees a key that is `<pad>`."""
    return source_mask[:, None, None, :]


def look_ahead_mask(length: int, device: torch.device | None = None) -> Tensor:
    """[1, 1, T, T], True on and below the diagonal: row t sees columns ≤ t only (section 3.2.3).

    With padding on the right this includes the padding mask for every row that is itself a real token:
    its keys ≤ t are real. Rows of padding are never read.
    """
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]
