"""`/health` and `/metrics`: for those who run the server."""

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST

from polyhead.server.body import JsonRoute
from polyhead.server.services import ServicesOf

health_router = APIRouter(tags=["operations"])
metrics_router = APIRouter(tags=["operations"], route_class=JsonRoute)


@health_router.get("/health")
async def health() -> dict[str, str]:
    """Tells that the server answers."""
    return {"status": "ok"}


@metrics_router.get("/metrics", response_class=Response)
async def metrics(services: ServicesOf) -> Response:
    """Counts and times in Prometheus' text format."""
    return Response(services.metrics.text(), media_type=CONTENT_TYPE_LATEST)
