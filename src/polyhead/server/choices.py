"""The types that fields of several requests have.

The names of models and languages that a client can choose from follow from the server's models. So they are put into
the interface's description last, by `openapi`.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

CHOICES = "x-choices"
"""Marks, in a schema, a name that is chosen from those of the server's models; its value says which kind of name."""

ModelName = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "models"})]
SourceLanguage = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "sources"})]
TargetLanguage = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "targets"})]

_NOT_BLANK: dict[str, Any] = {"minLength": 1, "pattern": "[^\\s\\u001c-\\u001f\\u0085]"}
"""Asks for a character that isn't a space. Python knows five spaces that are not in the \\s of a schema (ECMA-262)."""
SENTENCE = "sentence"
"""The format, in a schema, of a text that goes through a model in one piece."""
_LIMIT = "At most as many tokens as the model takes at a time, which /api/models tells and /api/tokenize counts."

Text = Annotated[str, Field(json_schema_extra=_NOT_BLANK)]
"""A text that isn't blank. A blank one is answered with a problem of its own, not as a malformed request."""
SentenceText = Annotated[str, Field(description=_LIMIT, json_schema_extra={**_NOT_BLANK, "format": SENTENCE})]
"""A text that isn't blank, and is no longer than the model takes in one piece."""
GivenTranslation = Annotated[str, Field(description=_LIMIT, json_schema_extra={"format": SENTENCE})]
"""A translation that the client gives, no longer than the model takes in one piece. It may be empty."""


class Asked(BaseModel):
    """What every JSON body of polyhead's own interface may have."""

    model_config = ConfigDict(extra="forbid")

    api_key: str | None = Field(default=None, description="The server's key, for who can send it nowhere else.")
