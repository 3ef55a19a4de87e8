"""Trains the models that are translated with, each once: random weights would have no real lengths.

They are trained as users train theirs, by the project's recipes, but only until their translations are of real length
and of fair quality, with the optimizer that is soonest there; a figure for the speed of translation needs no more.
"""

import subprocess

from benchmarks.contest import Stage
from benchmarks.environments import ROOT, own_python
from benchmarks.sizes import SIZES

FOLDERS = {"multi30k": "multi30k-en-de", "tatoeba": "tatoeba-en-fr", "pydocs": "pydocs-en-ko"}
"""Test set → the folder of its corpus."""


RECIPES = {
    "multi30k": "recipes/multi30k-en-de-cased.toml",
    "tatoeba": "recipes/tatoeba-en-fr.toml",
    "pydocs": "recipes/pydocs-en-ko.toml",
}
"""Test set → the recipe that a model for it is trained by."""
VOCABULARIES = {"multi30k": 10_000, "tatoeba": 8_000, "pydocs": 12_000}
"""Test set → pieces."""
UPDATES = {"tiny": 1500, "small": 900, "base": 1000}


def train(stage: Stage) -> tuple[()]:
    """Every model of the plan that doesn't stand yet; what was interrupted goes on. It has no figures to give."""
    for test_set, size in stage.plan.translations:
        directory = stage.places.models / f"{test_set}-{size}"
        if (directory / "training" / "scores.json").exists() or directory.is_symlink():
            continue
        stage.say(f"training {directory}")
        resume = ["--resume"] if (directory / "training").exists() else []
        command = [own_python(), "-m", "polyhead", "train", *arguments(stage, test_set, size), *resume]
        if subprocess.run(command, check=False).returncode != 0:
            stage.note(f"{directory} could not be trained")
    return ()


def arguments(stage: Stage, test_set: str, size: str) -> list[str]:
    """`polyhead train`'s: the recipe, and what differs from it."""
    updates, shape = UPDATES[size], SIZES[size]
    keys = {
        "out": stage.places.models / f"{test_set}-{size}",
        "threads": stage.threads,
        "data.root": stage.places.data.resolve() / FOLDERS[test_set],
        "data.batching.max_tokens": 8192,
        "tokenizer.vocabulary_size": VOCABULARIES[test_set],
        "tokenizer.dropout": 0,
        "model.preset": size,
        "model.dropout": shape.dropout,
        "training.optimizer.kind": "muon",
        "training.optimizer.clip_norm": 0,
        "training.max_updates": updates,
        "training.validate_every": updates // 6,
        "training.schedule.kind": "cosine",
        "training.schedule.learning_rate": shape.peak,
        "training.schedule.warmup": updates // 4,
        "training.averaging.count": 2,
        "training.patience": "none",
    }
    return [str(ROOT / RECIPES[test_set]), *(str(word) for key, value in keys.items() for word in (f"--{key}", value))]
