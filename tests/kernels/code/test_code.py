"""Kernels as machine code from files: called without the compiler, and compiled anew where the files are no good."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from polyhead.kernels import code
from polyhead.kernels.code import object_files

pytestmark = pytest.mark.skipif(not code.is_supported(), reason="this system's object files are not known")

KERNELS = """
import numpy as np
from polyhead.kernels.kernel import kernel

@kernel
def twice(x):
    return x + x

@kernel
def thrice(x):
    return twice(x) + x

@kernel
def add_up(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
    return total

@kernel
def of_size(n):
    return np.empty(n).shape[0]

@kernel
def doubled(x):
    return 2 * x

def plus(n):
    @kernel
    def added(x):
        return x + n
    return added
"""
HEAD = """
import json, sys
import numpy as np
sys.path.insert(0, {directory!r})
from kernels import *
said = {{}}
"""


def run(directory: Path, code: str, **environment: str) -> dict[str, Any]:
    """What a Python of its own says of kernels whose files are in a directory, and whether Numba has come there."""
    script = HEAD.format(directory=str(directory)) + code + "\nsaid['numba'] = 'numba' in sys.modules"
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"} | environment
    done = subprocess.run(
        [sys.executable, "-c", script + "\nprint(json.dumps(said))"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with a file for `twice` of a float, to be copied."""
    directory = tmp_path_factory.mktemp("compiled")
    (directory / "kernels.py").write_text(KERNELS)
    assert run(directory, FLOAT) == {"twice": 3.0, "numba": True}
    assert run(directory, FLOAT) == {"twice": 3.0, "numba": False}
    return directory


@pytest.fixture
def directory(compiled: Path, tmp_path: Path) -> Path:
    """One with a file for `twice` of a float."""
    return shutil.copytree(compiled, tmp_path / "kernels")


FLOAT = "said['twice'] = twice(1.5)"


def files(directory: Path) -> list[Path]:
    """The machine code there."""
    return sorted(directory.rglob("*.code"))


def test_another_kernel_is_compiled_with_the_one_that_is_there(directory: Path) -> None:
    both = FLOAT + "\nsaid['thrice'] = thrice(1.5)"
    assert run(directory, both) == {"twice": 3.0, "thrice": 4.5, "numba": True}
    assert run(directory, both) == {"twice": 3.0, "thrice": 4.5, "numba": False}


def test_other_kinds_have_files_of_their_own(directory: Path) -> None:
    whole = "said['twice'] = twice(3)\nsaid['kind'] = type(twice(3)).__name__"
    assert run(directory, whole) == {"twice": 6, "kind": "int", "numba": True}
    assert run(directory, whole) == {"twice": 6, "kind": "int", "numba": False}
    assert run(directory, FLOAT) == {"twice": 3.0, "numba": False}


def test_arrays_that_lie_otherwise_are_read_as_they_lie(directory: Path) -> None:
    sums = """
x = np.arange(12.0)
said["sums"] = [add_up(each) for each in (x, x[::2], x[::-1], x.reshape(3, 4)[:, 1], x.astype(np.float32))]
"""
    expected = [66.0, 30.0, 66.0, 15.0, 66.0]
    assert [run(directory, sums) for _ in range(2)] == [{"sums": expected, "numba": there} for there in (True, False)]


def test_a_kernel_that_returns_an_array_is_compiled_in_every_process(directory: Path) -> None:
    array = "said['doubled'] = doubled(np.ones(2)).tolist()"
    assert [run(directory, array) for _ in range(2)] == [{"doubled": [2.0, 2.0], "numba": True}] * 2


def test_one_that_closes_over_something_has_no_file(directory: Path) -> None:
    closed = "said['added'] = [plus(1)(1), plus(2)(1)]"
    assert [run(directory, closed) for _ in range(2)] == [{"added": [2, 3], "numba": True}] * 2


def test_an_error_in_machine_code_is_raised(directory: Path) -> None:
    failing = "try: of_size(-1)\nexcept ValueError as error: said['error'] = str(error)\nsaid['size'] = of_size(3)"
    compiled, loaded = (run(directory, failing) for _ in range(2))
    assert compiled == loaded == {"error": "negative dimensions not allowed", "size": 3, "numba": True}


def test_wrong_arguments_are_an_error(directory: Path) -> None:
    wrong = "try: twice(1.5, 2.5)\nexcept TypeError as error: said['error'] = True"
    assert run(directory, wrong)["error"]


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def _one_bit(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0x10
    file.write_bytes(content)


def _zeroed(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[1024:2048] = bytes(1024)
    file.write_bytes(content)


def _another_kernels(file: Path) -> None:
    """Whole and rightly written, but under another name."""
    other = file.with_name(file.name.replace("twice", "thrice"))
    object_files.write(other, cast("object_files.ObjectFile", object_files.read(file)))
    other.replace(file)


def _needs_what_is_nowhere(file: Path) -> None:
    object_files.write(file, replace(cast("object_files.ObjectFile", object_files.read(file)), needs=("nowhere",)))


def _not_json(file: Path) -> None:
    file.write_bytes(b"\xff" + file.read_bytes())


def _nothing(file: Path) -> None:
    file.write_bytes(b"")


def _another_entry(file: Path) -> None:
    object_files.write(file, replace(cast("object_files.ObjectFile", object_files.read(file)), entry="nowhere"))


def _a_link(file: Path) -> None:
    """To the very same, which anybody might change later."""
    file.symlink_to(file.rename(file.with_suffix(".elsewhere")))


def _writable(file: Path) -> None:
    file.chmod(0o664)


def _a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


SPOILED = [_one_bit, _another_kernels, _needs_what_is_nowhere, _another_entry, _a_link]
SPOILED += [pytest.param(spoil, marks=pytest.mark.slow) for spoil in (_cut, _zeroed, _not_json, _nothing, _writable)]


@pytest.mark.parametrize("spoil", SPOILED)
def test_a_file_that_is_no_good_is_written_anew(directory: Path, spoil: Callable[[Path], None]) -> None:
    (file,) = files(directory)
    spoil(file)
    assert run(directory, FLOAT) == {"twice": 3.0, "numba": True}
    assert run(directory, FLOAT) == {"twice": 3.0, "numba": False}
    assert files(directory) == [file]


def test_where_numba_is_built_otherwise_it_is_compiled_all_the_same(directory: Path) -> None:
    without = """
from polyhead.kernels.code import numba_runtime
def found_nowhere(name):
    raise LookupError(name)
numba_runtime._module = found_nowhere
"""
    assert run(directory, without + FLOAT) == {"twice": 3.0, "numba": True}


def test_where_a_folder_stands_in_its_place_it_is_compiled_all_the_same(directory: Path) -> None:
    (file,) = files(directory)
    _a_folder(file)
    assert run(directory, FLOAT) == {"twice": 3.0, "numba": True}


@pytest.mark.parametrize("later", [0, 1_000_000, -(10**9)], ids=["unchanged", "later", "earlier"])
def test_a_changed_source_is_compiled_whatever_its_time_stamp(directory: Path, later: int) -> None:
    source = directory / "kernels.py"
    before = source.stat()
    source.write_text(KERNELS.replace("return x + x", "return x * 3"))
    time = before.st_mtime_ns + later
    os.utime(source, ns=(time, time))
    for bytecode in directory.rglob("*.pyc"):  # Python's own, which goes by time stamps
        bytecode.unlink()
    assert run(directory, FLOAT) == {"twice": 4.5, "numba": True}
    assert run(directory, FLOAT) == {"twice": 4.5, "numba": False}


def test_so_is_it_where_another_source_beside_it_has_changed(directory: Path) -> None:
    (directory / "other.py").write_text("ONE = 1")
    assert run(directory, FLOAT) == {"twice": 3.0, "numba": True}
    (directory / "other.py").write_text("ONE = 2")
    assert run(directory, FLOAT) == {"twice": 3.0, "numba": True}


def test_a_source_that_was_only_touched_is_not(directory: Path) -> None:
    for time in (0, 2**31):
        os.utime(directory / "kernels.py", (time, time))
        assert run(directory, FLOAT) == {"twice": 3.0, "numba": False}


def test_what_was_compiled_of_a_source_that_has_changed_meanwhile_is_not_kept(directory: Path) -> None:
    meanwhile = f"""
from pathlib import Path
source = Path({str(directory / "kernels.py")!r})
source.write_text(source.read_text().replace("return x + x", "return x * 3"))
"""
    whole = "said['twice'] = twice(2)"
    assert run(directory, FLOAT + meanwhile + whole) == {"twice": 4, "numba": True}
    assert len(files(directory)) == 1
    assert run(directory, whole) == {"twice": 6, "numba": True}


def test_for_a_cpu_with_fewer_instructions_it_is_another(directory: Path) -> None:
    assert run(directory, FLOAT, POLYHEAD_CPU_WITHOUT="avx512 amx") == {"twice": 3.0, "numba": True}
    assert run(directory, FLOAT) == {"twice": 3.0, "numba": False}
    assert len(files(directory)) == 2


def test_so_it_is_where_numba_is_told_something(directory: Path) -> None:
    assert run(directory, FLOAT, NUMBA_OPT="1") == {"twice": 3.0, "numba": True}
    assert run(directory, FLOAT, NUMBA_OPT="1") == {"twice": 3.0, "numba": False}


def test_a_folder_for_caches_may_be_named(directory: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    caches = tmp_path_factory.mktemp("caches")
    for there in (True, False):
        assert run(directory, FLOAT, NUMBA_CACHE_DIR=str(caches)) == {"twice": 3.0, "numba": there}
    assert len(files(caches)) == 1


def test_where_nothing_can_be_written_it_is_compiled_all_the_same(directory: Path) -> None:
    for file in files(directory):
        file.unlink()
    nowhere = "/dev/null/nowhere"
    for there in (True, True):
        said = run(directory, FLOAT, NUMBA_CACHE_DIR=nowhere, XDG_CACHE_HOME=nowhere)
        assert said == {"twice": 3.0, "numba": there}


def test_where_only_an_unsafe_folder_could_be_written_the_users_own_cache_is_taken(
    directory: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    (directory / "__pycache__").chmod(0o777)
    for there in (True, False):
        assert run(directory, FLOAT, XDG_CACHE_HOME=str(home)) == {"twice": 3.0, "numba": there}
    assert len(files(home)) == 1
    home.chmod(0o777)
    for there in (True, True):
        assert run(directory, FLOAT, XDG_CACHE_HOME=str(home)) == {"twice": 3.0, "numba": there}


def test_two_processes_that_write_at_once_leave_one_file(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: run(tmp_path, FLOAT), range(2)))
    assert sorted(said["numba"] for said in both) == [False, True], "one compiles, the other waits"
    assert [said["twice"] for said in both] == [3.0, 3.0]
    assert len(files(tmp_path)) == 1
    assert not list(tmp_path.rglob("*.code.*"))
    assert run(tmp_path, FLOAT) == {"twice": 3.0, "numba": False}


def test_what_a_killed_process_leaves_is_swept_by_the_next_that_writes(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    killed = """
import os, pathlib, signal
pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
"""
    with pytest.raises(subprocess.CalledProcessError) as ended:
        run(tmp_path, killed + FLOAT)
    assert ended.value.returncode == -signal.SIGKILL
    assert len([file for file in tmp_path.rglob("*.code.*") if file.suffix != ".lock"]) == 1
    assert not files(tmp_path)
    assert run(tmp_path, FLOAT) == {"twice": 3.0, "numba": True}
    assert not list(tmp_path.rglob("*.code.*"))
    assert run(tmp_path, FLOAT) == {"twice": 3.0, "numba": False}


def test_a_full_disk_spoils_nothing(directory: Path) -> None:
    full = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    whole = "\nsaid['whole'] = twice(2)"
    before = files(directory)
    assert run(directory, full + FLOAT + whole) == {"twice": 3.0, "whole": 4, "numba": True}
    assert [file for file in (directory / "__pycache__").iterdir() if ".code" in file.name] == before


def test_who_is_in_two_threads_at_once_compiles_it_once_or_twice_and_is_right(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    threads = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    said["found"] = list(pool.map(thrice, [float(n) for n in range(8)]))
"""
    for there in (True, False):
        assert run(tmp_path, threads) == {"found": [3.0 * n for n in range(8)], "numba": there}
