"""The softmax's expectations against PyTorch's in float64."""

import math
import sys
from collections.abc import Iterator
from typing import NamedTuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from polyhead.hardware import cpu_features, may_use_tiles
from polyhead.kernels.linear import gemm_float32, gemm_int8
from polyhead.kernels.loss.softmax_bfloat16 import CHUNK, GROUP
from polyhead.kernels.microkernels.registers import PANEL
from polyhead.kernels.microkernels.simd import WIDTH
from polyhead.kernels.numbers.exponential import LARGEST_EXPONENT
from polyhead.training.fused import softmax_projection as module
from polyhead.training.precision import Arithmetic
from polyhead.training.softmax_projection import Expectations
from tests.marks import only_checked

SMOOTHING = 0.1
NEAR = 0.01
"""Part of a sum's length: that of rounded probabilities is so near the exact one."""
NEAR_LOG = 1e-4
"""A normaliser's logarithm is so near the exact one."""
OF_LENGTH = 0.0
"""And by this part of the longest row's length times the longest word's."""
WHOLE = 1
"""Widths are multiples of it."""
DTYPE = torch.bfloat16
ARITHMETIC = Arithmetic()
Problem = tuple[Tensor, Tensor, Tensor]


class Format(NamedTuple):
    """What products are of, how exact they may be, and what follows."""

    near: float
    of_length: float = 0.0
    whole: int = 1
    dtype: torch.dtype = torch.bfloat16
    int8: bool = False


FORMATS = {
    "vectors": Format(0.01),
    "bytes": Format(0.03, of_length=0.004, whole=PANEL, int8=True),
    "tiles": Format(0.01),
    "float32": Format(1e-5, whole=WIDTH, dtype=torch.float32),
}


@pytest.fixture(autouse=True, scope="module", params=FORMATS)
def unit(request: pytest.FixtureRequest) -> Iterator[None]:
    """What the products are computed on."""
    chosen = FORMATS[request.param]
    in_float32 = chosen.dtype == torch.float32
    if not (gemm_float32.is_supported() if in_float32 else "avx512_bf16" in cpu_features()):
        pytest.skip("this CPU has no such products")
    if request.param == "tiles" and not may_use_tiles():
        pytest.skip("this CPU has no unit for matrices")
    if request.param == "bytes" and not gemm_int8.is_supported():
        pytest.skip("this CPU has AMX, or no VNNI for bytes")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "may_use_tiles", lambda: request.param == "tiles")
        here = sys.modules[__name__]
        patch.setattr(here, "WHOLE", chosen.whole)
        patch.setattr(here, "DTYPE", chosen.dtype)
        patch.setattr(here, "ARITHMETIC", Arithmetic(chosen.dtype, chosen.int8))
        patch.setattr(here, "NEAR", chosen.near)
        patch.setattr(here, "OF_LENGTH", chosen.of_length)
        yield


def in_its_format(features: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Filled up with zeros to a width that it has products for."""
    missing = -features.size(1) % WHOLE
    return tuple(nn.functional.pad(x, (0, missing)).to(DTYPE) for x in (features, weight))


def draw_problem(rows: int, words: int, width: int, spread: float = 1.0) -> Problem:
    """features [N, D], weight [V, D] and targets [N]."""
    features, weight = torch.randn(rows, width), torch.randn(words, width) * spread / width**0.5
    return *in_its_format(features, weight), torch.randint(words, (rows,))


def target_logits(features: Tensor, weight: Tensor, targets: Tensor) -> Tensor:
    """[N] float32."""
    return (features.float() * weight[targets].float()).sum(-1)


def by_kernel(features: Tensor, weight: Tensor, targets: Tensor) -> Expectations | None:
    return module.by_kernel(ARITHMETIC, features, weight, targets, target_logits(features, weight, targets), SMOOTHING)


def softmax_projection(features: Tensor, weight: Tensor, targets: Tensor) -> Expectations:
    logits = target_logits(features, weight, targets)
    return module.projection_by_kernels(ARITHMETIC, features, weight, targets, logits, SMOOTHING)


def assert_near(problem: Problem) -> None:
    """log Z is near that of float64, and so are sums of probabilities, as far as rounding each of them may move a sum.

    A sum whose parts cancel may be shorter than that by far.
    """
    features, weight, targets = problem[0].double(), problem[1].double(), problem[2]
    found = by_kernel(*problem)
    assert found is not None
    log_normaliser, mean_weight, d_weight = (x.double() for x in found)
    logits = features @ weight.t()
    wanted = torch.full_like(logits, SMOOTHING / len(weight))
    wanted[range(len(targets)), targets] += 1 - SMOOTHING
    longest = float(features.norm(dim=1).max() * weight.norm(dim=1).max())
    torch.testing.assert_close(log_normaliser, logits.logsumexp(-1), atol=NEAR_LOG + OF_LENGTH * longest, rtol=1e-6)
    p = logits.softmax(-1)
    for actual, exact, rounded in (
        (mean_weight, p @ weight, (p.square() @ weight.square()).sqrt()),
        (d_weight, (p - wanted).t() @ features, (p.square().t() @ features.square()).sqrt()),
    ):
        assert actual.shape == exact.shape
        assert float((actual - exact).norm()) <= NEAR * float(exact.norm() + rounded.norm())


@only_checked
def test_tiles_of_rows_that_are_not_filled_up_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    if torch.float32 == DTYPE or not module.may_use_tiles():
        pytest.skip("these products are not of tiles")
    monkeypatch.setattr(module.tiled, "padded_rows", lambda rows: rows)
    with pytest.raises(IndexError, match="fit each other"):
        by_kernel(*draw_problem(96, 100, 64))


@given(
    rows=st.integers(1, 40),
    words=st.integers(1, 200),
    width=st.integers(1, 140),
    spread=st.sampled_from([0.1, 1.0]),
    seed=st.integers(0, 1000),
)
@settings(max_examples=60, deadline=None)
def test_any_shape_equals_float64(rows: int, words: int, width: int, spread: float, seed: int) -> None:
    torch.manual_seed(seed)
    assert_near(draw_problem(rows, words, width, spread))


def test_very_sure_rows() -> None:
    features, weight, _ = draw_problem(40, 100, 20, spread=20)
    likeliest = (features @ weight.t()).argmax(-1)
    assert_near((features, weight, likeliest))


@pytest.mark.parametrize("rows", [CHUNK - 1, CHUNK, 2 * CHUNK + 5])
@pytest.mark.parametrize("words", [GROUP * PANEL, 2 * GROUP * PANEL + 3])
def test_chunks_and_groups_add_up(rows: int, words: int) -> None:
    assert_near(draw_problem(rows, words, PANEL))


@pytest.mark.parametrize("rows", [1, 29, 30, 31, 62, 63, 200])
@pytest.mark.parametrize("words", [7, 32, 100, 10_000])
@pytest.mark.parametrize("width", [32, 96, 544])
def test_widths_of_whole_blocks(rows: int, words: int, width: int) -> None:
    """Which are what tiles are for; 544: sums in two parts, 10,000: words in many groups."""
    assert_near(draw_problem(rows, words, width))


def test_columns_in_groups() -> None:
    """Of so many rows, not all columns of the features fit in a core's own cache."""
    assert_near(draw_problem(1700, 300, 512))


def test_an_empty_share_has_no_gradient() -> None:
    found = softmax_projection(*draw_problem(0, 30, PANEL))
    assert [list(x.shape) for x in found] == [[0], [0, PANEL], [30, PANEL]]
    assert (found[2] == 0).all()


def test_rows_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many at once as exponentials may be kept of."""
    problem = draw_problem(150, 100, 64)
    whole = by_kernel(*problem)
    monkeypatch.setattr(module, "BYTES_KEPT", 40 * 100 * 2)
    parts = by_kernel(*problem)
    assert whole is not None
    assert parts is not None
    for one, other in zip(whole, parts, strict=True):
        torch.testing.assert_close(one.float(), other.float(), atol=0.02, rtol=0.02)
    assert_near(problem)


def test_what_is_taken_off_all_words_is_exact() -> None:
    """Summed over all words a gradient of z is 0, and so is that of the weights: rounding must not pile up."""
    features, weight, targets = draw_problem(500, 4000, 64)
    features += 3
    found = by_kernel(features, weight, targets)
    assert found is not None
    left = found[2].double().sum(0)
    assert float(left.abs().max()) < NEAR * float(features.double().sum(0).abs().max())


def test_a_target_that_is_too_unlikely_is_refused() -> None:
    """Its exponentials would be cut off; PyTorch's operations take the largest of each row away instead."""
    features, weight = in_its_format(torch.ones(3, 2), torch.tensor([[0.0, 0.0], [LARGEST_EXPONENT, LARGEST_EXPONENT]]))
    unlikely, likely = torch.tensor([1, 0, 1]), torch.tensor([1, 1, 1])
    assert by_kernel(features, weight, unlikely) is None
    found = by_kernel(features, weight, likely)
    assert found is not None
    assert found[0].tolist() == pytest.approx([2 * LARGEST_EXPONENT] * 3, rel=NEAR_LOG / 10)
    log_normaliser, mean_weight, _ = softmax_projection(features, weight, unlikely)
    assert log_normaliser.tolist() == [2 * LARGEST_EXPONENT] * 3
    assert mean_weight.tolist() == [weight[1].tolist()] * 3


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_stays_none(value: float) -> None:
    features, weight, targets = draw_problem(20, 30, 8)
    features[7, 3] = value
    log_normaliser, _, _ = softmax_projection(features, weight, targets)
    assert not log_normaliser[7].isfinite()
    assert log_normaliser[:7].isfinite().all()


def test_words_far_likelier_than_the_target() -> None:
    """Up to where exponentials leave float32 nothing is lost; beyond, nothing is cut off."""
    features, weight = in_its_format(torch.ones(2, 2), torch.tensor([[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]]))
    for far in (15.0, 19.0, 25.0, 29.0, 35.0):
        found = softmax_projection(features, far * weight, torch.tensor([0, 2]))
        torch.testing.assert_close(found[0], torch.full((2,), 2 * far), rtol=1e-3, atol=0.01)
        assert all(each.isfinite().all() for each in found)


@pytest.mark.parametrize("wrong", [-1, 30, 10**9])
def test_a_target_that_is_no_word_is_refused_before_a_kernel_sees_it(wrong: int) -> None:
    features, weight, targets = draw_problem(20, 30, 64)
    targets[7] = wrong
    with pytest.raises(IndexError, match="targets .* but the vocabulary has 30 words"):
        module.by_kernel(ARITHMETIC, features, weight, targets, torch.zeros(20), SMOOTHING)
    for fewer in (19, 0):
        with pytest.raises(ValueError, match=f"20 rows of features, but targets of shape \\({fewer},\\)"):
            module.by_kernel(ARITHMETIC, features, weight, targets[:fewer], torch.zeros(20), SMOOTHING)
