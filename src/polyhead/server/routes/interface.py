"""`/spec` and `/docs`: the description of the interface, where LibreTranslate has it, for programs and for people."""

from importlib import resources

from fastapi import APIRouter, Request, Response
from starlette.responses import HTMLResponse, JSONResponse

from polyhead.server.interface_page import STYLE, interface_page

router = APIRouter(include_in_schema=False)


@router.get("/spec")
async def spec(request: Request) -> Response:
    """The description of the interface, as at `/openapi.json`."""
    return JSONResponse(request.app.openapi())


@router.get("/docs")
async def docs(request: Request) -> Response:
    """The description of the interface as an HTML page."""
    return HTMLResponse(interface_page(request.app.openapi()))


@router.get(f"/{STYLE}")
async def style() -> Response:
    """The stylesheet of the page at `/docs`."""
    return Response((resources.files("polyhead") / "server" / STYLE).read_text("utf-8"), media_type="text/css")
