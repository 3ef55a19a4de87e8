"""Directories and recipes that no training has written: one sentence, soon, and nothing of the machine's is eaten."""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from tests.faults.nursery import Nursery
from tests.faults.runs import SUMS, copied, outcome
from tests.faults.tally import tallied

FAULT = "hostile directory or recipe"
SOON = 10.0
"""Seconds, on a machine that has other things to do."""
MEMORY = 4 << 30
"""Bytes that a command may take beside what it has from the start."""
Change = Callable[[Path], object]


def with_key(*place: str, value: object) -> Change:
    """A description with another value."""

    def change(model: Path) -> None:
        values = json.loads((model / "config.json").read_text(encoding="utf-8"))
        table = values
        for key in place[:-1]:
            table = table[key]
        table[place[-1]] = value
        (model / "config.json").write_text(json.dumps(values), encoding="utf-8")

    return change


def weights(change: Callable[[dict[str, np.ndarray]], object]) -> Change:
    """A model with other weights."""

    def changed(model: Path) -> None:
        arrays = {name: array.copy() for name, array in load_file(model / "model.safetensors").items()}
        change(arrays)
        save_file(arrays, model / "model.safetensors")

    return changed


def set_first(value: float) -> Callable[[dict[str, np.ndarray]], object]:
    return lambda arrays: arrays[min(arrays)].__setitem__((0,) * arrays[min(arrays)].ndim, value)


def in_place_of(name: str, make: Callable[[Path], object]) -> Change:
    """Something else by the name of a file."""

    def change(model: Path) -> None:
        (model / name).unlink()
        make(model / name)

    return change


def sparse(path: Path) -> None:
    """A file of a terabyte that takes no room."""
    with path.open("wb") as file:
        file.truncate(1 << 40)


def linked(target: str) -> Callable[[Path], object]:
    return lambda path: path.symlink_to(target)


def nested(path: Path) -> None:
    path.write_text('{"format":' + "[" * 100_000, encoding="utf-8")


DIRECTORIES: dict[str, Change] = {
    "a million layers": with_key("model", "encoder_layers", value=10**6),
    "a hundred thousand layers": with_key("model", "decoder_layers", value=10**5),
    "the longest text": with_key("model", "max_length", value=10**7),
    "the widest network": with_key("model", "d_ff", value=10**9),
    "the largest vocabulary": with_key("source_vocabulary", value=10**21),
    "the widest beam": with_key("decoding", "beam_size", value=10**9),
    "the longest translation": with_key("decoding", "max_length_ratio", value=1e308),
    "endless translations": with_key("decoding", "max_length_ratio", value=float("inf")),
    "settings nested deep": in_place_of("config.json", nested),
    "a pipe for settings": in_place_of("config.json", os.mkfifo),
    "a pipe for a vocabulary": in_place_of("shared.spm", os.mkfifo),
    "a pipe for weights": in_place_of("model.safetensors", os.mkfifo),
    "endless settings": in_place_of("config.json", linked("/dev/zero")),
    "an endless vocabulary": in_place_of("shared.spm", linked("/dev/zero")),
    "endless weights": in_place_of("model.safetensors", linked("/dev/zero")),
    "a terabyte of settings": in_place_of("config.json", sparse),
    "a terabyte of vocabulary": in_place_of("shared.spm", sparse),
    "a terabyte of weights": in_place_of("model.safetensors", sparse),
    "a folder for weights": in_place_of("model.safetensors", Path.mkdir),
    "a weight that is no number": weights(set_first(float("nan"))),
    "an infinite weight": weights(set_first(float("inf"))),
    "a weight too few": weights(lambda arrays: arrays.pop(min(arrays))),
    "a weight of another shape": weights(lambda arrays: arrays.update({min(arrays): np.zeros(3, np.float32)})),
    "weights as whole numbers": weights(lambda arrays: arrays.update({min(arrays): np.zeros((2, 2), np.int64)})),
}
RECIPES: dict[str, list[str]] = {
    "a seed below 0": ["--seed=-1"],
    "a nameless directory": ["--out="],
    "the widest network": ["--model.d_ff=1000000000"],
    "a million layers": ["--model.encoder_layers=1000000"],
    "the largest vocabulary": ["--tokenizer.vocabulary_size=1000000000000000000000"],
    "an endless length": ["--decoding.max_length_ratio=inf"],
    "heads that do not fit": ["--model.num_heads=3"],
    "a value nested deep": ["--training.patience=" + "[" * 20_000],
}


def signed(model: Path) -> None:
    """Makes the sums those of the files, as who means harm does."""
    if (model / SUMS).exists():
        names = [line.split(maxsplit=1)[1].lstrip("*") for line in (model / SUMS).read_text().splitlines() if line]
        sums = {
            name: hashlib.sha256((model / name).read_bytes()).hexdigest()
            for name in names
            if (model / name).is_file() and not (model / name).is_symlink() and (model / name).stat().st_size < 1 << 30
        }
        (model / SUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()))


def refused(nursery: Nursery, directory: Path, *words: str) -> str:
    answer = nursery.run(*words, directory=directory, stdin="bado kilu\n", more_bytes=MEMORY, patience=SOON)
    said = {"refused": "refused in one sentence", "done": "accepted"}
    return said.get(outcome(answer), outcome(answer))


@pytest.mark.parametrize("name", DIRECTORIES)
def test_a_directory_is_refused(learnt, tmp_path, name, record_property):
    with tallied(record_property, FAULT, "a model directory made by hand") as tally:
        for command in ("translate", "info"):
            directory = copied(learnt.directory, tmp_path / command)
            DIRECTORIES[name](directory / "model")
            signed(directory / "model")
            tally.count(refused(learnt.run.nursery, directory, command, "model"), f"{command}, {name}")


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_is_refused(training, tmp_path, name, record_property):
    with tallied(record_property, FAULT, "a recipe's key") as tally:
        tally.count(refused(training.run.nursery, tmp_path, *training.run.words, *RECIPES[name]), name)
        left = [path.name for path in tmp_path.iterdir()]
        tally.count("refused in one sentence" if not left else f"left behind: {', '.join(left)}", name)


def test_a_recipe_nested_deep_is_refused(nursery, tmp_path, record_property):
    (tmp_path / "recipe.toml").write_text("a = " + "[" * 100_000, encoding="utf-8")
    with tallied(record_property, FAULT, "a recipe nested deep") as tally:
        tally.count(refused(nursery, tmp_path, "train", "recipe.toml"), "100,000 brackets")
