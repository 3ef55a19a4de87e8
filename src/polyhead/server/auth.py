"""The API key, where the server has one, from wherever the clients of the three interfaces put it.

`Authorization: Bearer KEY` or, of DeepL's clients, `Authorization: DeepL-Auth-Key KEY`; `api_key` (DeepL's `auth_key`)
in the query string, in a form, or in a JSON body.
"""

import hmac
from collections.abc import Mapping
from typing import Annotated, Any, cast

from fastapi import Depends, Request
from fastapi.security import APIKeyQuery, HTTPBearer

from polyhead.server.body import JSON, media_type
from polyhead.server.problems import KeyMissing, Problem
from polyhead.server.services import Services, ServicesOf

NAMES = ("api_key", "auth_key")
"""The names of the field that has the key."""
_SCHEMES = ("bearer", "deepl-auth-key")

_bearer = HTTPBearer(auto_error=False, description="The server's API key.")
_query = APIKeyQuery(name="api_key", auto_error=False, description="The server's API key, in the address.")


def check_key(services: Services, request: Request, fields: Mapping[str, Any]) -> None:
    """Raises Problem unauthorized unless the request has the key. How long this takes tells nothing about the key.

    fields: the fields of the body and of the query string
    """
    key = services.config.api_key
    if key is None:
        return
    given = _given(request, fields)
    expected = key.get_secret_value().encode()
    if any(hmac.compare_digest(each.encode(errors="replace"), expected) for each in given):
        return
    headers, remedy = {"WWW-Authenticate": "Bearer"}, "send `Authorization: Bearer KEY`, or `api_key`"
    if given:
        raise Problem("unauthorized", f"the API key is wrong; {remedy}", headers=headers)
    raise KeyMissing("unauthorized", f"this server wants an API key; {remedy}", headers=headers)


def _given(request: Request, fields: Mapping[str, Any]) -> list[str]:
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    found: list[Any] = [credentials.strip()] if scheme.lower() in _SCHEMES else []
    found += [request.query_params.get(name) for name in NAMES]
    found += [fields.get(name) for name in NAMES]
    return [each for each in found if isinstance(each, str) and each]


async def require_key(
    request: Request,
    services: ServicesOf,
    header: Annotated[object, Depends(_bearer)],
    query: Annotated[object, Depends(_query)],
) -> None:
    """A JsonRoute's dependency that lets in who knows the key.

    `header` and `query` describe the key in /openapi.json.
    """
    check_key(services, request, await _fields(request))


async def _fields(request: Request) -> dict[str, Any]:
    """The fields of a JSON body; none where it is anything else: a route that needs one says what is wrong."""
    if media_type(request) != JSON or not await request.body():
        return {}
    try:
        body: object = await request.json()
    except Problem:
        return {}
    return cast("dict[str, Any]", body) if isinstance(body, dict) else {}
