"""A model that is asked at every step whether to go on."""

from collections.abc import Callable
from typing import Any, Generic, cast

from polyhead.decoding.next_token import InParts, is_in_parts
from polyhead.decoding.searchable import Booleans, Logits, Numbers, S, Searchable, Values


def cancellable(model: Searchable[S], check: Callable[[], None]) -> Searchable[S]:
    """The model, with `check` called before each step of any search; what it raises ends the search."""
    return CancellableInParts(model, check) if is_in_parts(model) else Cancellable(model, check)


class Cancellable(Generic[S]):
    """A model that calls `check` before it encodes and before each of its steps; see `cancellable`."""

    def __init__(self, model: Searchable[S], check: Callable[[], None]) -> None:
        self.model = model
        self.check = check

    def encode(self, source: Numbers, source_mask: Booleans) -> Any:
        """Calls `check`, then encodes the source with the model."""
        self.check()
        return self.model.encode(source, source_mask)

    def start(self, memory: Any) -> S:
        """The model's state before the first token."""
        return self.model.start(memory)

    def step(self, previous: Numbers, state: S) -> tuple[Logits, S]:
        """Calls `check`, then gives the model's logits and its next state."""
        self.check()
        return self.model.step(previous, state)


class CancellableInParts(Cancellable[S]):
    """A `Cancellable` for a model whose steps are in parts (`InParts`)."""

    def features(self, previous: Numbers, state: S) -> tuple[Values, Any]:
        """Calls `check`, then gives the model's features and its next state."""
        self.check()
        return self._parts.features(previous, state)

    def logits(self, features: Values) -> Logits:
        """The model's logits of these features."""
        return self._parts.logits(features)

    @property
    def _parts(self) -> InParts:
        return cast("InParts", self.model)
