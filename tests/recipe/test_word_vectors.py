"""word2vec files in both formats, what a fresh embedding takes from them, and every way they can be broken."""

import os
import re
from pathlib import Path

import pytest
import torch
from torch import nn

from polyhead.errors import DataError
from polyhead.recipe.word_vectors import load_word_vectors

PIECES = ["<pad>", "▁dog", "s", "▁cat", "▁über"]
ENTRIES = {"dog": [1.0, 2.0], "über": [-2.0, 0.5], "horse": [9.0, 9.0], "s": [0.25, -1.0]}


def text_file(directory: Path) -> Path:
    path = directory / "vectors.txt"
    lines = [f"{len(ENTRIES)} 2", *(f"{word} {a} {b}" for word, (a, b) in ENTRIES.items())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def binary_file(directory: Path, end: bytes) -> Path:
    path = directory / "vectors.bin"
    entries = [word.encode() + b" " + torch.tensor(pair).numpy().tobytes() + end for word, pair in ENTRIES.items()]
    path.write_bytes(b"%d 2\n" % len(ENTRIES) + b"".join(entries))
    return path


def check(path: Path) -> None:
    found = load_word_vectors(path, PIECES, 2)
    assert found.rows.tolist() == [1, 4, 2]
    raw = torch.tensor([ENTRIES["dog"], ENTRIES["über"], ENTRIES["s"]])
    ratio = found.vectors / raw
    assert torch.allclose(ratio, ratio[0, 0].expand_as(ratio))
    assert float(found.vectors.square().mean().sqrt()) == pytest.approx(2**-0.5)
    assert found.report == "3 of 5 pieces (60.0 %) start from a word vector"


def test_text(tmp_path: Path) -> None:
    check(text_file(tmp_path))


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_binary(tmp_path: Path, end: bytes) -> None:
    check(binary_file(tmp_path, end))


def test_the_rest_keeps_its_initialisation(tmp_path: Path) -> None:
    embedding = nn.Embedding(5, 2)
    before = embedding.weight.detach().clone()
    found = load_word_vectors(text_file(tmp_path), PIECES, 2)
    found.write_into(embedding)
    assert torch.equal(embedding.weight[found.rows], found.vectors)
    assert torch.equal(embedding.weight[[0, 3]], before[[0, 3]])
    assert embedding.weight.requires_grad


def test_nothing_known(tmp_path: Path) -> None:
    found = load_word_vectors(text_file(tmp_path), ["<pad>"], 2)
    assert found.vectors.shape == (0, 2)
    found.write_into(nn.Embedding(1, 2))


@pytest.mark.parametrize(
    ("content", "place", "message"),
    [
        (b"dog 1 2\n", ":1:", 'the first line must be "count dimensions"'),
        (b"", ":1:", "the first line must be"),
        (b"1 3\ndog 1 2 3\n", ":1:", "vectors of 3 numbers where model.d_model = 2"),
        (b"2 2\ndog 1 2\ncat 1\n", ":3:", "1 numbers after its word where 2 are due"),
        (b"2 2\ndog 1 2\ncat one two\n", ":3:", "not a word in UTF-8 and 2 numbers"),
        (b"1 2\n\xe9t\xe9 1 2\n", ":2:", "not a word in UTF-8"),
        (b"1 2\ndog 1 nan\n", ":2:", "not finite"),
        (b"3 2\ndog 1 2\n", ":3:", "has 1 vectors where its first line says 3"),
        (b"1 2\ndog 1 2\ncat 3 4\n", ":3:", "one vector more than the 1"),
        (b"1 2\ndog \x00\x00\x80", ":2:", "cut off in the middle of a vector"),
        (b"2 2\ndog " + b"\x00" * 8, ":3:", "has 1 vectors where its first line says 2"),
        (b"2 2\ndog " + b"\x00" * 8 + b"cat", ":3:", "cut off or not in word2vec's binary format"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path: Path, content: bytes, place: str, message: str) -> None:
    path = tmp_path / "broken"
    path.write_bytes(content)
    with pytest.raises(DataError, match=re.escape(str(path) + place)) as raised:
        load_word_vectors(path, PIECES, 2)
    assert message in str(raised.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        load_word_vectors(tmp_path / "none", PIECES, 2)


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
def test_a_pipe_and_a_device_are_no_word_vectors(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zeros").symlink_to("/dev/zero")
    for name, kind in (("pipe", "a pipe"), ("zeros", "a device")):
        with pytest.raises(DataError, match=kind):
            load_word_vectors(tmp_path / name, ["a"], 3)


def test_a_line_without_an_end_is_not_read_to_it(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"1 3\n" + b"a" * 1_000_000)
    with pytest.raises(DataError, match=":2: "):
        load_word_vectors(tmp_path / "x", ["a"], 3)
