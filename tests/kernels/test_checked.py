"""The checked form of kernels: what would read or change numbers beside an array is an error there."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from polyhead.kernels import code

KERNELS = """
import numpy as np
from polyhead.kernels.kernel import kernel
from polyhead.kernels.threads.team import shared

@kernel
def read(x, i): return x[i]

@kernel
def read_by_another(x, i): return read(x, i) + 1

@kernel
def write(x, i): x[i] = 7

@kernel
def write_row(x, i): x[i] = x[0]

@kernel
def in_matrix(x, i): return x[1, i]

@kernel
def behind(x, i): return x[i:].shape[0]

@kernel
def _share(member, first, last, given):
    x, step = given
    for number in range(first, last):
        x[number * step] = 1

_shares = shared(_share)

@kernel
def together(x, step, board): _shares(board, 2, (x, step))
"""
CALLS = """
import json, sys
import numpy as np
sys.path.insert(0, {directory!r})
from kernels import *
from polyhead.kernels.linear.packed import multiply
from polyhead.engine.step.rescored import rescore
from polyhead.kernels.threads.team import ALONE, board, team
from polyhead.engine.pack import pack_float32, pack_int8

def whether(call, *given):
    try: call(*given)
    except (IndexError, RuntimeError) as error: return type(error).__name__
    return "done"

def zeros(*shape): return np.zeros(shape, np.float32)
said = {{}}
x, square = np.zeros(4), np.zeros((2, 2))
for name, call, given in (("read", read, x), ("another", read_by_another, x), ("write", write, x),
                          ("row", write_row, square), ("matrix", in_matrix, square), ("behind", behind, x)):
    size = len(given)
    said[name] = [whether(call, given, i) for i in (0, size - 1, size, -1, -size, 10**6)]
said["alone"] = [whether(together, x, step, ALONE) for step in (3, 4)]
with team(2):
    said["team"] = [whether(together, x, step, board()) for step in (3, 4)]
for name, pack in (("float32", pack_float32), ("int8", pack_int8)):
    product = pack([lambda: (np.ones((64, 32), np.float32), None)], lambda: None)
    given = (32, 64), (28, 64), (36, 64), (32, 4096)
    said[name] = [whether(multiply, zeros(2, k), product, 0, zeros(2, n), ALONE) for k, n in given]
features = (16, 70), (8, 70), (16, 69)
said["rescore"] = [whether(rescore, zeros(2, 70), zeros(2, d), zeros(v, 16), ALONE) for d, v in features]
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[Mapping[str, list[str]]]:
    """What calls come to, in a process that compiles and in one that finds the code in files."""
    directory = tmp_path_factory.mktemp("kernels")
    (directory / "kernels.py").write_text(KERNELS)
    environment = os.environ | {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(directory / "caches")}
    command = [sys.executable, "-c", CALLS.format(directory=str(directory))]
    runs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2)]
    return [json.loads(run.stdout) for run in runs]


WRONG = ["done", "done", *["IndexError"] * 4]
"""The first, the last, and those that there aren't."""


@pytest.mark.parametrize("access", ["read", "another", "write", "row", "matrix"])
def test_only_what_is_in_an_array_can_be_read_or_changed(said: list[Mapping[str, list[str]]], access: str) -> None:
    assert [each[access] for each in said] == [WRONG] * 2


def test_parts_of_an_array_end_where_it_ends(said: list[Mapping[str, list[str]]]) -> None:
    assert [each["behind"] for each in said] == [["done"] * 6] * 2


def test_so_it_is_in_a_thread_that_helps(said: list[Mapping[str, list[str]]]) -> None:
    assert [each["alone"] for each in said] == [["done", "IndexError"]] * 2
    assert [each["team"] for each in said] == [["done", "RuntimeError"]] * 2


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_products_are_of_arrays_that_fit(said: list[Mapping[str, list[str]]], precision: str) -> None:
    assert [each[precision] for each in said] == [["done", *["IndexError"] * 3]] * 2


def test_the_likeliest_words_are_looked_at_in_weights_that_fit(said: list[Mapping[str, list[str]]]) -> None:
    assert [each["rescore"] for each in said] == [["done", "IndexError", "IndexError"]] * 2


@pytest.mark.skipif(not code.is_supported(), reason="this system's object files are not known")
def test_the_usual_form_has_files_of_its_own(said: list[Mapping[str, list[str]]], tmp_path: Path) -> None:
    assert said
    (tmp_path / "kernels.py").write_text(KERNELS)
    run = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\nfrom kernels import *\nassert read(np.zeros(4), 3) == 0"
    for checked in ("", "1"):
        environment = os.environ | {"NUMBA_BOUNDSCHECK": checked, "NUMBA_CACHE_DIR": str(tmp_path / "caches")}
        if not checked:
            del environment["NUMBA_BOUNDSCHECK"]
        subprocess.run([sys.executable, "-c", run], env=environment, check=True)
    assert len(list(tmp_path.rglob("kernels.read-*.code"))) == 2
