"""`/translate_file` and `/download_file`: whole files, as LibreTranslate's clients have them translated."""

import mimetypes
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from polyhead.server.batcher import Batcher
from polyhead.server.choices import SourceLanguage, TargetLanguage
from polyhead.server.directions import choose, tag, writers
from polyhead.server.fields import MULTIPART, SentFile, fitting
from polyhead.server.file_translation import TextsOfFile, TranslatedFile
from polyhead.server.problems import Problem
from polyhead.server.routes.libretranslate import AUTO, FieldsOf, Source
from polyhead.server.services import Services, ServicesOf, attend
from polyhead.server.waiting import Wish

router = APIRouter(tags=["LibreTranslate"])

_UNKNOWN_TYPE = "application/octet-stream"


class FileRequest(BaseModel):
    """A file of a multipart form, to be translated."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    file: SentFile
    source: Source = AUTO
    target: Annotated[TargetLanguage, Field(min_length=1)]


class FileResponse(BaseModel):
    """Where the translated file can be fetched."""

    translatedFileUrl: str  # noqa: N815  LibreTranslate's name
    problems: list[str] | None = None
    """What the user should check in the file."""


class FileForm(BaseModel):
    """The multipart form of `/translate_file`, as the interface's description has it."""

    file: Annotated[bytes, WithJsonSchema({"type": "string", "format": "binary"})]
    source: SourceLanguage | Literal["auto", ""] = AUTO
    target: TargetLanguage
    api_key: str = ""


_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {MULTIPART: {"schema": FileForm.model_json_schema()}}}
}


@router.post("/translate_file", openapi_extra=_BODY, response_model_exclude_none=True)
async def translate_file(fields: FieldsOf, request: Request, services: ServicesOf) -> FileResponse:
    """Translates a file and keeps the translation for a while."""
    asked = fitting(fields, FileRequest)
    if len(asked.file.content) > services.config.max_file:
        raise Problem("too_large", f"the file has more than {services.config.max_file} bytes")
    source = None if asked.source == AUTO else asked.source
    choose(services.models, None, source, asked.target)  # what is wrong with the languages is said before any work
    made = await _translated(asked, source, request, services)
    key = services.files.add(asked.file.name, made.content)
    address = f"{str(request.base_url).rstrip('/')}/download_file/{quote(key)}"
    return FileResponse(translatedFileUrl=address, problems=list(made.problems) or None)


async def _translated(asked: FileRequest, source: str | None, request: Request, services: Services) -> TranslatedFile:
    """The file in translation; the work ends when nobody waits for it any more.

    source: the file's language; None where it is to be detected
    """

    def chosen(texts: Sequence[str]) -> tuple[Batcher, Wish]:
        candidates = writers(services.models, asked.target) or services.models
        spoken = source or services.detector.detect(candidates, "\n".join(texts))[0].language
        model = choose(services.models, None, spoken, asked.target)
        return services.batchers[model.id], Wish(tag(model, asked.target))

    texts = TextsOfFile(chosen, services.config)
    translate, file = services.formats.translate, asked.file
    work = services.files.submit(services.workers, translate, file.content, file.name, texts, asked.target, source)
    try:
        return await attend(request, work, services, services.config.file_timeout)
    finally:
        texts.end()


@router.get("/download_file/{key}", response_class=Response, responses={200: {"content": {_UNKNOWN_TYPE: {}}}})
async def download_file(key: str, services: ServicesOf) -> Response:
    """A translated file, for whoever knows its key."""
    kept = services.files.get(key)
    kind = mimetypes.guess_type(kept.name)[0] or _UNKNOWN_TYPE
    named = f"attachment; filename*=UTF-8''{quote(kept.name)}"
    return Response(kept.content, media_type=kind, headers={"Content-Disposition": named, "Cache-Control": "no-store"})
