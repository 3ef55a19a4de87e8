"""The trained models that are translated with: found by name, exported for the peers that can load them."""

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

from benchmarks.contest import Stage
from benchmarks.environments import ENVIRONMENTS, InstallationError, python_of
from polyhead.bundle.config import BundleConfig
from polyhead.errors import DataError

FORMATS = ("ctranslate2", "huggingface")


@dataclass(frozen=True)
class Trained:
    """A model directory, and the same weights in the peers' formats."""

    directory: Path
    config: BundleConfig
    exported: dict[str, Path]
    """Format → folder; a format that it cannot be written in is missing."""

    def folder(self, form: str) -> Path | None:
        """Where a system finds the weights in its format; "." is our own."""
        return self.directory if form == "." else self.exported.get(form)


def find(stage: Stage, test_set: str, size: str) -> Path | None:
    """`TEST SET-SIZE` below the folder of models; None, and a note, where there is no such model."""
    directory = stage.places.models / f"{test_set}-{size}"
    if all((directory / name).exists() for name in ("config.json", "model.safetensors")):
        return directory
    stage.note(f"translation, {size}, {test_set}: there is no model {directory}")
    return None


def load(stage: Stage, directory: Path) -> Trained:
    """Reads its settings and exports it, once for each state of its weights. Raises DataError for a tagged model."""
    config = BundleConfig.model_validate_json((directory / "config.json").read_text(encoding="utf-8"))
    if config.tagged or not config.tokenizer.shared:
        raise DataError("the benchmark translates with models of one direction and one shared vocabulary", directory)
    exported = {form: folder for form in FORMATS if (folder := _exported(stage, directory, form)) is not None}
    return Trained(directory, config, exported)


def _exported(stage: Stage, directory: Path, form: str) -> Path | None:
    folder = stage.places.cache / "exported" / f"{directory.name}-{fingerprint(directory)}-{form}"
    if folder.exists():
        return folder
    try:
        python = python_of(ENVIRONMENTS["export"], stage.places.environments, stage.say)
    except InstallationError as error:
        stage.note(f"no model can be exported: {error}")
        return None
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = [python, "-m", "polyhead", "export", directory, folder, "--to", form]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        stage.note(f"{directory} cannot be exported to {form}: {done.stderr.strip()}")
        return None
    return folder


def fingerprint(directory: Path) -> str:
    """Of weights and settings: an export of other weights isn't taken for theirs."""
    digest = hashlib.sha256()
    for name in ("config.json", "model.safetensors"):
        digest.update((directory / name).read_bytes())
    return digest.hexdigest()[:12]
