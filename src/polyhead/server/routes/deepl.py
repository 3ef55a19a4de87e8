"""`/v2/translate`, `/v2/usage`, `/v2/languages`: DeepL's interface, for its clients.

Fields may stand in JSON, in forms, or in the query string; errors have DeepL's `message`, with its statuses
(`dialects`). What the models can't do, such as glossaries, is refused where it would change the translation, and
ignored where it is only a preference.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from polyhead.languages import name_of
from polyhead.server.checks import check_texts
from polyhead.server.choices import SourceLanguage, TargetLanguage
from polyhead.server.directions import sources, targets, writers
from polyhead.server.documents import Document
from polyhead.server.fields import described, fitting
from polyhead.server.problems import Problem
from polyhead.server.routes.libretranslate import FieldsOf, by_model
from polyhead.server.services import Services, ServicesOf
from polyhead.server.texts import translate
from polyhead.server.waiting import Wish
from polyhead.server.xml_markup import TagNames
from polyhead.translating.pieces import Split

router = APIRouter(prefix="/v2", tags=["DeepL"])

NO_LIMIT = 1_000_000_000_000
"""The limit that DeepL itself reports for an account without a limit."""
REFUSED: Mapping[str, str] = {
    "glossary_id": "glossaries",
    "glossary_ids": "glossaries",
    "style_id": "style rules",
    "translation_memory_id": "translation memories",
    "custom_instructions": "instructions",
}
"""Field → what it asks for: things that would change the translation and that this server doesn't have."""

_STRINGS = {"type": "array", "items": {"type": "string"}}
_FLAGS = {"0": False, "false": False, "1": True, "true": True}


def _flag(given: object) -> object:
    """A form's word for yes or no as a bool; anything else as it is, for pydantic to check."""
    return _FLAGS.get(given, given) if isinstance(given, str) else given


Names = Annotated[
    list[str],
    BeforeValidator(lambda given: given.split(",") if isinstance(given, str) else given),
    WithJsonSchema({"anyOf": [_STRINGS, {"type": "string"}]}),
]
Texts = Annotated[
    list[str],
    Field(min_length=1),
    BeforeValidator(lambda given: [given] if isinstance(given, str) else given),
    WithJsonSchema({"anyOf": [{**_STRINGS, "minItems": 1}, {"type": "string"}]}),
]
Flag = Annotated[
    bool,
    Field(strict=True),
    BeforeValidator(_flag),
    WithJsonSchema({"anyOf": [{"type": "boolean"}, {"enum": list(_FLAGS)}]}),
]
SplitSentences = Literal["0", "1", "nonewlines"]


class DeepLRequest(BaseModel):
    """What DeepL's clients ask for. Other fields are ignored, or refused where they would change the translation."""

    text: Texts
    target_lang: Annotated[TargetLanguage, Field(min_length=1)]
    source_lang: SourceLanguage | Literal[""] | None = Field(default=None, description="Detected if left out.")
    tag_handling: Literal["html", "xml"] | None = None
    ignore_tags: Names = Field(default=[], description="Elements whose content is not translated.")
    splitting_tags: Names = Field(default=[], description="Elements of XML that no sentence goes on through.")
    non_splitting_tags: Names = Field(default=[], description="Elements of XML that a sentence goes on through.")
    split_sentences: SplitSentences | None = Field(
        default=None, description="0: lines are read whole; nonewlines: a sentence may go on in the next line."
    )
    formality: str | None = None
    show_billed_characters: Flag = False


class DeepLTranslation(BaseModel):
    """A translated text."""

    detected_source_language: str
    text: str
    billed_characters: int | None = None


class DeepLResponse(BaseModel):
    """The translations, one for each text, in order."""

    translations: list[DeepLTranslation]


class DeepLUsage(BaseModel):
    """How much has been translated since the server was started."""

    character_count: int
    character_limit: int


class LanguagesRequest(BaseModel):
    """Whether source languages or target languages are asked for."""

    type: Literal["source", "target"] = "source"


class DeepLLanguage(BaseModel):
    """A language, and for a target language whether it can be written formally."""

    language: str
    name: str
    supports_formality: bool | None = None


@router.post("/translate", openapi_extra=described(DeepLRequest), response_model_exclude_none=True)
async def deepl_translate(fields: FieldsOf, request: Request, services: ServicesOf) -> DeepLResponse:
    """Translates one text or several."""
    _check_possible(fields)
    asked = fitting(fields, DeepLRequest)
    check_texts(asked.text, services.config)
    spoken = _languages(asked, services)
    split: Split = "line" if asked.split_sentences == "0" else "auto"
    documents = [_document(asked, text) for text in asked.text]
    translated = [""] * len(documents)
    for model, numbers in by_model(services.models, spoken, asked.target_lang).values():
        texts = [text for number in numbers for text in documents[number].texts]
        wish = Wish(asked.target_lang, split=split)
        found = iter(await translate(request, services, model, texts, wish))
        for number in numbers:
            translated[number] = documents[number].filled(found, 0)[0]
    services.metrics.characters.inc(sum(map(len, asked.text)))
    return DeepLResponse(
        translations=[
            DeepLTranslation(
                detected_source_language=_code(language),
                text=text,
                billed_characters=len(given) if asked.show_billed_characters else None,
            )
            for language, text, given in zip(spoken, translated, asked.text, strict=True)
        ]
    )


def _check_possible(fields: Mapping[str, Any]) -> None:
    """Raises Problem bad_request for what would change the translation and can't be done."""
    for name, what in REFUSED.items():
        if fields.get(name):
            raise Problem("bad_request", f"{name}: this server has no {what}; leave it out")
    if fields.get("formality") in ("more", "less"):
        raise Problem("bad_request", "formality: the models have one form of address; leave it out, or prefer one")


def _languages(asked: DeepLRequest, services: Services) -> list[str]:
    """The source language of each text."""
    if asked.source_lang:
        return [asked.source_lang] * len(asked.text)
    candidates = writers(services.models, asked.target_lang) or services.models
    return [services.detector.detect(candidates, text)[0].language for text in asked.text]


def _document(asked: DeepLRequest, text: str) -> Document:
    """A text with its tags, if any; in HTML a line break is but a space unless the client says otherwise."""
    default = "nonewlines" if asked.tag_handling == "html" else "1"
    joined = (asked.split_sentences or default) == "nonewlines"
    names = TagNames(*map(_names, (asked.ignore_tags, asked.splitting_tags, asked.non_splitting_tags)))
    return Document.of(text, asked.tag_handling or "text", names, joined)


def _names(given: list[str]) -> frozenset[str]:
    return frozenset(name.strip() for name in given)


@router.get("/usage")
@router.post("/usage")
async def usage(fields: FieldsOf, services: ServicesOf) -> DeepLUsage:
    """How many characters DeepL's clients had translated; there is no limit."""
    counted = int(services.metrics.total("polyhead_deepl_characters_total"))
    return DeepLUsage(character_count=counted, character_limit=NO_LIMIT)


_TYPE = {"name": "type", "in": "query", "schema": {"enum": ["source", "target"], "default": "source"}}


@router.get("/languages", response_model_exclude_none=True, openapi_extra={"parameters": [_TYPE]})
async def deepl_languages(fields: FieldsOf, services: ServicesOf) -> list[DeepLLanguage]:
    """The languages that can be translated from, or to."""
    if fitting(fields, LanguagesRequest).type == "source":  # DeepL's own client sends a form with this GET
        return [DeepLLanguage(language=_code(code), name=name_of(code)) for code in sources(services.models)]
    return [
        DeepLLanguage(language=_code(code), name=name_of(code), supports_formality=False)
        for code in targets(services.models)
    ]


def _code(language: str) -> str:
    """A code as DeepL writes it: EN, PT-BR, ZH-HANT."""
    return language.replace("_", "-").upper()
