"""What two runs of the same training have in common: their metrics and their final weights."""

import hashlib
import json
from pathlib import Path
from typing import Any

BY_THE_CLOCK = ("seconds", "target_tokens_per_second")
"""The metrics that a clock decides."""


def metrics_of(directory: Path) -> list[dict[str, Any]]:
    """All lines of a run's metrics, without what a clock decides."""
    lines = (directory / "training" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [{key: value for key, value in json.loads(line).items() if key not in BY_THE_CLOCK} for line in lines]


def traces(directory: Path) -> tuple[str, list[dict[str, Any]]]:
    """The hash of a run's final weights, and its metrics."""
    return hashlib.sha256((directory / "model.safetensors").read_bytes()).hexdigest(), metrics_of(directory)
