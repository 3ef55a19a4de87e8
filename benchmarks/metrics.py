"""What a training has noted of itself."""

import json
from pathlib import Path
from typing import Any


def metrics_of(model: Path) -> list[dict[str, Any]]:
    """The lines of `training/metrics.jsonl` in a model directory."""
    lines = (model / "training" / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]
