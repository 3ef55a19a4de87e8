"""The base of every component's settings: frozen, checked, documented field by field."""

from pydantic import BaseModel, ConfigDict


class Config(BaseModel):
    """Frozen settings. An unknown key is an error; the docstring under a field is its documentation."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, protected_namespaces=())
