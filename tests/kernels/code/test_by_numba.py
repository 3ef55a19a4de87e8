"""Numba's own cache, where code can't be called without Numba: for these sources, and in safe places alone."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from polyhead.kernels.code import permissions

pytestmark = pytest.mark.skipif(not permissions.ASKED, reason="files have no owner here that could be asked for")

KERNELS = """
from polyhead.kernels.kernel import kernel
from other import plus
@kernel
def twice(x): return plus(x, x)
"""
OTHER = """
from polyhead.kernels.kernel import kernel
@kernel
def plus(x, y): return x + y
"""
RUN = """
import json, sys
sys.path.insert(0, {directory!r})
from polyhead.kernels import code
code.is_supported = lambda: False
from kernels import twice
print(json.dumps([twice(1.5), twice.dispatcher.stats.cache_hits]))
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "other.py").write_text(OTHER)
    return tmp_path


def run(directory: Path, home: Path | None = None) -> list[float]:
    """What `twice` gives of 1.5, and how often Numba has found its code, which it tells of a dispatcher."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment["XDG_CACHE_HOME"] = str(home or directory / "home")
    code = RUN.format(directory=str(directory)).replace("twice.dispatcher.stats.cache_hits", "_hits()")
    code = code.replace("print(", "_hits = lambda: sum(twice.dispatcher.stats.cache_hits.values())\nprint(")
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_it_is_beside_the_sources_and_used(directory: Path) -> None:
    assert run(directory) == [3.0, 0]
    assert run(directory) == [3.0, 1]
    assert any((directory / "__pycache__").rglob("*.nbi"))
    assert not any(directory.rglob("*.code"))


def test_a_change_of_what_a_kernel_calls_is_seen(directory: Path) -> None:
    assert run(directory) == [3.0, 0]
    before = (directory / "other.py").stat()
    (directory / "other.py").write_text(OTHER.replace("x + y", "x * y"))
    os.utime(directory / "other.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    for bytecode in directory.rglob("*.pyc"):
        bytecode.unlink()
    assert run(directory) == [2.25, 0]


class _Harm:
    """A pickle that leaves a trace when it is read."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.trace),)


def test_no_pickle_is_read_that_others_could_have_written(directory: Path, tmp_path: Path) -> None:
    assert run(directory) == [3.0, 0]
    (index,) = directory.rglob("kernels.twice*.nbi")
    trace = tmp_path / "trace"
    with index.open("rb") as file:
        version = pickle.load(file)
    index.write_bytes(pickle.dumps(version) + pickle.dumps(_Harm(trace)))
    index.chmod(0o666)
    (kept,) = (directory / "__pycache__").glob("numba-*")
    assert kept.stat().st_mode & 0o777 == 0o700
    kept.chmod(0o755)
    assert run(directory) == [3.0, 0]
    assert not trace.exists()
    index.chmod(0o644)
    with pytest.raises(subprocess.CalledProcessError):
        run(directory)
    assert trace.exists(), "the harm would have been done"


def test_where_no_place_is_safe_nothing_is_kept(directory: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for folder in (directory, home):
        folder.chmod(0o777)
    assert [run(directory, home) for _ in range(2)] == [[3.0, 0]] * 2
    assert not any(directory.rglob("*.nbi"))
