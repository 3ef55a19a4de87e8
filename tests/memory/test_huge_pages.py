"""Memory on large pages."""

import sys

import pytest
import torch

from polyhead.memory import huge_pages as pages
from polyhead.memory.huge_pages import LARGE, MOSTLY, in_use, large_pages, whole_pages
from polyhead.memory.memory_map import Area

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux is asked")


def test_whole_pages_of_the_memory_that_is_written() -> None:
    listed = [
        Area(0x1000000, 0x1900000, "rw-p", "[heap]", written=True),
        Area(0x7F0000100000, 0x7F0000900000, "rw-p", "", written=True),
        Area(0x7F0001000000, 0x7F0001100000, "rw-p", "", written=True),
        Area(0x7F0002000000, 0x7F0002800000, "rw-p", "/usr/lib/libtorch.so", written=True),
        Area(0x7F0003000000, 0x7F0003800000, "---p", "", written=False),
    ]
    heap = range(0x1000000, 0x1800000, LARGE)
    nameless = range(0x7F0000200000, 0x7F0000800000, LARGE)
    assert whole_pages(listed) == {*heap, *nameless}


def test_what_is_in_memory_stays_as_it_is() -> None:
    before = torch.arange(1 << 22)
    with large_pages():
        kept = torch.arange(1 << 22)
    assert torch.equal(kept, before)


def inside(tensor: torch.Tensor) -> int:
    """The first whole large page in a tensor's memory."""
    return -(-tensor.data_ptr() // LARGE) * LARGE


@linux
def test_what_nobody_wrote_takes_no_memory() -> None:
    empty = torch.empty(1 << 26, dtype=torch.uint8)
    page = inside(empty)
    assert in_use(page) == 0
    first = page - empty.data_ptr()
    empty[first : first + LARGE // 4] = 1
    assert in_use(page) == 0.25
    empty[first : first + LARGE] = 1
    assert in_use(page) == 1


@linux
def test_gaps_are_not_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: set[int] = set()
    monkeypatch.setattr(pages, "advise", lambda page, length, advice: asked.add(page))
    with large_pages():
        full, sparse = (torch.empty(1 << 26, dtype=torch.uint8) for _ in range(2))
        full.fill_(1)
        first = inside(sparse) - sparse.data_ptr()
        sparse[first : first + int((MOSTLY - 0.25) * LARGE)] = 1
    assert inside(full) in asked
    assert inside(sparse) not in asked


def test_other_systems_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(pages, "advise", lambda *_: pytest.fail("nobody to be asked"))
    monkeypatch.setattr(pages.ctypes, "CDLL", lambda _: pytest.fail("no such library"))
    with large_pages():
        pass
