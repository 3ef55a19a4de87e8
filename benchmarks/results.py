"""What a run of the benchmark has found: rows, and what they were measured on."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.corpora import write_json
from benchmarks.systems import FLOOR, OURS

FORMAT = 1
LATEST = "latest.json"
"""The file of a folder of results."""


@dataclass(frozen=True)
class Row:
    """One figure."""

    task: str
    """`training`, `time to BLEU`, `translation`, `machine`."""
    size: str
    """Of the model; empty for the machine."""
    measure: str
    """What is counted: `throughput`, `latency p50`, `peak memory` …"""
    system: str
    setting: str
    value: float | None
    """None where the system could not do it; `note` says why."""
    unit: str
    data: str = ""
    """The test set."""
    search: str = ""
    """`greedy` or `beam 5`."""
    ratio: float | None = None
    """polyhead's value divided by this one."""
    spread: float | None = None
    """(highest − lowest) / median over the rounds."""
    note: str = ""
    date: str = ""
    """When the call that measured it began, UTC."""

    @property
    def question(self) -> tuple[str, ...]:
        """Rows that answer the same question can be compared."""
        return (self.task, self.size, self.measure, self.data, self.search, self.unit)

    @property
    def contest(self) -> tuple[str, ...]:
        """Rows that answer it in one call are set against each other."""
        return (*self.question, self.date)


@dataclass(frozen=True)
class Results:
    """A whole run."""

    plan: str
    """`full` or `quick`."""
    date: str
    """Of the last run; a row kept from an earlier one has its own."""
    machine: dict[str, Any]
    versions: dict[str, dict[str, str]]
    """System → package → version."""
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = field(default=())
    """What could not be measured, and why."""


def with_ratios(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Every row whose question polyhead has answered in the same call gets its ratio."""
    rows = tuple(rows)
    ours: dict[tuple[str, ...], float] = {}
    for row in rows:
        if row.system == OURS and row.value is not None:
            ours.setdefault(row.contest, row.value)  # of several settings the first: what polyhead chooses itself
    return tuple(replace(row, ratio=_ratio(ours.get(row.contest), row.value)) for row in rows)


def home(folder: Path, machine: Mapping[str, Any]) -> Path:
    """Where this machine's figures are kept: `folder`, or one of its own in it where another machine's stand there."""
    latest = folder / LATEST
    if not latest.exists() or _is_same(read(latest).machine, machine):
        return folder
    words = re.findall(r"[a-z0-9]+", f"{machine['processor']} {machine['family']}".lower())
    return folder / "-".join(words)


def write(results: Results, path: Path) -> None:
    """As JSON, atomically."""
    write_json(path, {"format": FORMAT, **asdict(results)})


def read(path: Path) -> Results:
    """What `write` wrote. Raises ValueError where it is of another format."""
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if stored.pop("format", None) != FORMAT:
        raise ValueError(f"{path} holds no results of format {FORMAT}")
    rows, notes = tuple(Row(**row) for row in stored.pop("rows")), tuple(stored.pop("notes"))
    return Results(**stored, rows=rows, notes=notes)


def merged(old: Results | None, new: Results) -> Results:
    """The new rows, and the old ones whose questions the new run hasn't asked, with theirs."""
    if old is None or not _is_same(old.machine, new.machine):
        return new
    asked = {(row.question, row.system == FLOOR) for row in new.rows}
    kept = tuple(row for row in old.rows if (row.question, row.system == FLOOR) not in asked)
    return Results(new.plan, new.date, new.machine, old.versions | new.versions, (*new.rows, *kept), new.notes)


def _is_same(machine: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the processors are alike: systems and libraries are brought up to date."""
    return all(machine.get(name) == other.get(name) for name in ("processor", "family", "cores", "flags"))


def _ratio(ours: float | None, theirs: float | None) -> float | None:
    return ours / theirs if ours is not None and theirs else None
