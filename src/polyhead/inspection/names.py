"""What a trace calls its parts, its attentions above all."""

from typing import Any, Literal

from numpy.typing import NDArray

Array = NDArray[Any]
Place = tuple[str, int | None]
"""A tensor's name and its layer, which is None for a tensor that belongs to no layer."""
Site = Literal["encoder.self", "decoder.self", "decoder.cross"]
"""The three attentions of Vaswani et al. 2017, section 3.2.3."""
SITES: tuple[Site, ...] = ("encoder.self", "decoder.self", "decoder.cross")
SITE_NAMES: dict[str, str] = {
    "encoder.self": "encoder self-attention",
    "decoder.self": "masked decoder self-attention",
    "decoder.cross": "encoder-decoder attention",
}
"""What pictures call the three attentions."""
