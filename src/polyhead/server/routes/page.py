"""The page and its files. File names under `/assets` change with their content, so that they may be kept for ever."""

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from fastapi import APIRouter, Response
from starlette.responses import FileResponse, PlainTextResponse

from polyhead.server.problems import Problem

router = APIRouter(include_in_schema=False)

PAGE = Path(str(resources.files("polyhead"))) / "server" / "page"
FOR_EVER: Mapping[str, str] = {"Cache-Control": "public, max-age=31536000, immutable"}
NOT_BUILT = "The page is not built: run `make web`. The interface is described at /openapi.json.\n"


@router.get("/")
async def index() -> Response:
    """The page."""
    file = PAGE / "index.html"
    fresh = {"Cache-Control": "no-cache"}
    return FileResponse(file, headers=fresh) if file.is_file() else PlainTextResponse(NOT_BUILT, headers=fresh)


@router.get("/assets/{name}")
async def asset(name: str) -> Response:
    """A file of the page. Only names that the folder lists are taken."""
    folder = PAGE / "assets"
    files = {path.name: path for path in folder.iterdir() if path.is_file()} if folder.is_dir() else {}
    if name not in files:
        raise Problem("not_found", f"the page has no file {name!r}")
    return FileResponse(files[name], headers=dict(FOR_EVER))
