"""Weights that are pages of their file."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from polyhead.memory.weights_file import FilePages

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pages of files are given back on Linux alone")
NUMBERS = 1 << 20


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "weights.safetensors"
    save_file({"a": torch.arange(NUMBERS).float(), "b": torch.ones(NUMBERS)}, path)
    return path


@pytest.fixture
def weights(path: Path) -> list[nn.Parameter]:
    return [nn.Parameter(weight) for weight in load_file(path).values()]


def resident(path: Path) -> int:
    """KiB of a file in this process's memory."""
    listed = re.split(r"^(?=[0-9a-f]+-)", Path("/proc/self/smaps").read_text(), flags=re.MULTILINE)
    areas = (area for area in listed if str(path) in area)
    return sum(int(size) for area in areas for size in re.findall(r"^Rss: +(\d+) kB", area, flags=re.MULTILINE))


def pages_of(weights: Iterable[nn.Parameter]) -> FilePages:
    return FilePages.of(weight.data_ptr() for weight in weights)


def test_what_is_given_back_comes_back_from_the_file(path, weights) -> None:
    assert sum(float(weight.detach().sum()) for weight in weights) > 0
    assert resident(path) >= 2 * NUMBERS * 4 // 1024
    pages_of(weights).give_back()
    assert resident(path) == 0
    assert {float(weight.detach()[-1]) for weight in weights} == {NUMBERS - 1.0, 1.0}


def test_a_file_that_was_written_to_stays_in_memory(path, weights) -> None:
    with torch.no_grad():
        weights[0][7] = -1
    pages = pages_of(weights)
    assert pages.ranges == ()
    pages.give_back()
    assert weights[0][7] == -1
    assert float(load_file(path)["a"].min()) >= 0


def test_a_copy_has_the_same_values_in_memory_of_its_own(path, weights) -> None:
    pages = pages_of(weights)
    before = weights[0].data_ptr()
    pages.copy_out(weights[:1])
    assert weights[0].data_ptr() != before
    assert resident(path) == 0
    path.write_bytes(bytes(path.stat().st_size))
    assert not torch.equal(weights[0], weights[1])
    assert weights[0].requires_grad
    assert pages_of(weights[:1]).ranges == ()


def test_weights_in_memory_are_left_where_they_are() -> None:
    weight = nn.Parameter(torch.ones(8))
    before = weight.data_ptr()
    pages = pages_of([weight])
    assert pages == FilePages(())
    pages.copy_out([weight])
    assert weight.data_ptr() == before


def test_each_of_several_files_is_found(tmp_path, path, weights) -> None:
    other = tmp_path / "other.safetensors"
    save_file({"c": torch.zeros(NUMBERS)}, other)
    more = nn.Parameter(load_file(other)["c"])
    assert len(pages_of([*weights, more]).ranges) == 2
    with torch.no_grad():
        more[0] = 1
    assert pages_of([*weights, more]) == pages_of(weights)
