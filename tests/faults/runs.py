"""Runs to disturb: their recipes, how they are brought to their end, and what is compared then."""

import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
from safetensors import safe_open

from tests.conftest import Toy
from tests.faults.nursery import Answer, Nursery
from tests.run_traces import BY_THE_CLOCK

SUMS = "SHA256SUMS"
NOTHING_THERE = re.compile("there is no (training run|distillation) to resume")
CHECKPOINT = re.compile(r"checkpoints/update-\d+\.safetensors$")
Traces = dict[str, str]
"""File below a run's directory → what must be the same in it, as a hash."""


@dataclass(frozen=True)
class Run:
    """A command that trains a model into the folder `model` of the directory that it is done in."""

    nursery: Nursery
    words: tuple[str, ...]

    def to_the_end(self, directory: Path, patience: float = 120.0) -> Answer:
        """Goes on with what stands in a directory, or begins where nothing does."""
        answer = self.nursery.run(*self.words, "--resume", directory=directory, patience=patience)
        if answer.status == 1 and NOTHING_THERE.search(answer.err):
            answer = self.nursery.run(*self.words, directory=directory, patience=patience)
        return answer

    def problems(self, directory: Path, alone: Traces) -> list[str]:
        """Brings what stands in a directory to its end → what is wrong then, compared with a run left alone."""
        answer = self.to_the_end(directory)
        if answer.status != 0:
            return [f"the end is not reached: {outcome(answer)}"]
        return [*differences(alone, traces(directory)), *unlisted(directory / "model")]


def outcome(answer: Answer) -> str:
    """How a command ended, in a few words; `refused` if it did so in one sentence."""
    if answer.status is None:
        return "hangs"
    if answer.status < 0:
        return f"ended by signal {-answer.status}"
    if "Traceback" in answer.err:
        return "traceback: " + answer.err.strip().splitlines()[-1][:120]
    if answer.status == 0:
        return "done"
    if answer.status not in (1, 2) or not 0 < len(answer.sentence) < 300 or "\n" in answer.sentence:
        return f"status {answer.status} without one short sentence: {answer.sentence[:120]!r}"
    return "refused"


def recipe(toy: Toy, path: Path, **keys: Any) -> Path:
    """Writes the recipe of a toy run, a second long, into a file. A key is written as in `Toy.values`."""
    usual: dict[str, Any] = {
        "training__metric": "dev_loss",  # which gets better all the time, so the best weights are written often
        "training__averaging": {"kind": "last", "count": 2},
        "model__dropout": 0.2,
        "tokenizer": {"kind": "bpe", "vocabulary_size": 300, "dropout": 0.1},
        "data__max_tokens": 64,
    }
    given = {**usual, **keys}
    model = given.pop("model", None)  # in the place of the toy's
    if model is not None:
        given = {key: value for key, value in given.items() if not key.startswith("model__")}
    values = toy.values(**given) | {"out": "model"} | ({} if model is None else {"model": model})
    path.write_text(tomli_w.dumps(values), encoding="utf-8")
    return path


def copied(template: Path, directory: Path) -> Path:
    """A copy of a directory, in the place of what was there."""
    shutil.rmtree(directory, ignore_errors=True)
    return Path(shutil.copytree(template, directory, symlinks=True))


def traces(directory: Path) -> Traces:
    """Of every file below a directory what must be the same in every run that ends as it should.

    Of the checkpoints it is the newest, and how many there are: who is asked to stop writes one where others do not.
    """
    found: Traces = {}
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        content = _content(path).replace(str(directory.resolve()).encode(), b".")
        found[str(path.relative_to(directory))] = hashlib.sha256(content).hexdigest()
    older = sorted(name for name in found if CHECKPOINT.search(name))[:-1]
    named = {name: f"{Path(name).parent}/an older one, the {number}." for number, name in enumerate(older, start=1)}
    return {named.get(name, name): "" if name in named else digest for name, digest in found.items()}


def _content(path: Path) -> bytes:
    """A file's bytes without what a clock decides."""
    if path.name == SUMS:
        return b"checked apart, by `unlisted`"
    if "lock" in path.name:
        return b"who holds it is another process each time"
    if path.name == "metrics.jsonl":
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        return json.dumps([_without_clock(line) for line in lines]).encode()
    if path.name == "README.md":
        return re.sub(rb" in [^;\n]*;", b" in some time;", path.read_bytes())
    if path.parent.name == "checkpoints":
        return _checkpoint(path)
    return path.read_bytes()


def _without_clock(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in BY_THE_CLOCK}


def _checkpoint(path: Path) -> bytes:
    """Its tensors and what it says of the progress."""
    digest = hashlib.sha256()
    with safe_open(path, "np") as file:
        metadata = file.metadata() or {}
        for name in sorted(file.keys()):
            digest.update(name.encode())
            digest.update(file.get_tensor(name).tobytes())
    said = {key: value for key, value in metadata.items() if key != "progress"}
    progress = _without_clock(json.loads(metadata.get("progress", "{}")))
    return json.dumps([said, progress, digest.hexdigest()], sort_keys=True).encode()


def differences(alone: Traces, found: Traces) -> list[str]:
    """What is not as in a run left alone."""
    return [
        *(f"{name} is missing" for name in alone if name not in found),
        *(f"{name} is left over" for name in found if name not in alone),
        *(f"{name} differs" for name in alone if name in found and alone[name] != found[name]),
    ]


def unlisted(model: Path) -> list[str]:
    """What is wrong with the sums in a finished model directory, by `sha256sum --check`."""
    training, distilled = model / "training", model / "distilled"
    wanted: dict[Path, Iterable[str]] = {
        model: ["config.json", "model.safetensors", "README.md", *_names(model, "*.spm"), *_names(model, "short*")],
        training: ["recipe.toml", "data.json", "scores.json"],
        training / "checkpoints": _names(training / "checkpoints", "*.safetensors"),
        training / "snapshots": _names(training / "snapshots", "*.safetensors"),
    }
    if distilled.exists():
        wanted[distilled] = ["record.json", *_names(distilled, "train.*")]
    return [problem for directory, names in wanted.items() for problem in _unlisted(directory, names)]


def _names(directory: Path, pattern: str) -> list[str]:
    return [path.name for path in directory.glob(pattern)]


def _unlisted(directory: Path, names: Iterable[str]) -> list[str]:
    sums = directory / SUMS
    if not sums.exists():
        return [f"there is no {sums.parent.name}/{SUMS}"]
    listed = {line.split(maxsplit=1)[1].lstrip("*") for line in sums.read_text(encoding="utf-8").splitlines() if line}
    check = ["sha256sum", "--check", "--strict", "--quiet", SUMS]
    checked = subprocess.run(check, cwd=directory, capture_output=True, text=True, check=False)
    said = (checked.stdout + checked.stderr).strip().replace("\n", "; ")
    return [
        *(f"{directory.name}/{name} is not listed" for name in names if name not in listed),
        *([f"{directory.name}/{SUMS}: {said}"] if checked.returncode else []),
    ]
