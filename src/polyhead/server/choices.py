"""What the fields of requests have in common.

Names that clients choose from follow from the models, so the interface's description learns them last.
"""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

CHOICES = "x-choices"
"""The mark of such a name in a schema; its value says which kind of name it is."""

ModelName = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "models"})]
SourceLanguage = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "sources"})]
TargetLanguage = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "targets"})]

_NOT_BLANK: dict[str, Any] = {"minLength": 1, "pattern": "[^\\s\\u001c-\\u001f\\u0085]"}
"""A character that isn't space: five that Python counts as such, the \\s of a schema (ECMA-262) doesn't."""
SENTENCE = "sentence"
"""The format, in a schema, of a text that goes through a model in one piece."""
_LIMIT = "At most as many tokens as the model takes at a time, which /api/models tells and /api/tokenize counts."

Text = Annotated[str, Field(json_schema_extra=_NOT_BLANK)]
"""A text that isn't blank; one that is gets its own answer, not that of a malformed request."""
SentenceText = Annotated[str, Field(description=_LIMIT, json_schema_extra={**_NOT_BLANK, "format": SENTENCE})]
"""The same, and no longer than the model takes in one piece."""
GivenTranslation = Annotated[str, Field(description=_LIMIT, json_schema_extra={"format": SENTENCE})]
"""A translation of it, which may be empty."""


class Asked(BaseModel):
    """What every JSON body of polyhead's own interface may have."""

    model_config = ConfigDict(extra="forbid")

    api_key: str | None = Field(default=None, description="The server's key, for who can send it nowhere else.")
