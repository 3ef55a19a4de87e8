"""The options of a training that name its text instead of a recipe."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cyclopts import Parameter

from polyhead.cli.numbers import Weight
from polyhead.cli.paths import NamedPath
from polyhead.cli.usage import UsageError
from polyhead.errors import counted


@Parameter(name="*")
@dataclass(frozen=True)
class Corpora:
    """Files to learn from and to validate on, and how they are to be learnt: options of `train` and of `distill`."""

    source: tuple[NamedPath, ...] = ()
    """Text, a sentence a line, or subtitles (.srt); plain, .gz, .bz2, .xz or .zst. Once for each of several files."""
    target: tuple[NamedPath, ...] = ()
    """The translation of --source, line by line, or for subtitles by their times. `polyhead distill` may do without."""
    pairs: tuple[NamedPath, ...] = ()
    """A file of both languages (TMX, XLIFF, PO, CSV, TSV, JSON Lines, Parquet, Arrow), an archive or a folder."""
    dev_source: NamedPath | None = None
    """Text to validate on; without it a part of the training text is held out."""
    dev_target: NamedPath | None = None
    """The translation of --dev-source."""
    dev_pairs: tuple[NamedPath, ...] = ()
    """A file of both languages to validate on."""
    columns: str | None = None
    """The columns of tables among --pairs and --dev-pairs that hold source and target, such as en,ko or 2,3."""
    source_language: str | None = None
    """Code of the language to translate from, such as en; it chooses among several languages of a file."""
    target_language: str | None = None
    """Code of the language to translate into."""
    weight: tuple[Weight, ...] = ()
    """How often an epoch has the pairs of each corpus, first --source, then --pairs: 2 is twice, 0.5 a random half."""
    both_directions: bool = False
    """Learn every pair the other way round, too: one model translates both ways."""

    def check(self) -> None:
        """Raises UsageError for options that don't go together."""
        if len(self.source) != len(self.target):
            raise UsageError(
                f"--source names {counted(len(self.source), 'file')} and --target {len(self.target)}; they go in pairs"
            )
        corpora = len(self.source) + len(self.pairs)
        if len(self.weight) not in (0, corpora):
            names = " and ".join(
                option for option, given in (("--source", self.source), ("--pairs", self.pairs)) if given
            )
            raise UsageError(
                f"{names or '--source'} names {counted(corpora, 'file')} and --weight "
                f"{counted(len(self.weight), 'weight')}; give a weight for each corpus, or none"
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
        for reader, weight in zip(data.get("train", []) if self.weight else [], self.weight, strict=True):
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
    """The settings of the reader of two files, aligned line by line, or by their times where both are subtitles."""
    from polyhead.corpora.kinds import SUBTITLES, kind_by_name

    are_subtitles = all(kind_by_name(path.name) is SUBTITLES for path in (source, target))
    return {"kind": "subtitles" if are_subtitles else "lines", "source": str(source), "target": str(target)}
