"""The padding mask and the look-ahead mask."""

import torch

from polyhead.model.masks import look_ahead_mask, padding_mask


def test_padding_mask_hides_keys_from_every_head_and_query() -> None:
    mask = torch.tensor([[True, True, False], [True, False, False]])
    expanded = padding_mask(mask).expand(2, 4, 5, 3)
    assert all(torch.equal(expanded[b, h, t], mask[b]) for b in range(2) for h in range(4) for t in range(5))


def test_look_ahead_mask_includes_the_position_itself_and_nothing_later() -> None:
    mask = look_ahead_mask(4)
    assert mask.shape == (1, 1, 4, 4)
    assert mask.dtype == torch.bool
    assert all(bool(mask[0, 0, t, s]) == (s <= t) for t in range(4) for s in range(4))


def test_look_ahead_includes_the_padding_mask_for_every_real_row() -> None:
    """With padding on the right, ANDing the padding mask in changes no row that is a real token."""
    lengths = torch.tensor([4, 2, 1])
    real = torch.arange(4) < lengths[:, None]
    both = look_ahead_mask(4) & padding_mask(real)
    rows = real[:, None, :, None].expand(3, 1, 4, 4)
    assert torch.equal(both[rows], look_ahead_mask(4).expand(3, 1, 4, 4)[rows])
