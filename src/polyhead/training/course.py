"""A run on its way to its end: which update is the last one, as far as that can be told by now."""

from dataclasses import dataclass, field

from polyhead.training.checkpoint import Progress
from polyhead.training.config import TrainingConfig
from polyhead.training.ending import Budget, Ending
from polyhead.training.log import Display

EARLY = 1 / 20
"""The share of a run with limited time after which there is a validation at the latest."""


@dataclass
class Course:
    """Decides when the end of a run begins, and notes it in the progress."""

    config: TrainingConfig
    progress: Progress
    display: Display
    budget: Budget | None = None
    """The time of a run that may take only so many minutes; None: there is no such limit."""
    validation_seconds: float = field(default=0.0, init=False)
    """How long the newest validation took; 0 before the first one of this sitting."""

    @property
    def ending(self) -> Ending:
        """When the run ends by its recipe."""
        return Ending.of(self.config, None if self.budget is None else self.budget.left(self.validation_seconds))

    @property
    def expected(self) -> int:
        """The last update: the decided one, else the one at the nearest limit."""
        return self.progress.last or self.ending.expected(*self._place)

    def consider_limits(self) -> None:
        """Begins the end where a limit is near. A run that is resumed with other limits may have more to go."""
        progress, ending = self.progress, self.ending
        if progress.limits is not None and progress.limits != ending.limits:
            progress.last = progress.limits = progress.sampled_epochs = None
        if progress.last is None and ending.used(*self._place) >= ending.stable:
            self._begin_the_end(ending.expected(*self._place))

    def consider_learning(self) -> None:
        """Begins the end once nothing more is learnt."""
        progress, ending = self.progress, self.ending
        if progress.last is None and ending.has_stopped_learning(progress.history):
            self.display.message(f"update {progress.update}: learning has stopped, so training ends")
            self._begin_the_end(ending.last_after(progress.update))

    def is_over(self) -> bool:
        """Whether the last update is done or patience is used up, which may be so as soon as a run is resumed."""
        progress, patience = self.progress, self.config.patience
        done = progress.last is not None and progress.update >= progress.last
        return done or (patience is not None and progress.stale >= patience)

    def is_to_be_judged(self) -> bool:
        """Whether a validation is due after the newest update.

        Where time is limited, the first one comes early, as it tells how much of the time the final scores will take.
        """
        unknown = self.budget is not None and not self.validation_seconds
        due = self.progress.update % self.config.validate_every == 0
        return due or self.is_over() or (unknown and self.ending.used(*self._place) > EARLY)

    def is_done(self) -> bool:
        """Whether the run is over and its last weights are judged."""
        return self.is_over() and not self.progress.unjudged

    def advise(self) -> None:
        """Says how to go on where the run came to a limit while it was still learning."""
        if advice := self.ending.advice(self.progress.history, self.progress.update):
            self.display.message(advice)

    @property
    def _place(self) -> tuple[int, int, float]:
        """The update, the epoch and the seconds of training so far."""
        progress = self.progress
        return progress.update, progress.position.epoch, progress.seconds

    def _begin_the_end(self, last: int) -> None:
        progress = self.progress
        progress.last, progress.limits = last, self.ending.limits
        progress.sampled_epochs = progress.position.epoch + (progress.position.batch > 0)
        if last > progress.update:
            self.display.message(f"the learning rate falls to 0 from here to update {last}, the last one")
