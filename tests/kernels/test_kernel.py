"""How kernels are compiled."""

import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from polyhead.kernels.code import object_files
from polyhead.kernels.kernel import Kernel, kernel


def test_without_a_place_for_files_it_is_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_files, "cache_folder", lambda sources: None)

    def double(x: int) -> int:
        return 2 * x

    assert kernel(double)(21) == 42


def test_what_could_be_another_has_no_file() -> None:
    def plus(n: int) -> Kernel:
        def added(x: int) -> int:
            return x + n

        return cast("Kernel", kernel(added))

    kernels = [plus(1), plus(2), *(cast("Kernel", kernel(each)) for each in (lambda x: 2 * x, lambda x: 3 * x))]
    assert [each(1) for each in kernels] == [2, 3, 2, 3]
    assert [each.cache_file("int") for each in kernels] == [None] * 4


FINGERPRINT = """
import hashlib
import numpy as np
import torch
from polyhead.engine.choice import Choice
from polyhead.engine.prepare import prepare
from polyhead.model.build import build_model
from polyhead.model.config import TransformerConfig

torch.manual_seed(1)
config = TransformerConfig(encoder_layers=2, decoder_layers=2, d_model=64, d_ff=128, num_heads=4)
model = build_model(config, 200, 200).eval()
source = np.arange(4, 34).reshape(2, 15)
for dtype in ("float32", "int8"):
    engine = prepare(model, Choice("prepared", dtype))
    memory = engine.encode(source, np.ones_like(source, dtype=bool))
    logits, _ = engine.step(np.array([2, 2]), engine.start(memory))
    print(hashlib.sha256(memory.states.tobytes() + logits.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_code_just_compiled_gives_the_numbers_of_code_from_the_cache(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.run([sys.executable, "-c", FINGERPRINT], env=environment, capture_output=True, check=True, text=True)
        for _ in range(2)
    ]
    assert any(tmp_path.rglob("*.code")), "the second run had nothing to load"
    assert runs[0].stdout == runs[1].stdout
