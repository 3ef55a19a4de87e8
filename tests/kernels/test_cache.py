"""Kernels that come from the cache: what is read then, and what is read when another is linked with them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

KERNELS = """
from polyhead.kernels.compile import kernel

@kernel
def twice(x):
    return x + x

@kernel
def thrice(x):
    return twice(x) + x
"""
HEAD = """
import json, sys
import numpy as np
sys.path.insert(0, {directory!r})
from polyhead.kernels import compile
{before}
import kernels
from kernels import thrice, twice

def is_read():
    (found,) = (each.library for each in twice.overloads.values())
    return found._shared_module is not None

def are_filled():
    return len(twice.targetctx.typing_context._functions) > 100

said = {{}}
with compile.event.install_recorder("numba:compile") as compiled:
"""
FIRST = """
said["twice"] = float(twice(1.5))
said["read"] = is_read()
said["filled"] = are_filled()
"""


def run(directory: Path, code: str, before: str = "", **environment: str) -> dict[str, object]:
    """What a Python of its own says of kernels whose cache is in a directory."""
    inside = "".join(f"    {line}\n" for line in code.splitlines())
    script = HEAD.format(directory=str(directory), before=before) + inside
    script += "said['compiled'] = len(compiled.buffer) // 2\nprint(json.dumps(said))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return json.loads(done.stdout)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """One whose cache has `twice` of a float."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    assert run(tmp_path, FIRST)["compiled"] == 1
    return tmp_path


def test_a_kernel_in_the_cache_is_loaded_without_what_a_compiler_needs(directory: Path) -> None:
    assert run(directory, FIRST) == {"twice": 3.0, "read": False, "filled": False, "compiled": 0}


def test_it_can_be_linked_with_another_that_is_compiled(directory: Path) -> None:
    found = run(directory, FIRST + "said['thrice'], said['now'] = thrice(1.5), is_read()")
    assert found == {"twice": 3.0, "read": False, "filled": False, "thrice": 4.5, "now": True, "compiled": 1}
    assert run(directory, "said['thrice'] = thrice(1.5)") == {"thrice": 4.5, "compiled": 0}


def test_other_types_are_compiled_beside_it(directory: Path) -> None:
    found = run(directory, FIRST + "said['ones'] = twice(np.ones(3, np.float32)).tolist()")
    assert found.pop("compiled"), "what adds arrays up may be a kernel of its own"
    assert found == {"twice": 3.0, "read": False, "filled": False, "ones": [2.0] * 3}


def test_what_numba_has_written_by_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    numbas = "from numba.core.caching import FunctionCache; compile.KernelCache = FunctionCache"
    assert run(tmp_path, FIRST, before=numbas)["compiled"] == 1
    assert run(tmp_path, FIRST) == {"twice": 3.0, "read": True, "filled": False, "compiled": 0}


def test_numbas_own_functions_are_compiled_once(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    counted = """
from numba.core.runtime import nrtdynmod
make, made = nrtdynmod.create_nrt_module, []
nrtdynmod.create_nrt_module = lambda context: made.append(1) or make(context)
"""
    code = FIRST + "said['sum'], said['made'] = twice(np.ones(2)).sum(), len(made)"
    found = [run(tmp_path, code, before=counted, NUMBA_CACHE_DIR=str(tmp_path / "cache")) for _ in range(2)]
    assert [each["made"] for each in found] == [1, 0]
    assert [each["sum"] for each in found] == [4.0, 4.0]
