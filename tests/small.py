"""Models with random weights, made in milliseconds, and real servers of them: for what needs no good translations."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import torch

from polyhead.bundle.bundle import Bundle
from polyhead.bundle.config import BundleConfig
from polyhead.bundle.save import save_description, save_weights
from polyhead.decoding.config import BeamConfig
from polyhead.model.build import build_model
from polyhead.model.config import ModelConfig
from polyhead.tokenizers.build import train
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.tokenizers.protocol import Tokenizer

WORDS = ["bado kilu mera noti pasu", "rovi sela tugo vani zeko", "fimo gura hepi jola wuto", "The cat sat down."]


def small_bundle(
    shape: ModelConfig, source: str | None = "xa", targets: Sequence[str] = ("xb", "xc"), **settings: Any
) -> Bundle:
    """A model of that shape with a vocabulary of toy words, tagged if it has several targets."""
    tags = tuple(targets) if len(targets) > 1 else ()
    tokenizer = _tokenizer(tags)
    size = tokenizer.vocabulary_size
    given = {"longest_source": 30, "decoding": BeamConfig(beam_size=2, max_length_offset=4), **settings}
    config = BundleConfig(
        polyhead="0",
        source_language=source,
        target_languages=tuple(targets),
        tagged=bool(tags),
        source_vocabulary=size,
        target_vocabulary=size,
        model=shape,
        tokenizer=tokenizer.config,
        **given,
    )
    torch.manual_seed(0)
    return Bundle(config, build_model(shape, size, size).eval(), tokenizer, tokenizer)


@cache
def _tokenizer(tags: tuple[str, ...]) -> Tokenizer:
    return train(WORDS, TokenizerConfig(), 330, tags)


def write_small(directory: Path, *described: Any, **settings: Any) -> Path:
    """`small_bundle` as a model directory."""
    bundle = small_bundle(*described, **settings)
    directory.mkdir()
    save_description(directory, bundle.config, bundle.source_tokenizer, bundle.target_tokenizer)
    save_weights(directory, dict(bundle.model.named_parameters()))
    return directory


@contextmanager
def listening(app: Any) -> Iterator[str]:
    """A real server on a port of its own; yields its address."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
