"""A trace: everything that happened while one sentence was translated, to be asked, drawn and saved.

Shapes: S source tokens, T target tokens, V vocabulary.
"""

import io
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhead.engine.choice import Choice
from polyhead.errors import PolyheadError
from polyhead.files import atomic_file
from polyhead.inspection import page
from polyhead.inspection.beam import BeamHistory
from polyhead.inspection.canvas import SUFFIXES, Figure, ThemeName, rendered
from polyhead.inspection.cell import cell
from polyhead.inspection.edits import Edits
from polyhead.inspection.head_finder import find_heads
from polyhead.inspection.heat_maps import attention_figure
from polyhead.inspection.names import SITE_NAMES, SITES, Array
from polyhead.inspection.overview import overview
from polyhead.inspection.prediction import Prediction
from polyhead.inspection.sentence import ShownToken, Target, labels
from polyhead.inspection.tensors import Tensors
from polyhead.tokenizers.protocol import Tokenizer

CANDIDATES_KEPT = 20
"""How many output candidates a saved trace has for each position."""


@dataclass(frozen=True)
class Trace:
    """One sentence, its translation, and every part of the model that had a hand in it. Made by `trace`."""

    model: dict[str, Any]
    """The model in a few numbers."""
    language: str | None
    """The target language, where one was asked for."""
    text: str
    source: tuple[ShownToken, ...]
    """[S]: the tag, if there is one, the text's pieces, `<eos>`, then `<pad>` if a longer sentence stood beside it."""
    source_padding: int
    target: Target
    tensors: Tensors
    prediction: Prediction
    tokenizer: Tokenizer
    """The target's tokenizer, which gives the pieces of the tokens that might have been written."""
    beam: BeamHistory | None
    """How the translation was found; None where it was given."""
    engine: Choice | None
    """What found the translation; None where it was given. All else is the trained model's, computed in float32."""
    edits: Edits
    score: float
    """log P(target | source) divided by the length penalty, as the recorded pass finds it."""

    def meta(self) -> dict[str, Any]:
        """The trace without its arrays, for JSON: the model, the tokens, probabilities, which tensors there are."""
        return {
            "model": {"id": "model", **self.model, "loaded": True},
            "language": self.language,
            "source": {"text": self.text, "tokens": [token.json() for token in self.source]},
            "target": {
                "text": self.target.text,
                "tokens_in": [token.json() for token in self.target.tokens_in],
                "tokens_out": [token.json() for token in self.target.tokens_out],
                "given": self.target.given,
                "log_probabilities": self.prediction.of_written.tolist(),
                "entropy": self.prediction.entropy.tolist(),
                "ranks": self.prediction.ranks.tolist(),
            },
            "source_padding": self.source_padding,
            "sites": [self._site(name) for name in self.sites],
            "tensors": self._tensor_index,
            "beam": self.beam.json(self.tokenizer) if self.beam else None,
            "engine": asdict(self.engine) if self.engine else None,
            "dtype": "float32",
            "edits": self.edits.model_dump(mode="json"),
            "score": self.score,
        }

    @property
    def sites(self) -> list[str]:
        """The attentions that the model has."""
        return [site for site in SITES if site in self.tensors.scales]

    @property
    def nbytes(self) -> int:
        """The memory that the trace takes, nearly all of it arrays."""
        return self.tensors.nbytes + self.prediction.log_probabilities.nbytes

    def tensor(self, name: str, layer: int | None = None, head: int | None = None) -> Array:
        """An array by name ("decoder.cross.weights"), of one layer and head or all stacked. Raises UnknownPart."""
        return self.tensors.get(name, layer, head)

    def overview(self, site: str) -> NDArray[np.uint8]:
        """[layers, heads, ≤ 64, ≤ 64]: the attention's maps, max-pooled, times 255. Raises UnknownPart."""
        return overview(self.tensors.get(f"{site}.weights"))

    def cell(self, site: str, layer: int, head: int, i: int, j: int) -> dict[str, Any]:
        """The arithmetic of one attention weight, with the tokens of its row and column. Raises UnknownPart."""
        return {
            **cell(self.tensors, site, layer, head, i, j),
            "query_token": self.queries(site)[i].json(),
            "key_token": self.keys(site)[j].json(),
        }

    def probabilities(self, t: int, k: int = 10) -> dict[str, Any]:
        """The k most probable tokens at position t. Raises UnknownPart, and PolyheadError for k < 1."""
        return self.prediction.top(t, k, self.tokenizer)

    def heads(self) -> list[dict[str, Any]]:
        """What each head does: scores of where it looks, and the name of the one that stands out, if any."""
        real = len(self.source) - self.source_padding
        source = np.array([token.start is not None for token in self.source])
        target = np.array([token.start is not None for token in self.target.tokens_in])
        found: list[dict[str, Any]] = []
        for site in self.sites:
            if site == "decoder.self":
                found += find_heads(self.tensors, site, target, len(target), sink=0)
            else:
                queries = real if site == "encoder.self" else len(target)
                found += find_heads(self.tensors, site, source, queries, sink=real - 1)
        return found

    def queries(self, site: str) -> tuple[ShownToken, ...]:
        """The tokens of an attention's rows: what it attends from. In the cross-attention, the word being written."""
        rows = {"encoder.self": self.source, "decoder.self": self.target.tokens_in}
        return rows.get(site, self.target.tokens_out)

    def keys(self, site: str) -> tuple[ShownToken, ...]:
        """The tokens of an attention's columns: what it attends to."""
        return self.target.tokens_in if site == "decoder.self" else self.source

    def plot(
        self,
        site: str = "decoder.cross",
        layer: int = -1,
        heads: Sequence[int] | None = None,
        theme: ThemeName = "light",
    ) -> Figure:
        """A matplotlib figure of one layer's attention, a heat map a head, masked cells hatched; -1 is the last layer.

        Raises UnknownPart, and PolyheadError for a model without attention or where matplotlib is missing.
        """
        if not self.sites:
            raise PolyheadError(f"a {self.model['kind']} model has no attention to draw")
        layers = self.tensors.layers.get(f"{site}.weights") or 0
        chosen = layer + layers if layer < 0 else layer
        return attention_figure(
            self.tensors.get(f"{site}.weights", chosen),
            labels(self.queries(site)),
            labels(self.keys(site)),
            title=self.text,
            subtitle=f"{SITE_NAMES[site]}, layer {chosen + 1}",
            heads=heads,
            mask=self.tensors.get(f"{site}.mask", chosen),
            theme=theme,
        )

    def figure(
        self,
        site: str = "decoder.cross",
        layer: int = -1,
        head: int | None = None,
        format: str = "svg",  # noqa: A002 (what everyone calls it)
        theme: ThemeName = "light",
    ) -> bytes:
        """`plot` as the content of a file (svg, png, pdf), of one head or all."""
        if f".{format}" not in SUFFIXES:
            raise PolyheadError(f"{format} is no format of a picture; take one of svg, png, pdf")
        return rendered(self.plot(site, layer, None if head is None else [head], theme), format)

    def export(self, format: str) -> bytes:  # noqa: A002
        """The whole trace as the content of a file: json, npz (NumPy, float32), or html, which needs no network."""
        match format:
            case "json":
                return page.as_json(self._embedded()).encode()
            case "html":
                return page.as_page(self._embedded()).encode()
            case "npz":
                return self._npz()
            case _:
                raise PolyheadError(f"{format} is no format of a trace; take one of json, npz, html")

    def save(self, path: Path | str) -> Path:
        """Writes .html, .json, .npz, .svg, .png or .pdf, as the suffix says; pictures show the last cross-attention.

        Directories that are missing on the way are made. Raises WriteError where nothing can be written.
        """
        path = Path(path)
        match path.suffix.lower():
            case ".html" | ".json" | ".npz" as suffix:
                content = self.export(suffix[1:])
            case ".svg" | ".png" | ".pdf" as suffix:
                content = self.figure(format=suffix[1:])
            case _:
                raise PolyheadError(f"{path}: say by the suffix what to write: .html, .json, .npz, .svg, .png or .pdf")
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(path) as temporary:
            temporary.write_bytes(content)
        return path

    def __repr__(self) -> str:
        return f"<Trace {self.text!r} → {self.target.text!r}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the page, which needs no network."""
        return page.framed(page.as_page(self._embedded()))

    @cached_property
    def _tensor_index(self) -> list[dict[str, Any]]:
        return self.tensors.index()

    def _embedded(self) -> dict[str, Any]:
        meta = {"id": "trace", "expires_in": None, **self.meta()}
        probabilities = [self.probabilities(t, CANDIDATES_KEPT) for t in range(len(self.target.tokens_out))]
        return page.embedded(meta, self.tensors, self.heads(), probabilities)

    def _npz(self) -> bytes:
        arrays: dict[str, Any] = {name: self.tensors.get(name) for name in self.tensors.layers}
        arrays["output.log_probabilities"] = self.prediction.log_probabilities
        arrays["meta"] = np.array(page.as_json(self.meta()))
        file = io.BytesIO()
        np.savez_compressed(file, **arrays)
        return file.getvalue()

    def _site(self, name: str) -> dict[str, Any]:
        layers, heads, rows, columns = self.tensors.get(f"{name}.weights").shape
        scale = self.tensors.scales[name]
        return {"name": name, "layers": layers, "heads": heads, "rows": rows, "columns": columns, "scale": scale}
