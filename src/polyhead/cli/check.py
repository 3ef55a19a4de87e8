"""`polyhead check`."""

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from cyclopts import Parameter

from polyhead.cli.paths import NamedPath


def check(
    *,
    source: NamedPath,
    target: NamedPath,
    json_output: Annotated[bool, Parameter(name="--json")] = False,
) -> None:
    """Look at a corpus before training on it: what cleaning would drop and why, lengths, what training would choose.

    Parameters
    ----------
    source
        Text to translate from, a sentence a line; plain, .gz, .xz or .zst.
    target
        Its translation, line by line.
    json_output
        Write JSON.

    """
    import torch

    from polyhead.data.clean import CleaningConfig, clean
    from polyhead.data.readers import LinesConfig, read
    from polyhead.data.statistics import CorpusStatistics
    from polyhead.recipe.defaults import complete

    pairs, report = clean(read(LinesConfig(source=source, target=target)), CleaningConfig())
    lengths = {
        "source": _lengths([pair.source for pair in pairs]),
        "target": _lengths([pair.target for pair in pairs]),
    }
    corpus = CorpusStatistics.of(pairs)
    values = {"data": {"train": [{"kind": "lines", "source": str(source), "target": str(target)}]}}
    choices = complete(values, corpus, torch.device("cpu"))[1]
    if json_output:
        result: dict[str, Any] = {
            "cleaning": asdict(report),
            "words": lengths,
            "characters": corpus.characters,
            "word_types": corpus.word_types,
            "defaults": {choice.key: choice.value for choice in choices},
        }
        print(json.dumps(result, ensure_ascii=False))
        return
    print(report)
    for side, numbers in lengths.items():
        print(f"words a {side} line: " + ", ".join(f"{name} {value:g}" for name, value in numbers.items()))
    print(f"different words: {corpus.word_types:,}; different characters: {corpus.characters:,}")
    for choice in choices:
        print(f"training would choose: {choice}")


def _lengths(texts: Sequence[str]) -> dict[str, float]:
    counts = sorted(len(text.split()) for text in texts) or [0]
    return {
        "mean": round(statistics.fmean(counts), 1),
        "median": statistics.median(counts),
        "99 %": counts[min(len(counts) - 1, len(counts) * 99 // 100)],
        "longest": counts[-1],
    }
