"""`/translate`, `/detect`, `/languages`, `/suggest`, `/frontend/settings`: LibreTranslate's interface, for its clients.

Fields may stand in the query string, in JSON, and in forms of both encodings. Errors are problems that also have
LibreTranslate's `error`, with its statuses (`dialects`). Its addresses for whole files are in `files`.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from polyhead.languages import name_of
from polyhead.server.auth import check_key
from polyhead.server.checks import check_texts
from polyhead.server.choices import SourceLanguage, TargetLanguage
from polyhead.server.detection import EVIDENCE, Detected
from polyhead.server.directions import choose, sources, targets, writers
from polyhead.server.documents import Document
from polyhead.server.fields import Fields, all_fields, described, fitting
from polyhead.server.pool import ModelDirectory
from polyhead.server.problems import Problem
from polyhead.server.services import ServicesOf
from polyhead.server.texts import MOST_BEAMS, translate
from polyhead.server.waiting import Wish

router = APIRouter(tags=["LibreTranslate"])

AUTO = "auto"
MOST_ALTERNATIVES = 1_000_000
"""The largest number of alternatives that a request may name. So many are never given: `MOST_BEAMS` limits them."""


def _left_out(value: object, default: object) -> object:
    return default if value is None or value == "" else value


def _number(value: object) -> object:
    """JSON's true is no number, though Python's is."""
    return "true" if value is True else "false" if value is False else _left_out(value, 0)


NotEmpty = Annotated[str, Field(min_length=1)]
Source = Annotated[SourceLanguage | Literal["auto", ""] | None, BeforeValidator(lambda given: _left_out(given, AUTO))]
Format = Annotated[Literal["text", "html", ""] | None, BeforeValidator(lambda given: _left_out(given, "text"))]
_COUNT = {"type": "integer", "minimum": -MOST_ALTERNATIVES, "maximum": MOST_ALTERNATIVES}
_DIGITS = {"type": "string", "pattern": "^([0-9]{1,6})?$"}
Count = Annotated[
    int,
    Field(ge=-MOST_ALTERNATIVES, le=MOST_ALTERNATIVES),
    BeforeValidator(_number),
    WithJsonSchema({"anyOf": [_COUNT, _DIGITS, {"type": "null"}], "default": 0}),
]


class DetectRequest(BaseModel):
    """A text whose language is asked for, or several in one language."""

    q: NotEmpty | Annotated[list[str], Field(min_length=1)]
    api_key: str | None = None


class LibreRequest(BaseModel):
    """One text or several; HTML is translated between its tags."""

    q: NotEmpty | Annotated[list[str], Field(min_length=1)]
    source: Source = AUTO
    target: Annotated[TargetLanguage, Field(min_length=1)]
    format: Format = "text"
    alternatives: Count = 0
    """How many alternatives are wanted. Where fewer are possible, as many as are possible are given."""
    api_key: str | None = None


class SuggestRequest(BaseModel):
    """A better translation of a text."""

    q: NotEmpty
    s: NotEmpty
    source: Annotated[str, Field(min_length=1, max_length=100)]
    target: Annotated[str, Field(min_length=1, max_length=100)]
    api_key: str | None = None


class LibreLanguage(BaseModel):
    """A language, and those it can be translated to."""

    code: str
    name: str
    targets: list[str]


class LibreResponse(BaseModel):
    """The translation of a text, or lists where the request had a list of texts."""

    translatedText: str | list[str]  # noqa: N815  LibreTranslate's names
    alternatives: list[str] | list[list[str]] | None = None
    detectedLanguage: Detected | list[Detected] | None = None  # noqa: N815


class Accepted(BaseModel):
    """Says that a suggestion has been kept."""

    success: bool


async def _fields(request: Request, services: ServicesOf) -> Fields:
    """All fields of a request. Raises Problem unauthorized where the server has a key and the request lacks it."""
    fields = await all_fields(request, services.config.max_depth)
    check_key(services, request, fields)
    return fields


FieldsOf = Annotated[Fields, Depends(_fields)]
"""A route's parameter of this type is given the request's fields."""


@router.post("/translate", openapi_extra=described(LibreRequest), response_model_exclude_none=True)
async def libre_translate(fields: FieldsOf, request: Request, services: ServicesOf) -> LibreResponse:
    """Translates one text or several."""
    asked = fitting(fields, LibreRequest)
    given = [asked.q] if isinstance(asked.q, str) else asked.q
    check_texts(given, services.config)
    auto, most = asked.source == AUTO, min(max(asked.alternatives, 0), MOST_BEAMS - 1)
    candidates = writers(services.models, asked.target) or services.models
    found = [services.detector.detect(candidates, text)[0] for text in given] if auto else []
    spoken = [each.language for each in found] if auto else [str(asked.source)] * len(given)
    documents = [Document.of(text, asked.format or "text") for text in given]
    filled: list[list[str]] = [[] for _ in given]
    for model, numbers in by_model(services.models, spoken, asked.target).values():
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


def by_model(
    models: Sequence[ModelDirectory], spoken: Sequence[str | None], target: str
) -> Mapping[str, tuple[ModelDirectory, list[int]]]:
    """A model's name → the model, and the numbers of the texts that it translates. spoken: each text's language

    Raises Problem unknown_language where no model does.
    """
    groups: dict[str, tuple[ModelDirectory, list[int]]] = {}
    for number, language in enumerate(spoken):
        model = choose(models, None, language, target)
        groups.setdefault(model.id, (model, []))[1].append(number)
    return groups


@router.post("/detect", openapi_extra=described(DetectRequest))
async def libre_detect(fields: FieldsOf, services: ServicesOf) -> list[Detected]:
    """The languages a text may be in, of those that the models read; several texts are taken to be in one language."""
    asked = fitting(fields, DetectRequest)
    given = [asked.q] if isinstance(asked.q, str) else asked.q
    check_texts(given, services.config)
    share = EVIDENCE // len(given) or 1
    return services.detector.detect(services.models, "\n".join(text[:share] for text in given))


@router.post("/suggest", openapi_extra=described(SuggestRequest))
async def libre_suggest(fields: FieldsOf, services: ServicesOf) -> Accepted:
    """Keeps a better translation for whoever runs the server."""
    if services.suggestions is None:
        raise Problem("forbidden", "suggestions are not taken by this server; it can be started with --suggestions")
    asked = fitting(fields, SuggestRequest)
    check_texts([asked.q, asked.s], services.config)
    services.suggestions.add({"q": asked.q, "s": asked.s, "source": asked.source, "target": asked.target})
    return Accepted(success=True)


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
    """What LibreTranslate's own page asks for: settings, limits and languages."""
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
        "suggestions": services.suggestions is not None,
        "filesTranslation": bool(services.formats.suffixes),
        "supportedFilesFormat": list(services.formats.suffixes),
    }
