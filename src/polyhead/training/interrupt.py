"""How training is asked to stop from outside: by a signal."""

from collections.abc import Generator
from contextlib import contextmanager


class Interrupted(BaseException):
    """Ends work that can be ended at any moment, because it will be done again."""


class Interrupt:
    """A request to stop, which holds once it is made: training stops after the update under way, validation at once."""

    def __init__(self) -> None:
        self.requested = False
        self._at_once = False

    def request(self) -> None:
        """Asks training to stop; raises Interrupted within `at_once`, in the main thread, where signal handlers run."""
        self.requested = True
        if self._at_once:
            raise Interrupted

    @contextmanager
    def at_once(self) -> Generator[None]:
        """Within the block a request, also one that was made before it, raises Interrupted."""
        self._at_once = True
        try:
            if self.requested:
                raise Interrupted
            yield
        finally:
            self._at_once = False
