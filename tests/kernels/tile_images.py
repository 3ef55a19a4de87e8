"""Matrices as the images of tiles that products on AMX read, by PyTorch's views."""

from torch import Tensor

from polyhead.kernels.microkernels.epilogue import BLOCK


def right_tiles(columns: Tensor) -> Tensor:
    """[K, M] → [M / BLOCK, K / BLOCK, 2 tiles, 16 pairs, 16 columns, 2], even columns in the first tile."""
    return columns.view(-1, 16, 2, columns.size(1) // BLOCK, 16, 2).permute(3, 0, 5, 1, 4, 2).contiguous()
