"""The application: routes, limits and errors put together around the models."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect

import polyhead
from polyhead.errors import PolyheadError
from polyhead.server.answers import Answers
from polyhead.server.auth import require_key
from polyhead.server.body import BodyLimit
from polyhead.server.dialects import respond
from polyhead.server.gate import Gate
from polyhead.server.openapi import describe_interface
from polyhead.server.problems import Problem, explain, problem_of
from polyhead.server.routes import (
    deepl,
    files,
    interface,
    libretranslate,
    models,
    operations,
    page,
    stream,
    traces,
    translate,
)
from polyhead.server.services import Services

CLIENT_LEFT = 499
"""The status that is counted for clients that left before their answer; nobody reads it."""


def build_app(services: Services) -> FastAPI:
    """The application that answers with these services; it ends them when it is shut down."""
    app = FastAPI(
        title="polyhead",
        version=polyhead.__version__,
        summary="Translations, and what happens inside the model.",
        docs_url=None,  # FastAPI's pages load their scripts from elsewhere
        redoc_url=None,
        lifespan=_lifespan(services),
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.services = services
    locked = [Depends(require_key)] if services.config.api_key is not None else []
    for module in (models, translate, stream, traces):
        app.include_router(module.router, dependencies=locked)
    app.include_router(operations.metrics_router, dependencies=locked)
    app.include_router(operations.health_router)
    for module in (libretranslate, deepl, files, interface, page):
        app.include_router(module.router)
    app.openapi = describe_interface(app, services.models, services.formats)  # type: ignore[method-assign]
    _handle_errors(app, services)
    app.add_middleware(BodyLimit, config=services.config)
    if services.config.origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=services.config.origins, allow_methods=["*"], allow_headers=["*"]
        )
    app.add_middleware(Gate, config=services.config)
    app.add_middleware(Answers, metrics=services.metrics)
    return app


def _lifespan(services: Services) -> Callable[[FastAPI], Any]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        yield
        await run_in_threadpool(services.close)

    return lifespan


def _misrouted(app: FastAPI, request: Request, error: HTTPException) -> HTTPException:
    """The router's two errors in words: there is no such address, or it doesn't take this method."""
    if error.status_code == HTTPStatus.NOT_FOUND:
        return Problem("not_found", f"there is nothing at {request.url.path[:80]!r}; /openapi.json tells what there is")
    if error.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
        return error
    # Starlette names the methods of the first route of that address, which may have several.
    known = app.openapi()["paths"].get(getattr(request.scope.get("route"), "path", None), {})
    allowed = ", ".join(map(str.upper, known)) or (error.headers or {}).get("Allow", "")
    detail = f"this address doesn't take {request.method}; it takes {allowed}"
    return Problem("bad_request", detail, error.status_code, {"Allow": allowed})


def _handle_errors(app: FastAPI, services: Services) -> None:
    """Has the application answer every error with a problem."""

    async def problem(request: Request, error: Exception) -> Response:
        if isinstance(error.__cause__, ClientDisconnect):  # FastAPI tells of it as a body that can't be parsed
            return await left(request, error)
        if isinstance(error, HTTPException) and not isinstance(error, Problem):
            error = _misrouted(app, request, error)
        return respond(request.url.path, problem_of(error))

    async def invalid(request: Request, error: Exception) -> Response:
        told = explain(error.errors() if isinstance(error, RequestValidationError) else [])
        return respond(request.url.path, told)

    async def left(request: Request, error: Exception) -> Response:
        services.metrics.left.inc()
        return Response(status_code=CLIENT_LEFT)

    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(ClientDisconnect, left)
    for kind in (HTTPException, PolyheadError, Exception):
        app.add_exception_handler(kind, problem)
