"""The peers' virtual environments: one each, with pinned versions, made once under a cache folder."""

import json
import subprocess
import sys
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
TORCH = "torch==2.13.0"
"""Pinned and installed first: left to the resolver it can become several gigabytes."""


SOCKEYE_NEEDS = ("pyyaml==6.0.3", "sacrebleu==2.6.0", "pillow==13.0.0")
"""What Sockeye asks for is years older than the PyTorch and NumPy that it runs on too."""


@dataclass(frozen=True)
class Environment:
    """What is installed together."""

    name: str
    packages: tuple[str, ...]
    """Pinned; installed in one go after PyTorch, where that is among them."""
    alone: tuple[str, ...] = ()
    """Pinned; installed before the others and without what they ask for."""


ENVIRONMENTS = {
    environment.name: environment
    for environment in (
        Environment("joeynmt", (TORCH, "joeynmt==2.3.0", "importlib_metadata==10.2.0", "safetensors==0.8.0")),
        Environment("eole", (TORCH, "eole==0.6.4", "aiohttp==3.14.5")),
        Environment("sockeye", (TORCH, *SOCKEYE_NEEDS), alone=("sockeye==3.1.34",)),
        Environment("huggingface", (TORCH, "transformers==5.23.0", "sentencepiece==0.2.3")),
        Environment("pymarian", ("pymarian==1.12.42",)),
        Environment("ctranslate2", ("ctranslate2==4.8.5", "sentencepiece==0.2.3")),
        Environment("export", (TORCH, "transformers==5.23.0", "ctranslate2==4.8.5", f"--editable={ROOT}")),
    )
}


STAMP = "benchmark.json"
"""The file that says what a finished environment has."""


class InstallationError(Exception):
    """There is no such environment; the message says why, in pip's words where it could not be made."""


def python_of(environment: Environment, folder: Path, say: Callable[[str], None]) -> Path:
    """The environment's Python; makes the environment where it doesn't stand yet. Raises InstallationError."""
    if (found := standing(environment, folder)) is not None:
        return found
    home = folder / environment.name
    python = home / "bin" / "python"
    say(f"making the environment {home}")
    venv.create(home, with_pip=True, clear=True, symlinks=True)
    for packages, options in installations(environment):
        _pip(python, "install", "--quiet", *options, *packages)
    (home / STAMP).write_text(_contents(environment), encoding="utf-8")
    return python


def standing(environment: Environment, folder: Path) -> Path | None:
    """The environment's Python where it has been made, with the packages that it is to have now; else None."""
    python, stamp = folder / environment.name / "bin" / "python", folder / environment.name / STAMP
    if python.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == _contents(environment):
        return python
    return None


def installations(environment: Environment) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The calls of pip, in order: packages and options."""
    first = [((TORCH,), ())] if TORCH in environment.packages else []
    alone = [(environment.alone, ("--no-deps",))] if environment.alone else []
    return [*first, *alone, (environment.packages, ())]


def versions(python: Path) -> dict[str, str]:
    """What is installed: name → version."""
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {entry["name"].lower(): entry["version"] for entry in json.loads(listed.stdout)}


def own_python() -> Path:
    """The Python that runs this: polyhead is installed there."""
    return Path(sys.executable)


def _contents(environment: Environment) -> str:
    return json.dumps([environment.alone, environment.packages])


def _pip(python: Path, *arguments: str) -> None:
    command = [python, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        problem = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise InstallationError(f"pip {' '.join(arguments)}: {problem[-1] if problem else done.returncode}")
