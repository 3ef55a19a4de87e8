"""Small servers: models with random weights, and one that only echoes, so that nobody waits for a training."""

import threading
import time
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import uvicorn
from starlette.testclient import TestClient

from polyhead.bundle import BundleConfig, save_description, save_weights
from polyhead.decoding.config import BeamConfig
from polyhead.model.build import build_model
from polyhead.model.transformer import TransformerConfig
from polyhead.server.app import build_app
from polyhead.server.pool import open_directories
from polyhead.server.services import Services
from polyhead.server.settings import ServerConfig
from polyhead.tokenizers.build import train
from polyhead.tokenizers.config import TokenizerConfig
from polyhead.translation import Sentence, Translation

SHAPE = TransformerConfig(d_model=16, d_ff=24, num_heads=2, encoder_layers=2, decoder_layers=2, max_length=40)
WORDS = ["bado kilu mera noti pasu", "rovi sela tugo vani zeko", "fimo gura hepi jola wuto", "The cat sat down."]
KEY = "a secret"


def write_model(directory: Path, source: str | None = "xa", targets: Sequence[str] = ("xb", "xc")) -> Path:
    """A model directory with random weights."""
    torch.manual_seed(0)
    tags = targets if len(targets) > 1 else ()
    tokenizer = train(WORDS, TokenizerConfig(), 330, tags)
    size = tokenizer.vocabulary_size
    config = BundleConfig(
        polyhead="0",
        source_language=source,
        target_languages=tuple(targets),
        tagged=bool(tags),
        source_vocabulary=size,
        target_vocabulary=size,
        longest_source=30,
        model=SHAPE,
        tokenizer=TokenizerConfig(),
        decoding=BeamConfig(beam_size=2, max_length_ratio=1.0, max_length_offset=4),
    )
    directory.mkdir()
    save_description(directory, config, tokenizer, tokenizer)
    save_weights(directory, dict(build_model(SHAPE, size, size).named_parameters()))
    return directory


@pytest.fixture
def make_model(tmp_path):
    """(name, source, targets) → a model directory of that name."""
    return lambda name, *languages: write_model(tmp_path / name, *languages)


@pytest.fixture(scope="session")
def tagged(tmp_path_factory) -> Path:
    """From xa to xb and xc."""
    return write_model(tmp_path_factory.mktemp("models") / "tagged")


@pytest.fixture(scope="session")
def plain(tmp_path_factory) -> Path:
    """From en to de alone."""
    return write_model(tmp_path_factory.mktemp("models") / "plain", "en", ["de"])


@pytest.fixture(scope="session")
def models(tagged, plain):
    """Both, as a server knows them."""
    return open_directories([tagged, plain])


@contextmanager
def serving(paths: Sequence[Path], **settings: Any):
    """A client of a server in this process."""
    services = Services.start(open_directories(paths), ServerConfig(**settings))
    with TestClient(build_app(services), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture
def serve():
    """(paths, settings) → a server in this process, as a context."""
    return serving


@pytest.fixture(scope="session")
def client(tagged):
    """A server of the tagged model with the usual limits, a few of them lower."""
    with serving([tagged], max_characters=2000, max_texts=5, max_body=20_000) as client:
        yield client


@pytest.fixture(scope="session")
def both(tagged, plain):
    """A server of two models."""
    with serving([tagged, plain]) as client:
        yield client


@contextmanager
def listening(services: Services):
    """A real server on a port of its own; yields its address."""
    server = uvicorn.Server(uvicorn.Config(build_app(services), port=0, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def listen():
    """Services → a real server, as a context that gives its address."""
    return listening


@pytest.fixture(scope="module")
def locked_address(tagged):
    """The address of a real server that wants a key."""
    with listening(Services.start(open_directories([tagged]), ServerConfig(api_key=KEY))) as address:
        yield address


@dataclass
class Echo:
    """A translator that gives every text back, as soon as it may; `seen` are the batches it was given."""

    may_go: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)
    seen: list[list[str]] = field(default_factory=list)
    given_up: threading.Event = field(default_factory=threading.Event)
    config: Any = field(default_factory=lambda: SimpleNamespace(decoding=BeamConfig()))

    @contextmanager
    def use(self):
        """As a pool gives a model."""
        yield self

    def translate(self, texts, *, check, n_best=None, **asked):
        """Each text in brackets; looks up at every step, as a search does."""
        self.seen.append(list(texts))
        self.begun.set()
        try:
            while not self.may_go.wait(0.002):
                check()
        except Exception:
            self.given_up.set()
            raise
        if "broken" in texts:
            raise ValueError("broken")
        return [_echoed(text) for text in texts]


def _echoed(text: str) -> Translation:
    whole = Sentence((0, len(text)), (0, len(text) + 2), 1, finished=True)
    return Translation(f"[{text}]", -1.0, -1.0, (text,), (-0.5, -0.5), sentences=(whole,))


@pytest.fixture
def echo():
    """An echo that waits until it is let go."""
    return Echo()
