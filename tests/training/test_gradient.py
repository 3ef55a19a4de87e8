"""A gradient in parts."""

import pytest
import torch

from polyhead.training.gradient import Gradient, norm_of


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("count", [1, 2, 5, 11])
def test_it_is_the_sum_of_its_parts(count: int, dtype: torch.dtype) -> None:
    parts = [torch.randn(3, 5).to(dtype) for _ in range(count)]
    expected, gradient = torch.stack(parts).double().sum(0), Gradient()
    assert not gradient
    for part in parts:
        gradient.add(part)
    assert gradient
    torch.testing.assert_close(gradient.summed().double(), expected, atol=1e-5, rtol=1e-5)
    assert gradient.summed().dtype == torch.float32


def test_many_parts_take_no_more_memory_than_few() -> None:
    gradient = Gradient()
    for _ in range(100):
        gradient.add(torch.ones(4, dtype=torch.bfloat16))
        assert len(gradient.parts) <= 4
    assert (gradient.summed() == 100).all()


def test_a_part_with_gaps_is_closed_up() -> None:
    gradient = Gradient()
    gradient.add(torch.arange(6.0).bfloat16().view(2, 3).T)
    assert gradient.parts[0].is_contiguous()
    assert gradient.summed().tolist() == [[0, 3], [1, 4], [2, 5]]


def test_nothing_has_no_sum() -> None:
    with pytest.raises(ValueError, match="nothing"):
        Gradient().summed()


def test_the_norm_is_that_of_all_numbers() -> None:
    gradients = [Gradient(), Gradient()]
    for gradient, numbers in zip(gradients, ([3.0], [0.0, 4.0]), strict=True):
        gradient.add(torch.tensor(numbers))
    assert float(norm_of(gradients)) == 5
