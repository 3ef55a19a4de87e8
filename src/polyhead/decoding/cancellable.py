"""A model that is asked at every step whether to go on."""

from collections.abc import Callable
from typing import Any, Generic, cast

from polyhead.decoding.next_token import InParts
from polyhead.decoding.searchable import Booleans, Logits, Numbers, S, Searchable, Values


def cancellable(model: Searchable[S], check: Callable[[], None]) -> Searchable[S]:
    """The model, with `check` called before each step of any search; what it raises ends the search."""
    return CancellableInParts(model, check) if isinstance(model, InParts) else Cancellable(model, check)


class Cancellable(Generic[S]):
    """See `checked`."""

    def __init__(self, model: Searchable[S], check: Callable[[], None]) -> None:
        self.model = model
        self.check = check

    def encode(self, source: Numbers, source_mask: Booleans) -> Any:
        """The model's own."""
        self.check()
        return self.model.encode(source, source_mask)

    def start(self, memory: Any) -> S:
        """The model's own."""
        return self.model.start(memory)

    def step(self, previous: Numbers, state: S) -> tuple[Logits, S]:
        """The model's own."""
        self.check()
        return self.model.step(previous, state)


class CancellableInParts(Cancellable[S]):
    """The same for a model whose steps are in parts."""

    def features(self, previous: Numbers, state: S) -> tuple[Values, Any]:
        """The model's own."""
        self.check()
        return self._parts.features(previous, state)

    def logits(self, features: Values) -> Logits:
        """The model's own."""
        return self._parts.logits(features)

    @property
    def _parts(self) -> InParts:
        return cast("InParts", self.model)
