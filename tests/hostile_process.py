"""Runs commands of polyhead one after the other under limits, for `test_hostile.py`: JSON in, JSON out.

A process of its own, so that a limit on memory holds for the commands alone. Each command has five seconds.
"""

import contextlib
import io
import json
import resource
import signal
import sys
import time
import traceback
from typing import Any

MEMORY = 6 << 30
SECONDS = 5


def overdue(number: int, frame: Any) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


def run(words: list[str]) -> dict[str, Any]:
    from polyhead.cli import main

    said, began = io.StringIO(), time.monotonic()
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
            status = main(words)
    except BaseException:
        said.write(traceback.format_exc())
        status = -1
    finally:
        signal.alarm(0)
    return {"status": status, "said": said.getvalue(), "seconds": time.monotonic() - began}


if __name__ == "__main__":
    import torch  # noqa: F401  no command shall be said to take the time that this takes

    import polyhead.recipe.train  # noqa: F401

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, overdue)
    json.dump([run(words) for words in json.load(sys.stdin)], sys.stdout)
