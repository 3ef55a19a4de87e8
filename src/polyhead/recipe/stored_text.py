"""Writing the text of a corpus to the disk: it is read, cleaned, partly held out, and described in a record."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from polyhead.config import Config
from polyhead.cores import cores
from polyhead.data.clean import REASONS, STAYS, CleaningReport, Lengths, count_lengths, settle, usual_ratios
from polyhead.data.digests import in_parts
from polyhead.data.readers import in_chunks
from polyhead.data.stored.arrays import mapped, rows_of, select, write
from polyhead.data.stored.judging import CONTENTS, PAIRS, SOURCES, TARGETS, VERDICTS, judge_all
from polyhead.data.stored.processes import Share
from polyhead.data.stored.room import check_free
from polyhead.data.stored.stamps import bytes_of, files_of
from polyhead.data.stored.texts import ROWS, StoredPairs, TextWriter
from polyhead.data.stored.whole import Say
from polyhead.errors import counted
from polyhead.limits import LARGEST_BYTES
from polyhead.recipe.facts import Facts
from polyhead.recipe.hold_out import rows_to_hold_out
from polyhead.recipe.prepare import as_read, by_weight, check_left, read_with_languages
from polyhead.recipe.schema import DataConfig

RECORD, WEIGHTS = "record.json", "weights.float64"
_AT_A_TIME = 5_000
"""Pairs that are written at a time."""
_ROOM = 2.2
"""Bytes that the text and its numbers take for each byte of the files."""
Identity = Mapping[str, Any]
"""All that a text follows from; `hold_out` in it is the seed by which pairs are held out, or None."""


class Record(Config):
    """The description of a text that was prepared."""

    identity: dict[str, Any]
    """What the text was made from."""
    report: CleaningReport
    held_out: tuple[Annotated[int, Field(ge=0, le=LARGEST_BYTES)], ...]
    """The rows of the pairs to validate on, where none were given."""
    facts: Facts


@dataclass(frozen=True)
class _Found:
    """What is known of a text when all of it is written, and before it is cleaned."""

    ends: list[int]
    """For each reader, how many pairs it and those before it have given."""
    lengths: Counter[Lengths]


def make_text(directory: Path, identity: Identity, config: DataConfig, say: Say) -> None:
    """Writes everything but vocabularies and token ids into a directory that is empty. Raises what reading raises."""
    files = files_of(as_read(config.train, config)) or []
    check_free(directory, _ROOM * bytes_of(files))
    say(f"preparing {bytes_of(files) / 1e6:,.0f} MB of text in {directory.parent}")
    found = _write_texts(directory, config, say)
    judge_all(directory, usual_ratios(found.lengths), config.cleaning, Share(cores(), say=say, what="looked at"))
    everything = StoredPairs(directory)
    stay, report = settle(
        np.array(mapped(directory / VERDICTS)), mapped(directory / PAIRS), config.cleaning, everything.origin
    )
    check_left(report)
    held_out: list[int] = []
    if identity["hold_out"] is not None:
        held_out = _held_out(directory, stay, identity["hold_out"])
        if len(held_out) < report.kept:
            stay[held_out] = False
    write(directory / ROWS, rows_of(stay))
    contents = directory / "all_contents.uint64"
    (directory / CONTENTS).rename(contents)
    write(directory / CONTENTS, select(mapped(contents), stay))
    weights = _write_weights(directory, [reader.weight for reader in by_weight(config)], found.ends)
    for name in (VERDICTS, PAIRS, SOURCES, TARGETS, contents.name):
        (directory / name).unlink()
    pairs = StoredPairs(directory, mapped(directory / ROWS))
    facts = Facts.of(pairs, mapped(weights) if weights is not None else None)
    record = Record(identity=dict(identity), report=report, held_out=tuple(held_out), facts=facts)
    (directory / RECORD).write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _write_texts(directory: Path, config: DataConfig, say: Say) -> _Found:
    """Writes every pair as it is read."""
    writer, lengths = TextWriter(directory), Counter[Lengths]()
    ends: list[int] = []
    try:
        with (directory / VERDICTS).open("wb") as verdicts:
            for reader in by_weight(config):
                for some in in_chunks(read_with_languages([reader], config), _AT_A_TIME):
                    writer.add(some)
                    lengths.update(count_lengths(some))
                    flaws = [STAYS if pair.flaw is None else 1 + REASONS.index(pair.flaw) for pair in some]
                    verdicts.write(bytes(flaws))
                ends.append(writer.count)
    finally:
        writer.close()
    say(f"read: {counted(writer.count, 'pair')}")
    return _Found(ends, lengths)


def _held_out(directory: Path, stay: NDArray[np.bool_], seed: int) -> list[int]:
    """The rows to validate on, among those that stay."""
    sides: list[Path] = []
    for name in (SOURCES, TARGETS):
        sides.append(directory / f"kept_{name}")
        write(sides[-1], select(mapped(directory / name), stay))
    held_out = rows_to_hold_out(mapped(sides[0]), mapped(sides[1]), seed)
    rows = directory / "kept_rows.int64"
    write(rows, rows_of(stay))
    found: list[int] = mapped(rows)[held_out].tolist()
    for path in (*sides, rows):
        path.unlink()
    return found


def _write_weights(directory: Path, weights: Sequence[float], ends: Sequence[int]) -> Path | None:
    """Writes how often an epoch has each training pair → the file; None where each is there once."""
    if all(weight == 1 for weight in weights):
        return None
    of_reader, path = np.array(weights), directory / WEIGHTS
    rows = mapped(directory / ROWS)
    parts = (rows[start : start + (1 << 20)] for start in range(0, len(rows), 1 << 20))
    write(path, (of_reader[np.searchsorted(np.array(ends), some, side="right")] for some in parts))
    if all(np.all(some == 1) for _, some in in_parts(mapped(path))):  # cleaning has left no pair with another weight
        path.unlink()
        return None
    return path
