"""The verdict of cleaning on each pair of a stored text, and the digests by which pairs and sentences are compared.

verdicts.uint8  [R] `data.clean.judge` of each pair, unless it has a flaw by its file: then that flaw's verdict
pairs.uint64  sources.uint64  targets.uint64  contents.uint64
                [R] the digests of the pair, of its sides, and of its content (`data.digests`)
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from polyhead.data.clean import STAYS, CleaningConfig, judge
from polyhead.data.digests import digests_of, digests_of_content, digests_of_pairs
from polyhead.data.stored.arrays import made, mapped, put
from polyhead.data.stored.processes import Share
from polyhead.data.stored.texts import StoredPairs

VERDICTS = "verdicts.uint8"
PAIRS, SOURCES, TARGETS, CONTENTS = "pairs.uint64", "sources.uint64", "targets.uint64", "contents.uint64"


def judge_all(directory: Path, usual: Mapping[str | None, float], config: CleaningConfig, share: Share) -> None:
    """Writes this module's files for all pairs that `texts` wrote into a directory, which has the flaws by their files.

    usual: `data.clean.usual_ratios` of all pairs
    """
    rows = len(StoredPairs(directory))
    for name in (PAIRS, SOURCES, TARGETS, CONTENTS):
        made(directory / name, rows)
    task = {
        "task": "judge",
        "directory": str(directory),
        "usual": list(usual.items()),
        "config": config.model_dump(mode="json"),
    }
    share(task, rows, directory)


def judging(task: Mapping[str, Any]) -> partial[None]:
    """The work of a process: it writes the numbers of some rows into all of this module's files."""
    directory = Path(task["directory"])
    config = CleaningConfig.model_validate(task["config"])
    usual: dict[str | None, float] = dict(task["usual"])
    return partial(_judge, StoredPairs(directory), usual, config)


def _judge(
    stored: StoredPairs, usual: Mapping[str | None, float], config: CleaningConfig, first: int, last: int, _: Path
) -> None:
    pairs, directory = stored[first:last], stored.directory
    flawed = np.array(mapped(directory / VERDICTS)[first:last])
    put(directory / VERDICTS, first, np.where(flawed != STAYS, flawed, judge(pairs, usual, config)))
    put(directory / PAIRS, first, digests_of_pairs(pairs))
    put(directory / SOURCES, first, digests_of(pair.source for pair in pairs))
    put(directory / TARGETS, first, digests_of(pair.target for pair in pairs))
    put(directory / CONTENTS, first, digests_of_content(pairs))
