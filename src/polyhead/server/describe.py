"""How models and tokens look in answers."""

from pydantic import BaseModel

from polyhead.inspection.model_info import model_info as read_info
from polyhead.server.pool import ModelDirectory
from polyhead.symbols import UNK
from polyhead.tokenizers.protocol import Token


class Vocabulary(BaseModel):
    """The sizes of the vocabularies."""

    source: int
    target: int


class ModelInfo(BaseModel):
    """One model; what its kind doesn't have is null."""

    id: str
    kind: str
    source: str | None
    targets: list[str]
    tagged: bool
    encoder_layers: int | None
    decoder_layers: int | None
    heads: int | None
    d_model: int | None
    d_ff: int | None
    vocabulary: Vocabulary
    max_length: int
    longest_source: int | None
    norm: str | None
    positions: str | None
    activation: str | None
    tie_embeddings: str | None
    parameters: int
    has_attention: bool
    loaded: bool


class TokenInfo(BaseModel):
    """A token and its place, in characters of its text; a special symbol has none."""

    id: int
    piece: str
    start: int | None
    end: int | None
    unknown: bool


def model_info(model: ModelDirectory, loaded: bool) -> ModelInfo:
    """What a client may know of a model."""
    known = read_info(model.config, model.parameters)
    return ModelInfo.model_validate({"id": model.id, "loaded": loaded, **known})


def token_info(token: Token) -> TokenInfo:
    """What a client is told of a token."""
    return TokenInfo(id=token.id, piece=token.piece, start=token.start, end=token.end, unknown=token.id == UNK)
