"""What the fields of requests have in common.

Names that clients choose from follow from the models, so the interface's description learns them last.
"""

from typing import Annotated

from pydantic import Field, WithJsonSchema

CHOICES = "x-choices"
"""The mark of such a name in a schema; its value says which kind of name it is."""

ModelName = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "models"})]
SourceLanguage = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "sources"})]
SentenceText = Annotated[str, Field(json_schema_extra={"minLength": 1, "pattern": "\\S"})]
"""A text that isn't blank; one that is gets its own answer, not that of a malformed request."""
TargetLanguage = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "targets"})]
