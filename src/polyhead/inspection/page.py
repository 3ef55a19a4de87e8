"""A trace as one JSON value, from which the page is drawn without a server, and as one HTML file with the page."""

import base64
import html
import io
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

import numpy as np

from polyhead.errors import PolyheadError
from polyhead.inspection.names import Array
from polyhead.inspection.overview import overview
from polyhead.inspection.tensors import Tensors

PLACEHOLDER = "<!--polyhead-trace-->"
"""Where the page's single file takes a trace in."""
EXACT_UP_TO = 16384
"""A layer's tensor of at most so many values is kept in float32; a larger one is rounded to float16."""


def embedded(
    meta: Mapping[str, Any], tensors: Tensors, heads: list[dict[str, Any]], probabilities: list[dict[str, Any]]
) -> dict[str, Any]:
    """A trace as JSON: meta, tensors ("name@layer" → .npy in base64, all heads), overviews, heads, probabilities."""
    packed = {
        f"{name}@{'' if layer is None else layer}": npy(_smaller(tensors.get(name, layer)))
        for name, count in tensors.layers.items()
        for layer in ([None] if count is None else range(count))
    }
    overviews = {site: npy(overview(tensors.get(f"{site}.weights"))) for site in tensors.scales}
    return {
        "meta": dict(meta),
        "tensors": packed,
        "overviews": overviews,
        "heads": heads,
        "probabilities": probabilities,
    }


def as_json(value: Mapping[str, Any]) -> str:
    """The value as compact JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def as_page(value: Mapping[str, Any]) -> str:
    """The page with a trace inside: one HTML file that needs no network.

    Raises PolyheadError where this installation lacks the page.
    """
    # "<" would let a sentence such as "</script>" end the script that carries it
    script = as_json(value).replace("<", "\\u003c")
    before, mark, after = _single_file().partition(PLACEHOLDER)
    if not mark:
        raise PolyheadError(f"server/page/single.html has no {PLACEHOLDER} to put a trace in; build it with `make web`")
    return f'{before}<script type="application/json" id="polyhead-trace">{script}</script>{after}'


def framed(page: str, height: int = 860) -> str:
    """HTML that shows a page inside a notebook's cell."""
    style = f"width: 100%; height: {height}px; border: 0"
    return f'<iframe title="polyhead" style="{style}" srcdoc="{html.escape(page)}"></iframe>'


def npy(array: Array) -> str:
    """The array as a NumPy file (.npy) in base64."""
    file = io.BytesIO()
    np.save(file, np.ascontiguousarray(array), allow_pickle=False)
    return base64.b64encode(file.getvalue()).decode("ascii")


def _smaller(array: Array) -> Array:
    """A large float array in float16, where its values allow it; any other array as it is."""
    if array.dtype == np.bool_ or array.size <= EXACT_UP_TO or np.abs(array).max() > np.finfo(np.float16).max:
        return array
    return array.astype(np.float16)


def _single_file() -> str:
    file = resources.files("polyhead").joinpath("server", "page", "single.html")
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise PolyheadError(
            "this installation lacks the page (polyhead/server/page/single.html): build it with `make web`, "
            "or save the trace as .npz, .json, .svg or .png"
        ) from error
