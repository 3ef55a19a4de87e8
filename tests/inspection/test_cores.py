"""Cores around cores."""

import torch
from torch import Tensor, nn

from polyhead.inspection.cores import Foreseeing, Muted, Unscaled, note
from polyhead.model.attention import ScaledDotProductAttention

CORE = ScaledDotProductAttention()
QUERY, KEY, VALUE = (torch.randn(2, 4, n, 8, generator=torch.Generator().manual_seed(n)) for n in (3, 5, 5))
MASK = torch.tensor([[True, True, False, True, False], [True] * 5])[:, None, None]


def test_muted_heads_give_zeros_the_others_what_they_gave():
    plain, muted = CORE, Muted(CORE, (1, 3))
    found = muted(QUERY, KEY, VALUE, MASK)
    assert (found[:, [1, 3]] == 0).all()
    assert torch.equal(found[:, [0, 2]], plain(QUERY, KEY, VALUE, MASK)[:, [0, 2]])


def test_unscaled_is_the_softmax_of_plain_dot_products():
    found = Unscaled(CORE)(QUERY, KEY, VALUE)
    torch.testing.assert_close(found, (QUERY @ KEY.mT).softmax(-1) @ VALUE)


def test_foreseeing_lifts_the_mask():
    torch.testing.assert_close(Foreseeing(CORE)(QUERY, KEY, VALUE, MASK), CORE(QUERY, KEY, VALUE))
    torch.testing.assert_close(Foreseeing(CORE)(QUERY, KEY, VALUE), CORE(QUERY, KEY, VALUE))


def test_notes_are_taken_inside_of_what_is_only_around():
    attention = nn.Module()
    attention.core = Muted(Foreseeing(Unscaled(CORE)), (0,))
    heard: list[tuple[Tensor | None, ...]] = []
    note(attention, lambda *everything: heard.append(everything))
    context = attention.core(QUERY, KEY, VALUE, MASK)
    *_, mask, weights = heard[0]
    assert mask is not None
    assert mask.all()
    assert (weights[:, 0].sum(-1) > 0.99).all(), "a muted head's weights are still to be seen"
    assert (context[:, 0] == 0).all()
    assert isinstance(attention.core, Muted)
