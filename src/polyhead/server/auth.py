"""The API key, where the server has one."""

import hmac
from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import SecretStr

from polyhead.server.problems import Problem
from polyhead.server.services import ServicesOf

_bearer = HTTPBearer(auto_error=False, description="The server's API key.")


def check_key(key: SecretStr | None, given: str | None) -> None:
    """Raises Problem unauthorized unless `given` is the key; the time it takes doesn't tell how near it was."""
    if key is None:
        return
    if given is None or not hmac.compare_digest(given.encode(), key.get_secret_value().encode()):
        wrong = "the API key is wrong" if given is not None else "this server wants an API key"
        raise Problem(
            "unauthorized", f"{wrong}; send `Authorization: Bearer KEY`", headers={"WWW-Authenticate": "Bearer"}
        )


async def require_key(
    services: ServicesOf, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> None:
    """A route's dependency: only who knows the key gets further."""
    check_key(services.config.api_key, credentials.credentials if credentials else None)
