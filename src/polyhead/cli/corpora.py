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

    source: Sequence[Path] = ()
    target: Sequence[Path] = ()
    dev_source: Path | None = None
    dev_target: Path | None = None
    weights: Sequence[float] = ()
    """One for each source, or none at all."""
    both_directions: bool = False
    pairs: Sequence[Path] = ()
    """Files that hold both sides, whose weights follow those of the sources."""
    dev_pairs: Sequence[Path] = ()
    columns: str | None = None
    """The names of the columns with source and target, for all files that are tables: "en,ko"."""
    source_language: str | None = None
    target_language: str | None = None

    def check(self) -> None:
        """Raises UsageError for options that don't go together."""
        if len(self.source) != len(self.target):
            raise UsageError(
                f"--source names {counted(len(self.source), 'file')} and --target {len(self.target)}; they go in pairs"
            )
        corpora = len(self.source) + len(self.pairs)
        if len(self.weights) not in (0, corpora):
            names = " and ".join(
                option for option, given in (("--source", self.source), ("--pairs", self.pairs)) if given
            )
            raise UsageError(
                f"{names or '--source'} names {counted(corpora, 'file')} and --weight "
                f"{counted(len(self.weights), 'weight')}; give a weight for each corpus, or none"
            )
        if (self.dev_source is None) != (self.dev_target is None):
            raise UsageError("--dev-source and --dev-target go together")
        if self.columns is not None and len(self.columns.split(",")) != 2:
            raise UsageError(f"--columns {self.columns} must be two names, source and target: --columns en,ko")
        if self.columns is not None and not (self.pairs or self.dev_pairs):
            raise UsageError("--columns is for the files of --pairs; a recipe names them beside each of its paths")

    def write_into(self, data: dict[str, Any]) -> None:
        """Sets the keys of a recipe's table `[data]` that the options name."""
        if self.train:
            data["train"] = self.train
        for reader, weight in zip(data.get("train", []) if self.weights else [], self.weights, strict=True):
            reader["weight"] = weight
        if self.dev:
            data["dev"] = self.dev
        if self.source_language is not None:
            data["source_language"] = self.source_language
        if self.target_language is not None:
            data["target_language"] = self.target_language
        if self.both_directions:
            data["both_directions"] = True

    @property
    def train(self) -> list[dict[str, Any]]:
        """The readers of what to learn from."""
        aligned = [_aligned(*both) for both in zip(self.source, self.target, strict=True)]
        return [*aligned, *map(self._pairs, self.pairs)]

    @property
    def dev(self) -> list[dict[str, Any]]:
        """The readers of what to validate on."""
        source, target = self.dev_source, self.dev_target
        aligned = [_aligned(source, target)] if source is not None and target is not None else []
        return [*aligned, *map(self._pairs, self.dev_pairs)]

    def _pairs(self, path: Path) -> dict[str, Any]:
        columns = {} if self.columns is None else {"columns": [name.strip() for name in self.columns.split(",")]}
        return {"kind": "pairs", "path": str(path), **columns}


def _aligned(source: Path, target: Path) -> dict[str, Any]:
    """Two files, aligned line by line, or by their times where both are subtitles."""
    from polyhead.corpora.kinds import SUBTITLES, kind_by_name

    are_subtitles = all(kind_by_name(path.name) is SUBTITLES for path in (source, target))
    return {"kind": "subtitles" if are_subtitles else "lines", "source": str(source), "target": str(target)}
