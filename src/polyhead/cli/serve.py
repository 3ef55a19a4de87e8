"""`polyhead serve`."""

import importlib.util
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from polyhead.cli.numbers import (
    MEBIBYTE,
    BatchTokens,
    Characters,
    Mebibytes,
    Port,
    PositiveMebibytes,
    Seconds,
    Texts,
    Threads,
)
from polyhead.cli.paths import NamedPath
from polyhead.cli.usage import UsageError
from polyhead.errors import PolyheadError
from polyhead.limits import LONGEST_TEXT


def serve(
    model: NamedPath,
    /,
    *more: NamedPath,
    host: str = "127.0.0.1",
    port: Port = 8000,
    threads: Threads | None = None,
    memory: PositiveMebibytes | None = None,
    max_characters: Characters = 10_000,
    max_texts: Texts = 256,
    max_waiting: Texts = 1024,
    timeout: Seconds = 60.0,
    batch_tokens: BatchTokens = 4096,
    trace_memory: Mebibytes = 256,
    trace_seconds: Seconds = 900.0,
    api_key_file: NamedPath | None = None,
    origin: tuple[str, ...] = (),
    allowed_host: tuple[str, ...] = (),
    suggestions: NamedPath | None = None,
    max_file: PositiveMebibytes = 16,
    file_timeout: Seconds = 600.0,
    file_memory: PositiveMebibytes = 128,
    file_seconds: Seconds = 1800.0,
    workers: Threads = 1,
) -> None:
    """Serve models over HTTP, and the page that shows what happens inside them.

    The page is at /, a translator for LibreTranslate's clients at /translate, one for DeepL's at /v2/translate, and the
    description of all of it at /docs. Stop it with Ctrl-C or SIGTERM: the requests under way are answered first.

    Parameters
    ----------
    model
        A model directory.
    more
        More model directories. Each of these is loaded when it is first asked for.
    host
        The address to answer at; by default only this machine reaches it. 0.0.0.0 for all.
    port
        The port to answer at.
    threads
        CPU threads, of each worker. The workers share the cores if left out.
    memory
        MiB of weights to keep loaded; above, the models used longest ago are unloaded. All if left out.
    max_characters
        The most characters of one text.
    max_texts
        The most texts of one request.
    max_waiting
        The most texts that wait for one model; a request beyond is told to come again later.
    timeout
        Seconds until an answer is given up.
    batch_tokens
        Padded source tokens decoded together.
    trace_memory
        MiB of traces to keep.
    trace_seconds
        How long a trace is kept after its last use.
    api_key_file
        A file with a key that clients must send; the environment variable POLYHEAD_API_KEY does the same.
    origin
        Another web page that may ask, such as https://example.org; "*" for all.
    allowed_host
        Another name that the server answers to, such as translate.example.org; "*" for all. localhost, addresses in
        numbers and the name in `host` need not be named.
    suggestions
        A file to keep the translations in that clients suggest, a JSON object a line.
    max_file
        MiB of the largest file that is translated.
    file_timeout
        Seconds until the translation of a file is given up.
    file_memory
        MiB of translated files to keep until they are fetched.
    file_seconds
        How long a translated file is kept.
    workers
        Processes that answer requests. Limits that other options set hold for each worker by itself, but all workers
        find the same files, traces and suggestions.

    """
    if importlib.util.find_spec("fastapi") is None or importlib.util.find_spec("uvicorn") is None:
        raise UsageError("the server needs FastAPI and uvicorn: pip install 'polyhead[serve]'")
    key = _api_key(api_key_file)
    _check_lengths({"--host": (host,), "--origin": origin, "--allowed-host": allowed_host})

    from polyhead.cores import cores, use_cores
    from polyhead.server.run import run
    from polyhead.server.settings import ServerConfig

    if threads is not None or workers > 1:
        use_cores(threads or max(1, cores() // workers))
    config = ServerConfig.model_validate(
        {
            "max_characters": max_characters,
            "max_texts": max_texts,
            "max_waiting": max_waiting,
            "timeout": timeout,
            "batch_tokens": batch_tokens,
            "memory": None if memory is None else memory * MEBIBYTE,
            "trace_memory": trace_memory * MEBIBYTE,
            "trace_seconds": trace_seconds,
            "api_key": key,
            "origins": origin,
            "allowed_hosts": (host, *allowed_host),
            "suggestions": suggestions,
            "max_file": max_file * MEBIBYTE,
            "file_timeout": file_timeout,
            "file_memory": file_memory * MEBIBYTE,
            "file_seconds": file_seconds,
        }
    )
    run([model, *more], config, host, port, workers)


def _api_key(file: Path | None) -> str | None:
    """The key from a file or the environment, without white space around it.

    Raises UsageError for an empty one, a very long one, and for one that an HTTP header can't carry.
    """
    key = _read_key(file) if file is not None else os.environ.get("POLYHEAD_API_KEY")
    if key is not None and not key.strip():
        raise UsageError("the API key is empty: everybody would know it")
    if key is not None and len(key.strip()) > LONGEST_TEXT:
        raise UsageError(f"the API key has more than {LONGEST_TEXT:,} characters; take a shorter one")
    if key is not None and not (key.strip().isascii() and key.strip().isprintable()):
        raise UsageError("no HTTP header can carry this API key: write it as one line of ASCII characters")
    return key.strip() if key is not None else None


def _check_lengths(given: Mapping[str, Sequence[str]]) -> None:
    """Raises UsageError where an option was given a text that no setting can hold. given: option → its values"""
    for option, values in given.items():
        if any(len(value) > LONGEST_TEXT for value in values):
            raise UsageError(f"{option} has more than {LONGEST_TEXT:,} characters; give a shorter one")


def _read_key(file: Path) -> str:
    from polyhead.limits import LARGEST_KEY
    from polyhead.reading import read_text

    try:
        return read_text(file, LARGEST_KEY)
    except OSError as error:
        raise PolyheadError(f"{file}: the API key cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise PolyheadError(f"{file}: the API key is not text") from error
