"""In any precision, with any optimizer: a larger model's run that is resumed ends with the bits of one left alone."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomli_w
import torch
from safetensors import safe_open

from polyhead.hardware import cpu_features
from polyhead.recipe.train import train
from polyhead.training.loop import Trainer
from tests.run_traces import traces
from tests.test_other_cpus import COMMON, SCRIBBLED

UPDATES, EVERY = 12, 4
"""Of a run, and between its validations."""
MILLION = {"encoder_layers": 2, "decoder_layers": 2, "d_model": 128, "d_ff": 640, "num_heads": 4}
TEN_MILLION = {"encoder_layers": 4, "decoder_layers": 4, "d_model": 256, "d_ff": 2048, "num_heads": 4}
"""Models of a little more parameters than their names say."""
MUON = {"optimizer": {"kind": "muon", "weight_decay": 0.1}}
VARIANTS: dict[str, dict[str, Any]] = {
    "auto": {},
    "auto, muon, running mean": {**MUON, "averaging": {"kind": "ema", "decay": 0.9}},
    "float32, muon": {"precision": "float32", **MUON},
    "bfloat16, adamw, two batches an update": {
        "precision": "bfloat16",
        "optimizer": {"kind": "adamw", "weight_decay": 0.1, "accumulation": 2},
    },
    "bfloat16, muon, workers": {"precision": "bfloat16", "workers": 2, **MUON},
}
_WITHOUT_BFLOAT16 = COMMON["avx512 without bfloat16"]
PROCESSORS = {
    "auto": ("auto", ("", "")),
    "float32": ("float32", ("", "")),
    "bfloat16": ("bfloat16", ("", "")),
    "int8 without bfloat16": ("int8", _WITHOUT_BFLOAT16),
    "auto with avx2": ("auto", COMMON["avx2"]),
    "float32 with avx2": ("float32", COMMON["avx2"]),
    "bfloat16 with avx2": ("bfloat16", COMMON["avx2"]),
}
"""A precision, the instructions that are left alone, and up to which PyTorch may go."""


def recipe(toy: Any, out: str, model: dict[str, int], training: dict[str, Any]) -> dict[str, Any]:
    return toy.values(
        out,
        tokenizer={"kind": "bpe", "vocabulary_size": 300, "dropout": 0.1},
        model={**model, "dropout": 0.1, "activation_dropout": 0.1},
        data__batching__max_tokens=300,
        training={
            "max_updates": UPDATES,
            "validate_every": EVERY,
            "log_every": 1,
            "metric": "dev_loss",
            "precision": "auto",
            **training,
        },
    )


def contents(directory: Path) -> dict[str, str]:
    """The bits of every tensor of the model, of its checkpoints and its snapshots, and how far checkpoints are."""
    found: dict[str, str] = {}
    for path in sorted(directory.rglob("*.safetensors")):
        with safe_open(path, "pt") as file:
            for name in file.keys():  # noqa: SIM118 (no mapping)
                bits = file.get_tensor(name).reshape(-1).view(torch.uint8).numpy().tobytes()
                found[f"{path.relative_to(directory)}: {name}"] = hashlib.sha256(bits).hexdigest()
            progress = json.loads((file.metadata() or {}).get("progress", "{}"))
        found[f"{path.relative_to(directory)}: progress"] = str({**progress, "seconds": None, "finished": None})
    return found


def assert_same(resumed: Path, alone: Path) -> None:
    found, expected = contents(resumed), contents(alone)
    assert len([name for name in expected if name.startswith("training/checkpoints/")]) > 100
    assert [name for name in expected if found.get(name) != expected[name]] == []
    assert found == expected
    assert traces(resumed) == traces(alone)


@pytest.mark.parametrize("variant", VARIANTS)
def test_stopped_and_resumed_it_ends_with_the_same_bits(
    toy: Any, variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the middle of an epoch, before a validation, and after one."""
    alone = train(recipe(toy, "alone", MILLION, VARIANTS[variant])).directory
    update, stops = Trainer._update, [3, 7, 8]

    def stopping(self: Trainer, *arguments: Any) -> Any:
        result = update(self, *arguments)
        self.interrupt.requested = self.progress.update in stops
        return result

    monkeypatch.setattr(Trainer, "_update", stopping)
    values = recipe(toy, "model", MILLION, VARIANTS[variant])
    finished = [train(values, resume=sitting > 0).finished for sitting in range(4)]
    assert finished == [False, False, False, True]
    assert_same(toy.directory / "model", alone)


STOPPING = """
import sys
from polyhead.cli import main
from polyhead.training.loop import Trainer

update, stop = Trainer._update, int(sys.argv.pop(1))

def stopping(self, *arguments):
    result = update(self, *arguments)
    self.interrupt.requested = self.progress.update == stop
    return result

Trainer._update = stopping
sys.exit(main())
"""
"""The command, asked to stop after the update that its first argument names, as if by a signal; 0: after none."""


@pytest.mark.slow
@pytest.mark.parametrize("model", [MILLION, TEN_MILLION], ids=["a million", "ten million"])
@pytest.mark.parametrize(("precision", "processor"), PROCESSORS.values(), ids=PROCESSORS)
@pytest.mark.skipif("avx512_f" not in cpu_features(), reason="others are imitated on a CPU that can do more")
def test_in_other_processes_too(toy: Any, precision: str, processor: tuple[str, str], model: dict[str, int]) -> None:
    """Each sitting has one of its own, which writes over memory that it takes and gives back."""
    without, of_torch = processor
    hidden = {"POLYHEAD_CPU_WITHOUT": without, "ATEN_CPU_CAPABILITY": of_torch} if without else {}

    def sitting(out: str, stop: int, *options: str, **environment: str) -> str:
        file = toy.directory / "recipe.toml"
        file.write_text(tomli_w.dumps(recipe(toy, out, model, {"precision": precision})))
        command = [sys.executable, "-c", STOPPING, str(stop), "train", str(file), *options]
        done = subprocess.run(
            command, env={**os.environ, **hidden, **environment}, capture_output=True, text=True, check=False
        )
        assert done.returncode == (130 if stop else 0), done.stderr
        return done.stderr

    said = sitting("alone", 0)
    parameters = int(said.split("model: ")[1].split(" parameters")[0].replace(",", ""))
    assert parameters > (1_000_000 if model is MILLION else 10_000_000)
    sitting("model", EVERY, **{**SCRIBBLED, "MALLOC_PERTURB_": "170"})
    sitting("model", 2 * EVERY, "--resume", **SCRIBBLED)
    sitting("model", 0, "--resume")
    assert_same(toy.directory / "model", toy.directory / "alone")
