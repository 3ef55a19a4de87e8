"""`/api/traces`: a look inside one translation, made once and asked for part by part."""

import io
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query, Request, Response
from numpy.typing import NDArray

from polyhead.extras import needing_extra
from polyhead.inspection.edits import Edits
from polyhead.limits import LONGEST, MOST_LAYERS
from polyhead.server.body import JsonRoute
from polyhead.server.checks import check_characters, check_not_blank
from polyhead.server.choices import Asked, GivenTranslation, ModelName, SentenceText, TargetLanguage
from polyhead.server.describe import model_info
from polyhead.server.directions import choose, tag
from polyhead.server.routes.translate import Beams
from polyhead.server.services import Services, ServicesOf, attend
from polyhead.server.slices import Slice, cut
from polyhead.server.traces import KeptTrace
from polyhead.translating.translator import Translator

if TYPE_CHECKING:
    from polyhead.inspection.traced import Trace

router = APIRouter(prefix="/api/traces", tags=["traces"], route_class=JsonRoute)

Place = Annotated[int, Query(ge=0, le=LONGEST)]
MEDIA_TYPES = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "json": "application/json",
    "npz": "application/zip",
    "html": "text/html",
}


class NpyResponse(Response):
    """An array as NumPy's file format."""

    media_type = "application/octet-stream"


def _one_of(*kinds: str) -> dict[int | str, dict[str, Any]]:
    """What the interface's description says of an answer in one of several formats."""
    return {200: {"content": {MEDIA_TYPES[kind]: {} for kind in kinds}}}


class TraceRequest(Asked):
    """One sentence to look into."""

    model: ModelName | None = None
    text: SentenceText
    target: GivenTranslation | None = None
    """The translation to look at; the model's own if left out."""
    language: TargetLanguage | None = None
    """The target language."""
    beam_size: Beams | None = None
    companion: SentenceText | None = None
    """A longer sentence in the same batch, so that there is padding to see."""
    engine: Literal["plain"] | None = None
    """What translates: "plain" for the trained model in float32, as for edited models; the server's own if left out."""
    edits: Edits = Edits()


@router.post("", status_code=201, response_model=None)
async def make_trace(asked: TraceRequest, request: Request, services: ServicesOf) -> dict[str, Any]:
    """Translates a sentence and keeps everything that happened."""
    for name, text in (("text", asked.text), ("target", asked.target), ("companion", asked.companion)):
        check_characters(text or "", f"the {name}", services.config)
    check_not_blank(asked.text)
    model = choose(services.models, asked.model, None, asked.language)
    language = tag(model, asked.language, "language")

    def look(translator: Translator) -> "Trace":
        with needing_extra("looking inside"):
            from polyhead.inspection.trace import trace

        return trace(
            Translator(translator.bundle) if asked.engine == "plain" else translator,
            asked.text,
            target=asked.target,
            target_language=language,
            beam_size=asked.beam_size,
            companion=asked.companion,
            edits=asked.edits,
        )

    made = await attend(request, services.batchers[model.id].run(look), services)
    kept = services.traces.add(made, model.id)
    services.metrics.traces.set(services.traces.nbytes)
    return _meta(kept, services)


@router.get("/{id}", response_model=None)
def get_trace(id: str, services: ServicesOf) -> dict[str, Any]:  # noqa: A002  as the address says
    """A trace without its arrays."""
    return _meta(services.traces.get(id), services)


@router.delete("/{id}", status_code=204)
def delete_trace(id: str, services: ServicesOf) -> None:  # noqa: A002
    """Forgets a trace."""
    services.traces.delete(id)
    services.metrics.traces.set(services.traces.nbytes)


@router.get("/{id}/tensors/{name}", response_class=NpyResponse)
def get_tensor(
    id: str,  # noqa: A002
    name: str,
    services: ServicesOf,
    layer: Place | None = None,
    head: Place | None = None,
    dtype: Literal["float32", "float16"] = "float32",
    rows: Slice | None = None,
    columns: Slice | None = None,
) -> Response:
    """An array as .npy: of one layer and head or of all, some rows and columns or all. Masks are bool."""
    array = cut(services.traces.get(id).trace.tensor(name, layer, head), rows, columns)
    return _npy(array if array.dtype == np.bool_ else array.astype(dtype))


@router.get("/{id}/overview/{site}", response_class=NpyResponse)
def get_overview(id: str, site: str, services: ServicesOf) -> Response:  # noqa: A002
    """Thumbnails of an attention's maps as .npy: uint8 [layers, heads, ≤ 64, ≤ 64]."""
    return _npy(services.traces.get(id).trace.overview(site))


@router.get("/{id}/cell", response_model=None)
def get_cell(
    id: str,  # noqa: A002
    services: ServicesOf,
    site: str,
    layer: Place,
    head: Place,
    i: Place,
    j: Place,
) -> dict[str, Any]:
    """The arithmetic of one attention weight."""
    return services.traces.get(id).trace.cell(site, layer, head, i, j)


@router.get("/{id}/probabilities", response_model=None)
def get_probabilities(
    id: str,  # noqa: A002
    services: ServicesOf,
    t: Place,
    k: Annotated[int, Query(ge=1, le=1000)] = 10,
) -> dict[str, Any]:
    """The likeliest tokens at position t."""
    return services.traces.get(id).trace.probabilities(t, k)


@router.get("/{id}/heads", response_model=None)
def get_heads(id: str, services: ServicesOf) -> dict[str, Any]:  # noqa: A002
    """What each head does."""
    return {"heads": services.traces.get(id).trace.heads()}


@router.get("/{id}/figure.{kind}", response_class=Response, responses=_one_of("svg", "png"))
def get_figure(
    id: str,  # noqa: A002
    kind: Literal["svg", "png"],
    services: ServicesOf,
    site: str = "decoder.cross",
    layer: Annotated[int, Query(ge=-1, lt=MOST_LAYERS)] = -1,
    head: Place | None = None,
    theme: Literal["light", "dark"] = "light",
) -> Response:
    """A picture of an attention: one head or all of a layer; layer -1 is the last."""
    kept = services.traces.get(id)
    if head is not None:
        kept.trace.tensor(f"{site}.weights", head=head)  # raises UnknownPart, a 404, for a head that doesn't exist
    return Response(kept.trace.figure(site, layer, head, kind, theme), media_type=MEDIA_TYPES[kind])


@router.get("/{id}/export.{kind}", response_class=Response, responses=_one_of("json", "npz", "html"))
def export(id: str, kind: Literal["json", "npz", "html"], services: ServicesOf) -> Response:  # noqa: A002
    """The whole trace as a file."""
    kept = services.traces.get(id)
    name = {"Content-Disposition": f'attachment; filename="polyhead-trace.{kind}"'}
    return Response(kept.trace.export(kind), media_type=MEDIA_TYPES[kind], headers=name)


def _meta(kept: KeptTrace, services: Services) -> dict[str, Any]:
    model = next(model for model in services.models if model.id == kept.model)
    info = model_info(model, model.id in services.pool.loaded).model_dump()
    return {**kept.trace.meta(), "id": kept.id, "expires_in": services.traces.seconds_left(kept), "model": info}


def _npy(array: NDArray[Any]) -> NpyResponse:
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(array), allow_pickle=False)
    return NpyResponse(file.getvalue())
