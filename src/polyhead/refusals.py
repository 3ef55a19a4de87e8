"""What the system says when it refuses to write, as a sentence that tells what to do."""

import errno
import os
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from polyhead.errors import WriteError

_SPACE = "free some space and run the command again, a training with --resume"
_RIGHTS = "name another place, or change who may write there"
_ADVICE = {
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EFBIG: "let files be larger (`ulimit -f`, or another file system) and run the command again",
    errno.EACCES: _RIGHTS,
    errno.EPERM: _RIGHTS,
    errno.EROFS: _RIGHTS,
    errno.EISDIR: "name a file",
    errno.EINVAL: "name another file",
}
"""What to do, by the number of the system's error."""
_ANY = "mend that and run the command again, a training with --resume"


@contextmanager
def write_errors(target: Path | str) -> Generator[None]:
    """Within the block a refusal of the system to write becomes a WriteError, which names `target`.

    target: a file or a directory, or in words what is written, such as "standard output"
    A broken pipe stays what it is: the reader has left, and that is no failure of a disk.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except Exception as error:
        refusal = _refusal(error)
        if refusal is None:
            raise
        raise WriteError(f"{target} cannot be written: {_sentence(target, refusal)}") from error


def _refusal(error: Exception) -> OSError | None:
    """The system's error, if that is why writing failed, else None; safetensors names its number in its own message."""
    if isinstance(error, OSError):
        return error
    from safetensors import SafetensorError

    said = re.search(r"\(os error (\d+)\)", str(error)) if isinstance(error, SafetensorError) else None
    return OSError(int(said[1]), os.strerror(int(said[1]))) if said else None


def _sentence(target: Path | str, refusal: OSError) -> str:
    if isinstance(target, Path) and not target.parent.is_dir():
        return f"there is no directory {target.parent}; it was moved or deleted, or never made"
    reason, number = refusal.strerror or str(refusal), refusal.errno
    advice = _ADVICE.get(number, _ANY) if number else _ANY
    if number in (errno.EACCES, errno.EPERM) and sys.platform == "win32":
        advice = "close the program that has it open, or name another place"
    kept = "what was there before is untouched" if isinstance(target, Path) else "what was written before is not lost"
    return f"{reason}; {kept}: {advice}"
