"""Texts of a request, translated together with everybody else's."""

from collections.abc import Sequence
from dataclasses import replace

from fastapi import Request

from polyhead.inline.codes import Marked
from polyhead.server.directions import tag
from polyhead.server.pool import ModelDirectory
from polyhead.server.services import Services, attend
from polyhead.server.waiting import Wish
from polyhead.translating.translation import Translation

MOST_BEAMS = 16
"""The widest beam and the longest n-best list that a client may ask for."""


async def translate(
    request: Request, services: Services, model: ModelDirectory, texts: Sequence[str | Marked], wish: Wish
) -> list[Translation]:
    """One translation a text, in order; `wish` names the target language as the client does."""
    asked = replace(wish, target_language=tag(model, wish.target_language))
    return await attend(request, services.batchers[model.id].translate(texts, asked), services)
