"""Memory on large pages."""

import sys

import pytest
import torch

from polyhead.engine.pages import LARGE, large_pages, own_memory

MAPS = """\
00400000-00a00000 r-xp 00000000 08:01 123                                /usr/bin/python3 and more
01000000-01900000 rw-p 00000000 00:00 0                                  [heap]
7f0000100000-7f0000900000 rw-p 00000000 00:00 0
7f0001000000-7f0001100000 rw-p 00000000 00:00 0
7f0002000000-7f0002800000 rw-p 00000000 08:01 456                        /usr/lib/libtorch.so
7f0003000000-7f0003800000 ---p 00000000 00:00 0
7ffc00000000-7ffc00800000 rw-p 00000000 00:00 0                          [stack]
"""


def test_the_heap_and_nameless_memory_in_whole_pages() -> None:
    heap = range(0x1000000, 0x1800000, LARGE)
    nameless = range(0x7F0000200000, 0x7F0000800000, LARGE)
    assert own_memory(MAPS) == {*heap, *nameless}


def test_what_is_in_memory_stays_as_it_is() -> None:
    before = torch.arange(1 << 22)
    with large_pages():
        kept = torch.arange(1 << 22)
    assert torch.equal(kept, before)


def test_other_systems_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr("polyhead.engine.pages.own_memory", lambda _: pytest.fail("no such file there"))
    with large_pages():
        pass
