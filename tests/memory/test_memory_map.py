"""What Linux says of a process's memory."""

import mmap
import sys

import pytest

from polyhead.memory import memory_map
from polyhead.memory.memory_map import areas, parse

SMAPS = """\
00400000-00a00000 r-xp 00000000 08:01 123                                /usr/bin/python3 and more
Size:               6144 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me dw sd
01000000-01900000 rw-p 00000000 00:00 0                                  [heap]
Anonymous:          9216 kB
7f0000100000-7f0000900000 rw-p 00000000 00:00 0
Anonymous:             0 kB
7f0002000000-7f0002800000 rw-p 00000000 08:01 456                        /a model/model.safetensors
Anonymous:             4 kB
Swap:                  0 kB
7f0003000000-7f0003800000 rw-p 00000000 08:01 456                        /a model/model.safetensors
Anonymous:             0 kB
Swap:                  4 kB
7f0004000000-7f0004800000 rw-s 00000000 08:01 456                        /a model/model.safetensors
Anonymous:             0 kB
7ffc00000000-7ffc00800000 rw-p 00000000 00:00 0                          [stack]
Anonymous:             8 kB
"""


def test_addresses_rights_names_and_what_is_written() -> None:
    program, heap, nameless, written, swapped, shared, stack = parse(SMAPS)
    assert (program.start, program.end, program.rights) == (0x400000, 0xA00000, "r-xp")
    assert program.name == "/usr/bin/python3 and more"
    assert [area.own for area in (program, heap, nameless, written, stack)] == [False, True, True, False, False]
    assert program.unwritten_file
    assert not any(area.unwritten_file for area in (heap, nameless, written, swapped, shared, stack))


def test_nothing_is_listed_of_nothing() -> None:
    assert list(parse("")) == []


def test_other_systems_list_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert areas() == []


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's list")
def test_a_page_written_to_is_no_longer_the_files(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(10 * mmap.PAGESIZE))
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY) as mapped:
        mapped.read()
        (area,) = (area for area in areas(memory_map.SMAPS) if area.name == str(path))
        assert area.unwritten_file
        mapped[5 * mmap.PAGESIZE] = 1
        (area,) = (area for area in areas(memory_map.SMAPS) if area.name == str(path))
        assert area.written


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's list")
def test_the_short_list_has_the_same_areas_and_doesnt_say_what_is_written(tmp_path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(10 * mmap.PAGESIZE))
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY):
        (short,) = (area for area in areas() if area.name == str(path))
        (long,) = (area for area in areas(memory_map.SMAPS) if area.name == str(path))
    assert (short.start, short.end, short.rights) == (long.start, long.end, long.rights)
    assert short.written is None
    assert not short.unwritten_file


def test_without_a_list_nothing_is_known(tmp_path) -> None:
    assert areas(tmp_path / "maps") == []
