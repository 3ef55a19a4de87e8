"""`polyhead score`."""

import json
from dataclasses import asdict
from typing import Annotated

from cyclopts import Parameter

from polyhead.cli.paths import NamedPath


def score(
    model: NamedPath,
    /,
    *,
    source: NamedPath,
    target: NamedPath,
    to: str | None = None,
    json_lines: Annotated[bool, Parameter(name="--json")] = False,
) -> None:
    """Give the log-probability of translations, in nats, a line each.

    Parameters
    ----------
    model
        A model directory.
    source
        Source text.
    target
        The translations to score, line by line.
    to
        The target language, for a model that writes several.
    json_lines
        One JSON object a line, with every token's log-probability, and the score: as in `polyhead translate`, the
        log-probability divided by the length penalty of the model's own search.

    """
    from polyhead.cli.streams import read_lines, write_lines
    from polyhead.translating.translator import Translator

    results = Translator.load(model).score(read_lines(source), read_lines(target), target_language=to)
    if json_lines:
        write_lines(json.dumps(asdict(result), ensure_ascii=False) for result in results)
    else:
        write_lines(f"{result.log_probability:.6f}" for result in results)
