"""Texts of a request: within the limits, then translated together with everybody else's."""

from collections.abc import Sequence
from dataclasses import replace

from fastapi import Request

from polyhead.server.directions import tag
from polyhead.server.pool import ModelDirectory
from polyhead.server.problems import Problem
from polyhead.server.services import Services, attend
from polyhead.server.settings import ServerConfig
from polyhead.server.waiting import Wish
from polyhead.translating.translation import Translation

MOST_BEAMS = 16
"""The widest beam and the longest n-best list that a client may ask for."""


def check_texts(texts: Sequence[str], config: ServerConfig) -> None:
    """Raises Problem too_large for too many texts, too_long for one that is too long."""
    if len(texts) > config.max_texts:
        raise Problem("too_large", f"{len(texts)} texts in one request; at most {config.max_texts} are taken")
    for number, text in enumerate(texts, 1):
        check_characters(text, f"text {number}" if len(texts) > 1 else "the text", config)


def check_characters(text: str, name: str, config: ServerConfig) -> None:
    """Raises Problem too_long for a text that is too long. name: what the client calls it."""
    if len(text) > config.max_characters:
        most = config.max_characters
        raise Problem("too_long", f"{name} has {len(text)} characters; at most {most} are taken: send it in parts")


def check_not_blank(text: str) -> None:
    """Raises Problem empty where there is nothing to look at."""
    if not text.strip():
        raise Problem("empty", "the text is empty; give a sentence")


async def translate(
    request: Request, services: Services, model: ModelDirectory, texts: Sequence[str], wish: Wish
) -> list[Translation]:
    """One translation a text, in order; `wish` names the target language as the client does."""
    asked = replace(wish, target_language=tag(model, wish.target_language))
    return await attend(request, services.batchers[model.id].translate(texts, asked), services)
