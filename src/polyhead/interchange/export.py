"""A model directory written for another engine: checked first, then whole or not at all."""

import shutil
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from polyhead.bundle.bundle import Bundle
from polyhead.bundle.config import BundleConfig
from polyhead.bundle.load import load_bundle
from polyhead.errors import ModelError
from polyhead.files import UNFINISHED, write_text
from polyhead.interchange.card import ctranslate2_card, hugging_face_card
from polyhead.interchange.ctranslate2 import ctranslate2_obstacles, write_ctranslate2
from polyhead.interchange.huggingface import hugging_face_obstacles, write_hugging_face
from polyhead.refusals import write_errors


@dataclass(frozen=True)
class Format:
    """Another engine's format."""

    name: str
    """The format's name, as its makers write it."""
    obstacles: Callable[[BundleConfig], list[str]]
    """Lists every reason why a model cannot be written in this format; empty where it can."""
    write: Callable[[Bundle, Path], None]
    """Fills a directory with everything the engine reads."""
    card: Callable[[Bundle], str]
    """The text of the README.md: how to make the engine do what polyhead does, and where it cannot."""


FORMATS: Mapping[str, Format] = {
    "ctranslate2": Format("CTranslate2", ctranslate2_obstacles, write_ctranslate2, ctranslate2_card),
    "huggingface": Format("Hugging Face", hugging_face_obstacles, write_hugging_face, hugging_face_card),
}
"""Formats by the name that the command line knows. A new one is a module and a line here."""


def export(model: Path | str, to: str, out: Path | str) -> None:
    """Writes the model directory `model` in the format called `to` into the new directory `out`.

    Raises ModelError for a model that cannot be read, for one that the format cannot hold, with every reason why, and
    where `out` exists already.
    """
    out, target = Path(out), FORMATS[to]
    if out.exists():
        raise ModelError(f"{out} exists already; name a directory that does not")
    bundle = load_bundle(model)
    if reasons := target.obstacles(bundle.config):
        raise ModelError(f"{model} cannot be written for {target.name}: {'; '.join(reasons)}")
    with _new_directory(out) as directory:
        target.write(bundle, directory)
        write_text(directory / "README.md", target.card(bundle))


@contextmanager
def _new_directory(path: Path) -> Generator[Path]:
    """Yields a temporary directory beside `path`, which on success becomes `path`.

    Raises WriteError where the system refuses to write the directory or anything in it.
    """
    temporary = path.parent / f".{path.name}.{token_hex(4)}{UNFINISHED}"
    with write_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.mkdir()
            yield temporary
            temporary.replace(path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
