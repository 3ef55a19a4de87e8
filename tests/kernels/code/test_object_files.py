"""Files of machine code: what is not as it was written is thrown away, and never read."""

import os
import platform
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from polyhead.kernels import code
from polyhead.kernels.code import object_files
from polyhead.kernels.code.folders import cache_folder
from polyhead.kernels.code.sources import OWN
from polyhead.kernels.packing.pack_float32 import add_rows, pack_right_columns

pytestmark = pytest.mark.skipif(not code.is_supported(), reason="this system's object files are not known")

FLIPS, BLOCKS, BLOCK = 300, 80, 512
"""Damages of each kind, and the bytes of a zeroed block."""


def _use_kernels() -> None:
    """Leaves their files, if they are not there already."""
    x = np.zeros((1, 16), np.float32)
    add_rows(x, x[0])
    pack_right_columns(x, np.zeros((1, 16, 16), np.float32))


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Copies of files that kernels have really left."""
    _use_kernels()
    folder, copies = cache_folder(OWN / "packing"), tmp_path_factory.mktemp("copies")
    if folder is None:
        pytest.skip("there is no place here where code could be kept")
    found = [
        file
        for name in ("add_rows", "pack_right_columns")
        for file in sorted(folder.glob(f"pack_float32.{name}-*.code"))
    ]
    for file in found:
        (copies / file.name).write_bytes(file.read_bytes())
    return [copies / file.name for file in found if object_files.read(copies / file.name) is not None]


def _damages(content: bytes, seed: int) -> Iterator[bytes]:
    """One bit flipped, at places all over the file; then a block zeroed."""
    draw = random.Random(seed)
    for _ in range(FLIPS):
        spoiled = bytearray(content)
        spoiled[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        yield bytes(spoiled)
    for _ in range(BLOCKS):
        first = draw.randrange(len(content) // BLOCK) * BLOCK
        spoiled = bytearray(content)
        spoiled[first : first + BLOCK] = bytes(len(spoiled[first : first + BLOCK]))
        if spoiled != content:
            yield bytes(spoiled)


def test_no_flipped_bit_and_no_zeroed_block_is_read(real: list[Path]) -> None:
    assert len({file.name.split("-")[0] for file in real}) == 2, "there is a file of each kernel"
    for file in real[:4]:
        content = file.read_bytes()
        whole = object_files.read(file)
        assert whole is not None
        for spoiled in _damages(content, len(content)):
            file.write_bytes(spoiled)
            assert object_files.read(file) is None
            assert not file.exists(), "it is thrown away"
        object_files.write(file, whole)
        assert file.read_bytes() == content, "and made anew it is what it was"


@pytest.mark.parametrize("length", [0, 1, 64, 65, 66, 200])
def test_no_part_of_a_file_is_read(real: list[Path], length: int) -> None:
    file = real[0]
    content = file.read_bytes()
    for part in (content[:length], content[: len(content) - length - 1], content + bytes(length + 1)):
        file.write_bytes(part)
        assert object_files.read(file) is None
        assert not file.exists()
    file.write_bytes(content)
    assert object_files.read(file) is not None


def test_a_file_under_another_name_is_not_read(real: list[Path]) -> None:
    renamed = real[0].with_name(real[0].name.replace("add_rows", "other"))
    renamed.write_bytes(real[0].read_bytes())
    assert object_files.read(renamed) is None
    assert not renamed.exists()


def test_a_link_is_not_followed_but_replaced(real: list[Path], tmp_path: Path) -> None:
    place = tmp_path / real[0].name
    place.symlink_to(real[0])
    assert object_files.read(place) is None
    assert not place.is_symlink()
    assert real[0].exists(), "what it pointed to stays"


def test_what_cannot_be_read_is_no_reason_to_wait(tmp_path: Path) -> None:
    place = tmp_path / "kernels.f-0-1.code"
    assert object_files.read(place) is None
    place.mkdir()
    assert object_files.read(place) is None
    object_files.write(place, object_files.ObjectFile("a", "b", ("d",), b"c"))
    assert not [file for file in tmp_path.iterdir() if file != place]


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_the_users_mask_is_kept_and_nobody_else_may_write(tmp_path: Path, mask: int) -> None:
    place, before = tmp_path / "kernels.f-0-1.code", os.umask(mask)
    try:
        object_files.write(place, object_files.ObjectFile("a", "b", ("d",), b"c"))
    finally:
        os.umask(before)
    assert place.stat().st_mode & 0o777 == 0o644 & ~mask
    assert object_files.read(place) == object_files.ObjectFile("a", "b", ("d",), b"c")


def test_a_leftover_of_the_same_number_is_in_nobodys_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "kernels.f-0-1.code"
    monkeypatch.setattr(object_files, "get_ident", lambda: 7)
    left = tmp_path / f"{place.name}.{os.getpid()}.7"
    left.symlink_to(tmp_path / "elsewhere")
    object_files.write(place, object_files.ObjectFile("a", "b", ("d",), b"c"))
    assert [file.name for file in tmp_path.iterdir()] == [place.name]


WHOLE = """
import numpy as np
from polyhead.kernels.packing.pack_float32 import add_rows
total = np.ones(3, np.float32)
add_rows(np.array([[1, 2, 3], [4, 5, 6]], np.float32), total)
assert total.tolist() == [6, 8, 10]
"""


@pytest.mark.slow
def test_processes_that_find_damaged_files_end_well_and_are_right(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def run() -> None:
        done = subprocess.run([sys.executable, "-c", WHOLE], env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr

    run()
    (file,) = tmp_path.rglob("*.code")
    content = file.read_bytes()
    damages = list(_damages(content, 5))
    for spoiled in damages[::20]:
        file.write_bytes(spoiled)
        run()
        assert file.read_bytes() != spoiled
        assert object_files.read(file) is not None, "it was made anew"


def test_each_kind_of_machine_has_files_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    places: set[Path | None] = set()
    for machine in ("x86_64", "aarch64"):
        monkeypatch.setattr(platform, "machine", lambda machine=machine: machine)
        object_files._environment.cache_clear()
        places.add(object_files.file_of(OWN / "norm.py", "normalise", "kinds"))
    object_files._environment.cache_clear()
    assert None not in places
    assert len(places) == 2
