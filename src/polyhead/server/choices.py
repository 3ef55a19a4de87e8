"""Names that clients choose from: which there are follows from the models, so the description learns them last."""

from typing import Annotated

from pydantic import WithJsonSchema

CHOICES = "x-choices"
"""The mark of such a name in a schema; its value says which kind of name it is."""

ModelName = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "models"})]
SourceLanguage = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "sources"})]
TargetLanguage = Annotated[str, WithJsonSchema({"type": "string", CHOICES: "targets"})]
