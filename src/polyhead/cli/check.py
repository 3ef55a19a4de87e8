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
    from polyhead.data.clean import CleaningConfig, clean
    from polyhead.data.readers import LinesConfig, read
    from polyhead.data.statistics import CorpusStatistics
    from polyhead.data.suspicions import suspicions
    from polyhead.recipe.defaults import complete
    from polyhead.recipe.hold_out import hold_out
    from polyhead.recipe.languages import languages_from_file_names
    from polyhead.recipe.plan import choose_device
    from polyhead.recipe.schema import DataConfig, Recipe

    corpus = LinesConfig(source=source, target=target)
    pairs, report = clean(read(corpus), CleaningConfig())
    lengths = {
        "source": _lengths([pair.source for pair in pairs]),
        "target": _lengths([pair.target for pair in pairs]),
    }
    suspicious = suspicions(pairs)
    learnt, _ = hold_out(pairs, Recipe.model_fields["seed"].default)  # the bare command trains on these alone
    statistics = CorpusStatistics.of([pairs[row] for row in learnt])
    languages = languages_from_file_names(DataConfig(train=(corpus,)))
    values = {"data": {"train": [corpus.model_dump(mode="json")]}}
    choices = complete(values, statistics, choose_device())[1]
    if json_output:
        result: dict[str, Any] = {
            "languages": languages.data,
            "cleaning": asdict(report),
            "words": lengths,
            "suspicions": suspicious,
            "characters": statistics.characters,
            "word_types": statistics.word_types,
            "defaults": {choice.key: choice.value for choice in choices},
        }
        print(json.dumps(result, ensure_ascii=False))
        return
    if languages.sentence:
        print(languages.sentence)
    print(report)
    for sentence in suspicious:
        print(sentence)
    for side, numbers in lengths.items():
        print(f"words a {side} line: " + ", ".join(f"{name} {value:g}" for name, value in numbers.items()))
    print(f"different words: {statistics.word_types:,}; different characters: {statistics.characters:,}")
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
