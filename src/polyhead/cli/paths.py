"""Paths on the command line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, Token


def _named(type_: object, tokens: Sequence[Token]) -> Path:
    """A typed path. Refuses an empty one, as of an unset shell variable, which would be the current directory."""
    (token,) = tokens
    if not token.value:
        raise ValueError("an empty path names no file or directory")
    return Path(token.value)


NamedPath = Annotated[Path, Parameter(converter=_named)]
"""A path that isn't empty."""
