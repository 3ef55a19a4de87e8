"""The page in a real browser, before a real server; whatever it asks of anyone but that server fails the test."""

import io
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np
import pytest

from polyhead.decoding.config import BeamConfig
from polyhead.model.config import ModelConfig, RNNAttentionConfig, RNNConfig, TransformerConfig
from tests.small import listening, write_small

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SHAPE = TransformerConfig(d_model=64, d_ff=96, num_heads=8, encoder_layers=6, decoder_layers=2, max_length=120)
SENTENCE = "bado kilu mera noti pasu"
PATIENCE = 30_000  # milliseconds; a busy machine takes its time
KEY = "an open secret"
ANCESTORS = {
    "rnn": RNNConfig(d_model=16, hidden_size=16),
    "rnn-attention": RNNAttentionConfig(d_model=16, hidden_size=16),
}


def served(folder: Path, shapes: Mapping[str, ModelConfig], **settings: Any) -> AbstractContextManager[str]:
    """A real server of models of these shapes, from en to fr and ko."""
    pytest.importorskip("uvicorn", reason="the server needs polyhead[serve]")
    pytest.importorskip("fastapi", reason="the server needs polyhead[serve]")
    from polyhead.server.app import build_app
    from polyhead.server.pool import open_directories
    from polyhead.server.services import Services
    from polyhead.server.settings import ServerConfig

    search = BeamConfig(beam_size=2, max_length_ratio=0.0, max_length_offset=9)
    models = [
        write_small(folder / name, shape, "en", ("fr", "ko"), longest_source=60, decoding=search)
        for name, shape in shapes.items()
    ]
    return listening(build_app(Services.start(open_directories(models), ServerConfig(**settings))))


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a server answers: of a Transformer with 6 × 8 heads in its encoder, and of both ancestors."""
    with served(tmp_path_factory.mktemp("page"), {"toy": SHAPE, **ANCESTORS}) as address:
        yield address


@pytest.fixture
def locked_address(tmp_path: Path) -> Iterator[str]:
    """Where a server answers to those who know the key."""
    with served(tmp_path, {"toy": SHAPE}, api_key=KEY) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Debian's Chromium without a window."""
    playwright = pytest.importorskip("playwright.sync_api", reason="the page's tests need playwright")
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("the page's tests need Chromium: apt-get install chromium")
    # Within a module alone: while it runs, this thread has an event loop, which other tests want to start themselves.
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@dataclass
class Visit:
    """The page in a window of its own, and what happened there that should not have."""

    page: Any
    address: str
    strangers: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def open(self, **view: Any) -> "Visit":
        """Opens the page with a view in its address, such as q="bado", at="decoder.cross"."""
        hash_ = "&".join(f"{key}={quote(str(value))}" for key, value in view.items())
        self.page.goto(f"{self.address}/#{hash_}")
        return self

    def get(self, testid: str) -> Any:
        """The element of that data-testid."""
        return self.page.get_by_test_id(testid)

    def number(self, testid: str, name: str = "value") -> float:
        """The exact number that an element carries."""
        return float(self.get(testid).get_attribute(f"data-{name}"))

    def until(self, expression: str) -> None:
        """Waits for a JavaScript expression to be true, asked anew from here: the page's own policy forbids eval."""
        end = monotonic() + PATIENCE / 1000
        while not self.page.evaluate(expression):
            assert monotonic() < end, f"never true: {expression}"
            self.page.wait_for_timeout(20)

    def trace_of(self, **view: Any) -> "Trace":
        """Opens a view and gives the trace that it made."""
        with self.page.expect_response(lambda answer: answer.url.endswith("/api/traces")) as made:
            self.open(**view)
        return Trace(self.address, made.value.json())


@dataclass(frozen=True)
class Trace:
    """A trace as the server tells it, read without the page."""

    address: str
    meta: dict[str, Any]

    def tensor(self, name: str, layer: int, head: int) -> np.ndarray:
        path = f"/api/traces/{self.meta['id']}/tensors/{name}?layer={layer}&head={head}&dtype=float32"
        with urlopen(self.address + path) as answer:
            return np.load(io.BytesIO(answer.read())).astype(np.float64)

    def read(self, path: str) -> Any:
        with urlopen(f"{self.address}/api/traces/{self.meta['id']}/{path}") as answer:
            return json.load(answer)


@pytest.fixture
def visit_with(browser: Any, address: str) -> Iterator[Any]:
    """(settings of the window) → Visit. Afterwards nobody else was asked anything, and nothing went wrong unseen."""
    visits: list[Visit] = []

    def make(address: str = address, **settings: Any) -> Visit:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "locale": "en-US", **settings})
        context.set_default_timeout(PATIENCE)
        visit = Visit(context.new_page(), address)
        context.on("request", lambda request: _note(visit, request.url))
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        visit.page.on("console", lambda line: _blame(visit, line))
        visits.append(visit)
        return visit

    yield make
    for visit in visits:
        visit.page.context.close()
        assert visit.strangers == []
        assert visit.errors == []


def _blame(visit: Visit, line: Any) -> None:
    if line.type == "error":
        visit.errors.append(f"{line.text} {line.location['url']}")


def _note(visit: Visit, url: str) -> None:
    if not url.startswith((visit.address, "data:", "blob:", "file:")):
        visit.strangers.append(url)


@pytest.fixture
def visit(visit_with: Any) -> Visit:
    """A window of the usual kind."""
    return visit_with()
