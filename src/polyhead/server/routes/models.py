"""`/api/models`, `/api/tokenize`: which models there are, and how they cut text into tokens."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from polyhead.server.body import JsonRoute
from polyhead.server.checks import check_texts
from polyhead.server.choices import Asked, ModelName
from polyhead.server.describe import ModelInfo, TokenInfo, model_info, token_info
from polyhead.server.directions import choose
from polyhead.server.services import ServicesOf

router = APIRouter(prefix="/api", tags=["models"], route_class=JsonRoute)


class Models(BaseModel):
    """The models of this server, in the order they were given."""

    models: list[ModelInfo]


class TokenizeRequest(Asked):
    """A text to cut as the model does."""

    model: ModelName | None = None
    text: str
    side: Literal["source", "target"]


class Tokens(BaseModel):
    """The tokens of a text, without special symbols."""

    tokens: list[TokenInfo]


@router.get("/models")
async def models(services: ServicesOf) -> Models:
    """The models of this server."""
    loaded = services.pool.loaded
    return Models(models=[model_info(model, model.id in loaded) for model in services.models])


@router.post("/tokenize")
def tokenize(asked: TokenizeRequest, services: ServicesOf) -> Tokens:
    """The tokens of a text and their places."""
    check_texts([asked.text], services.config)
    source, target = choose(services.models, asked.model).tokenizers
    tokenizer = source if asked.side == "source" else target
    return Tokens(tokens=[token_info(token) for token in tokenizer.tokens(asked.text)])
