"""Adam by kernels against PyTorch's in float64, for weights of any size and gradients in any number of parts."""

import pytest
import torch
from torch import Tensor, nn

from polyhead.kernels.adam import CHUNK
from polyhead.training.fused.adam import FusedAdam, norm_by_kernels
from polyhead.training.gradient import Gradient
from polyhead.training.parallel import Workers
from polyhead.training.update_rule import Stepped

SHAPES = [(1,), (15,), (16,), (7, 9), (33, 32), (CHUNK,), (3, CHUNK + 5), (2 * CHUNK - 1,)]
"""Less than a vector, one, several; less than a chunk, and more."""
BETAS, EPSILON = (0.9, 0.98), 1e-9


def gradient(parts: list[Tensor]) -> Gradient:
    whole = Gradient()
    for part in parts:
        whole.add(part)
    return whole


def drawn(seed: int, parts: int) -> list[list[Tensor]]:
    """For every shape so many parts; of some numbers all are 0."""
    generator = torch.Generator().manual_seed(seed)
    found: list[list[Tensor]] = []
    for shape in SHAPES:
        kept = torch.rand(shape, generator=generator) < 0.9
        found.append([(torch.randn(shape, generator=generator) * kept).bfloat16() for _ in range(parts)])
    return found


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("parts", [1, 2, 3, 6])
@pytest.mark.parametrize(("decoupled", "decay"), [(False, 0.0), (False, 0.1), (True, 0.1)])
def test_it_equals_pytorchs_step_by_step(decoupled: bool, decay: float, parts: int, threads: int) -> None:
    """6 parts: some are summed up before."""
    generator = torch.Generator().manual_seed(0)
    weights = [torch.randn(shape, generator=generator) for shape in SHAPES]
    copies = [weight.bfloat16() for weight in weights]
    twins = [nn.Parameter(weight.double()) for weight in weights]
    kind = torch.optim.AdamW if decoupled else torch.optim.Adam
    reference = kind(twins, 0.01, BETAS, EPSILON, weight_decay=decay)
    adam = FusedAdam(*BETAS, EPSILON, decay, decoupled, Workers(threads))
    moments, scale = [adam.begin(weight) for weight in weights], 0.3
    for update in range(4):
        given, rate = drawn(update, parts), 0.01 / (1 + update)
        stepped = [
            Stepped(str(n), weight, gradient(part), moments[n], scale, copy)
            for n, (weight, part, copy) in enumerate(zip(weights, given, copies, strict=True))
            if n != update  # a weight that had no gradient has had fewer updates than the others
        ]
        adam.step(stepped, rate)
        reference.param_groups[0]["lr"] = rate
        for n, (twin, part) in enumerate(zip(twins, given, strict=True)):
            twin.grad = None if n == update else torch.stack(part).double().sum(0) * scale
        reference.step()
        for weight, copy, twin in zip(weights, copies, twins, strict=True):
            torch.testing.assert_close(weight.double(), twin.detach(), atol=2e-6, rtol=1e-5)
            torch.testing.assert_close(copy.double(), twin.detach(), atol=1e-5, rtol=2**-7)
            assert torch.equal(copy, weight.bfloat16())


def test_nothing_beside_a_weight_is_written() -> None:
    """Each lies in the middle of other numbers."""
    adam = FusedAdam(*BETAS, EPSILON, 0.0, False, Workers(2))
    for shape in SHAPES:
        size = torch.Size(shape).numel()
        room = [torch.full((size + 64,), 7.0, dtype=dtype) for dtype in [torch.float32] * 3 + [torch.bfloat16]]
        weight, mean, square, copy = (each[32 : 32 + size] for each in room)
        for moment in (mean, square):
            moment.zero_()
        moments = {"step": torch.zeros(()), "exp_avg": mean, "exp_avg_sq": square}
        adam.step([Stepped("a", weight, gradient([torch.ones(size).bfloat16()]), moments, 1.0, copy)], 1.0)
        for each, value in zip(room, (6.0, 0.1, 0.02, 6.0), strict=True):
            assert (each[:32] == 7).all()
            assert (each[-32:] == 7).all()
            torch.testing.assert_close(each[32:-32].float(), torch.full((size,), value), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("parts", [1, 2, 3, 6])
def test_the_norm_is_that_of_all_numbers(parts: int, threads: int) -> None:
    given = drawn(3, parts)
    expected = torch.cat([torch.stack(part).double().sum(0).flatten() for part in given]).norm()
    found = norm_by_kernels([gradient(part) for part in given], Workers(threads))
    torch.testing.assert_close(found.double(), expected, rtol=1e-5, atol=0)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_none_is_seen(number: float) -> None:
    given = drawn(1, 2)
    given[-2][1].view(-1)[-1] = number
    assert not norm_by_kernels([gradient(part) for part in given], Workers(2)).isfinite()
