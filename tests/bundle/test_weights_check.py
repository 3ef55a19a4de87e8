"""A file of weights is read whole, once: its digest is that of its bytes, and every number in it must be finite."""

import hashlib

import numpy as np
import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import save_file

from polyhead.bundle import weights_check
from polyhead.bundle.weights_check import NotFinite, digest_of_weights

KINDS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [0, 1, 7, 1 << 10])
def test_the_digest_is_that_of_the_bytes(tmp_path, monkeypatch, kind, count):
    monkeypatch.setattr(weights_check, "PIECE", 64)
    path = tmp_path / "w.safetensors"
    save_file({"a": torch.randn(count, 3).to(kind), "b": torch.randn(5), "c": torch.zeros(())}, path)
    assert digest_of_weights(path) == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 31, 32, 99])
def test_numbers_that_are_not_finite_are_found_wherever_they_are(tmp_path, monkeypatch, kind, wrong, place):
    monkeypatch.setattr(weights_check, "PIECE", 64)
    weight = torch.randn(100).to(kind)
    weight[place] = wrong
    path = tmp_path / "w.safetensors"
    save_file({"a": torch.randn(10), "damaged.weight": weight, "z": torch.randn(10)}, path)
    with pytest.raises(NotFinite, match=r"damaged\.weight"):
        digest_of_weights(path)


def test_what_is_too_large_for_float32_is_not_finite(tmp_path):
    save_file({"a": torch.tensor([1e300], dtype=torch.float64)}, tmp_path / "w.safetensors")
    with pytest.raises(NotFinite, match="a"):
        digest_of_weights(tmp_path / "w.safetensors")


def test_a_file_that_becomes_shorter_is_an_error(tmp_path, monkeypatch):
    path = tmp_path / "w.safetensors"
    save_file({"a": torch.randn(1000)}, path)
    known = weights_check.parts(path)
    monkeypatch.setattr(weights_check, "parts", lambda _: known)
    with path.open("rb+") as file:
        file.truncate(2000)
    with pytest.raises(SafetensorError, match="became shorter"):
        digest_of_weights(path)
