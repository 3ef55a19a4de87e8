"""`/translate`, `/languages`, `/detect`, `/frontend/settings`: LibreTranslate's interface, for its clients.

Bodies may be JSON or urlencoded. Errors are problems that also have LibreTranslate's `error`.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, Field

from polyhead.languages import name_of
from polyhead.server.auth import check_key
from polyhead.server.body import FORM, JSON, read_fields
from polyhead.server.choices import SourceLanguage, TargetLanguage
from polyhead.server.detection import Detected, detect
from polyhead.server.directions import choose, sources, targets, writers
from polyhead.server.documents import Document
from polyhead.server.pool import ModelDirectory
from polyhead.server.services import ServicesOf
from polyhead.server.texts import MOST_BEAMS, check_texts, translate
from polyhead.server.waiting import Wish

router = APIRouter(tags=["LibreTranslate"])

AUTO = "auto"


class DetectRequest(BaseModel):
    """A text whose language is asked for."""

    q: str
    api_key: str | None = None


class LibreRequest(BaseModel):
    """One text or several; HTML is translated between its tags."""

    q: str | Annotated[list[str], Field(min_length=1)]
    source: SourceLanguage | Literal["auto"] = AUTO
    target: TargetLanguage
    format: Literal["text", "html"] = "text"
    alternatives: int = Field(default=0, ge=-1_000_000, le=1_000_000)
    """More than there can be are as many as there can be."""
    api_key: str | None = None


class LibreLanguage(BaseModel):
    """A language, and those it can be translated to."""

    code: str
    name: str
    targets: list[str]


class LibreResponse(BaseModel):
    """Lists where a list was asked for."""

    translatedText: str | list[str]  # noqa: N815  LibreTranslate's names
    alternatives: list[str] | list[list[str]] | None = None
    detectedLanguage: Detected | list[Detected] | None = None  # noqa: N815


def _body(model: type[BaseModel]) -> dict[str, Any]:
    """What the interface's description says of a body that is read by hand."""
    content = {kind: {"schema": model.model_json_schema()} for kind in (JSON, FORM)}
    return {"requestBody": {"required": True, "content": content}}


async def _read_translate(request: Request, services: ServicesOf) -> LibreRequest:
    return await read_fields(request, LibreRequest, services.config.max_depth)


async def _read_detect(request: Request, services: ServicesOf) -> DetectRequest:
    return await read_fields(request, DetectRequest, services.config.max_depth)


@router.post("/translate", openapi_extra=_body(LibreRequest), response_model_exclude_none=True)
async def libre_translate(
    asked: Annotated[LibreRequest, Depends(_read_translate)], request: Request, services: ServicesOf
) -> LibreResponse:
    """Translates one text or several."""
    check_key(services.config.api_key, asked.api_key)
    given = [asked.q] if isinstance(asked.q, str) else asked.q
    check_texts(given, services.config)
    auto, most = asked.source == AUTO, min(max(asked.alternatives, 0), MOST_BEAMS - 1)
    candidates = writers(services.models, asked.target) or services.models
    found = [detect(candidates, text)[0] for text in given] if auto else []
    spoken = [each.language for each in found] if auto else [asked.source] * len(given)
    documents = [Document.of(text, asked.format) for text in given]
    filled: list[list[str]] = [[] for _ in given]
    for model, numbers in _by_model(services.models, spoken, asked.target).values():
        texts = [text for number in numbers for text in documents[number].texts]
        wish = Wish(asked.target, n_best=most + 1)
        translations = iter(await translate(request, services, model, texts, wish))
        for number in numbers:
            filled[number] = documents[number].filled(translations, most)
    several = not isinstance(asked.q, str)
    best, others = [each[0] for each in filled], [each[1:] for each in filled]
    return LibreResponse(
        translatedText=best if several else best[0],
        alternatives=None if not most else others if several else others[0],
        detectedLanguage=None if not auto else found if several else found[0],
    )


def _by_model(
    models: Sequence[ModelDirectory], spoken: Sequence[str], target: str
) -> dict[str, tuple[ModelDirectory, list[int]]]:
    """The language of each text → the models that translate them, and the numbers of each one's texts.

    Raises Problem unknown_language where no model does.
    """
    groups: dict[str, tuple[ModelDirectory, list[int]]] = {}
    for number, language in enumerate(spoken):
        model = choose(models, None, language, target)
        groups.setdefault(model.id, (model, []))[1].append(number)
    return groups


@router.post("/detect", openapi_extra=_body(DetectRequest))
async def libre_detect(asked: Annotated[DetectRequest, Depends(_read_detect)], services: ServicesOf) -> list[Detected]:
    """The languages a text may be in, of those that the models read."""
    check_key(services.config.api_key, asked.api_key)
    check_texts([asked.q], services.config)
    return detect(services.models, asked.q)


@router.get("/languages")
async def languages(services: ServicesOf) -> list[LibreLanguage]:
    """Every language that the models read or write."""
    reading = sources(services.models)
    writing = [language for language in targets(services.models) if language not in reading]
    return [
        LibreLanguage(code=code, name=name_of(code), targets=targets(services.models, code) if code in reading else [])
        for code in (*reading, *writing)
    ]


@router.get("/frontend/settings")
async def settings(services: ServicesOf) -> dict[str, Any]:
    """What a page of LibreTranslate's would show."""
    source, target = sources(services.models), targets(services.models)
    keyed = services.config.api_key is not None
    return {
        "apiKeys": keyed,
        "keyRequired": keyed,
        "charLimit": services.config.max_characters,
        "frontendTimeout": 500,
        "language": {
            "source": {"code": source[0], "name": name_of(source[0])} if source else None,
            "target": {"code": target[0], "name": name_of(target[0])} if target else None,
        },
        "suggestions": False,
        "supportedFilesFormat": [],
    }
