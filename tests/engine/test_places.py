"""Rows on a grid."""

import torch

from polyhead.engine.places import Places, gather, spread


def test_rows_of_a_sentence_get_places_in_their_order() -> None:
    places = Places.of(torch.tensor([2, 0, 2, 2, 0]), 3)
    assert places.shape == (3, 3)
    assert places.slots.tolist() == [0, 0, 1, 2, 1]
    assert places.flat.tolist() == [6, 0, 7, 8, 1]


def test_gather_undoes_spread() -> None:
    places = Places.of(torch.tensor([2, 0, 2, 2, 0]), 4)
    x = torch.randn(5, 7)
    laid_out = spread(x, places.grid)
    assert laid_out.shape == (12, 7)
    assert torch.equal(gather(laid_out, places.grid), x)
    assert not places.full


def test_a_full_grid_in_order_is_not_copied() -> None:
    places = Places.of(torch.tensor([0, 0, 1, 1]), 2)
    x = torch.randn(4, 3)
    assert places.full
    assert spread(x, places.grid) is x
    assert gather(x, places.grid) is x
    assert Places.one_each(4).full
    assert not Places.of(torch.tensor([1, 1, 0, 0]), 2).full


def test_tokens_stand_where_their_mask_is_true() -> None:
    mask = torch.tensor([[True, True, False], [False, False, False], [True, False, True]])
    tokens = Places.of_tokens(mask, 4)
    assert tokens.shape == (3, 4)
    assert tokens.flat.tolist() == [0, 1, 8, 10]


def test_no_rows() -> None:
    nothing = Places.of_tokens(torch.zeros(2, 3, dtype=torch.bool), 4)
    assert spread(torch.empty(0, 5), nothing.grid).shape == (8, 5)
    assert not nothing.full
    assert Places.of(torch.empty(0, dtype=torch.int64), 2).shape == (2, 1)
