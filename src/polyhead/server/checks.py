"""Checks that the texts of a request are within the limits."""

from collections.abc import Sequence

from polyhead.server.problems import Problem, TooManyTexts
from polyhead.server.settings import ServerConfig


def check_texts(texts: Sequence[str], config: ServerConfig) -> None:
    """Raises TooManyTexts for too many texts, and Problem too_long for a text that is too long."""
    if len(texts) > config.max_texts:
        raise TooManyTexts("too_large", f"{len(texts)} texts in one request; at most {config.max_texts} are taken")
    for number, text in enumerate(texts, 1):
        check_characters(text, f"text {number}" if len(texts) > 1 else "the text", config)


def check_characters(text: str, name: str, config: ServerConfig) -> None:
    """Raises Problem too_long for a text that is too long. name: what the client calls it."""
    if len(text) > config.max_characters:
        most = config.max_characters
        raise Problem("too_long", f"{name} has {len(text)} characters; at most {most} are taken: send it in parts")


def check_not_blank(text: str) -> None:
    """Raises Problem empty for a text that has nothing but white space."""
    if not text.strip():
        raise Problem("empty", "the text is empty; give a sentence")
