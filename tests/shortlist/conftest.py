"""Shortlists for models with random weights, whose every choice is a matter of rounding's order of magnitude more."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from polyhead.bundle.bundle import Bundle
from polyhead.model.config import TransformerConfig
from polyhead.shortlist.shortlist import Shortlist
from polyhead.symbols import EOS
from tests.small import small_bundle

SHAPE = TransformerConfig(encoder_layers=1, decoder_layers=2, d_model=16, d_ff=32, num_heads=2, max_length=60)


@pytest.fixture(scope="session")
def bundle() -> Bundle:
    """An untagged model with a decided mind: its output depends on what it reads."""
    made = small_bundle(SHAPE, targets=("xb",))
    with torch.no_grad():
        generator = torch.Generator().manual_seed(3)
        for parameter in made.model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=0.4)
    return made


@pytest.fixture
def make() -> Callable[[dict[int, list[int]], int], Shortlist]:
    """`make(rows, V)` → the shortlist with these rows, 4 specials first."""

    def made(rows: dict[int, list[int]], size: int) -> Shortlist:
        lengths = [len(rows.get(source, [])) for source in range(size)]
        tokens = [token for source in range(size) for token in sorted(rows.get(source, []))]
        return Shortlist(np.cumsum([0, *lengths]).astype(np.int64), np.array(tokens, np.int32), 4, size)

    return made


@pytest.fixture
def everything(bundle: Bundle, make: Callable[..., Shortlist]) -> Shortlist:
    """Every piece for every sentence."""
    size = bundle.config.target_vocabulary
    return make({EOS: list(range(size))}, size)


@pytest.fixture
def some(bundle: Bundle, make: Callable[..., Shortlist]) -> Shortlist:
    """Twelve pieces for each source piece, at random."""
    size, rng = bundle.config.target_vocabulary, np.random.default_rng(5)
    return make({source: rng.choice(size, 12, replace=False).tolist() for source in range(4, size)}, size)
