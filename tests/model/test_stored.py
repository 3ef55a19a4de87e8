"""Weights read without PyTorch, against what PyTorch reads."""

import json
import pickle
import re
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from polyhead.model import stored
from polyhead.model.stored import read_weights

KINDS = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "F64": torch.float64}
NUMBERS = 1 << 20
linux = pytest.mark.skipif(sys.platform != "linux", reason="a file's own pages on Linux alone")


@pytest.fixture(params=[pytest.param(True, marks=linux), False], ids=["mapped", "read"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to a file's bytes."""
    monkeypatch.setattr(stored, "MAPPED", request.param)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "weights.safetensors"


def write(path: Path, header: dict[str, Any], data: bytes, spaces: int = 0) -> None:
    """A file by hand."""
    text = json.dumps(header).encode() + b" " * spaces
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def part(first: int, last: int, *shape: int, kind: str = "F32") -> dict[str, Any]:
    """What a header says of one weight."""
    return {"dtype": kind, "shape": shape, "data_offsets": [first, last]}


def same(path: Path) -> None:
    """Every weight, to the bit."""
    found, expected = read_weights(path), load_file(path)
    assert found.keys() == expected.keys()
    for name, array in found.items():
        assert array.dtype == np.float32
        assert array.flags.writeable
        right = expected[name].float().numpy()
        assert array.shape == right.shape
        assert array.tobytes() == right.tobytes()


def rows(kind: torch.dtype) -> dict[str, torch.Tensor]:
    """Weights of many shapes, and numbers that are easily got wrong."""
    odd = [0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1e-7, -1e-40, 65504.0, torch.finfo(kind).smallest_normal]
    return {
        "z.matrix": torch.randn(7, 5).to(kind),
        "odd": torch.tensor(odd, dtype=kind),
        "scalar": torch.tensor(-3.5, dtype=kind),
        "empty": torch.zeros(0, dtype=kind),
        "a.empty.matrix": torch.zeros(3, 0, 2, dtype=kind),
        "a.cube": torch.randn(2, 3, 4).to(kind),
    }


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("kind", KINDS)
def test_it_reads_what_pytorch_reads(path: Path, kind: str) -> None:
    save_file(rows(KINDS[kind]), path, {"format": "pt"})
    same(path)


@pytest.mark.usefixtures("either")
def test_a_file_may_have_weights_of_every_kind_and_none(path: Path) -> None:
    save_file({f"{kind}.{name}": each for kind, dtype in KINDS.items() for name, each in rows(dtype).items()}, path)
    same(path)
    save_file({}, path)
    assert read_weights(path) == {}


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("spaces", range(5))
def test_weights_may_stand_anywhere_and_be_named_in_any_order(path: Path, spaces: int) -> None:
    header = {"b": part(4, 8, 1), "none": part(4, 4, 0), "a": part(0, 4, 2, kind="F16"), "c": part(8, 16, 1, 2)}
    write(path, header, np.arange(1, 5, dtype="<f4").tobytes(), spaces)
    same(path)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("kind", [torch.int64, torch.int8, torch.bool, torch.complex64, torch.float8_e4m3fn])
def test_a_kind_that_no_weight_has_is_refused_by_name(path: Path, kind: torch.dtype) -> None:
    save_file({"fine": torch.ones(2), "strange.one": torch.zeros(2, 3).to(kind)}, path)
    with pytest.raises(SafetensorError, match=r"^strange\.one is of kind "):
        read_weights(path)


def mapped(path: Path, field: str) -> int:
    """KiB of a file in this process's address space (Size) or memory (Rss)."""
    listed = re.split(r"^(?=[0-9a-f]+-)", Path("/proc/self/smaps").read_text(), flags=re.MULTILINE)
    areas = (area for area in listed if str(path) in area)
    return sum(int(size) for area in areas for size in re.findall(rf"^{field}: +(\d+) kB", area, flags=re.MULTILINE))


@linux
def test_weights_are_pages_of_their_file_and_come_when_they_are_looked_at(path: Path) -> None:
    save_file({"a": torch.arange(NUMBERS).float(), "b": torch.ones(2, NUMBERS)}, path)
    weights = read_weights(path)
    whole = 3 * NUMBERS * 4 // 1024
    assert mapped(path, "Size") >= whole
    assert mapped(path, "Rss") < whole // 10, "only what stands before them has been read"
    assert weights["b"].sum() == 2 * NUMBERS
    assert weights["a"][-1] == NUMBERS - 1
    assert mapped(path, "Rss") >= 2 * whole // 3
    del weights
    assert mapped(path, "Size") == 0, "without them nothing holds the file"


@linux
def test_a_copy_of_another_kinds_numbers_holds_no_file(path: Path) -> None:
    save_file({"a": torch.ones(NUMBERS, dtype=torch.bfloat16), "b": torch.ones(NUMBERS, dtype=torch.float64)}, path)
    weights = read_weights(path)
    assert mapped(path, "Size") == 0
    assert {float(weight.sum()) for weight in weights.values()} == {NUMBERS}


@pytest.mark.usefixtures("either")
def test_to_change_an_array_changes_no_file(path: Path) -> None:
    save_file({"a": torch.arange(9.0), "b": torch.ones(3)}, path)
    before = path.read_bytes()
    weights = read_weights(path)
    weights["a"][:] = -1
    assert path.read_bytes() == before
    assert weights["b"].tolist() == [1, 1, 1]
    assert (weights["a"] == -1).all()
    assert read_weights(path)["a"].tolist() == list(range(9)), "who reads it again gets the file's numbers"


@pytest.mark.usefixtures("either")
def test_a_file_that_another_replaces_leaves_them_as_they_are(path: Path) -> None:
    save_file({"a": torch.arange(9.0)}, path)
    weights = read_weights(path)
    save_file({"a": torch.zeros(9)}, path.with_name("new"))
    path.with_name("new").replace(path)
    assert weights["a"].tolist() == list(range(9))


def test_no_end_may_be_missing_and_none_added(path: Path) -> None:
    save_file({"a": torch.arange(5.0), "b": torch.ones(3, dtype=torch.float16)}, path)
    whole = path.read_bytes()
    for data in [*(whole[:length] for length in range(len(whole))), whole + b"\0"]:
        path.write_bytes(data)
        with pytest.raises((OSError, SafetensorError)):
            read_weights(path)


@pytest.mark.parametrize(
    "header",
    [
        {"a": part(0, 4, 1), "b": part(8, 12, 1)},
        {"a": part(4, 12, 2)},
        {"a": part(0, 8, 2), "b": part(4, 12, 2)},
        {"a": part(0, 12, 2)},
        {"a": part(0, 12, 4)},
        {"a": part(0, 12, -3)},
        {"a": part(0, 12, 1 << 63, 1 << 63)},
        {"a": part(0, 12, 3, kind="F33")},
    ],
    ids=["a gap", "a gap before", "an overlap", "too small", "too large", "negative", "gigantic", "unheard of"],
)
def test_a_header_that_says_otherwise_than_the_file_is_refused(path: Path, header: dict[str, Any]) -> None:
    write(path, header, bytes(12))
    with pytest.raises(SafetensorError):
        read_weights(path)


def test_what_is_no_such_file_is_refused_and_no_pickle_executed(path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return exec, ("raise SystemExit('executed')",)

    with pytest.raises(FileNotFoundError):
        read_weights(path)
    for data in (bytes(range(256)) * 20, pickle.dumps(Trap()), b"\xff" * 64, bytes(64)):
        path.write_bytes(data)
        with pytest.raises((OSError, SafetensorError)):
            read_weights(path)
    torch.save({"a": torch.zeros(1)}, path)
    with pytest.raises((OSError, SafetensorError)):
        read_weights(path)
    path.unlink()
    path.mkdir()
    with pytest.raises((OSError, SafetensorError)):
        read_weights(path)


def test_what_is_beyond_float32_becomes_infinite(tmp_path: Path) -> None:
    save_file({"w": torch.tensor([1e300, -1e300, 1.5], dtype=torch.float64)}, tmp_path / "w.safetensors")
    assert read_weights(tmp_path / "w.safetensors")["w"].tolist() == [np.inf, -np.inf, 1.5]


@pytest.mark.parametrize("shape", [[1] * 100, [0, 1 << 62, 4]])
def test_a_shape_that_no_array_has_is_refused(tmp_path: Path, shape: list[int]) -> None:
    size = 4 if shape[0] else 0
    header = json.dumps({"w": {"dtype": "F32", "shape": shape, "data_offsets": [0, size]}}).encode()
    (tmp_path / "x").write_bytes(struct.pack("<Q", len(header)) + header + bytes(size))
    with pytest.raises(SafetensorError):
        read_weights(tmp_path / "x")
