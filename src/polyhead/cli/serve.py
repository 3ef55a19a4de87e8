"""`polyhead serve`."""

import importlib.util
import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from polyhead.cli.usage import UsageError

AtLeastOne = Parameter(validator=validators.Number(gte=1))
MEBIBYTE = 1 << 20


def serve(
    model: Path,
    /,
    *more: Path,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(validator=validators.Number(gte=0, lte=65535))] = 8000,
    threads: Annotated[int | None, AtLeastOne] = None,
    memory: Annotated[int | None, AtLeastOne] = None,
    max_characters: Annotated[int, AtLeastOne] = 10_000,
    max_texts: Annotated[int, AtLeastOne] = 256,
    max_waiting: Annotated[int, AtLeastOne] = 1024,
    timeout: Annotated[float, Parameter(validator=validators.Number(gt=0))] = 60.0,
    batch_tokens: Annotated[int, AtLeastOne] = 4096,
    trace_memory: Annotated[int, Parameter(validator=validators.Number(gte=0))] = 256,
    trace_seconds: Annotated[float, Parameter(validator=validators.Number(gt=0))] = 900.0,
    api_key_file: Path | None = None,
    origin: tuple[str, ...] = (),
) -> None:
    """Serve models over HTTP, and the page that shows what happens inside them.

    The page is at /, a translator for LibreTranslate's clients at /translate, the interface's description at
    /openapi.json. Stop it with Ctrl-C or SIGTERM: the requests under way are answered first.

    Parameters
    ----------
    model
        A model directory.
    more
        More model directories. Each is loaded when it is first asked for.
    host
        The address to answer at; by default only this machine reaches it. 0.0.0.0 for all.
    port
        The port to answer at.
    threads
        CPU threads.
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
        Another web page that may ask, such as https://example.org.

    """
    if importlib.util.find_spec("fastapi") is None or importlib.util.find_spec("uvicorn") is None:
        raise UsageError("the server needs FastAPI and uvicorn: pip install 'polyhead[serve]'")
    key = _api_key(api_key_file)

    from polyhead.hardware import use_cores
    from polyhead.server.run import run
    from polyhead.server.settings import ServerConfig

    if threads is not None:
        use_cores(threads)
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
        }
    )
    run([model, *more], config, host, port)


def _api_key(file: Path | None) -> str | None:
    """The key from a file or the environment, without white space around it.

    Raises UsageError for an empty one, and for one that an HTTP header can't carry.
    """
    key = file.read_text(encoding="utf-8") if file is not None else os.environ.get("POLYHEAD_API_KEY")
    if key is not None and not key.strip():
        raise UsageError("the API key is empty: everybody would know it")
    if key is not None and not (key.strip().isascii() and key.strip().isprintable()):
        raise UsageError("no HTTP header can carry this API key: write it as one line of ASCII characters")
    return key.strip() if key is not None else None
