"""What the CPU can do, and what is known of it without PyTorch."""

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
    cpu_features,
    few_sizes,
    may_use_tiles,
    processor,
)


@pytest.fixture
def asked_anew() -> Any:
    """What was answered before is forgotten, and so is what a test made up."""

    def forget() -> None:
        for found in (hardware.processor, hardware._instructions, may_use_tiles):
            found.cache_clear()

    forget()
    yield
    forget()


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


def test_sizes_are_few_and_large_enough() -> None:
    counts = [few_sizes(rows) for rows in range(1, 2001)]
    assert all(rows <= count <= rows * 1.125 for rows, count in enumerate(counts, 1))
    assert len(set(counts)) < 80
    assert counts == sorted(counts)
