"""A process that does its share of the work on a corpus: a task on the first line of its input, then rows on each.

Its answers are lines of JSON: `{"done": …}`, or `{"refused": …}` with a sentence for people.
"""

import json
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from polyhead.data.stored.judging import judging
from polyhead.data.stored.tokens import encoding
from polyhead.errors import PolyheadError
from polyhead.refusals import write_errors

Work = Callable[[int, int, Path], Any]
"""The first row, the row after the last, and the path by which this part of the work may name files → the answer."""
TASKS: Mapping[str, Callable[[Mapping[str, Any]], Work]] = {"judge": judging, "encode": encoding}


def main() -> None:
    """Works until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
    task = json.loads(sys.stdin.readline())
    work = TASKS[task["task"]](task)
    for line in sys.stdin:
        first, last, part = json.loads(line)
        try:
            with write_errors(Path(part)):
                answer = {"done": work(first, last, Path(part))}
        except PolyheadError as error:
            answer = {"refused": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
