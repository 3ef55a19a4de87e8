"""How a command ends that does not succeed: an exit status, and one sentence instead of a traceback."""

import errno
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from cyclopts import CycloptsError, UnusedCliTokensError

from polyhead.cli.signals import Ended
from polyhead.cli.usage import UsageError
from polyhead.errors import PolyheadError, shortened, shown
from polyhead.extras import missing_extra
from polyhead.memory.freed import out_of_memory
from polyhead.training.world import Deserted

_TRAINING = "lower --data.batching.max_tokens, or train a smaller model"
_SMALLER: dict[str, str] = {
    "train": f"{_TRAINING}; --resume goes on from the last checkpoint",
    "distill": f"{_TRAINING}; --resume goes on from what was written",
    "demo": _TRAINING,
    "translate": "lower --batch-tokens or --beam, or take a smaller model",
    "evaluate": "lower --beam, or take a smaller model",
    "score": "take shorter lines, or a smaller model",
    "look": "look at a shorter sentence, or take a smaller model",
    "serve": "lower --batch-tokens, or serve fewer or smaller models",
    "check": "look at a part of the corpus",
    "shortlist": "name a part of the text with --source and --target",
}
"""Command → what needs less memory."""


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of a disk. Without the name of a file they are about standard output, as all other writing names its file."""


class Ending(NamedTuple):
    """What is said on standard error, and the exit status."""

    status: int
    sentence: str | None


def ending_of(error: BaseException, words: Sequence[str]) -> Ending | None:
    """What an error means to the user who gave the command `words`; None where it is a fault of this program."""
    match error:
        case UnusedCliTokensError():
            return Ending(
                2,
                f"nothing is to be done with {', '.join(map(shown, error.unused_tokens or []))}; an option that takes "
                "several values is given once for each, as in --source A --source B",
            )
        case CycloptsError() | UsageError():
            return Ending(2, f"{error}\nTry `polyhead --help` or `polyhead COMMAND --help`.")
        case PolyheadError():
            return Ending(1, str(error))
        case ModuleNotFoundError() if missing := missing_extra(words[0] if words else "this", error):
            return Ending(1, str(missing))
        case BrokenPipeError():  # the reader (head, less) has left: nobody needs to be told
            return Ending(1, None)
        case OSError():
            place = error.filename or ("standard output cannot be written" if error.errno in _FULL else None)
            return Ending(1, ": ".join(str(part) for part in (place, error.strerror or error) if part))
        case KeyboardInterrupt():
            return Ending(130, "interrupted")
        case Ended():
            return Ending(error.status, str(_lost(error) or error))
        case _ if out_of_memory(error):
            smaller = _SMALLER.get(words[0] if words else "", "take something smaller")
            return Ending(1, f"the memory is not enough: {smaller}, or run it where there is more")
        case _:
            return None


def _lost(error: BaseException) -> Deserted | None:
    """The error that another process of this run was lost, where a signal came while this process ended because of it.

    A launcher sends a signal to all processes as soon as one is lost.
    """
    while error.__context__ is not None:
        error = error.__context__
        if isinstance(error, Deserted):
            return error
    return None


def say(ending: Ending) -> int:
    """Prints the sentence on standard error, if that can be written to → the exit status."""
    if ending.sentence is not None:
        with suppress(OSError):
            print(f"polyhead: {shortened(ending.sentence)}", file=sys.stderr, flush=True)
    return ending.status


def abandon_output() -> None:
    """Flushes standard output, or throws away what can't be written, as Python would complain about it on exit."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
