"""What the workers of a run tell the command that has started it, and the other way round."""

from dataclasses import dataclass, field


@dataclass
class News:
    """What the command has to know of the run."""

    said: list[str]
    """What the workers have said since the command last asked."""
    starts: int
    """How often the workers were started."""
    begun: bool
    """Whether the run has begun, so that it can be stopped in order and gone on with."""
    refusal: Exception | None
    """Why the run ended, where no restart would change that."""
    finished: bool | None
    """Whether training came to its end; None as long as it has not ended."""


@dataclass
class Board:
    """An actor of Ray on the machine of the command, which outlives the workers."""

    _said: list[str] = field(default_factory=list[str])
    _starts: int = 0
    _begun: bool = False
    _kept: bool = False
    _stop: bool = False
    _refusal: Exception | None = None
    _finished: bool | None = None

    def say(self, text: str) -> None:
        """Notes a message for the user."""
        self._said.append(text)

    def start(self) -> int:
        """Notes that worker 0 starts → how often it has started by now."""
        self._starts += 1
        return self._starts

    def begin(self) -> None:
        """Notes that the run has begun. A restart of the workers doesn't change that."""
        self._begun = True

    def has_begun(self) -> bool:
        """Whether the run has begun, even if the workers have been restarted since."""
        return self._begun

    def keep(self) -> None:
        """Notes that a checkpoint was written."""
        self._kept = True

    def has_kept(self) -> bool:
        """Whether any checkpoint was written."""
        return self._kept

    def stop(self) -> None:
        """Notes that the user asks training to stop."""
        self._stop = True

    def is_to_stop(self) -> bool:
        """Whether the user has asked training to stop."""
        return self._stop

    def refuse(self, reason: Exception) -> None:
        """Notes why the run ends, where no restart would change that. The first reason counts."""
        self._refusal = self._refusal or reason

    def is_refused(self) -> bool:
        """Whether a worker has refused the run."""
        return self._refusal is not None

    def end(self, finished: bool) -> None:
        """Notes that training has ended, and whether it came to its end or was stopped."""
        self._finished = finished

    def news(self) -> News:
        """What the command has to know of the run. Each message is given only once."""
        said, self._said = self._said, []
        return News(said, self._starts, self._begun, self._refusal, self._finished)
