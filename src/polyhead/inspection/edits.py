"""What-if: a head muted, the scale, the positions or the look-ahead mask dropped, on a model that stays as it is."""

from pydantic import Field, StrictBool

from polyhead.config import Config
from polyhead.inspection.names import Site
from polyhead.limits import MOST_HEADS, MOST_LAYERS, MOST_LISTED


class Head(Config):
    """One head of one attention."""

    site: Site
    """Which of the three attentions the head belongs to."""
    layer: int = Field(ge=0, lt=MOST_LAYERS, strict=True)
    """The layer of the attention, counted from 0."""
    head: int = Field(ge=0, lt=MOST_HEADS, strict=True)
    """The number of the head, counted from 0."""


class Edits(Config):
    """Changes to a model for one look inside it. By default nothing is changed."""

    mute: tuple[Head, ...] = Field(default=(), max_length=MOST_LISTED)
    """Heads whose context is set to 0."""
    no_scale: StrictBool = False
    """softmax(QKᵀ) without the division by √d_k."""
    no_positions: StrictBool = False
    """The positional encoding set to 0."""
    no_look_ahead: StrictBool = False
    """Row t of the decoder's self-attention sees all columns. This changes only a pass in which the whole target goes
    in at once: in decoding step by step there is nothing ahead to look at."""

    @property
    def change_decoding(self) -> bool:
        """Whether these edits may change what translation a search finds."""
        return bool(self.mute) or self.no_scale or self.no_positions
