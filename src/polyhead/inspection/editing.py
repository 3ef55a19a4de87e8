"""Carrying out edits: modules of a view are exchanged, so that the model that translates stays as it is."""

from collections import defaultdict
from typing import Any

from torch import Tensor, nn

from polyhead.errors import PolyheadError
from polyhead.inspection.anatomy import attentions
from polyhead.inspection.cores import Foreseeing, Muted, Unscaled
from polyhead.inspection.edits import Edits
from polyhead.inspection.names import Site
from polyhead.inspection.tensors import UnknownPart
from polyhead.model.embedding import Embedding
from polyhead.model.positions import NoPosition
from polyhead.model.seq2seq import Seq2SeqModel
from polyhead.model.transformer import Transformer


def apply(edits: Edits, model: Seq2SeqModel[Any]) -> None:
    """Carries out edits by exchanging modules of `model`, which must be a view, not the model that translates.

    Raises PolyheadError for a head that the model doesn't have, and for a part that its kind doesn't have.
    """
    if not isinstance(model, Transformer):
        dropped = {"scale": edits.no_scale, "positions": edits.no_positions, "look-ahead mask": edits.no_look_ahead}
        if missing := [name for name, drop in dropped.items() if drop]:
            raise PolyheadError(f"this model is no Transformer and has no {missing[0]} to drop; leave that edit out")
    muted = _muted(edits, model)
    for place in attentions(model):
        core = place.module.get_submodule("core")
        if edits.no_scale:
            core = Unscaled(core)
        if edits.no_look_ahead and place.site == "decoder.self":
            core = Foreseeing(core)
        if heads := muted[place.site, place.layer]:
            core = Muted(core, tuple(heads))
        place.module.core = core
    if edits.no_positions and isinstance(model, Transformer):
        for embedding in (model.source_embedding, model.target_embedding):
            _drop_positions(embedding)


def _muted(edits: Edits, model: nn.Module) -> dict[tuple[Site, int], list[int]]:
    """Site and layer of an attention → its muted heads. Raises UnknownPart for a head that the model doesn't have."""
    sizes = {(place.site, place.layer): place.heads for place in attentions(model)}
    muted: dict[tuple[Site, int], list[int]] = defaultdict(list)
    for one in edits.mute:
        if one.head >= sizes.get((one.site, one.layer), 0):
            raise UnknownPart(
                f"cannot mute head {one.head} of {one.site}, layer {one.layer}: the model has no such head "
                "(layers and heads count from 0)"
            )
        muted[one.site, one.layer].append(one.head)
    return muted


def _drop_positions(embedding: Embedding) -> None:
    """Sets the encoding to 0 and so keeps what else the module does, such as a merging map; without one, x stays x."""
    encoding = getattr(embedding.positions, "encoding", None)
    if isinstance(encoding, nn.Parameter):
        embedding.positions.encoding = nn.Parameter(encoding.detach().new_zeros(encoding.shape))
    elif isinstance(encoding, Tensor):
        embedding.positions.encoding = encoding.new_zeros(encoding.shape)
    else:
        embedding.positions = NoPosition(0, 0)
