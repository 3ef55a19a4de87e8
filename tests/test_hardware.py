"""What the CPU can do."""

import pytest
import torch

from polyhead.hardware import cores_an_operation, cpu_features, few_sizes


def test_a_pytorch_that_cannot_say_has_no_features(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.cpu, "get_capabilities")
    assert cpu_features() == set()


def test_cores_are_given_back() -> None:
    before = torch.get_num_threads()
    inside: list[int] = []

    def fail() -> None:
        with cores_an_operation(before + 1):
            inside.append(torch.get_num_threads())
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert inside == [before + 1]
    assert torch.get_num_threads() == before


def test_sizes_are_few_and_large_enough() -> None:
    counts = [few_sizes(rows) for rows in range(1, 2001)]
    assert all(rows <= count <= rows * 1.125 for rows, count in enumerate(counts, 1))
    assert len(set(counts)) < 80
    assert counts == sorted(counts)
