"""`/api/translate`: translations with everything the search knows of them."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from polyhead.server.body import JsonRoute
from polyhead.server.checks import check_texts
from polyhead.server.choices import Asked, ModelName, SourceLanguage, TargetLanguage
from polyhead.server.directions import choose
from polyhead.server.scored import BestTranslation, best
from polyhead.server.services import ServicesOf
from polyhead.server.texts import MOST_BEAMS, translate
from polyhead.server.waiting import Wish

router = APIRouter(prefix="/api", tags=["translate"], route_class=JsonRoute)

Beams = Annotated[int, Field(ge=1, le=MOST_BEAMS, strict=True)]
Penalty = Annotated[float, Field(ge=0, le=10, strict=True)] | Literal["average"]


class TranslateRequest(Asked):
    """One text or several to translate. A field that is left out follows from the model."""

    model: ModelName | None = None
    text: str | list[str]
    source: SourceLanguage | None = Field(default=None, description="Language of the text.")
    target: TargetLanguage | None = Field(default=None, description="Language to translate to.")
    beam_size: Beams | None = None
    n_best: Beams = Field(default=1, description="How many translations of each text to return.")
    length_penalty: Penalty | None = Field(
        default=None, description="α of Wu et al. 2016, or `average` for the mean log-probability of a token."
    )
    patience: float | None = Field(
        default=None,
        gt=0,
        le=10,
        strict=True,
        description="A search ends at beam_size · patience finished translations (Kasai et al. 2022), so sooner than "
        "when nothing can win any more.",
    )


class Translations(BaseModel):
    """The translations, one for each text, in order."""

    translations: list[BestTranslation]


@router.post("/translate")
async def translate_texts(asked: TranslateRequest, request: Request, services: ServicesOf) -> Translations:
    """Translates one text or several; a blank text has an empty translation."""
    texts = [asked.text] if isinstance(asked.text, str) else asked.text
    check_texts(texts, services.config)
    model = choose(services.models, asked.model, asked.source, asked.target)
    wish = Wish(asked.target, asked.beam_size, asked.n_best, asked.length_penalty, asked.patience)
    found = await translate(request, services, model, texts, wish)
    return Translations(translations=[best(each) for each in found])
