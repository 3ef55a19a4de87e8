"""What the CPU can do, and what is known of it without PyTorch."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding
import pytest
import torch

from polyhead import hardware
from polyhead.hardware import (
    NAMES,
    TILES,
    cores,
    cores_an_operation,
    cpu_features,
    cpu_quota,
    few_sizes,
    has_torch,
    may_use_tiles,
    processor,
    use_cores,
)

BEFORE_AND_AFTER = """
import json, os, sys
from polyhead.hardware import NAMES, cores, cpu_features, use_cores

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
from polyhead import hardware

hardware.CPU_MAX, hardware._cores_seen = Path(sys.argv[1]), lambda: 64
from polyhead.cli import main

main(["--version"])
import torch

print(hardware.cores(), torch.get_num_threads())
"""


@pytest.fixture
def without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has not loaded it, and of whose threads nobody has said anything."""
    monkeypatch.delitem(sys.modules, "torch")
    for name in ("MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.setenv(name, "0")  # so that what a test says is taken back
        monkeypatch.delenv(name)


@pytest.fixture
def asked_anew() -> Any:
    """What was answered before is forgotten, and so is what a test made up."""

    def forget() -> None:
        for found in (hardware.processor, hardware._instructions, may_use_tiles):
            found.cache_clear()

    forget()
    yield
    forget()


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
def test_a_container_says_how_many_cores_it_may_keep_busy(
    written: str | None, quota: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_torch: None
) -> None:
    monkeypatch.setattr(hardware, "CPU_MAX", tmp_path / "cpu.max")
    monkeypatch.setattr(hardware, "_cores_seen", lambda: 64)
    if written is not None:
        (tmp_path / "cpu.max").write_text(written)
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
    command = [sys.executable, "-c", IN_A_CONTAINER, str(tmp_path / "cpu.max")]
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


@pytest.fixture
def cpuinfo(tmp_path: Path, asked_anew: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is read for Linux's own."""
    monkeypatch.setattr(hardware, "CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(hardware, "WITHOUT", ())
    return tmp_path / "cpuinfo"


ALL_FLAGS = " ".join(["sse2", *(linux for linux, _ in NAMES.values())])


def test_linux_is_asked_for_the_instructions(cpuinfo: Path) -> None:
    cpuinfo.write_text(f"processor\t: 0\nflags\t\t: {ALL_FLAGS}\n\nprocessor\t: 1\nflags\t\t: fma\n\n")
    assert cpu_features() == set(NAMES)


def test_what_is_to_be_left_alone_is_not_there(cpuinfo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cpuinfo.write_text(f"flags : {ALL_FLAGS}\n")
    monkeypatch.setattr(hardware, "WITHOUT", ("avx512", "amx"))
    assert cpu_features() == {"avx2", "fma3", "avx_vnni"}


def test_of_a_processor_is_known_what_does_not_change(cpuinfo: Path) -> None:
    cpuinfo.write_text(
        "processor\t: 0\nvendor_id\t: Ours\ncpu MHz\t\t: 2596.132\nmodel name\t: One: 5\n\nflags\t: fma\n"
    )
    assert processor() == {"vendor_id": "Ours", "model name": "One: 5"}


def test_of_a_processor_of_arm_is_known_which_it_is(cpuinfo: Path) -> None:
    cpuinfo.write_text("processor\t: 0\nBogoMIPS\t: 100.00\nFeatures\t: fp asimd sve\nCPU part\t: 0xd40\n\n")
    assert processor() == {"Features": "fp asimd sve", "CPU part": "0xd40"}


def test_other_machines_have_no_instructions_of_x86_whatever_is_said_of_them(
    cpuinfo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An emulator may pass on what Linux says of the machine that it runs on."""
    cpuinfo.write_text(f"flags : {ALL_FLAGS}\n")
    monkeypatch.setattr(hardware.platform, "machine", lambda: "aarch64")
    assert cpu_features() == set()


def test_linux_and_llvm_say_the_same() -> None:
    found = hardware._instructions_by_llvm()
    assert found == hardware._instructions()


def test_without_linux_llvm_is_asked(cpuinfo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = dict.fromkeys(["sse2", *(llvm for _, llvm in NAMES.values())], True)
    monkeypatch.setattr(llvmlite.binding, "get_host_cpu_features", lambda: answer)
    assert cpu_features() == set(NAMES)
    assert processor() == {}


def _unknown() -> dict[str, bool]:
    raise RuntimeError


@pytest.mark.parametrize("answer", [dict[str, bool], lambda: {"avx2": False}, _unknown])
def test_a_cpu_that_nobody_says_anything_about_has_no_features(
    answer: Callable[[], dict[str, bool]], cpuinfo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llvmlite.binding, "get_host_cpu_features", answer)
    assert cpu_features() == set()
    assert not may_use_tiles()


@pytest.mark.skipif(not hasattr(torch.cpu, "_init_amx"), reason="this PyTorch does not ask for the unit")
def test_linux_says_the_same_of_the_unit_for_matrices_as_to_pytorch() -> None:
    assert may_use_tiles() == (cpu_features() >= TILES and torch.cpu._init_amx())


@pytest.mark.skipif(cpu_features() >= TILES, reason="this CPU has the unit")
@pytest.mark.skipif("avx2" not in cpu_features() or sys.platform != "linux", reason="the call is that of x86-64")
def test_linux_gives_no_unit_that_is_not_there(asked_anew: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware, "cpu_features", lambda: TILES)
    assert not may_use_tiles()


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


def test_sizes_are_few_and_large_enough() -> None:
    counts = [few_sizes(rows) for rows in range(1, 2001)]
    assert all(rows <= count <= rows * 1.125 for rows, count in enumerate(counts, 1))
    assert len(set(counts)) < 80
    assert counts == sorted(counts)


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

    monkeypatch.setattr(hardware, "_physical_cores", lambda: 8)
    if given is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", given)
    with hardware.cores_an_operation(6):
        hardware.divide_cores(processes)
        assert torch.get_num_threads() == expected
