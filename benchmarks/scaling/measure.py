"""Trainings of a few updates on this machine, by the command itself: time, memory, and the numbers that they sum."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, cast

import tomli_w

from benchmarks.counting import operations, training_products
from benchmarks.metrics import metrics_of
from benchmarks.sizes import SIZES
from polyhead.bundle.load import load_bundle
from polyhead.corpora.text_lines import read_text_lines

VOCABULARY = 8_000
"""V: pieces that source and target share."""
REPORTS = 8
"""Lines of metrics of each training. The first two are left out: a run's first updates take longer."""
UPDATES = {"tiny": 64, "small": 32, "base": 16}
"""Updates of a training of each size."""
LOOKED_AT = 2_000
"""Sentence pairs of which tokens are counted."""
PAUSE = 0.2
"""Seconds between two looks at the memory of the processes."""
TORCHRUN = (sys.executable, "-m", "torch.distributed.run")


@dataclass(frozen=True)
class Setting:
    """One training."""

    size: str
    max_tokens: int
    """`data.batching.max_tokens`: both sides, padding included."""
    processes: int = 1
    workers: int = 2
    """Of each process, which takes as many cores."""


SETTINGS = (
    *(Setting(size, 8_192) for size in SIZES),
    *(Setting("small", tokens) for tokens in (2_048, 4_096, 16_384, 32_768)),
    *(Setting(size, 8_192, workers=1) for size in ("tiny", "small")),
    *(Setting(size, 8_192, processes, workers=1) for size in ("tiny", "small") for processes in (2, 4)),
    Setting("base", 8_192, 2, workers=1),
)
"""All that are measured: sizes, batches, one worker, and several processes with one worker each."""


@dataclass(frozen=True)
class Measured:
    """What came of a training."""

    setting: Setting
    parameters: int
    seconds: float
    """Of an update, without validation: the median over the lines of metrics."""
    source_tokens: float
    """Of an update."""
    target_tokens: float
    operations: float
    """Of the matrix products of an update, counted."""
    mebibytes: float
    """The peak of resident memory, all processes together; what they share counts for each of them."""


@dataclass(frozen=True)
class Summed:
    """A sum of so many bytes over processes on this machine."""

    processes: int
    nbytes: int
    seconds: float
    """The median of several."""


def train(setting: Setting, data: Path) -> Measured:
    """Trains on the Multi30k corpus in `data`. Raises RuntimeError where training fails."""
    with TemporaryDirectory() as folder:
        directory = Path(folder)
        (directory / "recipe.toml").write_text(tomli_w.dumps(_recipe(setting, data, directory)), encoding="utf-8")
        command = [*launcher(setting.processes), "-m", "polyhead", "train", str(directory / "recipe.toml")]
        mebibytes = run(command, directory / "said")
        return _read(setting, data, directory / "model", mebibytes)


def sum_over(processes: int) -> list[Summed]:
    """Times sums as training makes them."""
    command = [*launcher(processes), "-m", "benchmarks.drivers.sums"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-2_000:])
    return [Summed(processes, each["nbytes"], each["seconds"]) for each in json.loads(done.stdout)]


def run(command: list[str], said: Path) -> float:
    """Runs a command to its end → the peak of resident memory in MiB of it and all that it starts.

    said: where its output goes. Raises RuntimeError with the end of it where the command fails.
    """
    peaks: dict[int, int] = {}
    with said.open("wb") as file, subprocess.Popen(command, stdout=file, stderr=file) as process:
        while process.poll() is None:
            peaks |= {number: peak for number in _family(process.pid) if (peak := _peak(number))}
            time.sleep(PAUSE)
    if process.returncode:
        raise RuntimeError(said.read_text(encoding="utf-8", errors="replace")[-2_000:])
    return sum(peaks.values()) / 1024


def launcher(processes: int) -> tuple[str, ...]:
    """What a command begins with that runs a module of Python in so many processes."""
    if processes == 1:
        return (sys.executable,)
    return (*TORCHRUN, "--standalone", "--nproc-per-node", str(processes))


def _recipe(setting: Setting, data: Path, directory: Path) -> dict[str, Any]:
    updates = UPDATES[setting.size]
    dev = directory / "dev"
    for side in ("en", "de"):
        lines = islice(read_text_lines(data / f"val.{side}"), 8)
        dev.with_suffix(f".{side}").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return {
        "out": str(directory / "model"),
        "threads": setting.workers,
        "data": {
            "train": [{"kind": "lines", "source": str(data / "train.en"), "target": str(data / "train.de")}],
            "dev": [{"kind": "lines", "source": f"{dev}.en", "target": f"{dev}.de"}],
            "batching": {"max_tokens": setting.max_tokens},
        },
        "tokenizer": {"vocabulary_size": VOCABULARY},
        "model": {"preset": setting.size},
        "training": {
            "max_updates": updates,
            "validate_every": updates,
            "log_every": updates // REPORTS,
            "metric": "dev_loss",
            "workers": setting.workers,
            "optimizer": {"kind": "adam"},
            "averaging": {"kind": "none"},
        },
    }


def _read(setting: Setting, data: Path, model: Path, mebibytes: float) -> Measured:
    found = [line for line in metrics_of(model) if "target_tokens_per_second" in line][2:]
    every = UPDATES[setting.size] // REPORTS
    seconds = median(line["target_tokens"] / every / line["target_tokens_per_second"] for line in found)
    target_tokens = sum(line["target_tokens"] for line in found) / every / len(found)
    bundle = load_bundle(model)
    source, target = (
        sum(len(tokenizer.encode(text)) + 1 for text in islice(read_text_lines(data / f"train.{side}"), LOOKED_AT))
        for tokenizer, side in ((bundle.source_tokenizer, "en"), (bundle.target_tokenizer, "de"))
    )
    sentences = target_tokens * LOOKED_AT / target
    products = training_products(
        SIZES[setting.size], VOCABULARY, round(sentences), round(source / LOOKED_AT), round(target / LOOKED_AT)
    )
    parameters = sum(weight.numel() for weight in bundle.model.parameters())
    source_tokens = target_tokens * source / target
    return Measured(
        setting, parameters, seconds, source_tokens, target_tokens, float(operations(products)), round(mebibytes)
    )


def _family(process: int) -> list[int]:
    """A process and all that it has started, and these, which are alive."""
    children = Path(f"/proc/{process}/task/{process}/children")
    try:
        found = [int(number) for number in children.read_text().split()]
    except OSError:
        return []
    return [process, *(number for child in found for number in _family(child))]


def _peak(process: int) -> int:
    """KiB of resident memory at the most, until now."""
    try:
        fields = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    except OSError:
        return 0
    return int(cast(str, fields.get("VmHWM", "0 kB")).split()[0])
