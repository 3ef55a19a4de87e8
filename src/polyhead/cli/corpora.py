"""The options of a training that name its text instead of a recipe."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyhead.cli.usage import UsageError
from polyhead.errors import counted


@dataclass(frozen=True)
class Corpora:
    """Files to learn from and to validate on, and how they are to be learnt."""

    source: Sequence[Path]
    target: Sequence[Path]
    dev_source: Path | None
    dev_target: Path | None
    weights: Sequence[float] = ()
    """One for each source, or none at all."""
    both_directions: bool = False

    def check(self) -> None:
        """Raises UsageError for options that don't go together."""
        if len(self.source) != len(self.target):
            raise UsageError(
                f"--source names {counted(len(self.source), 'file')} and --target {len(self.target)}; they go in pairs"
            )
        if len(self.weights) not in (0, len(self.source)):
            raise UsageError(
                f"--source names {counted(len(self.source), 'file')} and --weight "
                f"{counted(len(self.weights), 'weight')}; give a weight for each corpus, or none"
            )
        if (self.dev_source is None) != (self.dev_target is None):
            raise UsageError("--dev-source and --dev-target go together")

    def write_into(self, data: dict[str, Any]) -> None:
        """Sets the keys of a recipe's table `[data]` that the options name."""
        if self.source:
            data["train"] = [_lines(*both) for both in zip(self.source, self.target, strict=True)]
        for reader, weight in zip(data.get("train", []) if self.weights else [], self.weights, strict=True):
            reader["weight"] = weight
        if self.dev_source is not None and self.dev_target is not None:
            data["dev"] = [_lines(self.dev_source, self.dev_target)]
        if self.both_directions:
            data["both_directions"] = True


def _lines(source: Path, target: Path) -> dict[str, Any]:
    return {"kind": "lines", "source": str(source), "target": str(target)}
