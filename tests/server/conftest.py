"""Small servers: models with random weights, and one that only echoes, so that nobody waits for a training."""

import threading
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.testclient import TestClient

from polyhead.decoding.config import BeamConfig
from polyhead.model.config import TransformerConfig
from polyhead.server.app import build_app
from polyhead.server.pool import open_directories
from polyhead.server.services import Services
from polyhead.server.settings import ServerConfig
from polyhead.translating.translation import Sentence, Translation
from tests.small import listening, write_small

SHAPE = TransformerConfig(d_model=16, d_ff=24, num_heads=2, encoder_layers=2, decoder_layers=2, max_length=40)
KEY = "a secret"


@pytest.fixture
def make_model(tmp_path):
    """(name, source, targets) → a model directory of that name."""
    return lambda name, *languages: write_small(tmp_path / name, SHAPE, *languages)


@pytest.fixture(scope="session")
def tagged(tmp_path_factory) -> Path:
    """From xa to xb and xc."""
    return write_small(tmp_path_factory.mktemp("models") / "tagged", SHAPE)


@pytest.fixture(scope="session")
def plain(tmp_path_factory) -> Path:
    """From en to de alone."""
    return write_small(tmp_path_factory.mktemp("models") / "plain", SHAPE, "en", ["de"])


@pytest.fixture(scope="session")
def models(tagged, plain):
    """Both, as a server knows them."""
    return open_directories([tagged, plain])


@contextmanager
def serving(paths: Sequence[Path], **settings: Any):
    """A client of a server in this process."""
    services = Services.start(open_directories(paths), ServerConfig(**settings))
    with TestClient(build_app(services), "http://localhost", raise_server_exceptions=False) as client:
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


@pytest.fixture
def listen():
    """Services → a real server, as a context that gives its address."""
    return lambda services: listening(build_app(services))


@pytest.fixture(scope="module")
def locked_address(tagged):
    """The address of a real server that wants a key."""
    with listening(build_app(Services.start(open_directories([tagged]), ServerConfig(api_key=KEY)))) as address:
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
