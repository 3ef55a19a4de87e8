"""What a search does with V numbers, against PyTorch and against sorting all of them."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhead.decoding.compiled.vocabulary import CHUNK, best_continuations, most_probable, survey
from polyhead.kernels.numbers.exponential import exp
from polyhead.kernels.threads.team import ALONE


def test_the_exponential_is_exact_to_rounding() -> None:
    for x in (*np.linspace(-80, 0, 400), -1e-8, -0.5, -125.9):
        x = np.float32(x)
        assert exp(x) == pytest.approx(np.exp(np.float64(x)), rel=3e-6)
    assert exp(np.float32(0)) == 1
    assert exp(np.float32(-np.inf)) < 1e-37


def surveyed(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Normalisers [R] and peaks [R, V / CHUNK]."""
    normalisers, peaks = torch.empty(len(logits)), torch.empty(len(logits), -(-logits.size(1) // CHUNK))
    survey(logits.numpy(), normalisers.numpy(), peaks.numpy(), ALONE)
    return normalisers, peaks


@pytest.mark.parametrize("vocabulary", [1, 7, 64, 200, 10_000])
@pytest.mark.parametrize("spread", [0.1, 4, 60])
def test_normalisers_and_peaks(vocabulary: int, spread: float) -> None:
    logits = torch.randn(5, vocabulary) * spread
    logits[0, 0] = float("-inf") if vocabulary > 1 else 0.0
    normalisers, peaks = surveyed(logits)
    torch.testing.assert_close(normalisers.double(), logits.double().logsumexp(-1), atol=3e-6 * max(1, spread), rtol=0)
    for peak, chunk in zip(peaks.t(), logits.split(CHUNK, dim=1), strict=True):
        assert torch.equal(peak, chunk.amax(1))


def test_a_row_without_a_possible_token_has_no_normaliser() -> None:
    assert surveyed(torch.full((1, 100), float("-inf")))[0].isnan().all()


def excluded(logits: torch.Tensor, share: float, draw: torch.Generator) -> torch.Tensor:
    """What a rule leaves: the peaks of some chunks are too high then."""
    return logits.masked_fill(torch.rand(logits.shape, generator=draw) < share, float("-inf"))


@pytest.mark.parametrize("vocabulary", [1, 5, 64, 65, 300])
@pytest.mark.parametrize("share", [0, 0.4])
def test_the_first_of_the_largest(vocabulary: int, share: float) -> None:
    logits = torch.randint(-3, 3, (50, vocabulary)).float()
    logits[0] = float("-inf")
    _, peaks = surveyed(logits)
    logits = excluded(logits, share, torch.Generator().manual_seed(vocabulary))
    tokens = torch.empty(50, dtype=torch.int64)
    most_probable(logits.numpy(), peaks.numpy(), tokens.numpy())
    assert torch.equal(tokens, logits.sort(dim=1, descending=True, stable=True).indices[:, 0])


@given(
    widths=st.lists(st.integers(1, 6), min_size=1, max_size=4),
    vocabulary=st.integers(1, 300),
    count=st.integers(1, 12),
    levels=st.integers(1, 50),
    seed=st.integers(0, 1000),
)
@settings(max_examples=100, deadline=None)
def test_continuations_are_those_of_a_stable_sort(
    widths: list[int], vocabulary: int, count: int, levels: int, seed: int
) -> None:
    draw = torch.Generator().manual_seed(seed)
    logits = torch.randint(-levels, 0, (sum(widths), vocabulary), generator=draw).float()
    normalisers, peaks = surveyed(logits)
    logits = excluded(logits, 0.1, draw)
    scores = (logits - normalisers[:, None]).double()
    bases = torch.randint(-levels, 0, (sum(widths),), generator=draw).double()
    starts = torch.tensor([0, *widths]).cumsum(0)
    parents, tokens = torch.empty(2, len(widths), count, dtype=torch.int64)
    totals = torch.empty(len(widths), count, dtype=torch.float64)
    values = torch.empty(len(widths), count)
    arrays = (parents.numpy(), tokens.numpy(), values.numpy(), totals.numpy())
    given = (logits, normalisers, peaks, bases, starts)
    best_continuations(*(each.numpy() for each in given), *arrays)
    for n, (first, end) in enumerate(itertools.pairwise(starts)):
        ranked = (bases[first:end, None] + scores[first:end]).flatten().sort(descending=True, stable=True)
        found = min(count, len(ranked.values))
        assert torch.equal(totals[n, :found], ranked.values[:found])
        assert torch.equal(
            (parents[n] - first) * vocabulary + tokens[n],
            torch.nn.functional.pad(ranked.indices[:found], (0, count - found)),
        )
        assert torch.equal(values[n, :found], (logits - normalisers[:, None])[parents[n], tokens[n]][:found])
        assert (totals[n, found:] == float("-inf")).all()
