"""How many cores an operation takes, and what is known of it without PyTorch."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from polyhead import container
from polyhead import cores as module
from polyhead.container import cpu_quota
from polyhead.cores import (
    cores,
    cores_an_operation,
    divide_cores,
    has_torch,
    use_cores,
)

BEFORE_AND_AFTER = """
import json, os, sys
from polyhead.cores import cores, use_cores
from polyhead.hardware import NAMES, cpu_features

cpus, count = json.loads(sys.argv[1])
if cpus:
    os.sched_setaffinity(0, cpus)
if count:
    use_cores(count)
before = cores(), sorted(cpu_features()), "torch" in sys.modules
import torch

ask = getattr(torch.cpu, "get_capabilities", None)  # not all of them say it
known = sorted(name for name in NAMES if ask().get(name)) if ask else before[1]
print(json.dumps([before, [cores(), sorted(cpu_features()), "torch" in sys.modules], torch.get_num_threads(), known]))
"""


IN_A_CONTAINER = """
import sys
from pathlib import Path
from polyhead import container, cores

container.CGROUP, cores._cores_seen = Path(sys.argv[1]), lambda: 64
from polyhead.cli import main

main(["--version"])
import torch

print(cores.cores(), torch.get_num_threads())
"""


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """As in a process that has not loaded it, of whose threads nobody has said anything, in no container."""
    monkeypatch.delitem(sys.modules, "torch")
    monkeypatch.setattr(container, "CGROUP", tmp_path)
    for name in ("MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.setenv(name, "0")  # so that what a test says is taken back
        monkeypatch.delenv(name)
    module._physical_cores.cache_clear()
    yield
    module._physical_cores.cache_clear()


@pytest.mark.parametrize(
    ("written", "quota"),
    [
        ("200000 100000\n", 2),
        ("150000 100000\n", 2),
        ("10000 100000\n", 1),
        ("max 100000\n", None),
        ("", None),
        (None, None),
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_a_container_says_how_many_cores_it_may_keep_busy(
    written: str | None,
    quota: int | None,
    version: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    without_torch: None,
) -> None:
    monkeypatch.setattr(module, "_cores_seen", lambda: 64)
    if written is not None and version == 2:
        (tmp_path / "cpu.max").write_text(written)
    elif written is not None:
        first, _, second = written.replace("max", "-1").partition(" ")
        (tmp_path / "cpu").mkdir()
        (tmp_path / "cpu/cpu.cfs_quota_us").write_text(f"{first}\n")
        (tmp_path / "cpu/cpu.cfs_period_us").write_text(second)
    assert cpu_quota() == quota
    assert cores() == (quota or 64)


# A build of PyTorch takes at most as many cores as there are: one core is what all agree on.
@pytest.mark.parametrize(
    ("variables", "count"), [({}, 1), ({"OMP_NUM_THREADS": "2"}, 2)], ids=["nothing said", "said by a variable"]
)
def test_a_command_takes_no_more_cores_than_its_container_has(
    variables: dict[str, str], count: int, tmp_path: Path
) -> None:
    (tmp_path / "cpu.max").write_text("50000 100000\n")
    told = ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in told} | variables
    command = [sys.executable, "-c", IN_A_CONTAINER, str(tmp_path)]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    found = printed.splitlines()[-1].split()
    assert found == [str(min(count, os.cpu_count() or 1))] * 2


# MKL takes at most as many cores as there are, and one of two that share their units: of one core all agree everywhere.
@pytest.mark.parametrize(
    ("variable", "one_cpu", "count"),
    [("1", False, 0), ("1,2", False, 0), ("", True, 0), ("", False, 1)],
    ids=["said by a variable", "said by a list", "allowed one", "said by use_cores"],
)
def test_pytorch_says_the_same_as_was_said_without_it(variable: str, one_cpu: bool, count: int) -> None:
    if one_cpu and sys.platform != "linux":
        pytest.skip("no CPU can be taken from a process here")
    told = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "POLYHEAD_CPU_WITHOUT")
    environment = {name: value for name, value in os.environ.items() if name not in told}
    if variable:
        environment["OMP_NUM_THREADS"] = variable
    cpus = [min(os.sched_getaffinity(0))] if one_cpu and sys.platform == "linux" else []
    command = [sys.executable, "-c", BEFORE_AND_AFTER, json.dumps([cpus, count])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100, check=True)
    before, after, threads, known = json.loads(done.stdout)
    assert before == [threads, known, False]
    assert after == [threads, known, True]
    assert threads == 1


@pytest.mark.usefixtures("without_torch")
@pytest.mark.parametrize(
    ("variable", "count"),
    [("3", 3), (" 5 , 2", 5), ("0", None), ("-1", None), ("many", None), ("", None), (None, None)],
)
def test_without_pytorch_the_variable_counts(
    variable: str | None, count: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if variable is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", variable)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {2, 3, 5, 7}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert cores() == (count or (4 if sys.platform == "linux" else 8))


@pytest.mark.usefixtures("without_torch")
def test_without_pytorch_the_number_is_for_what_is_loaded_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with cores_an_operation(1):  # it takes no more than one anyway
        assert cores() == 2
    use_cores(6)
    assert cores() == 6
    assert os.environ["OMP_NUM_THREADS"] == "6"
    assert not has_torch()


def test_with_pytorch_the_number_is_pytorchs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    before = torch.get_num_threads()
    try:
        use_cores(before + 1)
        assert torch.get_num_threads() == cores() == before + 1
    finally:
        torch.set_num_threads(before)
    assert os.environ["OMP_NUM_THREADS"] == "7"


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


@pytest.mark.usefixtures("without_torch")
@pytest.mark.parametrize("variable", ["MKL_NUM_THREADS", "OMP_NUM_THREADS"])
def test_what_is_asked_for_goes_before_any_variable(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "4")
    assert cores() == 4
    use_cores(1)
    assert cores() == 1


@pytest.mark.parametrize(
    ("given", "processes", "expected"), [("1", 2, 4), ("1", 3, 2), ("1", 16, 1), ("6", 2, 6), ("1", 1, 6), (None, 2, 4)]
)
def test_processes_on_a_machine_divide_its_cores(monkeypatch, given, processes, expected):
    """What OMP_NUM_THREADS says stays, unless it is torchrun's 1."""
    import torch

    monkeypatch.setattr(module, "_physical_cores", lambda: 8)
    if given is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", given)
    with cores_an_operation(6):
        divide_cores(processes)
        assert torch.get_num_threads() == expected
